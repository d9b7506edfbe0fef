#include "compare_plan.hpp"

#include <algorithm>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <set>

#include "backend_choice.hpp"
#include "case/row_limit.hpp"

namespace hashmill::perf {
namespace {

// Sizes of the default run. The first is small enough for two processor cores and every peer, and
// large enough to exceed their caches. The second is for algorithms that are fast enough. The third
// fills a GPU.
constexpr std::uint64_t small_default = std::uint64_t{1} << 22;
constexpr std::uint64_t large_default = std::uint64_t{1} << 25;
constexpr std::uint64_t device_default = std::uint64_t{1} << 27;

/// All combinations of the data axes, the number of keys varying slowest.
std::vector<DataAxes> combine_data(const CompareOptions& options,
                                   const std::vector<BackendInfo>& backends,
                                   const std::shared_ptr<const KeyFile>& file) {
  std::vector<std::uint64_t> sizes = options.num_keys;
  if (sizes.empty() && file) sizes = {file->size()};
  if (sizes.empty()) {
    sizes = {small_default, large_default};
    if (!std::ranges::all_of(backends, &BackendInfo::is_host)) sizes.push_back(device_default);
  }
  std::vector<unsigned> widths =
      options.key_bits.empty() ? std::vector<unsigned>{32} : options.key_bits;
  if (file) widths = {file->key_bits()};
  std::vector<DataAxes> all;
  for (const std::uint64_t n : sizes) {
    for (const unsigned bits : widths) {
      for (const KeyOrder order : file ? std::vector{KeyOrder::random} : options.orders) {
        for (const double multiplicity : file ? std::vector<double>{1} : options.multiplicities) {
          for (const double hit_rate : options.hit_rates) {
            all.push_back({bits, n, options.num_queries.value_or(n), multiplicity, hit_rate, order,
                           options.zipf_exponent, options.seed, file});
          }
        }
      }
    }
  }
  return all;
}

std::vector<TableAxes> combine_table(const CompareOptions& options) {
  std::vector<TableAxes> all;
  for (const double load_factor : options.load_factors) {
    for (const double fill : options.fills) {
      for (const std::uint64_t bins : options.bins) all.push_back({load_factor, fill, bins});
    }
  }
  return all;
}

/// Throws unless the rows can be numbered and a file has enough keys.
void check_sizes(const DataAxes& data) {
  const auto largest = static_cast<std::uint64_t>(no_row<std::uint32_t>);
  if (std::max(data.num_keys, data.num_queries) > largest) {
    throw InvalidArgument("--n, --queries: rows have 32-bit numbers here, so at most " +
                          std::to_string(largest));
  }
  check_multiplicity(data);
  if (data.file && data.num_keys > data.file->size()) {
    throw InvalidArgument("--n: " + std::to_string(data.num_keys) + " keys asked for, " +
                          data.file->description());
  }
}

/// Whether the default sizes include this one for the algorithm. A host runs all of them on the
/// small size and the fast ones on the large; a GPU runs all on the sizes that fill it. Where one
/// size is to do, these are the small and the largest.
bool in_default_run(const Algorithm& algorithm, const BackendInfo& backend, std::uint64_t n,
                    const CompareOptions& options) {
  if (options.one_default_size) return n == (backend.is_host ? small_default : device_default);
  const bool was_chosen = options.algorithms.size() < all_algorithms().size();
  if (algorithm.default_run == DefaultRun::none && !was_chosen) return false;
  if (!backend.is_host) return n != small_default;
  return n == small_default || (n == large_default && algorithm.default_run == DefaultRun::all);
}

bool fits_keys(const Algorithm& algorithm, const DataAxes& data) {
  return data.key_bits <= algorithm.limits.key_bits;
}

bool fits_fill(const Algorithm& algorithm, const TableAxes& table) {
  return !algorithm.axes.fill || table.fill <= algorithm.limits.fill;
}

/// Puts every axis that the algorithm does not depend on to its first value.
CompareCase reduced(CompareCase row, const CompareOptions& options) {
  const UsedAxes& used = row.algorithm->axes;
  if (!used.queries) row.data.hit_rate = options.hit_rates.front();
  if (!used.load_factor) row.table.load_factor = options.load_factors.front();
  if (!used.fill) row.table.fill = options.fills.front();
  if (!used.bins) row.table.bins = options.bins.front();
  return row;
}

}  // namespace

std::vector<CompareCase> plan_cases(const CompareOptions& options,
                                    const std::vector<BackendInfo>& backends,
                                    const std::shared_ptr<const KeyFile>& file) {
  const auto chosen = choose_backends(options.backends, backends);
  const auto tables = combine_table(options);
  const bool is_default = options.num_keys.empty() && !file;
  std::vector<CompareCase> plan;
  std::set<std::string> seen;
  for (const DataAxes& data : combine_data(options, chosen, file)) {
    check_sizes(data);
    for (const Algorithm* algorithm : options.algorithms) {
      for (const TableAxes& table : tables) {
        for (const BackendInfo& backend : chosen) {
          if (!runs_here(*algorithm, backend)) continue;
          if (!fits_keys(*algorithm, data) || !fits_fill(*algorithm, table)) continue;
          if (is_default && !in_default_run(*algorithm, backend, data.num_keys, options)) continue;
          CompareCase row = reduced({algorithm, backend.name, data, table}, options);
          if (seen.insert(benchmark_name(row)).second) plan.push_back(std::move(row));
        }
      }
    }
  }
  if (plan.empty()) {
    std::string reason = "--algorithm, --backend: nothing is left to run";
    for (const std::string& line : left_out_lines(options, backends, file)) reason += "; " + line;
    throw InvalidArgument(reason);
  }
  return plan;
}

std::vector<std::string> left_out_lines(const CompareOptions& options,
                                        const std::vector<BackendInfo>& backends,
                                        const std::shared_ptr<const KeyFile>& file) {
  const auto chosen = choose_backends(options.backends, backends);
  const auto tables = combine_table(options);
  const auto datas = combine_data(options, chosen, file);
  std::vector<std::string> lines;
  const auto add = [&](const Algorithm& algorithm, const std::string& limit) {
    std::string line = std::string(algorithm.structure) + " is left out above " + limit;
    if (std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  };
  for (const Algorithm* algorithm : options.algorithms) {
    const auto runs = [&](const BackendInfo& backend) { return runs_here(*algorithm, backend); };
    if (std::ranges::none_of(chosen, runs)) continue;
    const TableLimits& limits = algorithm->limits;
    if (!std::ranges::all_of(tables, [&](const auto& axes) { return fits_fill(*algorithm, axes); }))
      add(*algorithm, "fill " + plain_number(limits.fill));
    if (!std::ranges::all_of(datas, [&](const auto& axes) { return fits_keys(*algorithm, axes); }))
      add(*algorithm, std::to_string(limits.key_bits) + "-bit keys");
  }
  return lines;
}

}  // namespace hashmill::perf
