#include "fuzz_step.hpp"
#include "join_sides.hpp"

namespace hashmill::test {
namespace {

/// Tables that keep one row a key, and so do not join those that are left over on their side.
template <class Table>
constexpr bool unique_keys = false;
template <class K, class M, class R, class H, class E>
constexpr bool unique_keys<LinearProbing<K, M, UniqueKeys, R, H, E>> = true;

template <class Table, class Keys>
Table make_table(RandomSource& random, const Keys& keys, NarrowHash hash) {
  if constexpr (requires { typename Table::layout_type; }) {
    constexpr double averages[] = {0.25, 1, 4, 16};
    HashGraphOptions options;
    options.rows_per_bucket = RowsPerBucket(random.pick(averages));
    options.algorithm = random.chance(3) ? BuildAlgorithm::v1 : BuildAlgorithm::v2;
    if (random.chance(4)) options.bins = BinCount(1 + random.below(5000));
    return Table(Exec(), keys, options, hash);
  } else {
    return Table(Exec(), keys, {}, hash);
  }
}

/// A join through a table, and results compared with what it should give.
template <class Table, class Condition>
class JoinCheck {
  using Key = typename Table::key_type;
  using Row = typename Table::row_type;

 public:
  JoinCheck(RandomSource& random, NarrowHash hash)
      : random_(random), hash_(hash), sides_(random, hash, unique_keys<Table>) {}

  void run() {
    const KeyColumns<Key> left_keys(sides_.left), right_keys(sides_.right);
    const Table table = make_table<Table>(random_, right_keys.source(), hash_);
    const auto queries = left_keys.source();
    const JoinKind kind = every_kind[random_.below(unique_keys<Table> ? 2 : 4)];
    const Pairs expected = sides_.expected(kind, Condition());
    require_equal("join_size", join_size(Exec(), kind, queries, table, Condition()),
                  std::uint64_t{expected.size()});
    options_.ordered = random_.chance(2);
    require_equal("join", pairs_as_asked(join(Exec(), kind, queries, table, Condition(), options_)),
                  expected);
    check_chunks(kind, table, queries, expected);
    check_half_joins(table, queries);
    check_sides_changed(left_keys, right_keys);
  }

 private:
  /// Sorted, unless the join should have done so.
  template <class Result>
  [[nodiscard]] Pairs pairs_as_asked(const Result& result) const {
    return options_.ordered ? pairs_of(result) : sorted_pairs(result);
  }

  template <class Queries>
  void check_chunks(JoinKind kind, const Table& table, const Queries& queries,
                    const Pairs& expected) {
    const std::uint64_t most = sides_.longest + random_.below(expected.size() + 1);
    JoinOptions options = options_;
    options.memory_budget = most * 2 * sizeof(Row);
    Pairs pairs;
    join_in_chunks(Exec(), kind, queries, table, Condition(), options, [&](const auto& chunk) {
      const Pairs more = pairs_of(chunk);
      if (more.empty() || more.size() > most) throw Mismatch("a chunk's size");
      pairs.insert(pairs.end(), more.begin(), more.end());
    });
    if (!options.ordered) std::sort(pairs.begin(), pairs.end());
    require_equal("join_in_chunks", pairs, expected);
  }

  template <class Queries>
  void check_half_joins(const Table& table, const Queries& queries) const {
    std::vector<std::uint64_t> with, without;
    std::uint64_t last = nothing;
    for (const auto& [l, r] : sides_.expected(JoinKind::left, Condition())) {
      if (l == last) continue;
      last = l;
      (r == nothing ? without : with).push_back(l);
    }
    require_equal("semi_join", to_wide_host(semi_join(Exec(), queries, table, Condition())), with);
    require_equal("anti_join", to_wide_host(anti_join(Exec(), queries, table, Condition())),
                  without);
  }

  /// The plans that give the same pairs: the table made of the other side and, of two HashGraphs,
  /// their intersection. Conditions here are symmetric.
  void check_sides_changed(const KeyColumns<Key>& left_keys, const KeyColumns<Key>& right_keys) {
    if (unique_keys<Table> && without_repetitions<Key>(sides_.left) != sides_.left) return;
    const Table table = make_table<Table>(random_, left_keys.source(), hash_);
    const Pairs expected = sides_.expected(JoinKind::inner, Condition());
    Pairs pairs =
        sorted_pairs(join(Exec(), JoinKind::inner, right_keys.source(), table, Condition()));
    for (auto& [l, r] : pairs) std::swap(l, r);
    std::sort(pairs.begin(), pairs.end());
    require_equal("join with the sides exchanged", pairs, expected);
    if constexpr (requires { typename Table::layout_type; } &&
                  std::is_same_v<Condition, EveryPair>) {
      Workspace<Memory> workspace;
      require_equal("intersect_count",
                    intersect_count(Exec(), right_keys.source(), table, workspace),
                    std::uint64_t{expected.size()});
    }
  }

  RandomSource& random_;
  NarrowHash hash_;
  JoinSides<Key> sides_;
  JoinOptions options_;
};

template <class Table>
void run_join(RandomSource& random) {
  const NarrowHash hash = random_hash(random);
  if (random.chance(2)) {
    JoinCheck<Table, EveryPair>(random, hash).run();
  } else {
    JoinCheck<Table, SumIsEven>(random, hash).run();
  }
}

using Word = std::uint32_t;
using Long = std::uint64_t;

}  // namespace

std::vector<FuzzStep> join_steps() {
  return {{"join, HashGraph", run_join<HashGraph<Word, Memory, KeyRow<>, NarrowHash>>},
          {"join, HashGraph packed", run_join<HashGraph<Long, Memory, PackedRow, NarrowHash>>},
          {"join, Chaining", run_join<Chaining<Word, Memory, Word, NarrowHash>>},
          {"join, LinearProbing",
           run_join<LinearProbing<Word, Memory, RepeatedKeys, Word, NarrowHash>>},
          {"join, LinearProbing unique",
           run_join<LinearProbing<Long, Memory, UniqueKeys, Word, NarrowHash>>},
          {"join, TagBucket", run_join<TagBucket<Key128, Memory, Word, NarrowHash>>}};
}

}  // namespace hashmill::test
