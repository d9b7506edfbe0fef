#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_UnorderedMap.hpp>
#include <cmath>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/row.hpp>
#include <limits>
#include <string>

#include "answers/tally.hpp"
#include "case/compare_case.hpp"

namespace hashmill::perf {

/// Inserts rows from `first` on under their keys.
template <class Map, class Keys>
struct KokkosMapInsert {
  Map map;
  Keys keys;
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const {
    map.insert(keys(i), static_cast<std::uint32_t>(first + i));
  }
};

/// Erases keys.
template <class Map, class Keys>
struct KokkosMapErase {
  Map map;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { map.erase(keys(i)); }
};

/// Looks queries up.
template <class Map, class Keys, class Rows>
struct KokkosMapFind {
  Map map;
  Keys queries;
  Rows rows;
  KOKKOS_FUNCTION void operator()(std::uint64_t query) const {
    const std::uint32_t at = map.find(queries(query));
    rows(query) = map.valid_at(at) ? map.value_at(at) : no_row<std::uint32_t>;
  }
};

/// Tallies the elements.
template <class Map, class Keys>
struct KokkosMapTally {
  Map map;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t at, Tally& sum) const {
    const auto slot = static_cast<std::uint32_t>(at);
    if (!map.valid_at(slot)) return;
    const auto key = map.key_at(slot);
    const std::uint32_t row = map.value_at(slot);
    sum.add(key_weight(key));
    if (row >= keys.extent(0) || !(keys(row) == key)) ++sum.faults;
  }
};

/// Peer: Kokkos::UnorderedMap from key to one of its rows, on the execution space itself. Its
/// capacity is the number of keys over the fill. Insertion gives up after some probes; as its
/// documentation advises, the map is then enlarged and the insertion repeated, within the time.
template <class Exec, class Key>
class KokkosUnorderedMap {
 public:
  static constexpr bool keeps_duplicates = false;
  static constexpr bool sized_by_fill = true;
  static constexpr std::uint64_t bytes_a_key = 64;

  template <class Keys>
  KokkosUnorderedMap(const Exec& exec, const Keys& keys, const TableAxes& axes)
      : map_(hint_for(static_cast<double>(keys.size()) / axes.fill)) {
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`.
  template <class Keys>
  void insert(const Exec& exec, const Keys& keys, std::uint64_t first_row) {
    using Insert = KokkosMapInsert<Map, Keys>;
    for (;;) {
      Kokkos::parallel_for("hashmill::perf::kokkos_map_insert", Range(exec, 0, keys.size()),
                           Insert{map_, keys, first_row});
      exec.fence(
          "hashmill::perf::KokkosUnorderedMap: whether an insertion failed is read on the host");
      if (!map_.failed_insert()) return;
      map_.rehash(hint_for(2.0 * map_.capacity()));
    }
  }

  /// Erases keys, between the two calls that the map asks for.
  template <class Keys>
  void erase(const Exec& exec, const Keys& keys) {
    map_.begin_erase();
    Kokkos::parallel_for("hashmill::perf::kokkos_map_erase", Range(exec, 0, keys.size()),
                         KokkosMapErase<Map, Keys>{map_, keys});
    exec.fence("hashmill::perf::KokkosUnorderedMap: end_erase works on its own instance");
    map_.end_erase();
  }

  void clear(const Exec& exec) {
    exec.fence("hashmill::perf::KokkosUnorderedMap: clear works on its own instance");
    map_.clear();
  }

  std::uint64_t size(const Exec&) const { return map_.size(); }

  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    Kokkos::parallel_for("hashmill::perf::kokkos_map_find", Range(exec, 0, queries.size()),
                         KokkosMapFind<Map, Keys, Rows>{map_, queries, rows});
  }

  template <class Keys>
  Tally tally_entries(const Exec& exec, const Keys& keys) const {
    return tally(exec, map_.capacity(), KokkosMapTally<Map, Keys>{map_, keys});
  }

 private:
  using Map = Kokkos::UnorderedMap<Key, std::uint32_t, Exec>;
  using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>;

  /// What the map is to be told for so many slots: it adds a sixth to that.
  static std::uint32_t hint_for(double slots) {
    constexpr std::uint64_t largest = std::numeric_limits<std::uint32_t>::max() / 2;
    const auto hint = static_cast<std::uint64_t>(std::ceil(slots * 6 / 7));
    if (hint > largest)
      throw CapacityError("Kokkos::UnorderedMap: sizes of 32 bits", hint, largest);
    return static_cast<std::uint32_t>(hint);
  }

  Map map_;
};

}  // namespace hashmill::perf
