#include "rank_times.hpp"

#include <algorithm>

namespace hashmill::perf {
namespace {

/// Adds the values that are wrong on any rank. Then clears them, also for the memory that other
/// rows may take.
void verify(const Communicator& control, const RankRow& row, RankResult& result) {
  std::uint64_t wrong[] = {row.run->num_wrong()};
  row.run->clear();
  control.all_reduce(wrong, Reduction::sum);
  result.num_wrong += wrong[0];
}

/// Runs a row once, and counts the bytes that leave the rank which sends most. Its seconds.
double run_once(const Ranks& ranks, RankRow& row, RankResult& result) {
  std::uint64_t sent = 0;
  const double seconds = slowest_seconds(ranks.control, [&] {
    const std::uint64_t before = ranks.timed.statistics().bytes_sent;
    row.run->run();
    sent = ranks.timed.statistics().bytes_sent - before;
  });
  verify(ranks.control, row, result);
  std::uint64_t bytes[] = {row.run->bytes_sent().value_or(sent)};
  ranks.control.all_reduce(bytes, Reduction::maximum);
  result.bytes_sent = bytes[0];
  return seconds;
}

/// Runs a row for the first time, which may measure the link besides.
void run_first(const Ranks& ranks, RankRow& row, RankResult& result) {
  row.run->clear();
  row.run->run();
  verify(ranks.control, row, result);
}

/// Runs a row once and measures its phases.
void run_in_phases(const Ranks& ranks, RankRow& row, RankResult& result) {
  ranks.control.barrier();
  PhaseSeconds phases;
  {
    PhaseClock clock(ranks.timed);
    const auto began = std::chrono::steady_clock::now();
    row.run->run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    phases = clock.finish(took.count());
  }
  verify(ranks.control, row, result);
  result.phases = mean_phases(ranks.control, phases);
}

/// Whether another round of all rows may begin; all ranks decide alike.
bool allows_round(const Communicator& control, const Repetitions& repetitions, double seconds) {
  std::uint64_t allowed[] = {repetitions.budget.allows(repetitions.step, seconds) ? 1U : 0U};
  control.all_reduce(allowed, Reduction::minimum);
  return allowed[0] != 0;
}

/// The median of the ratios of the runs that followed each other.
double ratio(const std::vector<double>& standard, const std::vector<double>& seconds) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < seconds.size(); ++i) ratios.push_back(standard[i] / seconds[i]);
  return median(std::move(ratios));
}

/// Adds what the link alone would take for the bytes of the first row, which is ours. It becomes
/// what rows are compared to.
void add_link(const Ranks& ranks, std::vector<RankResult>& results) {
  RankResult link = results.front();
  if (!ranks.link || link.bytes_sent == 0) return;
  for (RankResult& result : results) result.is_standard = false;
  link.name = "the link alone";
  link.is_standard = link.is_link = true;
  link.seconds.assign(link.seconds.size(), ranks.link->time_of(link.bytes_sent).count());
  link.num_wrong = 0;
  link.phases.reset();
  link.plan.clear();
  results.push_back(std::move(link));
}

void add_ratios(std::vector<RankResult>& results) {
  const auto standard = std::ranges::find(results, true, &RankResult::is_standard);
  if (standard == results.end()) return;
  const std::vector<double> seconds = standard->seconds;
  for (RankResult& result : results) result.ratio = ratio(seconds, result.seconds);
}

RankResult empty_result(const Ranks& ranks, const RankOperation& operation, const RankCase& input,
                        const RankRow& row) {
  RankResult result;
  result.operation = operation.name;
  result.name = row.name;
  result.keys = describe_keys(operation, input.keys);
  result.is_standard = row.is_standard;
  result.num_ranks = ranks.control.size();
  result.rows = row.rows;
  result.bytes_per_rank = input.bytes_per_rank;
  return result;
}

/// Times all rows until the repetitions or the time are used up.
void time_rounds(const Ranks& ranks, const Repetitions& repetitions, std::vector<RankRow>& rows,
                 std::vector<RankResult>& results) {
  double round_seconds = 0;
  for (unsigned n = 0; n < repetitions.number; ++n) {
    if (n > 0 && !allows_round(ranks.control, repetitions, round_seconds)) break;
    const double began = repetitions.budget.elapsed();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t k = (n + i) % rows.size();  // another one begins each round
      results[k].seconds.push_back(run_once(ranks, rows[k], results[k]));
    }
    round_seconds = repetitions.budget.elapsed() - began;
  }
}

}  // namespace

double RankResult::median_seconds() const { return median(seconds); }

double RankResult::giga_bytes_per_second() const {
  return 1e-9 * static_cast<double>(bytes_sent) / median_seconds();
}

double RankResult::rows_per_second() const { return static_cast<double>(rows) / median_seconds(); }

std::vector<RankResult> time_rows(const Ranks& ranks, const RankOperation& operation,
                                  const RankCase& input, const Repetitions& repetitions) {
  std::vector<RankRow> rows = operation.rows(ranks, input);
  std::vector<RankResult> results;
  for (RankRow& row : rows) {
    results.push_back(empty_result(ranks, operation, input, row));
    run_first(ranks, row, results.back());
    results.back().plan = row.run->plan();
  }
  time_rounds(ranks, repetitions, rows, results);
  for (std::size_t i = 0; repetitions.has_phases && i < rows.size(); ++i) {
    run_in_phases(ranks, rows[i], results[i]);
  }
  add_link(ranks, results);
  add_ratios(results);
  return results;
}

void add_scaling(std::vector<RankResult>& results) {
  for (RankResult& result : results) {
    const auto one = std::ranges::find_if(results, [&](const RankResult& other) {
      return other.num_ranks == 1 && other.operation == result.operation &&
             other.name == result.name && other.case_number == result.case_number;
    });
    if (one == results.end() || result.rows == 0 || result.is_link) continue;
    result.scaling = result.rows_per_second() / one->rows_per_second();
  }
}

}  // namespace hashmill::perf
