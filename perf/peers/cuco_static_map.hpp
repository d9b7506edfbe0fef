#pragma once

#include <thrust/functional.h>

#include <Kokkos_Core.hpp>
#include <cmath>
#include <cstdint>
#include <cuco/static_map.cuh>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/row.hpp>
#include <string>

#include "answers/tally.hpp"
#include "case/compare_case.hpp"
#include "cuco_entries.hpp"
#include "machine/unsupported_case.hpp"

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

/// Peer: cuco::static_map of NVIDIA's cuCollections from a key to one of its rows, on the stream of
/// the execution space. Hash and probing are its defaults, except that groups of `GroupSize`
/// threads probe for a key together (its default: 4). Its capacity is the number of keys divided by
/// the fill. The sentinel, the largest key, marks empty slots and cannot be a key. An `Erasable`
/// map also reserves the key below it, which marks erased slots.
template <class Exec, class Key, int GroupSize, bool Erasable>
class CucoStaticMap {
 public:
  static constexpr bool keeps_duplicates = false;
  static constexpr bool sized_by_fill = true;
  static constexpr std::uint64_t bytes_a_key = 64;

  /// Throws `UnsupportedCase` if a sentinel is among the keys.
  template <class Keys>
  static void check_keys(const Exec& exec, const Keys& keys) {
    constexpr Key least = Erasable ? erased : sentinel;
    std::uint64_t num_reserved = 0;
    Kokkos::parallel_reduce("hashmill::perf::count_reserved_keys", Range(exec, 0, keys.size()),
                            CountKeysFrom<Keys>{keys, least}, num_reserved);
    exec.fence("hashmill::perf::CucoStaticMap: the count is used on the host");
    if (num_reserved == 0) return;
    throw UnsupportedCase("cuco::static_map reserves keys from " + std::to_string(least) +
                          " up, which are among the keys (another --seed may avoid it)");
  }

  template <class Keys>
  CucoStaticMap(const Exec& exec, const Keys& keys, const TableAxes& axes)
      : map_(make_map(exec, keys.size(), axes.fill)) {
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`, as far as there is room.
  template <class Keys>
  void insert(const Exec& exec, const Keys& keys, std::uint64_t first_row) {
    const auto entries = cuco_entries(keys, first_row);
    map_.insert_async(entries, entries + keys.size(), exec.cuda_stream());
  }

  template <class Keys>
  void erase(const Exec& exec, const Keys& keys) {
    map_.erase_async(keys.data(), keys.data() + keys.size(), exec.cuda_stream());
  }

  void clear(const Exec& exec) { map_.clear_async(exec.cuda_stream()); }

  std::uint64_t size(const Exec& exec) const { return map_.size(exec.cuda_stream()); }

  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    map_.find_async(queries.data(), queries.data() + queries.size(), rows.data(),
                    exec.cuda_stream());
  }

  template <class Keys>
  Tally tally_entries(const Exec& exec, const Keys& keys) const {
    using Rows = Kokkos::View<std::uint32_t*, typename Keys::memory_space>;
    const std::uint64_t num_found = size(exec);
    const auto found_keys = backends::allocate<Keys>(exec, "hashmill::perf::cuco_keys", num_found);
    const auto found_rows = backends::allocate<Rows>(exec, "hashmill::perf::cuco_rows", num_found);
    map_.retrieve_all(found_keys.data(), found_rows.data(), exec.cuda_stream());
    return tally(exec, num_found, CucoMapTally<Keys, Rows>{keys, found_keys, found_rows});
  }

 private:
  using Probing = cuco::linear_probing<GroupSize, cuco::default_hash_function<Key>>;
  using Map = cuco::static_map<Key, std::uint32_t, cuco::extent<std::size_t>,
                               cuda::thread_scope_device, thrust::equal_to<Key>, Probing>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  static constexpr Key sentinel = static_cast<Key>(~Key{0});
  static constexpr Key erased = sentinel - 1;

  static Map make_map(const Exec& exec, std::uint64_t num_keys, double fill) {
    const cuco::empty_key<Key> empty_key{sentinel};
    const cuco::empty_value<std::uint32_t> empty_value{no_row<std::uint32_t>};
    if constexpr (Erasable) {
      const auto capacity =
          static_cast<std::size_t>(std::ceil(static_cast<double>(num_keys) / fill));
      return Map(capacity, empty_key, empty_value, cuco::erased_key<Key>{erased}, {}, {}, {}, {},
                 {}, exec.cuda_stream());
    } else {
      return Map(num_keys, fill, empty_key, empty_value, {}, {}, {}, {}, {}, exec.cuda_stream());
    }
  }

  Map map_;
};

}  // namespace hashmill::perf
