#pragma once

#include <hashmill/join/detail/side.hpp>
#include <hashmill/join/mc_hash/detail/npo.hpp>
#include <hashmill/join/mc_hash/detail/radix_join.hpp>
#include <hashmill/join/mc_hash/tuples.hpp>
#include <hashmill/primitives/detail/accessible.hpp>

namespace hashmill::detail {

/// A side's rows as tuples of a multi-core join: the key as it travels, and the number of the row,
/// as wide as that.
template <class Keys, class Hash>
struct TuplesOfSide {
  using Travelling = TravellingKey<KeyOf<Keys>, Hash, KeyEqual>;
  using Stored = typename Travelling::type;
  using Number = std::conditional_t<sizeof(Stored) == 4, std::uint32_t, std::uint64_t>;
  using Tuple = mc_hash::Tuple<Stored, Number>;
  KeyAccess<Keys> keys;
  Hash hash;
  Tuple* tuples;

  void operator()(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(i);
    tuples[row] = {Travelling::pack(hash, keys(row)), static_cast<Number>(row)};
  }
};

/// A hash whose lowest bits, which the multi-core joins take, are as good as its highest, which the
/// tables do.
template <class Hash>
struct RemixedHash {
  Hash hash;
  template <class Key>
  [[nodiscard]] std::uint64_t operator()(const Key& key) const {
    return murmur3_fmix64(hash(key));
  }
};

/// The hash of a key that travels: of one that is its own hash, the key.
template <class Key, class Hash>
[[nodiscard]] auto tuple_hash([[maybe_unused]] const Hash& hash) {
  if constexpr (PermutingHashFor<Hash, Key>) {
    return IdentityHash();
  } else {
    return RemixedHash<Hash>{hash};
  }
}

/// Whether the multi-core joins take such sides.
template <class Exec, class Keys, class Hash, class Equal>
[[nodiscard]] constexpr bool suits_tuples() {
  using Key = KeyOf<Keys>;
  constexpr bool on_host = !backends::has_wide_teams<Exec> &&
                           std::is_same_v<typename Keys::memory_space, Kokkos::HostSpace>;
  if constexpr (on_host && fits_slot<Key> && std::is_same_v<Equal, KeyEqual>) {
    return sizeof(typename TravellingKey<Key, Hash, KeyEqual>::type) >= 4;
  } else {
    return false;
  }
}

/// An inner join of two sides by one of the multi-core joins (mc_hash.hpp), counted: it knows its
/// size, and then writes its row pairs. Rows become tuples first, in memory of the workspace, which
/// must outlive it: 8 bytes a row of 32-bit keys, 16 of longer ones.
template <template <class, class, class> class JoinOf, class Exec, class Right, class Left,
          class Hash>
class TupleJoin {
  using Rows = TuplesOfSide<Right, Hash>;
  using Tuple = typename Rows::Tuple;
  using TupleHash = decltype(tuple_hash<KeyOf<Right>>(std::declval<const Hash&>()));
  using Join = JoinOf<Exec, Tuple, TupleHash>;

 public:
  /// Joins and counts; `pairs`: they will be written. Throws CapacityError where there is no
  /// memory, or a side has more rows than its keys have values.
  TupleJoin(const Exec& exec, const Right& right, const Left& left, bool pairs, const Hash& hash,
            Workspace<Kokkos::HostSpace>& workspace)
      : join_((reserve(exec, right.size(), left.size(), workspace), exec),
              make_tuples(exec, right, hash, workspace), make_tuples(exec, left, hash, workspace),
              {}, pairs, tuple_hash<KeyOf<Right>>(hash), workspace) {}

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return join_.size(); }
  /// Number of pairs with a left row: all.
  [[nodiscard]] std::uint64_t num_found() const { return size(); }
  [[nodiscard]] bool in_left_order() const { return false; }

  /// Writes `size()` pairs.
  template <class Row>
  void write(Row* left, Row* right) const {
    join_.write(left, right);
  }

 private:
  static void reserve(const Exec& exec, std::uint64_t right_rows, std::uint64_t left_rows,
                      Workspace<Kokkos::HostSpace>& workspace) {
    constexpr const char* what = "rows of a join";
    const std::uint64_t tuples =
        checked_bytes<Tuple>(checked_add(right_rows, left_rows, what), what);
    workspace.reserve(exec,
                      checked_add(tuples, Join::bytes(exec, right_rows, left_rows, {}), what));
  }

  template <class Keys>
  [[nodiscard]] static TupleSpan<Tuple> make_tuples(const Exec& exec, const Keys& keys,
                                                    const Hash& hash,
                                                    Workspace<Kokkos::HostSpace>& workspace) {
    check_rows<typename Rows::Number>(0, keys.size());
    const auto tuples = workspace.template take<Tuple>(exec, keys.size());
    Kokkos::parallel_for("hashmill::join::make_tuples", backends::range(exec, keys.size()),
                         TuplesOfSide<Keys, Hash>{key_access(keys), hash, tuples.data()});
    return {tuples.data(), keys.size()};
  }

  Join join_;
};

}  // namespace hashmill::detail
