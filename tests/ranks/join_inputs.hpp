#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/group_by/mixed_rows.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {

// Sides of joins of several ranks, each of which makes the rows of all.

using JoinKey = std::optional<std::string>;  // a null matches nothing

/// The keys of one side, of all ranks. `keys_of(input, rank, ranks)` are the numbers of a rank's.
template <class Input, class KeyOf>
std::map<GlobalRow, JoinKey> keys_of_all(const Input& input, int ranks, const KeyOf& key_of) {
  std::map<GlobalRow, JoinKey> keys;
  for (int r = 0; r < ranks; ++r) {
    const auto numbers = keys_of(input, r, ranks);
    for (std::uint64_t i = 0; i < numbers.size(); ++i) {
      keys[global_row(static_cast<std::uint32_t>(r), i)] = key_of(numbers[i]);
    }
  }
  return keys;
}
/// Inputs of the left and of the right side. Keys of "few" and "equal" sides repeat on both.
struct JoinInput {
  const char* name;
  ShuffleInput left, right;
};
inline std::uint64_t tens(int rank, int) { return 40 + 10 * std::uint64_t(rank); }
inline constexpr JoinInput join_inputs[] = {
    {"random",
     {"", hundreds, [](std::uint64_t i) { return murmur3_fmix64(i) % 900; }},
     {"", hundreds, [](std::uint64_t i) { return murmur3_fmix64(i + 7) % 900; }}},
    {"sequential",
     {"", hundreds, [](std::uint64_t i) { return i; }},
     {"", hundreds, [](std::uint64_t i) { return 3 * i; }}},
    {"equal",
     {"", tens, [](std::uint64_t) { return std::uint64_t{7}; }},
     {"", tens, [](std::uint64_t) { return std::uint64_t{7}; }}},
    {"zipf",
     {"", hundreds, [](std::uint64_t i) { return 4096 / (murmur3_fmix64(i) % 4096 + 1); }},
     {"", tens, [](std::uint64_t i) { return murmur3_fmix64(i) % 100; }}},
    {"right_on_one_rank",
     {"", hundreds, [](std::uint64_t i) { return i % 5000; }},
     {"", all_on_one, [](std::uint64_t i) { return i % 5000; }}},
    {"left_on_one_rank",
     {"", all_on_one, [](std::uint64_t i) { return i % 5000; }},
     {"", every_second, [](std::uint64_t i) { return i % 5000; }}},
    {"half_of_left",
     {"", hundreds, [](std::uint64_t i) { return i % 2 == 0 ? 7 : murmur3_fmix64(i) % 900; }},
     {"", tens, [](std::uint64_t i) { return i % 16; }}},
    {"half_of_right",
     {"", tens, [](std::uint64_t i) { return i % 16; }},
     {"", all_on_one, [](std::uint64_t i) { return i % 2 == 0 ? 7 : murmur3_fmix64(i) % 900; }}},
    // Key 7 is hot on the left and 9 on the right. No row of key 7 has an even number.
    {"hot_on_both",
     {"", tens,
      [](std::uint64_t i) { return i % 2 == 1   ? 7
                                   : i % 8 == 0 ? 9
                                                : murmur3_fmix64(i) % 90; }},
     {"", tens,
      [](std::uint64_t i) { return i % 4 == 1   ? 7
                                   : i % 2 == 0 ? 9
                                                : murmur3_fmix64(i) % 90; }}},
    {"no_right", {"", hundreds, murmur3_fmix64}, {"", none, murmur3_fmix64}},
    {"no_left", {"", none, murmur3_fmix64}, {"", hundreds, murmur3_fmix64}},
    {"none", {"", none, murmur3_fmix64}, {"", none, murmur3_fmix64}},
};

/// Keys of which each occurs on both sides of a join, some of them several times.
inline std::vector<std::uint64_t> scattered_keys(int rank, std::uint64_t rows) {
  std::vector<std::uint64_t> keys(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    keys[i] = murmur3_fmix64(i + std::uint64_t(rank)) % (2 * rows);
  }
  return keys;
}

/// A key of two columns, one of them strings, both with nulls; payloads of all kinds.
struct TextKeys {
  Optionals<std::int32_t> numbers;
  Strings words;

  explicit TextKeys(const std::vector<std::uint64_t>& keys) {
    for (const std::uint64_t key : keys) {
      numbers.push_back(static_cast<std::int32_t>(key % 97));
      words.push_back("word " + std::to_string(key % 89));
      if (key % 11 == 0) numbers.back().reset();
      if (key % 7 == 0) words.back().reset();
    }
  }
};
inline JoinKey text_key(std::uint64_t key, bool nulls_equal) {
  const TextKeys one({key});
  if (!nulls_equal && (!one.numbers[0] || !one.words[0])) return {};
  return (one.numbers[0] ? std::to_string(*one.numbers[0]) : "null") + "," +
         one.words[0].value_or("null");
}
/// A condition on columns of both sides: the row of the left side was even, or that of the right,
/// or all rows are taken.
template <class Left, class Right>
struct OneIsEven {
  Left left;
  Right right;
  bool takes_all;
  KOKKOS_FUNCTION bool operator()(std::uint32_t i, std::uint32_t j) const {
    return takes_all || left(i) % 2 == 0 || right(j) % 2 == 0;
  }
};
struct OneIsEvenOf {
  bool takes_all = false;
  template <class Left, class Right>
  auto operator()(const Left& left, const Right& right) const {
    const auto& left_rows = std::get<1>(left);
    const auto& right_rows = std::get<1>(right);
    return OneIsEven<std::decay_t<decltype(left_rows)>, std::decay_t<decltype(right_rows)>>{
        left_rows, right_rows, takes_all};
  }
  /// The same of rows on the host.
  [[nodiscard]] bool matches(GlobalRow left, GlobalRow right) const {
    return takes_all || left % 2 == 0 || right % 2 == 0;
  }
};

}  // namespace hashmill::test
