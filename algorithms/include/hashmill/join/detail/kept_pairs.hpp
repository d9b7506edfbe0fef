#pragma once

#include <Kokkos_Macros.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hashmill::detail {

/// Pairs of a join on a host that were kept while they were counted. They are all pairs of the
/// first `rows` left rows. They lie in memory that held the records of these rows.
struct KeptPairs {
  std::uint64_t rows, pairs;
};

/// Keeps a pair in the memory of the rows up to row `last`, if it has room. Counts it in any case.
template <class Pair>
struct KeepPair {
  std::uint64_t* found;
  std::byte* memory;
  std::uint64_t last;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Pair& pair) const {
    if (*found <= last) std::memcpy(memory + *found * sizeof(Pair), &pair, sizeof(Pair));
    ++*found;
  }
};

/// Keeps the pairs of the first left rows, as long as there are no more pairs than rows so far.
/// They overwrite the records of these rows. If every row has at most one match, all pairs are
/// kept. Writing the result then needs no second look-up.
///
/// `count` is the number of left rows. `find(row, use)` calls `use(pair)` for each pair of a row.
template <class Pair, class Record, class Find>
[[nodiscard]] KeptPairs keep_pairs(Record* rows, std::uint64_t count, const Find& find) {
  static_assert(sizeof(Pair) <= sizeof(Record));
  auto* const memory = reinterpret_cast<std::byte*>(rows);
  std::uint64_t pairs = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    const Record row = rows[j];
    std::uint64_t found = pairs;
    find(row, KeepPair<Pair>{&found, memory, j});
    if (found > j + 1) {  // no room for all of this row's pairs, some of which overwrote it
      rows[j] = row;
      return {j, pairs};
    }
    pairs = found;
  }
  return {count, pairs};
}

/// Calls `use(pair)` with the first `pairs` pairs kept in the memory of `rows`.
template <class Pair, class Record, class Use>
void for_each_kept_pair(const Record* rows, std::uint64_t pairs, const Use& use) {
  const auto* const memory = reinterpret_cast<const std::byte*>(rows);
  for (std::uint64_t p = 0; p < pairs; ++p) {
    Pair pair;
    std::memcpy(&pair, memory + p * sizeof(Pair), sizeof(Pair));
    use(pair);
  }
}

}  // namespace hashmill::detail
