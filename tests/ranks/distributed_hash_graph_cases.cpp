#include <cmath>
#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/distributed_intersect.hpp>
#include <map>
#include <set>

#include "algorithms/support/hashes.hpp"
#include "ranks/hash_graph_answers.hpp"
#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {
namespace {

// What holds for a DistributedHashGraph over any ranks.

/// Queries of a rank: some of all ranks' keys, and some that are in no table.
std::vector<std::uint64_t> queries_of(const ShuffleInput& input, const Communicator& ranks) {
  std::vector<std::uint64_t> queries;
  for (int r = 0; r < ranks.size(); ++r) {
    const auto keys = keys_of(input, r, ranks.size());
    const std::size_t step = input.key(0) == input.key(3) ? 199 : 7;  // few of keys that repeat
    for (std::size_t i = std::size_t(ranks.rank()); i < keys.size(); i += step) {
      queries.push_back(keys[i]);
      queries.push_back(~keys[i]);
    }
  }
  if (ranks.rank() == 1) queries.clear();
  return queries;
}

using TableOptions = DistributedHashGraphOptions;

template <class Hash>
void answers_as_one_table(const Communicator& ranks, const ShuffleInput& input,
                          const TableOptions& options = {}) {
  SCOPED_TRACE(input.name);
  const auto keys = to_device(keys_of(input, ranks.rank(), ranks.size()));
  RowsOfKeys rows = all_rows(input, ranks.size());
  DistributedHashGraph<std::uint64_t, Memory, Hash> table(rank_exec(), ranks, keys, options);
  std::uint64_t all = 0;
  for (const auto& [key, those] : rows) all += those.size();
  ASSERT_EQ(table.size(), all);
  const auto queries = queries_of(input, ranks);
  expect_answers(table, rows, queries);

  // Every rank erases the keys that are multiples of its own number.
  std::vector<std::uint64_t> erased;
  std::uint64_t expected = 0;
  for (auto row = rows.begin(); row != rows.end();) {
    const auto owner = int(row->first % 16);
    if (owner == ranks.rank()) erased.push_back(row->first);
    if (owner >= ranks.size()) {
      ++row;
      continue;
    }
    expected += row->second.size();
    row = rows.erase(row);
  }
  EXPECT_EQ(table.erase(rank_exec(), to_device(erased)), expected);
  EXPECT_EQ(table.size(), all - expected);
  expect_answers(table, rows, queries);
  table.compact(rank_exec());
  expect_answers(table, rows, queries);
}

void answers_queries(const Communicator& ranks) {
  for (const ShuffleInput& input : shuffle_inputs) {
    answers_as_one_table<Murmur3Hash>(ranks, input);
  }
}
void answers_however_it_is_built(const Communicator& ranks) {
  TableOptions rounds, many_rounds, slices, many_slices, version_1, few_buckets, bins;
  rounds.rounds = 3;
  many_rounds.rounds = 300;
  slices.slices = 3;
  many_slices.slices = 64;
  many_slices.rounds = 2;
  version_1.rounds = 2;
  version_1.local.algorithm = BuildAlgorithm::v1;
  few_buckets.local.buckets = BucketCount(5);
  bins.local.bins = BinCount(1);
  for (const TableOptions& options :
       {rounds, many_rounds, slices, many_slices, version_1, few_buckets, bins}) {
    for (const ShuffleInput& input : shuffle_inputs) {
      answers_as_one_table<Murmur3Hash>(ranks, input, options);
    }
  }
}
void answers_with_a_bad_hash(const Communicator& ranks) {
  const ShuffleInput few{"few rows", [](int rank, int) { return 300 + std::uint64_t(rank); },
                         murmur3_fmix64};
  answers_as_one_table<ConstantHash>(ranks, few);
  answers_as_one_table<FourBitHash>(ranks, few);
}

void balances_rows(const Communicator& ranks) {
  const auto build = [&](std::uint64_t (*key)(std::uint64_t), std::uint64_t rows) {
    std::vector<std::uint64_t> keys(rows);
    for (std::uint64_t i = 0; i < rows; ++i) {
      keys[i] = key(std::uint64_t(ranks.rank()) * rows + i);
    }
    const DistributedHashGraph<std::uint64_t, Memory> table(rank_exec(), ranks, to_device(keys));
    return table.statistics();
  };
  const auto uniform = build([](std::uint64_t i) { return murmur3_fmix64(i); }, 100000);
  EXPECT_LE(uniform.imbalance, 1.01);
  // As Zipf(1), without the keys that have 1/600 of the rows or more: key k has a share of 1/k.
  const auto zipf = build(
      [](std::uint64_t i) {
        const double u = double(murmur3_fmix64(i) >> 11) / double(std::uint64_t{1} << 53);
        return std::uint64_t(64 * std::pow(16384.0, u));
      },
      100000);
  EXPECT_LE(zipf.imbalance, 1.05);
  const auto equal = build([](std::uint64_t) { return std::uint64_t{5}; }, 1000);
  const unsigned heaviest = ranks.size() == 1 ? 0 : 1000 * unsigned(ranks.size());
  EXPECT_EQ(equal.heaviest_bin_rows, heaviest);
  EXPECT_EQ(std::ranges::count(equal.rows, 0U), ranks.size() - 1);
}

void intersects(const Communicator& ranks) {
  const ShuffleInput& few = shuffle_inputs[3];
  const ShuffleInput& random = shuffle_inputs[0];
  for (const ShuffleInput* input : {&random, &few}) {
    const ShuffleInput small{"small", [](int rank, int) { return std::uint64_t(rank) * 50 + 20; },
                             input->key};
    const auto keys = to_device(keys_of(*input, ranks.rank(), ranks.size()));
    const auto others = to_device(keys_of(small, ranks.rank(), ranks.size()));
    using Table = DistributedHashGraph<std::uint64_t, Memory>;
    const Table left(rank_exec(), ranks, keys);
    const Table right(rank_exec(), ranks, others, left.options_like());
    const RowsOfKeys left_rows = all_rows(*input, ranks.size());
    const RowsOfKeys right_rows = all_rows(small, ranks.size());
    std::uint64_t expected = 0;
    for (const auto& [key, rows] : right_rows) {
      const auto match = left_rows.find(key);
      if (match != left_rows.end()) expected += rows.size() * match->second.size();
    }
    EXPECT_EQ(intersect_count(rank_exec(), left, right), expected);
    const auto pairs = intersect(rank_exec(), left, right);
    const auto lefts = to_host(pairs.left), rights = to_host(pairs.right);
    std::set<std::pair<GlobalRow, GlobalRow>> seen;
    for (std::size_t i = 0; i < lefts.size(); ++i) {
      seen.emplace(lefts[i], rights[i]);
      const auto key = [&](GlobalRow row) {
        return input->key((std::uint64_t(rank_of(row)) << 32) + row_of(row));
      };
      ASSERT_EQ(key(lefts[i]), key(rights[i]));
    }
    EXPECT_EQ(seen.size(), lefts.size());
    std::uint64_t all = lefts.size();
    ranks.all_reduce({&all, 1}, Reduction::sum);
    EXPECT_EQ(all, expected);
    if (ranks.size() > 1) {
      const Table other(rank_exec(), ranks, others);
      EXPECT_THROW(static_cast<void>(intersect_count(rank_exec(), left, other)), Error);
    }
  }
}

/// A hash function that holds something, and that nothing can compare.
struct SaltedHash {
  std::uint64_t salt;
  KOKKOS_FUNCTION std::uint64_t operator()(const std::uint64_t& key) const {
    return murmur3_fmix64(key ^ salt);
  }
};

void intersects_shares_of_one_hash_only(const Communicator& ranks) {
  using Table = DistributedHashGraph<std::uint64_t, Memory, SaltedHash>;
  const auto keys = to_device(std::vector<std::uint64_t>{1, 2, 3, 4});
  const Table left(rank_exec(), ranks, keys, {}, SaltedHash{5});
  const Table right(rank_exec(), ranks, keys, left.options_like(), SaltedHash{5});
  if (ranks.size() == 1) {
    EXPECT_EQ(intersect_count(rank_exec(), left, right), 4U);
  } else {
    EXPECT_THROW(static_cast<void>(intersect_count(rank_exec(), left, right)), Error);
  }
}

/// Each rank's share answers for its own buckets only, whatever keys it is asked for.
void shares_hold_their_own_keys(const Communicator& ranks) {
  using Table = DistributedHashGraph<std::uint64_t, Memory>;
  const std::uint64_t each = 20000, all = each * std::uint64_t(ranks.size());
  std::vector<std::uint64_t> keys(each), all_keys(all);
  for (std::uint64_t i = 0; i < all; ++i) all_keys[i] = murmur3_fmix64(i);
  std::copy_n(all_keys.begin() + std::ptrdiff_t(each) * ranks.rank(), each, keys.begin());
  const Table table(rank_exec(), ranks, to_device(keys));
  const auto asked = to_device(all_keys);
  Kokkos::View<std::uint64_t*, Memory> counts("counts", all);
  table.local().count(rank_exec(), asked, counts);
  const auto mine = to_host(counts);
  EXPECT_EQ(std::ranges::count(mine, 1U), std::ptrdiff_t(table.local().size()));
  EXPECT_EQ(std::ranges::count(mine, 0U), std::ptrdiff_t(all - table.local().size()));
  std::vector<std::uint64_t> sums(mine);
  ranks.all_reduce(sums, Reduction::sum);
  EXPECT_EQ(std::ranges::count(sums, 1U), std::ptrdiff_t(all));
  std::uint64_t buckets[] = {table.local().num_buckets()};
  ranks.all_reduce(buckets, Reduction::sum);
  EXPECT_EQ(buckets[0], all);
  if (ranks.size() == 1) return;
  Workspace<Memory> workspace;
  EXPECT_THROW(static_cast<void>(intersect_count(rank_exec(), asked, table.local(), workspace)),
               InvalidArgument);
}

void answers_wide_keys(const Communicator& ranks) {
  const std::uint64_t each = 2000, different = 700;
  const std::uint64_t all = each * std::uint64_t(ranks.size());
  const auto key = [&](std::uint64_t i) {
    return Key128{i % different, murmur3_fmix64(i % different)};
  };
  std::vector<Key128> keys, queries;
  for (std::uint64_t i = 0; i < each; ++i)
    keys.push_back(key(std::uint64_t(ranks.rank()) * each + i));
  for (std::uint64_t i = 0; i < different; ++i) {
    queries.push_back(key(i));
    queries.push_back(Key128{i, 1});
  }
  const DistributedHashGraph<Key128, Memory> table(rank_exec(), ranks, to_device(keys));
  const Kokkos::View<std::uint64_t*, Memory> counts("counts", queries.size());
  table.count(rank_exec(), to_device(queries), counts);
  const auto found = to_host(counts);
  for (std::uint64_t i = 0; i < different; ++i) {
    ASSERT_EQ(found[2 * i], all / different + (i < all % different ? 1 : 0));
    ASSERT_EQ(found[2 * i + 1], 0U);
  }
}

void keeps_memory_in_a_workspace(const Communicator& ranks) {
  using Table = DistributedHashGraph<std::uint64_t, Memory>;
  const ShuffleInput& input = shuffle_inputs[0];
  const auto keys = to_device(keys_of(input, ranks.rank(), ranks.size()));
  TableOptions options;
  options.rounds = 2;
  Workspace<Memory> workspace;
  static_cast<void>(Table(rank_exec(), ranks, keys, options, workspace));
  const std::uint64_t bytes = workspace.bytes();
  const Table table(rank_exec(), ranks, keys, options, workspace);
  EXPECT_EQ(workspace.bytes(), bytes);
  expect_answers(table, all_rows(input, ranks.size()), queries_of(input, ranks));
}

void is_empty_when_moved_from(const Communicator& ranks) {
  const auto keys = to_device(std::vector<std::uint64_t>(100, 7));
  const Kokkos::View<std::uint32_t*, Memory> out("out", 100);
  DistributedHashGraph<std::uint64_t, Memory> source(rank_exec(), ranks, keys);
  {
    const auto target = std::move(source);
    target.count(rank_exec(), keys, out);
    EXPECT_EQ(to_host(out), std::vector<std::uint32_t>(100, 100 * std::uint32_t(ranks.size())));
  }
  source.count(rank_exec(), keys, out);
  EXPECT_EQ(to_host(out), std::vector<std::uint32_t>(100, 0));
  EXPECT_EQ(source.retrieve(rank_exec(), keys).size(), 0U);
  EXPECT_EQ(source.erase(rank_exec(), keys), 0U);
  EXPECT_EQ(source.size(), 0U);
}

void refuses_wrong_options(const Communicator& ranks) {
  const auto keys = to_device(std::vector<std::uint64_t>(100, std::uint64_t(ranks.rank())));
  using Table = DistributedHashGraph<std::uint64_t, Memory>;
  TableOptions no_rounds, too_many_rounds, no_slices, too_many_slices, row_base, differ;
  no_rounds.rounds = 0;
  too_many_rounds.rounds = 65537;
  no_slices.slices = 0;
  too_many_slices.slices = 65;
  row_base.local.row_base = 1;
  EXPECT_THROW(Table(rank_exec(), ranks, keys, no_rounds), InvalidArgument);
  EXPECT_THROW(Table(rank_exec(), ranks, keys, too_many_rounds), InvalidArgument);
  EXPECT_THROW(Table(rank_exec(), ranks, keys, no_slices), InvalidArgument);
  EXPECT_THROW(Table(rank_exec(), ranks, keys, too_many_slices), InvalidArgument);
  EXPECT_THROW(Table(rank_exec(), ranks, keys, row_base), InvalidArgument);
  if (ranks.size() == 1) return;
  differ.local.buckets = BucketCount(100 + std::uint64_t(ranks.rank()));
  EXPECT_THROW(Table(rank_exec(), ranks, keys, differ), InvalidArgument);
  TableOptions of_others;
  of_others.splits = Splits(64, 0, std::vector<std::uint64_t>(64), ranks.size() + 1);
  EXPECT_THROW(Table(rank_exec(), ranks, keys, of_others), InvalidArgument);
  EXPECT_EQ(Table(rank_exec(), ranks, keys).size(), 100U * std::uint64_t(ranks.size()));
}

void refuses_wrong_rooms(const Communicator& ranks) {
  const auto keys = to_device(std::vector<std::uint64_t>(100, std::uint64_t(ranks.rank())));
  const DistributedHashGraph<std::uint64_t, Memory> table(rank_exec(), ranks, keys);
  const int last = ranks.size() - 1;
  const Kokkos::View<std::uint32_t*, Memory> out("out", ranks.rank() == last ? 99 : 100);
  expect_failure(ranks, last, "check lengths", [&] { table.count(rank_exec(), keys, out); });
}

void refuses_queries_with_nulls(const Communicator& ranks) {
  const auto keys = to_device(std::vector<std::uint64_t>(100, 7));
  const DistributedHashGraph<std::uint64_t, Memory> table(rank_exec(), ranks, keys);
  const Kokkos::View<std::uint8_t*, Memory> no_values("no_values", 13);
  const Kokkos::View<std::uint32_t*, Memory> out("out", 100);
  const auto nulls = column(keys, validity(no_values, 100));
  EXPECT_THROW(table.count(rank_exec(), nulls, out), InvalidArgument);
  table.count(rank_exec(), column(keys), out);
  EXPECT_EQ(to_host(out), std::vector<std::uint32_t>(100, 100 * std::uint32_t(ranks.size())));
}

}  // namespace

std::span<const RankCase> distributed_hash_graph_cases() {
  static constexpr RankCase all[] = {
      {"answers_queries", answers_queries},
      {"answers_however_it_is_built", answers_however_it_is_built},
      {"answers_with_a_bad_hash", answers_with_a_bad_hash},
      {"answers_wide_keys", answers_wide_keys},
      {"balances_rows", balances_rows},
      {"intersects", intersects},
      {"intersects_shares_of_one_hash_only", intersects_shares_of_one_hash_only},
      {"is_empty_when_moved_from", is_empty_when_moved_from},
      {"keeps_memory_in_a_workspace", keeps_memory_in_a_workspace},
      {"refuses_queries_with_nulls", refuses_queries_with_nulls},
      {"refuses_wrong_options", refuses_wrong_options},
      {"refuses_wrong_rooms", refuses_wrong_rooms},
      {"shares_hold_their_own_keys", shares_hold_their_own_keys},
  };
  return all;
}

}  // namespace hashmill::test
