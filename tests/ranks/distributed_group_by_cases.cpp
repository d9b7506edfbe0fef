#include <hashmill/distributed_aggregation.hpp>
#include <hashmill/distributed_group_by.hpp>
#include <map>
#include <span>

#include "algorithms/group_by/firsts_and_variances.hpp"
#include "algorithms/group_by/mixed_rows.hpp"
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
        rank_exec(), ranks, keys, {every_choice[ranks.rank() % 3]}, workspace, agg::count());
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

void groups_strings_nulls_and_nans(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for (const ShuffleInput& input : shuffle_inputs) {
    SCOPED_TRACE(input.name);
    const auto rows_of = [&](int rank) {
      return RowBatch(input.rows(rank, ranks.size()), 40 + std::uint64_t(rank));
    };
    ExpectedSummaries<GroupKey> expected;
    for (int r = 0; r < ranks.size(); ++r) {
      const RowBatch theirs = rows_of(r);
      expected.add(group_keys_of(theirs.rows), theirs.values);
    }
    const RowBatch mine = rows_of(ranks.rank());
    for (const PreAggregation choice : every_choice) {
      const auto found = with_summary(mine.values, [&](const auto&... asked) {
        return distributed_group_by(rank_exec(), ranks, mine.columns.keys(), {choice}, workspace,
                                    asked...);
      });
      expect_groups(ranks, host_row_keys(found.keys), host_summaries(found.results),
                    expected.groups());
    }
  }
}

