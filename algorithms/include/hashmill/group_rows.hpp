#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/detail/number_groups.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/tag_bucket.hpp>

namespace hashmill {

/// How equal keys are found.
enum class GroupStrategy {
  automatic,  ///< `dense` where keys are integers of a range not much wider than there are rows
  hash,       ///< a hash table, for keys of any kind
  dense,      ///< an array of the range of the keys, a view of integers
};

struct GroupOptions {
  GroupStrategy strategy = GroupStrategy::automatic;
};

namespace detail {

template <class Key>
struct IsRowKey : std::false_type {};
template <class... Values>
struct IsRowKey<RowKey<Values...>> : std::true_type {};

/// The keys of a source.
template <class Keys>
using KeyOf = std::decay_t<decltype(std::declval<const KeyAccess<Keys>&>()(0))>;

/// `automatic` takes an array when it has at most so many numbers: 8 bytes a row with rows of 32
/// bits, less than a hash table of as many groups.
[[nodiscard]] inline std::uint64_t dense_limit(std::uint64_t rows) {
  return std::max<std::uint64_t>(std::uint64_t{1} << 16,
                                 rows <= ~std::uint64_t{0} / 2 ? 2 * rows : rows);
}

/// Keys that a slot of LinearProbing holds with their row; others stay in the caller's columns.
template <class Key>
inline constexpr bool fits_slot = WholeNumberKey<Key> && sizeof(Key) <= 8;

/// Lets `groups.group_of` be the representative of each row, with a table that grows with the
/// number of groups.
template <class Row, class MemorySpace, class Exec, class Keys>
void find_representatives(const Exec& exec, const Keys& keys, RowGroups<Row, MemorySpace>& groups,
                          Workspace<MemorySpace>& workspace) {
  using Key = KeyOf<Keys>;
  if constexpr (fits_slot<Key>) {
    LinearProbing<Key, MemorySpace, UniqueKeys, Row> table(exec, 0);
    table.find_or_insert(exec, keys, NumberedRows<Row>{}, groups.group_of);
  } else {
    constexpr bool is_row = IsRowKey<Key>::value;
    using Hash = std::conditional_t<is_row, RowHash, Murmur3Hash>;
    using Equal = std::conditional_t<is_row, RowEqual, KeyEqual>;
    TagBucket<Key, MemorySpace, Row, Hash, Equal, Keys> table(exec, keys, {.initial_rows = 0},
                                                              workspace);
    table.find_or_insert(exec, 0, keys.size(), groups.group_of, workspace);
  }
}

template <class Row, class MemorySpace, class Exec, class Keys>
void group_by_hash(const Exec& exec, const Keys& keys, RowGroups<Row, MemorySpace>& groups,
                   Workspace<MemorySpace>& workspace) {
  if constexpr (IsRowKey<KeyOf<Keys>>::value) {
    find_representatives(exec, keys.nulls_equal(), groups, workspace);
  } else if constexpr (std::is_floating_point_v<KeyOf<Keys>>) {
    find_representatives(exec, columns(keys), groups, workspace);  // NaN equals NaN there
  } else {
    find_representatives(exec, keys, groups, workspace);
  }
  number_by_representative(exec, groups, workspace);
}

}  // namespace detail

/// Groups rows by their keys: a view of keys, or `columns(...)`, of which nulls are one value and
/// so are NaNs, unless `nans_unequal()`. On `exec`, which it fences.
///
/// `hash` looks every key up in a table that grows with the number of groups, a LinearProbing of
/// integers or a TagBucket of anything else (8 to 32 bytes a group, and 1 to 3 sizeof(Row) a row
/// while it runs), and numbers groups in the order of their representatives. `dense` reads keys
/// three times, makes one random access a row into an array, sizeof(Row) a number of the range, and
/// numbers groups in the order of their keys. Both write sizeof(Row) a row and a group.
///
/// Which row of a group represents it is not specified. Throws CapacityError when there are too
/// many rows for `Row` or memory is short (for `dense`, in relation to the range of the keys), and
/// InvalidArgument where `dense` is asked of keys that are no view of integers.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys>
[[nodiscard]] auto group_rows(const Exec& exec, const Keys& keys,
                              const GroupOptions& options = {}) {
  using Memory = typename Keys::memory_space;
  using Key = detail::KeyOf<Keys>;
  detail::require_accessible_table<Exec, Memory>();
  Kokkos::Profiling::ScopedRegion region("hashmill::group_rows");
  const std::uint64_t n = keys.size();
  check_rows<Row>(0, checked_add(n, no_row<Row> - detail::slot_rows_end<Row>, "row numbers"));
  Workspace<Memory> workspace;
  RowGroups<Row, Memory> groups;
  groups.group_of =
      backends::allocate<Kokkos::View<Row*, Memory>>(exec, "hashmill::group_rows::group_of", n);
  bool is_dense = false;
  if constexpr (Kokkos::is_view_v<Keys> && detail::WholeNumberKey<Key>) {
    if (options.strategy != GroupStrategy::hash) {
      const KeyRange range = key_range(exec, keys);
      is_dense = options.strategy == GroupStrategy::dense || range.span < detail::dense_limit(n);
      if (is_dense) {
        detail::group_dense(exec, detail::key_access(keys), range, groups, workspace);
      }
    }
  } else if (options.strategy == GroupStrategy::dense) {
    throw InvalidArgument("group_rows: dense groups need a view of integers as keys");
  }
  if (!is_dense) detail::group_by_hash(exec, keys, groups, workspace);
  exec.fence("hashmill::group_rows: results are handed to the caller");
  return groups;
}

}  // namespace hashmill
