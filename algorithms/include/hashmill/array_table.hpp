#pragma once

#include <hashmill/array_table/detail/chains.hpp>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/detail/handed_over.hpp>
#include <hashmill/multi_map/bulk_lookups.hpp>
#include <hashmill/primitives/detail/enter.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>

namespace hashmill {

/// Options of an ArrayTable.
struct ArrayTableOptions {
  std::uint64_t row_base = 0;  ///< the row number of the first key
};

/// A table for keys from a small range: an array that the keys index. It maps keys to row numbers,
/// several per key if keys repeat. Velox calls this the array mode of its hash tables. Nothing is
/// hashed or compared.
///
///     heads     | 1 | - | 2 | …  one row per value from the least key to the greatest; - is no_row
///     next_rows | - | - | 0 | …  per row, another row with its key
///
/// Memory: sizeof(Row) bytes per value of the range, and as many per row. The keys are not kept and
/// need not outlive the table.
///
/// Choose it where KeyNormalizer says KeyMode::array: for fewer than 2^21 values, whose heads fit a
/// cache. NormalizedColumns makes one key of several integer columns; its range is `{0,
/// normalizer.size() - 1}`. TagBucket or LinearProbing take keys of any other range.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::int32_t*, Exec> keys("keys", 1000);  // the table does not keep them
///     const hashmill::ArrayTable<std::int32_t, Exec::memory_space> table(exec, keys);
///     Kokkos::View<std::uint32_t*, Exec> rows("rows", keys.extent(0));
///     table.find(exec, keys, rows);                 // rows(q): a row of key q, or no_row
///     const auto all = table.retrieve(exec, keys);  // the rows of all queries, in compressed form
///
/// - `Key`: an integer or an enumeration.
/// - `Row`: the type of answers and links. Row i of the keys has number `options.row_base + i`.
///
/// Concurrency: once what changed the table has finished, const members may overlap each other on
/// any instances. `erase` and moving must not overlap anything. If two host threads change a table
/// at once, one of them gets InvalidArgument.
///
/// Moving leaves a table of no rows.
///
/// A change may end with an exception other than CapacityError and InvalidArgument, such as
/// std::bad_alloc for the bytes of a label. The table is then as before, or as one that was moved
/// from.
template <class Key, class MemorySpace, RowNumber Row = std::uint32_t>
class ArrayTable : public MultiMapLookups<ArrayTable<Key, MemorySpace, Row>, Row, MemorySpace> {
  static_assert(detail::WholeNumberKey<Key>,
                "hashmill::ArrayTable: keys must be integers or enumerations");

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = Row;
  using ref_type = ArrayTableRef<Key, Row>;
  /// Whether entries have row numbers.
  static constexpr bool has_rows = true;
  /// The name of the table in labels of regions and fences.
  static constexpr const char* label = "hashmill::ArrayTable";

  /// Builds the table of `keys`, a view of keys or another key source (see HashGraph), on `exec`,
  /// then fences `exec`. Reads the keys once for their range and once to link them, with one atomic
  /// exchange per key.
  ///
  /// Throws InvalidArgument if the range has 2^21 values or more, CapacityError if row numbers do
  /// not fit `Row` or memory is short.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit ArrayTable(const Exec& exec, const Keys& keys, const ArrayTableOptions& options = {})
      : ArrayTable(options, key_range(exec, keys)) {
    build(exec, keys);
  }

  /// As above, for keys of a known range. Reads the keys once to check them and once to link them.
  /// Throws InvalidArgument if keys are outside the range.
  template <backends::ExecutionSpace Exec, class Keys>
  ArrayTable(const Exec& exec, const Keys& keys, const KeyRange& range,
             const ArrayTableOptions& options = {})
      : ArrayTable(options, range) {
    detail::require_keys<Keys>();
    detail::check_single_keys<Exec>(keys);
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

  /// Moving hands the memory over and empties the source. Waits for nothing.
  ArrayTable(ArrayTable&&) noexcept = default;
  ArrayTable& operator=(ArrayTable&&) noexcept = default;

  /// Removes every row whose key is among `queries`, on `exec`, and returns the number removed.
  /// Fences `exec`. Queries may be absent from the table and may repeat. One thread counts the rows
  /// of one key. Keeps the memory.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto scope = detail::enter(exec, *this, "erase", use_);
    detail::check_single_keys<Exec>(queries);
    if (size() == 0) return 0;
    return held_.change([&] {
      std::uint64_t erased = 0;
      Kokkos::parallel_reduce("hashmill::array_table::erase", backends::range(exec, queries.size()),
                              detail::EraseNumbered<Key, Row, Queries>{chains(), queries}, erased);
      held_.size -= erased;
      return erased;
    });
  }

  /// The table as kernels see it. Valid until the table is changed, moved or destroyed.
  [[nodiscard]] ref_type ref() const {
    return ref_type(held_.heads.data(), held_.next_rows.data(), held_.next_rows.extent(0),
                    options_.row_base, numbers_);
  }
  /// Number of rows in the table.
  [[nodiscard]] std::uint64_t size() const noexcept { return held_.size; }
  /// Number of values of the range.
  [[nodiscard]] std::uint64_t num_values() const noexcept { return held_.heads.extent(0); }
  /// Bytes of memory that the table holds.
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

  /// Links all keys. Each must have a number.
  template <class Exec, class Keys>
  void build(const Exec& exec, const Keys& keys) {
    detail::require_keys<Keys>();
    detail::check_single_keys<Exec>(keys);
    const auto region = detail::enter(exec, *this, "build");
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
