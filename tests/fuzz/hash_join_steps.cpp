#include "algorithms/join/each_strategy.hpp"
#include "fuzz_step.hpp"
#include "join_sides.hpp"

namespace hashmill::test {
namespace {

/// Expects a filter of the right side, added in two batches or merged of two filters, to let
/// through all left rows that have a partner.
template <class Key>
void check_filter(RandomSource& random, const JoinSides<Key>& sides, const NarrowHash& hash) {
  const auto middle = sides.right.begin() + static_cast<std::ptrdiff_t>(sides.right.size() / 2);
  const KeyColumns<Key> first(Numbers(sides.right.begin(), middle)),
      second(Numbers(middle, sides.right.end())), left(sides.left);
  JoinFilterOptions options;
  options.keys = sides.right.size();
  using Filter = JoinFilter<Key, Memory, NarrowHash>;
  Filter filter(Exec(), options, hash), other(Exec(), options, hash);
  const bool merges = random.chance(2);
  filter.add(Exec(), first.source());
  (merges ? other : filter).add(Exec(), second.source());
  filter.merge(Exec(), other);
  Workspace<Memory> workspace;
  const auto rows = to_wide_host(filter.select(Exec(), left.source(), workspace));
  const std::set<std::uint64_t> passing(rows.begin(), rows.end());
  std::uint64_t dropped = 0;
  for (const Pair& pair : sides.expected(JoinKind::inner, EveryPair())) {
    if (!passing.contains(pair.first)) ++dropped;
  }
  require_equal("rows that a filter dropped in spite of a partner", dropped, std::uint64_t{0});
}

/// Joins sides that are in no table, by every strategy that suits them.
template <class Key, class Condition>
void run_hash_join(RandomSource& random) {
  const NarrowHash hash = random_hash(random);
  const bool unique_right = random.chance(4);
  const JoinSides<Key> sides(random, hash, unique_right);
  const KeyColumns<Key> left(sides.left), right(sides.right);
  const bool intersects = std::is_same_v<Condition, EveryPair> && random.chance(3);
  if (random.chance(2)) check_filter(random, sides, hash);
  const JoinKind kind = intersects ? JoinKind::inner : random.pick(every_kind);
  const Pairs expected = sides.expected(kind, Condition());
  HashJoinOptions options;
  constexpr Prefilter prefilters[] = {Prefilter::automatic, Prefilter::never, Prefilter::always};
  options.prefilter = random.pick(prefilters);
  options.ordered = random.chance(2);
  const auto check = [&](const auto& chosen) {
    Workspace<Memory> workspace;
    const auto pairs = hash_join(Exec(), kind, left.source(), right.source(), Condition(), chosen,
                                 workspace, hash);
    require_equal("hash_join, " + strategy_name(chosen),
                  chosen.ordered ? pairs_of(pairs) : sorted_pairs(pairs), expected);
  };
  for_each_strategy<JoinStrategy::automatic, JoinStrategy::look_up, JoinStrategy::tag_bucket,
                    JoinStrategy::partitioned>(options, check);
  if (intersects) check(with_strategy<JoinStrategy::intersect>(options));
  const bool looks_left = kind == JoinKind::inner || kind == JoinKind::left;
  if (unique_right && looks_left && sizeof(Key) <= 8) {
    check(with_strategy<JoinStrategy::unique_keys>(options));
  }
}

}  // namespace

std::vector<FuzzStep> hash_join_steps() {
  return {{"hash_join, 32 bits", run_hash_join<std::uint32_t, EveryPair>},
          {"hash_join, 64 bits", run_hash_join<std::uint64_t, EveryPair>},
          {"hash_join, 128 bits, condition", run_hash_join<Key128, SumIsEven>}};
}

}  // namespace hashmill::test
