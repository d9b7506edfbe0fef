#pragma once

#include <hashmill/join/detail/join_keys.hpp>
#include <hashmill/join/detail/partitioned_join.hpp>
#include <hashmill/join/detail/side.hpp>
#include <hashmill/join/detail/write_joined.hpp>
#include <hashmill/primitives/detail/accessible.hpp>

namespace hashmill {

/// The result of `join_values`: `left(i)` and `right(i)` are the values of two rows with equal
/// keys. Both views have one element per pair. Copies share the views. A moved-from result has
/// none.
template <class LeftValue, class RightValue, class MemorySpace>
struct JoinedValues {
  Kokkos::View<LeftValue*, MemorySpace> left;
  Kokkos::View<RightValue*, MemorySpace> right;

  JoinedValues() = default;
  /// Shares the views.
  JoinedValues(const Kokkos::View<LeftValue*, MemorySpace>& its_left,
               const Kokkos::View<RightValue*, MemorySpace>& its_right)
      : left(its_left), right(its_right) {}
  JoinedValues(const JoinedValues&) = default;
  JoinedValues& operator=(const JoinedValues&) = default;
  JoinedValues(JoinedValues&& other) noexcept
      : left(std::exchange(other.left, {})), right(std::exchange(other.right, {})) {}
  JoinedValues& operator=(JoinedValues&& other) noexcept {
    if (this == &other) return *this;
    left = std::exchange(other.left, {});
    right = std::exchange(other.right, {});
    return *this;
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return left.extent(0); }
};

namespace detail {

/// A side of such a join. `Other` is the key type of the other side.
template <class Row, class Other, class Keys, class Values, class Hash>
[[nodiscard]] auto valued_side(const char* name, const Keys& keys, const Values& values,
                               const Hash& hash) {
  same_length(std::string("join_values: the ") + name + " side", "keys", keys, "values", values);
  check_rows<Row>(0, keys.size());
  const auto met = join_keys<Other, Hash, KeyEqual>(keys);
  const auto access = key_access(values);
  return KeyedSide<std::decay_t<decltype(met)>, std::decay_t<decltype(access)>, Hash, KeyEqual>{
      key_access(met), access, {hash, {}}};
}

}  // namespace detail

/// Joins two sides and returns the values of their rows in place of row numbers: the inner join.
/// Values travel with the keys through the passes of a partitioned join (see `hash_join`). Nothing
/// is gathered at random. Suits one column of payload per side. Gather more columns by the pairs of
/// `hash_join`.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint32_t*, Exec> buyers("buyers", 5000), customers("customers", 1000);
///     Kokkos::View<double*, Exec> paid("paid", 5000);
///     Kokkos::View<std::uint32_t*, Exec> zones("zones", 1000);
///     hashmill::Workspace<Exec::memory_space> workspace;
///     const auto sales = hashmill::join_values(exec, buyers, paid, customers, zones,
///                                              hashmill::JoinOptions{}, workspace);
///     // sales.left(i): what was paid; sales.right(i): the zone of the customer who paid it
///
/// - Keys: views of numbers, of types that `hash_join` joins, or of Key128.
/// - Values: views of trivially copyable elements, one per key. A key and its value take at most 24
///   bytes together.
/// - `options.seed` and `hash` are as in `hash_join`.
///
/// Pairs come in no specified order. The result is allocated once the pairs are counted, at exactly
/// its size. Temporary memory, from `workspace`: the keys and values of both sides, twice if
/// partitioning takes several passes. Runs on `exec`, and fences it before it returns.
///
/// Throws:
///
/// - InvalidArgument if keys and values differ in length, if `options.ordered` is asked for, or if
///   a seed is asked of a hash that takes none.
/// - CapacityError if the result exceeds `options.memory_budget` or memory, or if a side has more
///   rows than `Row` can number.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class LeftKeys,
          class LeftValues, class RightKeys, class RightValues, class Hash = Murmur3Hash>
[[nodiscard]] auto join_values(const Exec& exec, const LeftKeys& left_keys,
                               const LeftValues& left_values, const RightKeys& right_keys,
                               const RightValues& right_values, const JoinOptions& options,
                               Workspace<typename RightKeys::memory_space>& workspace,
                               const Hash& hash = {}) {
  JoinedValues<typename LeftValues::non_const_value_type,
               typename RightValues::non_const_value_type, typename RightKeys::memory_space>
      result;
  join_values<Row>(exec, left_keys, left_values, right_keys, right_values, options, result,
                   workspace, hash);
  return result;
}

/// As above, into `result`. Its memory is used again if it suffices. What it held is lost, and
/// nobody else may hold its columns.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class LeftKeys,
          class LeftValues, class RightKeys, class RightValues, class Hash = Murmur3Hash>
void join_values(const Exec& exec, const LeftKeys& left_keys, const LeftValues& left_values,
                 const RightKeys& right_keys, const RightValues& right_values,
                 const JoinOptions& options,
                 JoinedValues<typename LeftValues::non_const_value_type,
                              typename RightValues::non_const_value_type,
                              typename RightKeys::memory_space>& result,
                 Workspace<typename RightKeys::memory_space>& workspace, const Hash& hash = {}) {
  using Memory = typename RightKeys::memory_space;
  using RightKey = detail::KeyOf<RightKeys>;
  using LeftKey = detail::KeyOf<LeftKeys>;
  static_assert(detail::key_travels<RightKey>, "hashmill::join_values: keys are numbers or Key128");
  detail::require_accessible_table<Exec, Memory>();
  detail::check_single_keys<Exec>(left_keys);
  detail::check_single_keys<Exec>(right_keys);
  if (options.ordered) {
    throw InvalidArgument(
        "join_values: there are no row numbers that the values could be ordered by");
  }
  Kokkos::Profiling::ScopedRegion region("hashmill::join_values");
  if constexpr (detail::key_travels<RightKey> &&
                detail::require_joinable<LeftKey, RightKey, Hash, KeyEqual>()) {
    const Hash part_hash =
        detail::own_hash(detail::seeded_hash("join_values", hash, options.seed), HashLevel::parts);
    const auto right =
        detail::valued_side<Row, LeftKey>("right", right_keys, right_values, part_hash);
    const auto left = detail::valued_side<Row, RightKey>("left", left_keys, left_values, part_hash);
    using Left = typename std::decay_t<decltype(left)>::Records;
    using Right = typename std::decay_t<decltype(right)>::Records;
    const typename Workspace<Memory>::Frame frame(workspace);
    const detail::PartitionedJoin<Exec, Left, Right, EveryPair, Row, Memory> plan(
        exec, left, right, {}, {}, {}, workspace);
    detail::write_joined("join_values", exec, plan, options, result);
  }
}

}  // namespace hashmill
