#include <hashmill/distributed_group_by.hpp>
#include <map>

#include "algorithms/group_by/mixed_rows.hpp"
#include "ranks/group_results.hpp"
#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {
namespace {

// What holds for group-bys of columns over any ranks. Each rank makes the rows of all ranks, so
// that it knows what all groups come to.

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
  EXPECT_NEAR(double(sent(0)) / (4 * all_rows), 1, 0.1);      // keys
  EXPECT_NEAR(double(sent(40)) / (12 * all_rows), 0.6, 0.1);  // keys and counts
  EXPECT_LT(double(sent(100)), 10'000 * share * double(ranks.size()));
}

}  // namespace

std::span<const RankCase> distributed_group_by_column_cases() {
  static constexpr RankCase all[] = {
      {"groups_dictionaries", groups_dictionaries},
      {"groups_strings_nulls_and_nans", groups_strings_nulls_and_nans},
      {"sends_no_hot_key", sends_no_hot_key},
  };
  return all;
}

}  // namespace hashmill::test
