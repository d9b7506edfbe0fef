#include "distributed/run_distributed.hpp"

#include <algorithm>
#include <cstdio>
#include <hashmill/backends/throttled_transport.hpp>
#include <hashmill/error.hpp>
#include <hashmill/mpi_communicator.hpp>
#include <iostream>

#include "distributed/distributed_report.hpp"
#include "distributed/own_transport.hpp"
#include "distributed/rank_times.hpp"
#include "mpi_session.hpp"
#include "report/json_file.hpp"
#include "report/plot.hpp"

namespace hashmill::perf {
namespace {

/// The ranks that mpirun started, and what moves their memory.
struct World {
  OwnTransport transport;
  Communicator timed, control;
};

OwnTransport chosen_transport(const DistributedOptions& options) {
  const OwnTransport nccl = nccl_transport();
  const bool has_nccl = nccl.make != nullptr;
  const auto fallback = has_nccl ? RankTransport::nccl : RankTransport::mpi;
  if (options.transport.value_or(fallback) == RankTransport::mpi) return mpi_transport();
  if (!has_nccl) {
    throw InvalidArgument("--transport: this build has no NCCL (HASHMILL_ENABLE_NCCL)");
  }
  return nccl;
}

World make_world(const DistributedOptions& options) {
  const OwnTransport transport = chosen_transport(options);
  CommunicationOptions patience;  // some ranks wait while others work
  patience.timeout +=
      std::chrono::seconds(static_cast<std::int64_t>(std::min(options.seconds, 1e6)));
  if (options.ranks_per_node) patience.ranks_per_node = static_cast<int>(*options.ranks_per_node);
  const Communicator control = mpi_communicator(MPI_COMM_WORLD, patience);
  auto timed = transport.make(MPI_COMM_WORLD, patience);
  if (options.link) {
    timed = std::make_unique<backends::ThrottledTransport>(std::move(timed), *options.link);
  }
  return {transport, Communicator(std::move(timed), patience), control};
}

std::vector<const RankOperation*> asked_operations(const DistributedOptions& options) {
  std::vector<const RankOperation*> operations;
  for (const RankOperation& operation : rank_operations()) {
    const auto& names = options.operations;
    if (names.empty() || std::ranges::find(names, operation.name) != names.end()) {
      operations.push_back(&operation);
    }
  }
  return operations;
}

/// What is timed on each number of ranks.
struct RankPlan {
  std::vector<int> num_ranks;
  std::vector<const RankOperation*> operations;
  std::size_t num_steps = 0;  ///< cases of all operations and numbers of ranks
};

/// The plan. Throws `InvalidArgument` on all ranks, also on those that would not be timed.
RankPlan make_plan(const DistributedOptions& options, int size) {
  RankPlan plan{options.num_ranks, asked_operations(options), 0};
  if (plan.num_ranks.empty()) plan.num_ranks = {size};
  for (const int number : plan.num_ranks) {
    if (number > size) {
      throw InvalidArgument("--ranks: " + std::to_string(number) + " ranks, but mpirun started " +
                            std::to_string(size));
    }
    for (const RankOperation* operation : plan.operations) {
      plan.num_steps += rank_cases(*operation, options, number).size();
    }
  }
  return plan;
}

/// Times the operations of a plan on parts of the ranks, one after another.
class PlanRunner {
 public:
  PlanRunner(const World& world, const DistributedOptions& options, const RankPlan& plan)
      : world_(world), options_(options), plan_(plan), budget_(options.seconds, plan.num_steps) {}

  /// The results of all that this rank took part in.
  std::vector<RankResult> run() {
    for (const int number : plan_.num_ranks) run_on(number);
    add_scaling(results_);
    return std::move(results_);
  }

 private:
  void run_on(int number) {
    const bool is_in = world_.control.rank() < number;
    const MpiPart part(is_in);
    Ranks ranks{world_.timed.split(is_in ? 0 : 1, 0), world_.control.split(is_in ? 0 : 1, 0),
                options_.link};
    ranks.travels = options_.travels();
    if (!is_in) return;
    if (!options_.link) ranks.own_exchanges = world_.transport.exchanges(part.get());
    for (const RankOperation* operation : plan_.operations) time_all(ranks, *operation);
  }
  void time_all(const Ranks& ranks, const RankOperation& operation) {
    const auto cases = rank_cases(operation, options_, ranks.control.size());
    for (std::size_t i = 0; i < cases.size(); ++i) {
      for (RankResult& result :
           time_rows(ranks, operation, cases[i],
                     {options_.repetitions, budget_, step_, options_.phases})) {
        result.case_number = i;
        results_.push_back(std::move(result));
      }
      ++step_;
    }
  }

  const World& world_;
  const DistributedOptions& options_;
  const RankPlan& plan_;
  TimeBudget budget_;
  std::size_t step_ = 0;
  std::vector<RankResult> results_;
};

/// Throws on all ranks where rank 0 cannot write the results. Before anything is timed.
void require_writable(const Communicator& ranks, const std::string& path) {
  const bool can_write = path.empty() || ranks.rank() != 0 || is_writable(path);
  std::uint64_t faults[] = {can_write ? 0U : 1U};
  ranks.all_reduce(faults, Reduction::sum);
  if (faults[0] != 0) throw InvalidArgument("--json: cannot write " + path);
}

/// Shows the results and writes them to files.
void report(const DistributedOptions& options, const PlotFile& plot,
            const std::vector<RankResult>& results, std::ptrdiff_t failed) {
  const auto timed = std::ranges::count(results, false, &RankResult::is_link);
  print_results(std::cout, results);
  if (options.phases) print_phases(std::cout, results);
  std::cout << '\n' << timed << (timed == 1 ? " row, " : " rows, ");
  if (failed == 0) std::cout << "every result verified" << std::endl;
  if (failed != 0) std::cout << failed << " FAILED" << std::endl;
  if (!plot.json_path().empty()) write_json(plot.json_path(), results);
  plot.draw();
}

/// Runs all on ranks that are there; the exit code.
int run_world(const World& world, const DistributedOptions& options) {
  const bool is_first = world.control.rank() == 0;
  const RankPlan plan = make_plan(options, world.control.size());
  require_writable(world.control, options.json_path);
  const PlotFile plot(is_first ? options.plot_path : "", is_first ? options.json_path : "");
  if (is_first) print_ranks(std::cout, world.control, options, world.transport.name);
  const std::vector<RankResult> results = PlanRunner(world, options, plan).run();
  const auto failed = std::ranges::count_if(
      results, [](const RankResult& result) { return result.num_wrong != 0; });
  if (is_first) report(options, plot, results, failed);
  world.control.barrier("end");  // others watch the first rank, which may still draw
  return failed == 0 ? 0 : 1;
}

/// Says what is wrong with the options, of which all ranks know.
int refuse(const std::exception& error) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) std::fprintf(stderr, "hashmill-compare: %s\n", error.what());
  return 1;
}

}  // namespace

int run_distributed(const DistributedOptions& options) {
  const MpiSession mpi;
  try {
    const World world = make_world(options);
    try {
      return run_world(world, options);
    } catch (const InvalidArgument&) {
      throw;
    } catch (const std::exception& error) {  // the others would wait for this one
      std::fprintf(stderr, "hashmill-compare: rank %d: %s\n", world.control.rank(), error.what());
      world.control.abort(1);
    }
  } catch (const InvalidArgument& error) {
    return refuse(error);
  }
}

}  // namespace hashmill::perf
