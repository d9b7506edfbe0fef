#pragma once

#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/support/inputs.hpp"

namespace hashmill::test {

/// The rows of query q are rows[offsets[q]] up to, and without, rows[offsets[q + 1]].
struct RowLists {
  std::vector<std::uint64_t> offsets;
  std::vector<std::uint64_t> rows;
};

/// A key, as the smallest number that stands for it, and its row.
using NumberedRow = std::pair<std::uint64_t, std::uint64_t>;

/// A table of any kind, key type and hash, with keys given as numbers and results in host vectors:
/// one compiled table serves all tests. Rows are widened; no row is the largest number.
class MultiMapTable {
 public:
  MultiMapTable() = default;
  MultiMapTable(const MultiMapTable&) = delete;
  MultiMapTable& operator=(const MultiMapTable&) = delete;
  virtual ~MultiMapTable() = default;

  [[nodiscard]] virtual std::uint64_t size() const = 0;
  [[nodiscard]] virtual std::uint64_t bytes() const = 0;
  [[nodiscard]] virtual std::vector<bool> contains(const Numbers& queries) const = 0;
  [[nodiscard]] virtual std::vector<std::uint64_t> count(const Numbers& queries) const = 0;
  /// Only where the table has rows.
  [[nodiscard]] virtual std::vector<std::uint64_t> find(const Numbers& queries) const = 0;
  /// Only where the table has rows.
  [[nodiscard]] virtual RowLists retrieve(const Numbers& queries) const = 0;
  /// All entries, sorted. Only where the table has rows.
  [[nodiscard]] virtual std::vector<NumberedRow> retrieve_all() const = 0;
  /// The rows that `for_each` calls a function with, sorted. Only where the table has rows.
  [[nodiscard]] virtual std::vector<std::uint64_t> each_row() const = 0;
  virtual std::uint64_t erase(const Numbers& queries) = 0;
};

/// `MultiMapCase::most_keys` of hash functions that spread keys.
inline constexpr std::uint64_t plenty = ~std::uint64_t{0};
/// The most keys that tables under the colliding hash functions are looked up in completely.
inline constexpr std::uint64_t for_four_bits = 10001;
inline constexpr std::uint64_t for_constant = 600;

/// One compiled combination of table, key type and hash.
struct MultiMapCase {
  std::string name{};
  bool has_rows = false;
  bool unique_keys = false;                    ///< keeps one row a key, whichever
  std::uint64_t most_keys = 0;                 ///< more would take its hash too long
  std::vector<double> loads{0.25, 1.0, 16.0};  ///< rows per bucket, or load factors, to build at
  std::uint64_t (*normal)(std::uint64_t number) = nullptr;
  std::uint64_t (*hash)(std::uint64_t number, std::uint64_t num_buckets) = nullptr;
  /// Builds the table of some keys at a load, its rows numbered from a base.
  std::unique_ptr<MultiMapTable> (*make)(const Numbers& keys, double load,
                                         std::uint64_t row_base) = nullptr;

  [[nodiscard]] std::unique_ptr<MultiMapTable> table(const Numbers& keys) const {
    return make(keys, loads[loads.size() / 2], 0);
  }

  friend std::ostream& operator<<(std::ostream& out, const MultiMapCase& table_case) {
    return out << table_case.name;
  }
};

/// Names a case in the name of a parameterised test.
struct CaseName {
  template <class Info>
  std::string operator()(const Info& info) const {
    return info.param.name;
  }
};

}  // namespace hashmill::test
