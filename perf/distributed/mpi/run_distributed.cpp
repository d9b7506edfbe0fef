#include "distributed/run_distributed.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <hashmill/backends/mpi_transport.hpp>
#include <hashmill/error.hpp>
#include <hashmill/mpi_communicator.hpp>
#include <iostream>

#include "distributed/distributed_report.hpp"
#include "distributed/rank_times.hpp"
#include "mpi_exchanges.hpp"

namespace hashmill::perf {
namespace {

/// MPI, from here to the end of the command.
class MpiSession {
 public:
  MpiSession() {
    int threads = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &threads);
  }
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;
  ~MpiSession() { MPI_Finalize(); }
};

Ranks make_ranks(const DistributedOptions& options) {
  const Communicator control = mpi_communicator(MPI_COMM_WORLD);
  if (!options.link) return {mpi_communicator(MPI_COMM_WORLD), control, {}, mpi_exchanges};
  auto mpi = std::make_unique<backends::MpiTransport>(MPI_COMM_WORLD);
  return {
      Communicator(std::make_unique<backends::ThrottledTransport>(std::move(mpi), *options.link)),
      control, options.link};
}

bool is_asked_for(const RankOperation& operation, const DistributedOptions& options) {
  const auto& names = options.operations;
  return names.empty() || std::ranges::find(names, operation.name) != names.end();
}

/// The results of all operations on all cases.
std::vector<RankResult> time_all(const Ranks& ranks, const DistributedOptions& options) {
  std::vector<const RankOperation*> operations;
  for (const RankOperation& operation : rank_operations()) {
    if (is_asked_for(operation, options)) operations.push_back(&operation);
  }
  const TimeBudget budget(options.seconds, operations.size() * options.bytes_per_rank.size());
  std::vector<RankResult> results;
  std::size_t step = 0;
  for (const RankOperation* operation : operations) {
    for (const std::uint64_t bytes : options.bytes_per_rank) {
      for (RankResult& result : time_rows(ranks, *operation, {bytes, options.seed},
                                          {options.repetitions, budget, step})) {
        results.push_back(std::move(result));
      }
      ++step;
    }
  }
  return results;
}

/// Throws on all ranks where rank 0 cannot write the results. Before anything is timed.
void require_writable(const Communicator& ranks, const std::string& path) {
  const bool is_writable = path.empty() || ranks.rank() != 0 || std::ofstream(path).is_open();
  std::uint64_t faults[] = {is_writable ? 0U : 1U};
  ranks.all_reduce(faults, Reduction::sum);
  if (faults[0] != 0) throw InvalidArgument("--json: cannot write " + path);
}

/// Shows and writes the results, on rank 0; the exit code.
int report(const Ranks& ranks, const DistributedOptions& options,
           const std::vector<RankResult>& results) {
  const auto phases = summarise_phases(ranks.control, ranks.timed.statistics());
  const auto failed = std::ranges::count_if(
      results, [](const RankResult& result) { return result.num_wrong != 0; });
  if (ranks.control.rank() == 0) {
    print_results(std::cout, results);
    if (options.phases) print_phases(std::cout, phases);
    std::cout << '\n' << results.size() << (results.size() == 1 ? " row, " : " rows, ");
    if (failed == 0) std::cout << "every result verified" << std::endl;
    if (failed != 0) std::cout << failed << " FAILED" << std::endl;
    if (!options.json_path.empty()) write_json(options.json_path, results);
  }
  return failed == 0 ? 0 : 1;
}

}  // namespace

int run_distributed(const DistributedOptions& options) {
  const MpiSession mpi;
  const Ranks ranks = make_ranks(options);
  const int rank = ranks.control.rank();
  try {
    require_writable(ranks.control, options.json_path);
    if (rank == 0) print_ranks(std::cout, ranks.control, options);
    return report(ranks, options, time_all(ranks, options));
  } catch (const InvalidArgument& error) {  // of all ranks, about their options
    if (rank == 0) std::fprintf(stderr, "hashmill-compare: %s\n", error.what());
    return 1;
  } catch (const std::exception& error) {  // the others would wait for this one
    std::fprintf(stderr, "hashmill-compare: rank %d: %s\n", rank, error.what());
    ranks.control.abort(1);
  }
}

}  // namespace hashmill::perf
