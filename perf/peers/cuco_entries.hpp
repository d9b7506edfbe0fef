#pragma once

#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cuco/pair.cuh>

namespace hashmill::perf {

/// The (key, row) pairs of rows from `first` on, as cuCollections takes what it inserts.
template <class Key>
struct CucoEntryOfRow {
  const Key* keys;
  std::uint64_t first;
  KOKKOS_FUNCTION cuco::pair<Key, std::uint32_t> operator()(std::uint64_t i) const {
    return {keys[i], static_cast<std::uint32_t>(first + i)};
  }
};

/// Iterator over the pairs of `keys`, whose rows are numbered from `first`. The keys must outlive
/// it.
template <class Keys>
auto cuco_entries(const Keys& keys, std::uint64_t first = 0) {
  using Key = typename Keys::non_const_value_type;
  return thrust::make_transform_iterator(thrust::counting_iterator<std::uint64_t>(0),
                                         CucoEntryOfRow<Key>{keys.data(), first});
}

}  // namespace hashmill::perf
