#pragma once

#include <cstdint>
#include <hashmill/hash_graph/options.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/multi_map/multi_map_table.hpp"

namespace hashmill::test {

/// A HashGraph of any key type, layout and hash: what it offers beyond other tables.
class Table : public MultiMapTable {
 public:
  [[nodiscard]] virtual std::uint64_t num_buckets() const = 0;
  /// Replaces the table's keys; temporary memory is kept between calls.
  virtual void rebuild(const Numbers& keys, const HashGraphOptions& options) = 0;
  virtual void compact() = 0;
  [[nodiscard]] virtual HashGraphStatistics statistics() const = 0;
  /// With a table of the same case; only where the layout stores keys.
  [[nodiscard]] virtual std::unique_ptr<Table> merge(const Table& other) const = 0;
  /// With a table of the same case.
  [[nodiscard]] virtual std::uint64_t intersect_count(const Table& other) const = 0;
  /// With a table of the same case, and only where the layout has rows.
  [[nodiscard]] virtual std::vector<std::pair<std::uint64_t, std::uint64_t>> intersect(
      const Table& other) const = 0;
};

/// One compiled combination of key type, layout and hash.
struct TableCase : MultiMapCase {
  bool stores_keys = false;
  std::uint64_t entry_bytes = 0;
  std::uint64_t index_bytes = 0;
  std::unique_ptr<Table> (*build)(const Numbers&, const HashGraphOptions&) = nullptr;
  std::uint64_t (*predicted_peak_bytes)(std::uint64_t num_keys, const HashGraphOptions&) = nullptr;
};

/// All cases, of table_cases_*.cpp.
std::vector<TableCase> table_cases();

/// Build options with the name that failures show.
struct NamedOptions {
  std::string name;
  HashGraphOptions options;
};

/// Both algorithms, version 2 with several numbers of bins.
inline std::vector<NamedOptions> builds_with_rows_per_bucket(double average) {
  const std::string at = " with " + std::to_string(average) + " rows per bucket";
  HashGraphOptions options{.rows_per_bucket = RowsPerBucket(average),
                           .algorithm = BuildAlgorithm::v1};
  std::vector<NamedOptions> builds{{"v1" + at, options}};
  options.algorithm = BuildAlgorithm::v2;
  builds.push_back({"v2" + at, options});
  for (const std::uint64_t bins : {1, 3, 4096}) {
    options.bins = BinCount(bins);
    builds.push_back({"v2 in " + std::to_string(bins) + " bins" + at, options});
  }
  return builds;
}

/// All of them at the ends and the middle of the averages.
inline std::vector<NamedOptions> every_build() {
  std::vector<NamedOptions> builds;
  for (const double average : {0.25, 1.0, 16.0}) {
    for (auto& build : builds_with_rows_per_bucket(average)) builds.push_back(std::move(build));
  }
  return sampled(std::move(builds));
}

}  // namespace hashmill::test
