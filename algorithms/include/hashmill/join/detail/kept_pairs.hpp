#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hashmill::detail {

/// Pairs of a join on a host that were kept when they were counted: all those of the first `rows`
/// left rows, in the memory where these rows' records were.
struct KeptPairs {
  std::uint64_t rows, pairs;
};

/// Keeps the pairs of `count` left rows as long as they are no more than the rows before: where
/// those have one match each at most, all, and none need be looked up a second time to be written.
/// `find(row, use)` calls `use(pair)` for each pair of a row.
template <class Pair, class Record, class Find>
[[nodiscard]] KeptPairs keep_pairs(Record* rows, std::uint64_t count, const Find& find) {
  static_assert(sizeof(Pair) <= sizeof(Record));
  auto* const memory = reinterpret_cast<std::byte*>(rows);
  std::uint64_t pairs = 0;
  for (std::uint64_t j = 0; j < count; ++j) {
    const Record row = rows[j];
    std::uint64_t found = pairs;
    find(row, [&found, memory, j](const Pair& pair) {
      if (found <= j) std::memcpy(memory + found * sizeof(Pair), &pair, sizeof(Pair));
      ++found;
    });
    if (found > j + 1) {  // this row's pairs are where it was, and where the next one is
      rows[j] = row;
      return {j, pairs};
    }
    pairs = found;
  }
  return {count, pairs};
}

/// Calls `use(pair)` with the first `pairs` pairs kept where `rows` were.
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
