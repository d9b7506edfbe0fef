#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/workspace.hpp>
#include <utility>

#include "sort_pairs.hpp"
#include "tally.hpp"

namespace hashmill::perf {

/// Sets the weight of each row; see SortedReference.
template <class Weights>
struct FillRowWeights {
  Weights weights;
  KOKKOS_FUNCTION void operator()(std::uint64_t row) const { weights(row) = row_weight(row); }
};

/// The right answers for arbitrary keys, found by sorting them and searching by bisection.
template <class Key, class MemorySpace>
class SortedReference {
 public:
  using Keys = Kokkos::View<Key*, MemorySpace>;
  using Weights = Kokkos::View<std::uint64_t*, MemorySpace>;

  /// Sorts a copy of `keys` on `exec` and fences it.
  template <class Exec>
  SortedReference(const Exec& exec, const Keys& keys)
      : keys_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "hashmill::perf::sorted_keys"),
              keys.size()),
        sums_(Kokkos::view_alloc(exec, "hashmill::perf::row_weight_sums"), keys.size() + 1) {
    const auto weights =
        Kokkos::subview(sums_, std::pair<std::uint64_t, std::uint64_t>(0, keys.size()));
    Kokkos::deep_copy(exec, keys_, keys);
    Kokkos::parallel_for("hashmill::perf::fill_row_weights", backends::range(exec, keys.size()),
                         FillRowWeights<Weights>{weights});
    sort_pairs(exec, keys_, weights);
    Workspace<MemorySpace> workspace;
    backends::exclusive_scan(exec, sums_, workspace);
    exec.fence("hashmill::perf::SortedReference: the workspace is freed");
  }

  /// Sets the queries that the answers are for.
  void set_queries(const Keys& queries) { queries_ = queries; }

  /// Whether any row holds `key`.
  KOKKOS_FUNCTION bool contains(const Key& key) const { return place_of_key(key) < num_places(); }

  /// The rows that hold the key of a query.
  KOKKOS_FUNCTION MatchingRows matches(std::uint64_t query) const {
    return rows_at(place_of(query));
  }

  /// Number of places to ask distinct_key() about.
  KOKKOS_FUNCTION std::uint64_t num_places() const { return keys_.extent(0); }

  /// The first place of the key of a query; num_places() where no row holds it.
  KOKKOS_FUNCTION std::uint64_t place_of(std::uint64_t query) const {
    return place_of_key(queries_(query));
  }

  /// The rows that hold the key at its first place; none at num_places().
  KOKKOS_FUNCTION MatchingRows rows_at(std::uint64_t place) const {
    if (place >= num_places()) return {};
    const std::uint64_t last = first_greater(keys_(place), place);
    return {last - place, sums_(last) - sums_(place)};
  }

  /// Sets `key` to the key at a place; true if no earlier place gave it.
  KOKKOS_FUNCTION bool distinct_key(std::uint64_t place, Key& key) const {
    key = keys_(place);
    return place == 0 || KeyLess{}(keys_(place - 1), key);
  }

 private:
  KOKKOS_FUNCTION std::uint64_t place_of_key(const Key& key) const {
    const std::uint64_t place = first_not_less(key, 0, num_places());
    return place < num_places() && keys_(place) == key ? place : num_places();
  }

  /// Place of the first key in [first, last) that is not less than `key`, or `last`.
  KOKKOS_FUNCTION std::uint64_t first_not_less(const Key& key, std::uint64_t first,
                                               std::uint64_t last) const {
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      if (KeyLess{}(keys_(middle), key)) {
        first = middle + 1;
      } else {
        last = middle;
      }
    }
    return first;
  }

  /// Place of the first key from `first` on that is greater than `key`: strides that double find
  /// the end of most keys' few rows at once.
  KOKKOS_FUNCTION std::uint64_t first_greater(const Key& key, std::uint64_t first) const {
    const std::uint64_t size = keys_.extent(0);
    std::uint64_t stride = 1;
    while (first < size && !KeyLess{}(key, keys_(first))) {
      first += stride;
      stride *= 2;
    }
    std::uint64_t last = first < size ? first : size;
    first -= stride / 2 < first ? stride / 2 : first;
    while (first < last) {
      const std::uint64_t middle = first + (last - first) / 2;
      if (KeyLess{}(key, keys_(middle))) {
        last = middle;
      } else {
        first = middle + 1;
      }
    }
    return first;
  }

  Keys keys_;
  Weights sums_;
  Keys queries_;
};

}  // namespace hashmill::perf
