#include <numeric>

#include "join_fixture.hpp"

// Joins of sides whose rows lie in parts already, as ranks receive them.

namespace hashmill::test {
namespace {

/// A side whose rows lie in `parts` parts of `each` pieces, which are scattered among its rows.
struct SideInParts {
  Numbers keys;
  std::vector<std::uint32_t> words;  // where parts begin, where pieces do, and how long they are
  std::uint64_t parts, each;
  Kokkos::View<std::uint64_t*, Memory> on_device;
  Kokkos::View<std::uint32_t*, Memory> words_on_device;

  SideInParts(const Numbers& numbers, std::uint64_t num_parts, std::uint64_t num_pieces)
      : words(num_parts + 1 + 2 * num_parts * num_pieces), parts(num_parts), each(num_pieces) {
    std::vector<Numbers> pieces(parts * each);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t part = murmur3_fmix64(numbers[i]) % parts;
      // The last piece of each part stays empty.
      pieces[part * each + murmur3_fmix64(i) % std::max<std::uint64_t>(1, each - 1)].push_back(
          numbers[i]);
    }
    std::uint32_t* const begins = words.data() + parts + 1;
    std::uint32_t* const sizes = begins + parts * each;
    for (std::size_t k = 0; k < pieces.size(); ++k) {
      const std::size_t p = (k * 7) % pieces.size();  // 7 divides no number of pieces here
      begins[p] = static_cast<std::uint32_t>(keys.size());
      sizes[p] = static_cast<std::uint32_t>(pieces[p].size());
      keys.insert(keys.end(), pieces[p].begin(), pieces[p].end());
      words[p / each + 1] += sizes[p];
    }
    std::partial_sum(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(parts) + 1,
                     words.begin());
    on_device = to_device(keys);
    words_on_device = to_device(words);
  }

  [[nodiscard]] detail::RowsInParts<std::uint32_t> in_parts() const {
    const std::uint32_t* const begins = words_on_device.data() + parts + 1;
    return {parts, words_on_device.data(), {begins, begins + parts * each, each}};
  }
};

/// Expects the pairs of a join of the same rows that knows of no parts.
void expect_joins(const SideInParts& left, const SideInParts& right) {
  SCOPED_TRACE(std::to_string(left.keys.size()) + " and " + std::to_string(right.keys.size()) +
               " rows, " + std::to_string(left.parts) + " parts");
  const Exec exec;
  Workspace<Memory> workspace;
  const EveryPair every;
  const detail::SidesInParts parts{left.in_parts(), right.in_parts()};
  for (const JoinKind kind : {JoinKind::inner, JoinKind::left, JoinKind::right, JoinKind::full}) {
    for (const bool ordered : {false, true}) {
      HashJoinOptions<> options;
      options.ordered = ordered;
      RowPairs<std::uint32_t, std::uint32_t, Memory> pairs;
      const std::uint64_t found = detail::run_hash_join<std::uint32_t>(
          detail::JoinRequest{exec, kind, left.on_device, right.on_device, every, Murmur3Hash(),
                              KeyEqual(), parts},
          options, &pairs, workspace);
      const auto expected =
          hash_join(exec, kind, left.on_device, right.on_device, every, options, workspace);
      EXPECT_EQ(found, expected.size());
      EXPECT_TRUE(ordered ? pairs_of(pairs) == pairs_of(expected)
                          : sorted_pairs(pairs) == sorted_pairs(expected));
    }
  }
}

TEST(HashJoinInParts, GivesThePairsOfWholeSides) {
  const Numbers some = random_numbers(3'000, 1), few = repeated_numbers(200, 150, 2);
  Numbers mixed = some;  // half of the rows have one key
  for (std::size_t i = 0; i < mixed.size(); i += 2) mixed[i] = some.front();
  Numbers many = repeated_numbers(60'000, 40'000, 3);
  for (const std::uint64_t parts : {1, 3, 64}) {
    for (const std::uint64_t each : {1, 3}) {
      const auto side = [&](const Numbers& numbers) { return SideInParts(numbers, parts, each); };
      ASSERT_NO_FATAL_FAILURE(expect_joins(side(some), side(mixed)));
      ASSERT_NO_FATAL_FAILURE(expect_joins(side(few), side(some)));
      ASSERT_NO_FATAL_FAILURE(expect_joins(side(some), side(few)));
      ASSERT_NO_FATAL_FAILURE(expect_joins(side(many), side(many)));
      ASSERT_NO_FATAL_FAILURE(expect_joins(side({}), side(few)));
      ASSERT_NO_FATAL_FAILURE(expect_joins(side(few), side({})));
      ASSERT_NO_FATAL_FAILURE(expect_joins(side({}), side({})));
    }
  }
}

}  // namespace
}  // namespace hashmill::test
