#pragma once

#include <hashmill/group_by/detail/number_groups.hpp>
#include <hashmill/group_by/options.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/primitives/detail/estimate_keys.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <hashmill/tag_bucket.hpp>
#include <optional>

namespace hashmill::detail {

/// The largest key range for which `automatic` takes an array. With 32-bit rows the array then has
/// 8 bytes per row, which is less than a hash table of as many groups.
[[nodiscard]] inline std::uint64_t dense_limit(std::uint64_t rows) {
  return std::max<std::uint64_t>(std::uint64_t{1} << 16,
                                 rows <= ~std::uint64_t{0} / 2 ? 2 * rows : rows);
}

/// Estimates the number of groups from a sample; waits for `exec`.
template <class MemorySpace, class Exec, class Keys>
[[nodiscard]] std::uint64_t estimate_groups(const Exec& exec, const Keys& keys,
                                            const GroupHash<KeyOf<Keys>>& hash,
                                            Workspace<MemorySpace>& workspace) {
  return estimate_keys(exec, keys, hash_at(hash, HashLevel::sample), NoneKnown(), workspace);
}

/// Sets `groups.group_of` to the representative of each row. Uses a table for `expected` groups,
/// which grows if there are more.
template <class Row, class MemorySpace, class Exec, class Keys>
void find_representatives(const Exec& exec, const Keys& keys, std::uint64_t expected,
                          const GroupHash<KeyOf<Keys>>& hash, RowGroups<Row, MemorySpace>& groups,
                          Workspace<MemorySpace>& workspace) {
  using Key = KeyOf<Keys>;
  using Hash = GroupHash<Key>;
  if constexpr (fits_slot<Key>) {
    LinearProbing<Key, MemorySpace, UniqueKeys, Row, Hash> table(exec, expected, {}, hash);
    table.find_or_insert(exec, keys, RowsFrom<Row>{}, groups.group_of, expected);
  } else {
    using Table = TagBucket<Key, MemorySpace, Row, Hash, GroupEqual<Key>, Keys>;
    const BucketCount buckets = LoadFactor(0.5).buckets_for(expected, Table::slots_per_bucket);
    Table table(exec, keys, {.buckets = buckets, .initial_rows = 0}, workspace, hash);
    table.find_or_insert(exec, 0, keys.size(), groups.group_of, workspace, expected);
  }
}

/// Groups rows of `group_keys` in a hash table for about `expected` groups; waits for `exec`.
template <class Row, class MemorySpace, class Exec, class Keys>
RowGroups<Row, MemorySpace> group_hashed(const Exec& exec,
                                         const KeysOfRows<Keys, Row, MemorySpace>& keys,
                                         std::uint64_t expected, const GroupHash<KeyOf<Keys>>& hash,
                                         Workspace<MemorySpace>& workspace) {
  const std::uint64_t count = keys.size();
  // The slots of tables reserve a few row numbers for their own use.
  check_rows<Row>(0, checked_add(count, no_row<Row> - slot_rows_end<Row>, "row numbers"));
  RowGroups<Row, MemorySpace> groups;
  groups.group_of = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
      exec, "hashmill::group_rows::group_of", count);
  find_representatives(exec, keys, expected, hash, groups, workspace);
  number_by_representative(exec, groups, workspace);
  return groups;
}

/// Keys of `group_keys` as the view from which they came, if they are integers of a view.
template <class MemorySpace, class Keys>
struct ViewOfIntegers {
  static constexpr bool exists = false;
};
template <class MemorySpace, class Key, bool Strided>
struct ViewOfIntegers<MemorySpace, KeyPointer<Key, Strided>> {
  static constexpr bool exists = WholeNumberKey<Key>;
  using Layout = std::conditional_t<Strided, Kokkos::LayoutStride, Kokkos::LayoutRight>;
  using View =
      Kokkos::View<const Key*, Layout, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  [[nodiscard]] static View of(const KeyPointer<Key, Strided>& keys) {
    if constexpr (Strided) {
      return View(keys.keys, Layout(keys.count, keys.stride));
    } else {
      return View(keys.keys, keys.count);
    }
  }
};

/// Groups the rows of a view of integers by an array over their range, if `strategy` allows it.
/// Returns whether it did. Throws InvalidArgument for `dense` if the keys are not such a view.
template <class Row, class MemorySpace, class Exec, class Keys>
bool try_dense(const Exec& exec, const Keys& keys, GroupStrategy strategy,
               RowGroups<Row, MemorySpace>& groups, Workspace<MemorySpace>& workspace) {
  using Integers = ViewOfIntegers<MemorySpace, Keys>;
  if constexpr (Integers::exists) {
    if (strategy == GroupStrategy::hash) return false;
    const auto view = Integers::of(keys);
    const bool any_range = strategy == GroupStrategy::dense;
    const std::optional<KeyRange> range =
        any_range ? key_range(exec, view) : key_range_below(exec, view, dense_limit(keys.size()));
    if (!range) return false;
    groups.group_of = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
        exec, "hashmill::group_rows::group_of", keys.size());
    group_dense(exec, keys, *range, groups, workspace);
    return true;
  } else if (strategy == GroupStrategy::dense) {
    throw InvalidArgument("group_rows: dense groups need a view of integers as keys");
  }
  return false;
}

/// Groups rows of `group_keys` by a strategy of `group_rows`: by an array over the range of their
/// keys if that is possible, else in a hash table. The table is for `expected` groups; without that
/// number, they are estimated. Its last kernels may still run when it returns.
template <class Row, class MemorySpace, class Exec, class Keys>
RowGroups<Row, MemorySpace> dense_or_hashed(const Exec& exec, const Keys& keys,
                                            GroupStrategy strategy,
                                            std::optional<std::uint64_t> expected,
                                            const GroupHash<KeyOf<Keys>>& hash,
                                            Workspace<MemorySpace>& workspace) {
  RowGroups<Row, MemorySpace> groups;
  if (try_dense(exec, keys, strategy, groups, workspace)) return groups;
  if (!expected) expected = estimate_groups(exec, keys, hash, workspace);
  return group_hashed(exec, all_rows<Row, MemorySpace>(keys), *expected, hash, workspace);
}

}  // namespace hashmill::detail
