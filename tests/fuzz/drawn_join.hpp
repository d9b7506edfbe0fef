#pragma once

#include <hashmill/distributed_join/options.hpp>
#include <map>
#include <vector>

#include "drawn_ranks.hpp"
#include "join_rows.hpp"

namespace hashmill::test {

/// A join of several ranks: sides of either of the `Rows` of join_rows.hpp, and how they are
/// joined.
template <class Rows>
class DrawnJoin {
 public:
  explicit DrawnJoin(RandomSource& random)
      : ranks(random), kind(random.pick(all_kinds)), options(draw_options(random)) {
    condition.takes_all = random.chance(2);
    const std::uint64_t most = random.chance(8) ? 10'000 : 1'000;
    Numbers lefts = random.numbers(most), rights = random.numbers(most);
    if (random.chance(3)) add_heavy_key(random, lefts, rights);
    if (random.chance(3)) add_heavy_key(random, rights, lefts);
    right = ranks.divide(random, rights);
    left = ranks.divide(random, with_few_pairs(lefts, rights));
  }
  /// The key of a row that is made of that number.
  [[nodiscard]] auto key_of() const {
    return [nulls_equal = options.nulls_equal](std::uint64_t number) {
      return Rows::key(number, nulls_equal);
    };
  }
  /// Whether the rows match if their keys do.
  [[nodiscard]] auto matches() const {
    return [condition = condition](GlobalRow l, GlobalRow r) { return condition.matches(l, r); };
  }
  [[nodiscard]] JoinedRows expected() const {
    return expected_pairs(kind, keys_of_all(left, ranks.size(), key_of()),
                          keys_of_all(right, ranks.size(), key_of()), matches());
  }

  DrawnRanks ranks;
  DrawnShares left, right;
  JoinKind kind;
  DistributedJoinOptions options;
  OneIsEvenOf condition;

 private:
  static DistributedJoinOptions draw_options(RandomSource& random) {
    constexpr JoinMovement movements[] = {JoinMovement::automatic, JoinMovement::repartition,
                                          JoinMovement::repartition, JoinMovement::broadcast_right,
                                          JoinMovement::broadcast_left};
    constexpr HeavyKeys heavy_keys[] = {HeavyKeys::automatic, HeavyKeys::never, HeavyKeys::always};
    constexpr Prefilter filters[] = {Prefilter::automatic, Prefilter::never, Prefilter::always};
    DistributedJoinOptions drawn;
    drawn.movement = random.pick(movements);
    drawn.heavy_keys = random.pick(heavy_keys);
    drawn.left_filter = random.pick(filters);
    drawn.compression = draw_compression(random);
    drawn.levels = draw_levels(random);
    drawn.prefilter = random.pick(filters);
    drawn.nulls_equal = random.chance(2);
    drawn.ordered = random.chance(3);
    if (random.chance(2)) drawn.rounds = 1 + random.below(random.chance(8) ? 60 : 6);
    if (random.chance(3)) drawn.seed = Seed(random.below(1000));
    return drawn;
  }
  /// Gives many rows of one side, and a few of the other, the same key.
  static void add_heavy_key(RandomSource& random, Numbers& many, Numbers& few) {
    const std::uint64_t key = random.below(100), one_in = 1 + random.below(8);
    for (std::uint64_t& number : many) {
      if (random.chance(one_in)) number = key;
    }
    for (std::uint64_t rows = random.below(6); rows != 0; --rows) {
      few.insert(few.begin() + static_cast<std::ptrdiff_t>(random.below(few.size() + 1)), key);
    }
  }
  /// The first left rows, that make not too many pairs.
  [[nodiscard]] Numbers with_few_pairs(const Numbers& lefts, const Numbers& rights) const {
    constexpr std::uint64_t most_pairs = 20'000;
    std::map<JoinKey, std::uint64_t> counts;
    for (const std::uint64_t number : rights) ++counts[key_of()(number)];
    counts.erase(std::nullopt);
    Numbers few;
    std::uint64_t pairs = 0;
    for (const std::uint64_t number : lefts) {
      const auto found = counts.find(key_of()(number));
      if (found != counts.end()) pairs += found->second;
      if (pairs > most_pairs) break;
      few.push_back(number);
    }
    return few;
  }
};

}  // namespace hashmill::test
