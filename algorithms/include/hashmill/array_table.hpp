#pragma once

#include <hashmill/array_table/detail/chains.hpp>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/detail/handed_over.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/exclusive_use.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>

namespace hashmill {

/// Options of an ArrayTable.
struct ArrayTableOptions {
  std::uint64_t row_base = 0;  ///< the row number of the first key
};

/// A table for keys from a small range: an array that the keys index, which Velox calls the array
/// mode of its hash tables. Nothing is hashed or compared.
///
///     heads     | 1 | - | 2 | …  a row for each value from the least key to the greatest
///     next_rows | - | - | 0 | …  for each row another one with its key
///
/// sizeof(Row) for each value of the range and for each row; the keys themselves are not kept, and
/// need not outlive the table.
///
/// Choose it where KeyNormalizer says KeyMode::array: fewer than 2^21 values, whose heads fit a
/// cache. Several integer columns become one key with NormalizedColumns, for which the range is
/// `{0, normalizer.size() - 1}`. TagBucket or LinearProbing take keys of any other range.
///
/// - `Key`: an integer or enumeration.
/// - `Row`: what answers and links are made of; row i of the keys has number `row_base + i`.
///
/// Concurrency: const members may overlap each other on any instances once what changed the table
/// has finished; `erase` and moving must not overlap anything. Of two host threads that change a
/// table at once one gets InvalidArgument.
///
/// Moving leaves a table of no rows.
/// So does an exception that ends a change and is neither CapacityError nor InvalidArgument, such
/// as std::bad_alloc of a label's bytes: afterwards the table is as before or empty.
template <class Key, class MemorySpace, RowNumber Row = std::uint32_t>
class ArrayTable : public MultiMapLookups<ArrayTable<Key, MemorySpace, Row>, Row, MemorySpace> {
  static_assert(detail::WholeNumberKey<Key>,
                "hashmill::ArrayTable: keys must be integers or enumerations");

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = Row;
  using ref_type = ArrayTableRef<Key, Row>;
  static constexpr bool has_rows = true;
  static constexpr const char* label = "hashmill::ArrayTable";

  /// Builds the table of a view of keys or another key source, on `exec`, which it fences. Reads
  /// the keys once for their range and once to link them, one atomic exchange each. Throws
  /// InvalidArgument when the range has 2^21 values or more, CapacityError when row numbers would
  /// not fit `Row` or memory is short.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit ArrayTable(const Exec& exec, const Keys& keys, const ArrayTableOptions& options = {})
      : ArrayTable(options, key_range(exec, keys)) {
    build(exec, keys);
  }

  /// As above for keys of a known range. Throws InvalidArgument when keys are outside it.
  template <backends::ExecutionSpace Exec, class Keys>
  ArrayTable(const Exec& exec, const Keys& keys, const KeyRange& range,
             const ArrayTableOptions& options = {})
      : ArrayTable(options, range) {
    detail::require_keys<Keys>();
    std::uint64_t outside = 0;
    Kokkos::parallel_reduce("hashmill::array_table::check", backends::range(exec, keys.size()),
                            detail::CountOutside<Key, Keys>{keys, numbers_}, outside);
    if (outside != 0) {
      throw InvalidArgument("ArrayTable: " + std::to_string(outside) + " of " +
                            std::to_string(keys.size()) + " keys are outside the range");
    }
    build(exec, keys);
  }

  /// As above for a range that was found by reading these keys, which are not read for it again.
  template <backends::ExecutionSpace Exec, class Keys>
  ArrayTable(const Exec& exec, const Keys& keys, const detail::FoundRange& found)
      : ArrayTable(ArrayTableOptions{}, found.range) {
    build(exec, keys);
  }

  ArrayTable(ArrayTable&&) noexcept = default;
  ArrayTable& operator=(ArrayTable&&) noexcept = default;

  /// Removes every row whose key is among `queries` and returns how many they were; fences `exec`.
  /// Absent and repeated keys are fine. The rows of one key are counted by one thread; memory
  /// stays.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto region = this->template enter<Exec>("erase");
    const detail::ExclusiveUse::Scope scope(use_, "ArrayTable::erase");
    detail::require_accessible_queries<Exec, Queries>();
    if (size() == 0) return 0;
    return held_.change([&] {
      std::uint64_t erased = 0;
      Kokkos::parallel_reduce("hashmill::array_table::erase", backends::range(exec, queries.size()),
                              detail::EraseNumbered<Key, Row, Queries>{chains(), queries}, erased);
      held_.size -= erased;
      return erased;
    });
  }

  /// The table as kernels see it; valid until it is changed, moved or destroyed.
  [[nodiscard]] ref_type ref() const {
    return ref_type(held_.heads.data(), held_.next_rows.data(), held_.next_rows.extent(0),
                    options_.row_base, numbers_);
  }
  /// Rows in the table.
  [[nodiscard]] std::uint64_t size() const noexcept { return held_.size; }
  /// Values of the range.
  [[nodiscard]] std::uint64_t num_values() const noexcept { return held_.heads.extent(0); }
  /// Bytes of memory held.
  [[nodiscard]] std::uint64_t bytes() const {
    return (held_.heads.extent(0) + held_.next_rows.extent(0)) * sizeof(Row);
  }

 private:
  using Links = Kokkos::View<Row*, MemorySpace>;

  ArrayTable(const ArrayTableOptions& options, const KeyRange& range)
      : options_(options), numbers_({range}, KeyMode::array) {}

  template <class, class, class>
  friend class MultiMapLookups;
  [[nodiscard]] detail::NumberedParts<ref_type> entry_parts() const { return {ref()}; }

  [[nodiscard]] detail::ArrayChains<Key, Row> chains() const {
    return {held_.heads.data(), held_.next_rows.data(), numbers_};
  }

  /// Links all keys, which have numbers.
  template <class Exec, class Keys>
  void build(const Exec& exec, const Keys& keys) {
    detail::require_keys<Keys>();
    static_assert(detail::is_accessible<Exec, Keys>(),
                  "hashmill::ArrayTable: the execution space cannot access the memory space of the "
                  "keys");
    const auto region = this->template enter<Exec>("build");
    check_rows<Row>(options_.row_base, keys.size());
    held_.heads = backends::allocate<Links>(exec, "hashmill::array_table::heads", numbers_.size());
    held_.next_rows =
        backends::allocate<Links>(exec, "hashmill::array_table::next_rows", keys.size());
    Kokkos::deep_copy(exec, held_.heads, no_row<Row>);
    const auto stored = detail::stored_keys<Key>(keys);
    using Stored = std::decay_t<decltype(stored)>;
    detail::link_nodes(exec, chains(), detail::NewNodes<Stored, Row>{stored, 0}, keys.size());
    exec.fence("hashmill::ArrayTable: the keys may go and errors must surface here");
    held_.size = keys.size();
  }

  struct Held {
    Links heads;
    Links next_rows;
    std::uint64_t size = 0;
  };

  ArrayTableOptions options_;
  KeyNormalizer<1> numbers_;
  detail::HandedOver<Held> held_;
  detail::ExclusiveUse use_;
};

}  // namespace hashmill
