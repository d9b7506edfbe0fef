#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cuco/static_map.cuh>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/row.hpp>
#include <string>

#include "../compare_case.hpp"
#include "../tally.hpp"
#include "../unsupported_case.hpp"
#include "cuco_entries.hpp"

namespace hashmill::perf {

/// Tallies the (key, row) pairs that a map gave back. A row that does not hold its key is a fault.
template <class Keys, class Rows>
struct CucoMapTally {
  Keys keys;
  Keys found_keys;
  Rows found_rows;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const auto key = found_keys(i);
    const std::uint32_t row = found_rows(i);
    sum.add(key_weight(key));
    if (row >= keys.extent(0) || !(keys(row) == key)) ++sum.faults;
  }
};

/// Counts the keys from `least` on.
template <class Keys>
struct CountKeysFrom {
  Keys keys;
  typename Keys::non_const_value_type least;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, std::uint64_t& sum) const {
    if (keys(i) >= least) ++sum;
  }
};

/// Peer: cuco::static_map of NVIDIA's cuCollections from key to one of its rows, with its own
/// defaults for hash and probing, on the stream of the execution space. Its capacity is the number
/// of keys over the fill. Keys equal to the sentinel, the largest key, cannot be used: it marks
/// empty slots.
template <class Exec, class Key>
class CucoStaticMap {
 public:
  static constexpr bool keeps_duplicates = false;
  static constexpr bool sized_by_fill = true;
  static constexpr std::uint64_t bytes_a_key = 64;

  /// Throws `UnsupportedCase` if the sentinel is among the keys.
  template <class Keys>
  static void check_keys(const Exec& exec, const Keys& keys) {
    std::uint64_t num_reserved = 0;
    Kokkos::parallel_reduce("hashmill::perf::count_reserved_keys", Range(exec, 0, keys.size()),
                            CountKeysFrom<Keys>{keys, sentinel}, num_reserved);
    exec.fence("hashmill::perf::CucoStaticMap: the count is used on the host");
    if (num_reserved == 0) return;
    throw UnsupportedCase("cuco::static_map reserves key " + std::to_string(sentinel) +
                          ", which is among the keys (another --seed may avoid it)");
  }

  template <class Keys>
  CucoStaticMap(const Exec& exec, const Keys& keys, const TableAxes& axes)
      : map_(keys.size(), axes.fill, cuco::empty_key<Key>{sentinel},
             cuco::empty_value<std::uint32_t>{no_row<std::uint32_t>}, {}, {}, {}, {}, {},
             exec.cuda_stream()) {
    const auto entries = cuco_entries(keys);
    map_.insert_async(entries, entries + keys.size(), exec.cuda_stream());
  }

  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    map_.find_async(queries.data(), queries.data() + queries.size(), rows.data(),
                    exec.cuda_stream());
  }

  template <class Keys>
  Tally tally_entries(const Exec& exec, const Keys& keys) const {
    using Rows = Kokkos::View<std::uint32_t*, typename Keys::memory_space>;
    const std::uint64_t size = map_.size(exec.cuda_stream());
    const auto found_keys = backends::allocate<Keys>(exec, "hashmill::perf::cuco_keys", size);
    const auto found_rows = backends::allocate<Rows>(exec, "hashmill::perf::cuco_rows", size);
    map_.retrieve_all(found_keys.data(), found_rows.data(), exec.cuda_stream());
    return tally(exec, size, CucoMapTally<Keys, Rows>{keys, found_keys, found_rows});
  }

 private:
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  static constexpr Key sentinel = static_cast<Key>(~Key{0});

  cuco::static_map<Key, std::uint32_t> map_;
};

}  // namespace hashmill::perf
