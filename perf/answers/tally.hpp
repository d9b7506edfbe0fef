#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/key.hpp>

#include "keys/bit_permutation.hpp"

namespace hashmill::perf {

/// Order-independent sum over results: how many there are, their weights added up modulo 2^64, and
/// how many are wrong by themselves (a row that is out of range or holds another key).
struct Tally {
  std::uint64_t count = 0;
  std::uint64_t weight = 0;
  std::uint64_t faults = 0;

  /// Takes one result in.
  KOKKOS_FUNCTION void add(std::uint64_t result_weight) {
    ++count;
    weight += result_weight;
  }

  KOKKOS_FUNCTION Tally& operator+=(const Tally& other) {
    count += other.count;
    weight += other.weight;
    faults += other.faults;
    return *this;
  }

  bool operator==(const Tally&) const = default;
};

/// Weight of a query number in tallies of lookups.
KOKKOS_FUNCTION inline std::uint64_t query_weight(std::uint64_t query) {
  return splitmix64(2 * query);
}

/// Weight of a row number in tallies of pairs; a pair weighs query_weight(query) * row_weight(row).
KOKKOS_FUNCTION inline std::uint64_t row_weight(std::uint64_t row) {
  return splitmix64(2 * row + 1);
}

/// Weight of a key value.
template <class Key>
KOKKOS_FUNCTION std::uint64_t key_weight(const Key& key) {
  if constexpr (sizeof(Key) == 16) {
    return splitmix64(key.low ^ splitmix64(key.high));
  } else {
    return splitmix64(key);
  }
}

/// Weight of a table's entry: this key with this row.
template <class Key>
KOKKOS_FUNCTION std::uint64_t entry_weight(const Key& key, std::uint64_t row) {
  return splitmix64(key_weight(key) + row);
}

/// The rows that match one query: how many, and the sum of their row_weight.
struct MatchingRows {
  std::uint64_t count = 0;
  std::uint64_t weight = 0;
};

/// Order of keys for sorting.
struct KeyLess {
  template <class Key>
  KOKKOS_FUNCTION bool operator()(const Key& a, const Key& b) const {
    if constexpr (sizeof(Key) == 16) {
      return a.high != b.high ? a.high < b.high : a.low < b.low;
    } else {
      return a < b;
    }
  }
};

/// Runs `functor(index, sum)` for every index below `count` on `exec` and returns the total. Fences
/// `exec`. `Sum` is a Tally or a struct of several with `+=`.
template <class Sum = Tally, class Exec, class Functor>
Sum tally(const Exec& exec, std::uint64_t count, const Functor& functor) {
  Sum total;
  Kokkos::parallel_reduce(
      "hashmill::perf::tally",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, count), functor, total);
  exec.fence("hashmill::perf::tally: the total is used on the host");
  return total;
}

}  // namespace hashmill::perf
