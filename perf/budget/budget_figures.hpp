#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "case/operation.hpp"
#include "case/workload.hpp"
#include "plain_transfers.hpp"

namespace hashmill::perf {

/// How much memory a run may take, in percent of the bytes of its data: an axis of plots.
inline RunFigure budget_figure(std::uint64_t budget, std::uint64_t data_bytes) {
  return {"budget_percent", 100 * static_cast<double>(budget) / static_cast<double>(data_bytes)};
}

/// What a run of ours moved within its budget, by its statistics, and the share of its seconds that
/// plain transfers of as many bytes take.
template <class Exec, class Statistics>
std::vector<RunFigure> budget_figures(const Exec& exec, std::uint64_t budget,
                                      std::uint64_t data_bytes, const std::string& directory,
                                      const Statistics& statistics, double seconds) {
  const std::uint64_t to_host = statistics.host_bytes, to_file = statistics.file_bytes;
  const double transfers = (to_file > 0 ? plain_file_seconds(directory, to_file) : 0) +
                           (to_host > 0 ? plain_copy_seconds(exec, to_host) : 0);
  return {budget_figure(budget, data_bytes),
          {"rounds", double(statistics.rounds)},
          {"resident_rounds", double(statistics.resident_rounds)},
          {"device_peak", double(statistics.device_peak)},
          {"host_bytes", double(to_host)},
          {"file_bytes", double(to_file)},
          {"share_of_transfers", transfers / seconds}};
}

/// The columns of these figures.
std::vector<FigureHeading> budget_columns();

/// The lines that say what they mean, of runs called `runs`, such as "join".
std::string budget_legend(const std::string& runs);

}  // namespace hashmill::perf
