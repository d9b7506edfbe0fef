#include <hashmill/distributed_group_by.hpp>
#include <map>
#include <span>

#include "algorithms/group_by/firsts_and_variances.hpp"
#include "ranks/group_results.hpp"
#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {
namespace {

// What holds for group-bys over any ranks. Each rank makes the rows of all ranks, so that it knows
// what all groups come to.

std::uint64_t thousands(int rank, int) { return rank < 2 ? 5000 : 100; }
/// On some ranks more rows than a batch without a sample has. Half of the last ones are one key's,
/// the others rare.
constexpr ShuffleInput many_rows[] = {
    {"many", thousands, murmur3_fmix64},
    {"many_equal", thousands, [](std::uint64_t) { return std::uint64_t{7}; }},
    {"one_hot_key", thousands, [](std::uint64_t i) { return i % 2 == 0 ? 7 : murmur3_fmix64(i); }},
};

/// Calls `use(input)` for all inputs.
template <class Use>
void for_each_input(const Use& use) {
  const auto with = [&](std::span<const ShuffleInput> inputs) {
    for (const ShuffleInput& input : inputs) {
      SCOPED_TRACE(input.name);
      use(input);
    }
  };
  with(shuffle_inputs);
  with(many_rows);
}
/// A batch of a rank. Its keys have 32 bits.
NumberBatch batch_of(const ShuffleInput& input, int rank, int ranks) {
  return {keys_of(input, rank, ranks), std::uint64_t(rank) + 5};
}

void groups_numbers(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_input([&](const ShuffleInput& input) {
    ExpectedSummaries<std::uint32_t> expected;
    for (int r = 0; r < ranks.size(); ++r) {
      const NumberBatch theirs = batch_of(input, r, ranks.size());
      expected.add(theirs.keys, theirs.values);
    }
    const NumberBatch mine = batch_of(input, ranks.rank(), ranks.size());
    for (const PreAggregation choice : every_choice) {
      const auto found = with_summary(mine.values, [&](const auto&... asked) {
        return distributed_group_by(rank_exec(), ranks, mine.device_keys, {choice, Seed(3)},
                                    workspace, asked...);
      });
      expect_groups(ranks, to_host(std::get<0>(found.keys).values), host_summaries(found.results),
                    expected.groups());
    }
  });
}

/// Counts the rows of each key by `count_rows(keys)`.
template <class CountRows>
void expect_counts(const Communicator& ranks, const CountRows& count_rows) {
  for_each_input([&](const ShuffleInput& input) {
    std::map<std::uint32_t, std::uint64_t> expected;
    for (int r = 0; r < ranks.size(); ++r) {
      for (const auto key : batch_of(input, r, ranks.size()).keys) ++expected[key];
    }
    const auto found = count_rows(batch_of(input, ranks.rank(), ranks.size()).device_keys);
    const auto keys = to_host(std::get<0>(found.keys).values);
    const auto counts = to_host(std::get<0>(found.results).values);
    expect_each_once(ranks, keys, expected);
    for (std::size_t g = 0; g < keys.size(); ++g) ASSERT_EQ(counts[g], expected.at(keys[g]));
  });
}
/// Ranks that choose differently, and number rows with 64 bits.
void groups_as_each_rank_likes(const Communicator& ranks) {
  Workspace<Memory> workspace;
  expect_counts(ranks, [&](const auto& keys) {
    return distributed_group_by<std::uint64_t>(
        rank_exec(), ranks, keys, {every_choice[ranks.rank() % 4]}, workspace, agg::count());
  });
}
void groups_with_defaults(const Communicator& ranks) {
  expect_counts(ranks, [&](const auto& keys) {
    return distributed_group_by(rank_exec(), ranks, column(keys), agg::count());
  });
}
void groups_with_a_bad_hash(const Communicator& ranks) {
  Workspace<Memory> workspace;
  expect_counts(ranks, [&](const auto& keys) {
    return distributed_group_by<std::uint32_t, FourBitRowHash>(
        rank_exec(), ranks, keys, {PreAggregation::frequent_keys}, workspace, agg::count());
  });
}

/// The first value is that of the lowest rank, in its order.
void keeps_firsts_and_variances(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_input([&](const ShuffleInput& input) {
    ExpectedFirstsAndVariances expected;
    for (int r = 0; r < ranks.size(); ++r) expected.add(batch_of(input, r, ranks.size()));
    const NumberBatch mine = batch_of(input, ranks.rank(), ranks.size());
    for (const PreAggregation choice : every_choice) {
      const auto found = with_firsts_and_variances(mine.values, [&](const auto&... asked) {
        return distributed_group_by(rank_exec(), ranks, mine.device_keys,
                                    {choice, Seed(0), Compression::always}, workspace, asked...);
      });
      const auto keys = to_host(std::get<0>(found.keys).values);
      expect_each_once(ranks, keys, expected.groups());
      ASSERT_NO_FATAL_FAILURE(expected.expect(keys, found.results));
    }
  });
}

void refuses_what_ranks_do_not_agree_in(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  const auto values = to_device(std::vector<std::uint32_t>(50, 3));
  const auto keys = column(values);
  const auto group = [&](std::uint64_t seed, const auto&... asked) {
    Workspace<Memory> workspace;
    static_cast<void>(
        distributed_group_by(rank_exec(), ranks, keys, {{}, Seed(seed)}, workspace, asked...));
  };
  const bool differs = ranks.rank() == 1;
  EXPECT_THROW(group(differs ? 1 : 0, agg::count()), InvalidArgument);
  EXPECT_THROW(group(0, agg::variance(values, differs ? 1 : 0)), InvalidArgument);
  EXPECT_THROW(differs ? group(0, agg::count()) : group(0, agg::variance(values)), InvalidArgument);
  collects_and_distributes(ranks);
}

void names_the_rank_that_fails(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const int last = ranks.size() - 1;
  const NumberBatch rows(Numbers(50, 3), 1), fewer(Numbers(49, 3), 1);
  const Values& wrong = ranks.rank() == last ? fewer.values : rows.values;
  expect_failure(ranks, last, "check rows", [&] {
    with_summary(wrong, [&](const auto&... asked) {
      static_cast<void>(
          distributed_group_by(rank_exec(), ranks, rows.device_keys, {}, workspace, asked...));
    });
  });
}

}  // namespace

std::span<const RankCase> distributed_group_by_cases() {
  static constexpr RankCase all[] = {
      {"groups_as_each_rank_likes", groups_as_each_rank_likes},
      {"groups_numbers", groups_numbers},
      {"groups_with_a_bad_hash", groups_with_a_bad_hash},
      {"groups_with_defaults", groups_with_defaults},
      {"keeps_firsts_and_variances", keeps_firsts_and_variances},
      {"names_the_rank_that_fails", names_the_rank_that_fails},
      {"refuses_what_ranks_do_not_agree_in", refuses_what_ranks_do_not_agree_in},
  };
  return all;
}

}  // namespace hashmill::test
