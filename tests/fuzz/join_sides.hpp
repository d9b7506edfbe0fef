#pragma once

#include <set>
#include <unordered_map>

#include "algorithms/join/join_fixture.hpp"
#include "narrow_hash.hpp"

namespace hashmill::test {

/// Each key once.
template <class Key>
Numbers without_repetitions(const Numbers& numbers) {
  std::set<std::uint64_t> seen;
  Numbers once;
  for (const std::uint64_t number : numbers) {
    if (seen.insert(normal_number<Key>(number)).second) once.push_back(number);
  }
  return once;
}

/// Both sides of a join of numbers as keys, with what it should give: serially, on std containers.
template <class Key>
class JoinSides {
 public:
  /// Draws sides that join under that hash in a moment.
  JoinSides(RandomSource& random, const NarrowHash& hash, bool unique_right) {
    const std::uint64_t most = std::min(40'000U, 300U << std::min(hash.bits, 8U));
    right = random.numbers(most);
    if (unique_right) right = without_repetitions<Key>(right);
    for (std::uint64_t r = 0; r < right.size(); ++r)
      lists_[normal_number<Key>(right[r])].push_back(r);
    std::uint64_t pairs = 0;
    for (const std::uint64_t number : random.numbers(most)) {
      if (pairs > most_pairs) break;
      left.push_back(number);
      pairs += matches(number).size();
      longest = std::max<std::uint64_t>(longest, matches(number).size());
    }
  }

  template <class Condition>
  [[nodiscard]] Pairs expected(JoinKind kind, const Condition& condition) const {
    return expected_pairs(
        kind, left.size(), right.size(),
        [&](std::uint64_t l) -> const std::vector<std::uint64_t>& { return matches(left[l]); },
        condition);
  }

  Numbers left, right;
  std::uint64_t longest = 1;  ///< most pairs of one left row

 private:
  static constexpr std::uint64_t most_pairs = 1'000'000;

  [[nodiscard]] const std::vector<std::uint64_t>& matches(std::uint64_t number) const {
    static const std::vector<std::uint64_t> none;
    const auto found = lists_.find(normal_number<Key>(number));
    return found == lists_.end() ? none : found->second;
  }
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> lists_;
};

}  // namespace hashmill::test
