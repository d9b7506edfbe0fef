#include "rank_times.hpp"

#include <algorithm>

namespace hashmill::perf {
namespace {

/// Runs a row once. Its seconds, and the values that are wrong then on any rank.
double run_once(const Communicator& control, RankRow& row, RankResult& result) {
  row.run->clear();
  const double seconds = slowest_seconds(control, [&] { row.run->run(); });
  std::uint64_t wrong[] = {row.run->num_wrong()};
  control.all_reduce(wrong, Reduction::sum);
  result.num_wrong += wrong[0];
  return seconds;
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

/// The seconds that rows are compared to: of the transport's own, or of the link, or none.
std::vector<double> standard_seconds(const Ranks& ranks, const std::vector<RankResult>& results) {
  const auto standard = std::ranges::find(results, true, &RankResult::is_standard);
  if (standard != results.end()) return standard->seconds;
  const RankResult& any = results.front();
  if (!ranks.link || any.bytes_sent == 0) return {};
  return std::vector<double>(any.seconds.size(), ranks.link->time_of(any.bytes_sent).count());
}

RankResult empty_result(const Ranks& ranks, const RankOperation& operation, const RankCase& input,
                        const RankRow& row) {
  RankResult result;
  result.operation = operation.name;
  result.name = row.name;
  result.is_standard = row.is_standard;
  result.num_ranks = ranks.control.size();
  result.bytes_per_rank = input.bytes_per_rank;
  result.bytes_sent = row.run->bytes_sent();
  return result;
}

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double RankResult::median_seconds() const { return median(seconds); }

double RankResult::giga_bytes_per_second() const {
  return 1e-9 * static_cast<double>(bytes_sent) / median_seconds();
}

std::vector<RankResult> time_rows(const Ranks& ranks, const RankOperation& operation,
                                  const RankCase& input, const Repetitions& repetitions) {
  std::vector<RankRow> rows = operation.rows(ranks, input);
  std::vector<RankResult> results;
  for (RankRow& row : rows) {
    results.push_back(empty_result(ranks, operation, input, row));
    run_once(ranks.control, row, results.back());
  }
  double round_seconds = 0;
  for (unsigned n = 0; n < repetitions.number; ++n) {
    if (n > 0 && !allows_round(ranks.control, repetitions, round_seconds)) break;
    const double began = repetitions.budget.elapsed();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::size_t k = (n + i) % rows.size();  // another one begins each round
      results[k].seconds.push_back(run_once(ranks.control, rows[k], results[k]));
    }
    round_seconds = repetitions.budget.elapsed() - began;
  }
  const std::vector<double> standard = standard_seconds(ranks, results);
  for (RankResult& result : results) {
    if (!standard.empty()) result.ratio = ratio(standard, result.seconds);
  }
  return results;
}

}  // namespace hashmill::perf