/// Keys in dictionaries, which have other codes on each rank. Some words are null, and some codes.
void groups_dictionaries(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto word = [](std::uint64_t i) {
    return i == 3 ? std::nullopt : std::optional("word " + std::to_string(i));
  };
  for (const ShuffleInput& input : shuffle_inputs) {
    SCOPED_TRACE(input.name);
    std::map<std::optional<std::string>, std::uint64_t> expected;
    for (int r = 0; r < ranks.size(); ++r) {
      for (const auto key : keys_of(input, r, ranks.size())) {
        ++expected[key % 13 == 12 ? std::nullopt : word(key % 13)];
      }
    }
    const auto shift = static_cast<std::uint64_t>(ranks.rank());
    Strings words;
    for (std::uint64_t code = 0; code < 12; ++code) words.push_back(word((code + shift) % 12));
    Optionals<std::int32_t> codes;
    for (const auto key : keys_of(input, ranks.rank(), ranks.size())) {
      codes.push_back(static_cast<std::int32_t>((key % 13 + 12 - shift % 12) % 12));
      if (key % 13 == 12) codes.back().reset();
    }
    const DeviceStrings dictionary(words);
    const DeviceValues<std::int32_t> there(codes);
    const auto keys = dictionary_column(there.column(), dictionary.column());
    for (const PreAggregation choice : every_choice) {
      const auto found =
          distributed_group_by(rank_exec(), ranks, keys, {choice, Seed(0), Compression::always},
                               workspace, agg::count(keys), agg::count());
      const Strings groups = host_strings(std::get<0>(found.keys));
      const auto present = to_host(std::get<0>(found.results).values);
      const auto counts = to_host(std::get<1>(found.results).values);
      expect_each_once(ranks, groups, expected);
      for (std::size_t g = 0; g < groups.size(); ++g) {
        ASSERT_EQ(counts[g], expected.at(groups[g]));
        ASSERT_EQ(present[g], groups[g] ? counts[g] : 0);
      }
    }
  }
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

/// Ranks add 0 to 2 batches, have results, add more, have results again, and begin anew.
void adds_batches(const Communicator& ranks) {
  const auto batch = [](int rank, std::uint64_t b) {
    const std::uint64_t seed = 100 * std::uint64_t(rank) + b;
    return NumberBatch(b % 2 == 0 ? zipf_numbers(300 * b, seed) : random_numbers(300 * b, seed),
                       seed);
  };
  for (const PreAggregation choice : every_choice) {
    const NumberBatch none({}, 0);
    auto aggregation = with_summary(none.values, [&](const auto&... asked) {
      return distributed_aggregation(rank_exec(), ranks, none.device_keys,
                                     DistributedGroupOptions{choice}, asked...);
    });
    ExpectedSummaries<std::uint32_t> expected;
    const auto add_all = [&](std::uint64_t first) {
      for (int r = 0; r < ranks.size(); ++r) {
        for (std::uint64_t b = first; b < first + std::uint64_t((r + 1) % 3); ++b) {
          const NumberBatch rows = batch(r, b);
          expected.add(rows.keys, rows.values);
          if (r != ranks.rank()) continue;
          with_summary(rows.values, [&](const auto&... asked) {
            aggregation.add(rank_exec(), rows.device_keys, asked...);
          });
        }
      }
    };
    const auto expect = [&] {
      const auto found = aggregation.results(rank_exec());
      expect_groups(ranks, to_host(std::get<0>(found.keys).values), host_summaries(found.results),
                    expected.groups());
    };
    add_all(5);
    expect();
    expect();
    add_all(9);
    expect();
    aggregation.clear(rank_exec());
    expected = {};
    expect();
    add_all(1);
    expect();
  }
}

/// A hot key does not travel row by row, also where all others are rare.
void sends_no_hot_key(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  Workspace<Memory> workspace;
  const std::uint64_t rows = 20'000;
  const auto sent = [&](std::uint64_t hot_share) {
    std::vector<std::uint32_t> keys(rows);
    for (std::uint32_t i = 0; i < rows; ++i) {
      keys[i] = i % 100 < hot_share ? 7 : murmur3_fmix32((std::uint32_t(ranks.rank()) << 20) + i);
    }
    const auto there = to_device(keys);
    const std::uint64_t before = ranks.statistics().bytes_sent;
    static_cast<void>(
        distributed_group_by(rank_exec(), ranks, column(there), {}, workspace, agg::count()));
    std::uint64_t all[] = {ranks.statistics().bytes_sent - before};
    ranks.all_reduce(all, Reduction::sum);
    return all[0];
  };
  const auto share = double(ranks.size() - 1), all_rows = share * double(rows);
  EXPECT_NEAR(double(sent(0)) / (12 * all_rows), 1, 0.1);  // key and count
  EXPECT_NEAR(double(sent(40)) / (12 * all_rows), 0.6, 0.1);
  EXPECT_LT(double(sent(100)), 10'000 * share * double(ranks.size()));
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
  // A batch that is refused leaves its rank's rows as they were; the others need not know.
  auto aggregation = with_summary(rows.values, [&](const auto&... asked) {
    return distributed_aggregation(rank_exec(), ranks, rows.device_keys, asked...);
  });
  const auto add = [&](const Values& values) {
    with_summary(values, [&](const auto&... asked) {
      aggregation.add(rank_exec(), rows.device_keys, asked...);
    });
  };
  add(rows.values);
  if (ranks.rank() == last) {
    EXPECT_THROW(add(fewer.values), InvalidArgument);
  }
  std::uint64_t counts[] = {0};
  const auto found = aggregation.results(rank_exec());
  for (const auto count : to_host(std::get<0>(found.results).values)) counts[0] += count;
  ranks.all_reduce(counts, Reduction::sum);
  EXPECT_EQ(counts[0], 50 * std::uint64_t(ranks.size()));
}

}  // namespace

std::span<const RankCase> distributed_group_by_cases() {
  static constexpr RankCase all[] = {
      {"adds_batches", adds_batches},
      {"groups_as_each_rank_likes", groups_as_each_rank_likes},
      {"groups_dictionaries", groups_dictionaries},
      {"groups_numbers", groups_numbers},
      {"groups_strings_nulls_and_nans", groups_strings_nulls_and_nans},
      {"groups_with_a_bad_hash", groups_with_a_bad_hash},
      {"groups_with_defaults", groups_with_defaults},
      {"keeps_firsts_and_variances", keeps_firsts_and_variances},
      {"names_the_rank_that_fails", names_the_rank_that_fails},
      {"refuses_what_ranks_do_not_agree_in", refuses_what_ranks_do_not_agree_in},
      {"sends_no_hot_key", sends_no_hot_key},
  };
  return all;
}

}  // namespace hashmill::test
