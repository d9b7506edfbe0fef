#include <gtest/gtest.h>

#include <hashmill/hash_graph.hpp>

#include "algorithms/support/expect_table.hpp"
#include "algorithms/support/hashes.hpp"
#include "algorithms/support/keys.hpp"

namespace hashmill::test {
namespace {

// Version 2 through the team engine, which GPUs use, forced on this machine's execution space. On
// hosts its teams have one thread, but the bins, tiles and limits are those of team scratch, so
// that bins that outgrow scratch appear at small sizes.

/// Builds with the team engine and looks up with kernels of the reference.
template <class Key, class Layout, class Hash>
class TeamTable {
  using Source = typename KeyColumns<Key>::Source;
  using Policy = detail::TableLayout<Layout, Key, Hash, KeyEqual, Source>;
  using Ref = HashGraphRef<Policy, Key>;
  using Index = typename Policy::Index;

 public:
  TeamTable(const Numbers& numbers, std::uint64_t buckets, const std::optional<BinCount>& bins)
      : columns_(numbers),
        entries_("hashmill::test::entries", numbers.size()),
        offsets_("hashmill::test::offsets", buckets + 1) {
    const Exec exec;
    const Policy policy(columns_.source(), 0, Hash{}, KeyEqual{});
    const HashRange range = HashRange::whole(buckets);
    const detail::BuildTarget<Policy, Source> target{policy, columns_.source(), numbers.size(),
                                                     range,  entries_.data(),   offsets_.data()};
    Workspace<Memory> workspace;
    detail::build_v2<true>(exec, target,
                           detail::plan_build<true, Policy>(exec, numbers.size(), buckets, bins),
                           workspace);
    exec.fence();
    ref_ = Ref(policy, entries_.data(), offsets_.data(), nullptr, range);
  }

  RowLists retrieve(const Numbers& queries) const {
    Workspace<Memory> workspace;
    CsrRows<Index, Memory> found;
    detail::bulk_retrieve(Exec(), ref_, KeyColumns<Key>(queries).source(), found, workspace);
    return {to_host(found.offsets), to_wide_host(found.rows)};
  }
  [[nodiscard]] std::vector<std::uint64_t> offsets() const { return to_wide_host(offsets_); }

 private:
  KeyColumns<Key> columns_;
  Kokkos::View<typename Policy::Entry*, Memory> entries_;
  Kokkos::View<Index*, Memory> offsets_;
  Ref ref_;
};

/// Expects the rows of every key, and every bucket where the hash puts it.
template <class Key, class Layout, class Hash>
void expect_team_build(const Numbers& numbers, double average) {
  const MultiMapCase table_case{
      .normal = &normal_number<Key>,
      .hash = [](std::uint64_t n, std::uint64_t) { return Hash{}(key_of<Key>(n)); }};
  const Reference reference(table_case, numbers);
  const Answers answers = all_answers(reference, 0);
  const std::uint64_t buckets = RowsPerBucket(average).buckets_for(numbers.size()).value();
  const auto lengths = reference.bucket_lengths(table_case, buckets);
  for (const std::uint64_t bins : {0, 1, 3, 4096}) {
    SCOPED_TRACE(std::to_string(numbers.size()) + " keys, " + std::to_string(average) +
                 " rows per bucket, bins " + std::to_string(bins));
    const TeamTable<Key, Layout, Hash> table(
        numbers, buckets, bins == 0 ? std::nullopt : std::optional(BinCount(bins)));
    const auto offsets = table.offsets();
    ASSERT_EQ(offsets.front(), 0U);
    for (std::uint64_t b = 0; b < buckets; ++b) {
      ASSERT_EQ(offsets[b + 1] - offsets[b], lengths[b]) << "bucket " << b;
    }
    RowLists found = table.retrieve(answers.queries);
    ASSERT_EQ(found.offsets, answers.rows.offsets);
    for (std::size_t q = 0; q < answers.queries.size(); ++q) {
      std::sort(found.rows.begin() + static_cast<std::ptrdiff_t>(found.offsets[q]),
                found.rows.begin() + static_cast<std::ptrdiff_t>(found.offsets[q + 1]));
    }
    ASSERT_TRUE(found.rows == answers.rows.rows);
  }
}

template <class Key, class Layout, class Hash>
void expect_team_builds() {
  for (const double load : sampled<double>({0.25, 1.0, 16.0})) {
    for (const std::uint64_t size : {1, 2, 255, 256, 257, 4097, 50'021}) {
      ASSERT_NO_FATAL_FAILURE(
          (expect_team_build<Key, Layout, Hash>(random_numbers(size, size), load)));
    }
  }
  // One bin of 200,000 entries, and bins beside it: more than scratch stages, more than 16-bit
  // counters count, more than one team finishes.
  for (const auto& [name, numbers] : every_shape(200'003, 9)) {
    if (name == "random" || name == "sequential") continue;
    SCOPED_TRACE(name);
    ASSERT_NO_FATAL_FAILURE((expect_team_build<Key, Layout, Hash>(numbers, 1)));
  }
}

TEST(HashGraphTeamBuild, OfKeysAndRows) {
  expect_team_builds<std::uint32_t, KeyRow<std::uint32_t>, Murmur3Hash>();
}

TEST(HashGraphTeamBuild, OfFingerprints) {
  expect_team_builds<std::uint64_t, FingerprintRow<std::uint32_t>, Murmur3Hash>();
}

TEST(HashGraphTeamBuild, OfPackedRowsUnderABadHash) {
  for (const std::uint64_t size : {1, 2, 257, 4097}) {
    ASSERT_NO_FATAL_FAILURE(
        (expect_team_build<std::uint32_t, PackedRow, FourBitHash>(random_numbers(size, size), 1)));
  }
  const Numbers few = repeated_numbers(200'003, 100, 5);
  expect_team_build<std::uint32_t, PackedRow, FourBitHash>(few, 1);
}

}  // namespace
}  // namespace hashmill::test
