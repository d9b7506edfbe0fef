#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/join/detail/side.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/key_access.hpp>

namespace hashmill {

namespace mc_hash {

/// A row of a relation, as the multi-core hash joins take it: a key and a payload of 4 bytes each,
/// or of 8 bytes each.
template <class KeyType, class PayloadType>
struct alignas(sizeof(KeyType) + sizeof(PayloadType)) Tuple {
  static_assert(detail::WholeNumberKey<KeyType> && std::is_trivially_copyable_v<PayloadType> &&
                    sizeof(KeyType) == sizeof(PayloadType) && sizeof(KeyType) >= 4,
                "hashmill::mc_hash: keys are integers of 4 or 8 bytes, payloads are as long");
  using Key = KeyType;
  using Payload = PayloadType;

  Key key;
  Payload payload;
};

/// An array of tuples in host memory.
template <class Tuple>
using Relation = Kokkos::View<Tuple*, Kokkos::HostSpace>;

}  // namespace mc_hash

namespace detail {

template <class Keys, class Payloads, class Tuple>
struct CopyTuple {
  Keys keys;
  Payloads payloads;
  Tuple* tuples;

  void operator()(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(i);
    tuples[row] = {keys(row), payloads(row)};
  }
};

template <class Tuple, class Exec, class Keys, class Payloads>
[[nodiscard]] mc_hash::Relation<Tuple> copy_tuples(const Exec& exec, const Keys& keys,
                                                   const Payloads& payloads, std::uint64_t count) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::tuples_of");
  auto tuples =
      backends::allocate<mc_hash::Relation<Tuple>>(exec, "hashmill::mc_hash::tuples", count);
  backends::for_each_index("hashmill::mc_hash::copy_tuples", exec, count,
                           CopyTuple<Keys, Payloads, Tuple>{keys, payloads, tuples.data()});
  exec.fence("hashmill::mc_hash: tuples are handed to the caller");
  return tuples;
}

}  // namespace detail

namespace mc_hash {

/// Copies two columns to a newly allocated Relation. Fences `exec`, a host execution space.
///
/// keys: a view of integers of 4 or 8 bytes. payloads: a view of trivially copyable elements of the
/// same size, as long as `keys`.
///
/// Reads each column once and writes each tuple once. In the papers relations are arrays of tuples
/// from the start, so that their times do not include this copy.
///
/// Throws InvalidArgument if the columns differ in length, and CapacityError if memory is short.
template <backends::ExecutionSpace Exec, class Keys, class Payloads>
[[nodiscard]] auto tuples_of(const Exec& exec, const Keys& keys, const Payloads& payloads) {
  detail::require_accessible_queries<Exec, Keys>();
  detail::require_accessible_queries<Exec, Payloads>();
  detail::same_length("mc_hash::tuples_of", "keys", keys, "payloads", payloads);
  using TupleOf =
      Tuple<typename Keys::non_const_value_type, typename Payloads::non_const_value_type>;
  return detail::copy_tuples<TupleOf>(exec, detail::key_access(keys), detail::key_access(payloads),
                                      keys.extent(0));
}

/// As above, with the row numbers as payloads. These are unsigned and as wide as the keys. Throws
/// CapacityError also if such numbers cannot number the rows.
template <backends::ExecutionSpace Exec, class Keys>
[[nodiscard]] auto tuples_of(const Exec& exec, const Keys& keys) {
  detail::require_accessible_queries<Exec, Keys>();
  using Key = typename Keys::non_const_value_type;
  using Row = std::conditional_t<sizeof(Key) == 4, std::uint32_t, std::uint64_t>;
  check_rows<Row>(0, keys.extent(0));
  return detail::copy_tuples<Tuple<Key, Row>>(exec, detail::key_access(keys), RowsFrom<Row>(),
                                              keys.extent(0));
}

}  // namespace mc_hash

}  // namespace hashmill
