#include <set>
#include <unordered_map>

#include "algorithms/join_fixture.hpp"
#include "fuzz/fuzz_step.hpp"

namespace hashmill::test {
namespace {

constexpr std::uint64_t most_pairs = 1'000'000;

/// The rows of each key, serially, on std containers.
template <class Key>
class KeyLists {
 public:
  explicit KeyLists(const Numbers& numbers) {
    for (std::uint64_t i = 0; i < numbers.size(); ++i)
      lists_[normal_number<Key>(numbers[i])].push_back(i);
  }
  [[nodiscard]] const std::vector<std::uint64_t>& operator()(std::uint64_t number) const {
    static const std::vector<std::uint64_t> none;
    const auto found = lists_.find(normal_number<Key>(number));
    return found == lists_.end() ? none : found->second;
  }

 private:
  std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> lists_;
};

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

/// The highest bits of the default hash, so many as are wanted: with few, keys collide.
struct NarrowHash {
  unsigned bits = 64;
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return bits == 0 ? 0 : Murmur3Hash{}(key) << (64 - bits);
  }
  friend constexpr bool operator==(const NarrowHash&, const NarrowHash&) = default;
};

/// The most rows a side may have, so that tables under a hash of so many bits end in time.
std::uint64_t most_rows(const NarrowHash& hash) {
  return std::min<std::uint64_t>(40'000, std::uint64_t{300} << std::min(hash.bits, 8U));
}

/// Tables that keep one row a key, and so do not join those that are left over on their side.
template <class Table>
constexpr bool unique_keys = false;
template <class K, class M, class R, class H, class E>
constexpr bool unique_keys<LinearProbing<K, M, UniqueKeys, R, H, E>> = true;

template <class Table, class Keys>
Table make_table(RandomSource& random, const Keys& keys, NarrowHash hash) {
  if constexpr (requires { typename Table::layout_type; }) {
    constexpr double load_factors[] = {0.25, 1, 4, 16};
    HashGraphOptions options;
    options.load_factor = LoadFactor(random.pick(load_factors));
    options.algorithm = random.chance(3) ? BuildAlgorithm::v1 : BuildAlgorithm::v2;
    if (random.chance(4)) options.bins = BinCount(1 + random.below(5000));
    return Table(Exec(), keys, options, hash);
  } else {
    return Table(Exec(), keys, {}, hash);
  }
}

/// Both sides of a join, what it should give, and how results are compared with that.
template <class Table, class Condition>
class JoinCheck {
  using Key = typename Table::key_type;
  using Row = typename Table::row_type;

 public:
  JoinCheck(RandomSource& random, NarrowHash hash, Numbers left, Numbers right)
      : random_(random),
        hash_(hash),
        left_(std::move(left)),
        right_(std::move(right)),
        lists_(right_) {
    shorten();
  }

  void run() {
    const KeyColumns<Key> left_keys(left_), right_keys(right_);
    const Table table = make_table<Table>(random_, right_keys.source(), hash_);
    const auto queries = left_keys.source();
    const JoinKind kind = every_kind[random_.below(unique_keys<Table> ? 2 : 4)];
    const Pairs expected = pairs_of(kind);
    require_equal("join_size", join_size(Exec(), kind, table, queries, Condition()),
                  std::uint64_t{expected.size()});
    require_equal("join", sorted_pairs(join(Exec(), kind, table, queries, Condition())), expected);
    check_chunks(kind, table, queries, expected);
    check_half_joins(table, queries);
    check_sides_changed(left_keys, right_keys);
  }

 private:
  [[nodiscard]] Pairs pairs_of(JoinKind kind) const {
    return expected_pairs(
        kind, left_.size(), right_.size(),
        [&](std::uint64_t l) -> const std::vector<std::uint64_t>& { return lists_(left_[l]); },
        Condition());
  }

  /// Takes queries away until the result is small enough.
  void shorten() {
    std::uint64_t pairs = 0, kept = 0;
    while (kept < left_.size() && pairs <= most_pairs) pairs += lists_(left_[kept++]).size();
    left_.resize(kept);
  }

  template <class Queries>
  void check_chunks(JoinKind kind, const Table& table, const Queries& queries,
                    const Pairs& expected) {
    std::uint64_t longest = 1;
    for (const std::uint64_t number : left_)
      longest = std::max<std::uint64_t>(longest, lists_(number).size());
    const std::uint64_t most = longest + random_.below(expected.size() + 1);
    Pairs pairs;
    join_in_chunks(Exec(), kind, table, queries, Condition(), {most * 2 * sizeof(Row)},
                   [&](const auto& chunk) {
                     const Pairs more = sorted_pairs(chunk);
                     if (more.empty() || more.size() > most) throw Mismatch("a chunk's size");
                     pairs.insert(pairs.end(), more.begin(), more.end());
                   });
    std::sort(pairs.begin(), pairs.end());
    require_equal("join_in_chunks", pairs, expected);
  }

  template <class Queries>
  void check_half_joins(const Table& table, const Queries& queries) const {
    std::vector<std::uint64_t> with, without;
    std::uint64_t last = nothing;
    for (const auto& [l, r] : pairs_of(JoinKind::left)) {
      if (l == last) continue;
      last = l;
      (r == nothing ? without : with).push_back(l);
    }
    require_equal("semi_join", to_wide_host(semi_join(Exec(), table, queries, Condition())), with);
    require_equal("anti_join", to_wide_host(anti_join(Exec(), table, queries, Condition())),
                  without);
  }

  /// The plans that give the same pairs: the table made of the other side and, of two HashGraphs,
  /// their intersection. Conditions here are symmetric.
  void check_sides_changed(const KeyColumns<Key>& left_keys, const KeyColumns<Key>& right_keys) {
    if (unique_keys<Table> && without_repetitions<Key>(left_).size() != left_.size()) return;
    const Table table = make_table<Table>(random_, left_keys.source(), hash_);
    const Pairs expected = pairs_of(JoinKind::inner);
    Pairs pairs =
        sorted_pairs(join(Exec(), JoinKind::inner, table, right_keys.source(), Condition()));
    for (auto& [l, r] : pairs) std::swap(l, r);
    std::sort(pairs.begin(), pairs.end());
    require_equal("join with the sides exchanged", pairs, expected);
    if constexpr (requires { typename Table::layout_type; } &&
                  std::is_same_v<Condition, EveryPair>) {
      Workspace<Memory> workspace;
      require_equal("intersect_count",
                    intersect_count(Exec(), table, right_keys.source(), workspace),
                    std::uint64_t{expected.size()});
      const Table other(Exec(), right_keys.source(), {.buckets = BucketCount(table.num_buckets())},
                        hash_);
      require_equal("intersect", sorted_pairs(intersect(Exec(), table, other)), expected);
    }
  }

  RandomSource& random_;
  NarrowHash hash_;
  Numbers left_, right_;
  KeyLists<Key> lists_;
};

template <class Table>
void run_join(RandomSource& random) {
  constexpr unsigned bits[] = {0, 1, 4, 8, 16, 32, 64, 64, 64};
  const NarrowHash hash{random.pick(bits)};
  Numbers left = random.numbers(most_rows(hash)), right = random.numbers(most_rows(hash));
  if (unique_keys<Table>) right = without_repetitions<typename Table::key_type>(right);
  if (random.chance(2)) {
    JoinCheck<Table, EveryPair>(random, hash, std::move(left), std::move(right)).run();
  } else {
    JoinCheck<Table, SumIsEven>(random, hash, std::move(left), std::move(right)).run();
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
