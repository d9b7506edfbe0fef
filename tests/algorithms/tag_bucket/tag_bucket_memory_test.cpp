#include <gtest/gtest.h>

#include "algorithms/support/failing_allocations.hpp"
#include "algorithms/support/hashes.hpp"
#include "sampled_types.hpp"
#include "tag_bucket_table.hpp"

namespace hashmill::test {
namespace {

template <class Table>
class TagBucketMemory : public testing::Test {
 protected:
  /// Expects a table whose answers, counts and entries agree with each other and with the keys: all
  /// of the first `before` rows, and some of the others.
  static void expect_valid(const Table& table, const Numbers& keys, std::uint64_t before) {
    const auto entries = table.retrieve_all();
    ASSERT_EQ(table.size(), entries.size());
    ASSERT_GE(entries.size(), before);
    std::vector<bool> there(keys.size());
    for (const auto& [number, row] : entries) {
      ASSERT_EQ(number, Table::table_case().normal(keys.at(row)));
      ASSERT_FALSE(there[row]) << "row " << row << " twice";
      there[row] = true;
    }
    for (std::uint64_t row = 0; row < before; ++row) ASSERT_TRUE(there[row]) << row;
    const Numbers queries = Reference(Table::table_case(), keys).distinct();
    const RowLists found = table.retrieve(queries);
    ASSERT_EQ(found.rows.size(), entries.size());
    std::uint64_t present = 0;
    for (std::size_t q = 0; q < queries.size(); ++q) {
      if (found.offsets[q] != found.offsets[q + 1]) ++present;
      for (std::uint64_t i = found.offsets[q]; i < found.offsets[q + 1]; ++i) {
        ASSERT_TRUE(there[found.rows[i]]);
        ASSERT_EQ(Table::table_case().normal(keys[found.rows[i]]), queries[q]);
      }
    }
    ASSERT_EQ(table.owner().num_keys(), present);
    ASSERT_LE(present, 14 * table.owner().num_buckets());
  }

  /// Lets allocation after allocation of `change` fail, each time on the same table anew, until it
  /// goes through; returns how many there were (when sampling, every fifth, and rounded up).
  template <class Make, class Change>
  static std::uint64_t fail_each(const Make& make, const Numbers& keys, const Change& change) {
    for (std::uint64_t failing = 0;; failing += sampling() ? 5 : 1) {
      SCOPED_TRACE("allocation " + std::to_string(failing));
      Table table = make();
      const std::uint64_t before = table.size();
      {
        const FailingAllocations allocations(failing);
        try {
          change(table);
        } catch (const CapacityError&) {
          EXPECT_TRUE(allocations.failed());
        }
        if (!allocations.failed()) return failing;
      }
      expect_valid(table, keys, before);
      if (testing::Test::HasFatalFailure()) return failing;
      const std::uint64_t then = table.size();
      EXPECT_EQ(table.insert(0, keys.size()), (InsertResult{keys.size() - then, then, 0}));
      expect_table(Table::table_case(), table, Reference(Table::table_case(), keys));
    }
  }
};

using Tables = SampledTypes<TagBucketTable<std::uint32_t, std::uint32_t, Murmur3Hash>,
                            TagBucketTable<std::uint64_t, std::uint64_t, FourBitHash>,
                            TagBucketTable<std::uint32_t, std::uint32_t, ConstantHash>>;
TYPED_TEST_SUITE(TagBucketMemory, Tables);

TYPED_TEST(TagBucketMemory, ShortAnywhereLeavesAValidTableThatTakesTheRestLater) {
  for (const std::uint64_t distinct : sampled<std::uint64_t>({7, 200, 900})) {
    const Numbers keys = repeated_numbers(1000, distinct, 41);
    const auto make = [&] {
      return TypeParam(keys, {.buckets = BucketCount(2), .initial_rows = 100});
    };
    const std::uint64_t in_all =
        this->fail_each(make, keys, [](TypeParam& table) { table.insert(50, 950); });
    EXPECT_GT(in_all, distinct == 7 ? 1U : 4U);
    this->fail_each(make, keys,
                    [](TypeParam& table) { table.owner().insert_unique(Exec(), 0, 1000); });
  }
}

TYPED_TEST(TagBucketMemory, ShortForRehashingChangesNothing) {
  const Numbers keys = repeated_numbers(1000, 300, 42);
  const auto make = [&] { return TypeParam(keys, {.initial_rows = 600}); };
  this->fail_each(make, keys, [](TypeParam& table) { table.owner().reserve(Exec(), 10'000); });
  this->fail_each(make, keys, [](TypeParam& table) { table.owner().rehash(Exec()); });
  this->fail_each(make, keys, [&](TypeParam& table) {
    const std::uint64_t buckets = table.owner().num_buckets();
    try {
      table.owner().reserve(Exec(), 10'000);
    } catch (const CapacityError&) {
      EXPECT_EQ(table.owner().num_buckets(), buckets);
      throw;
    }
  });
}

TYPED_TEST(TagBucketMemory, ShortForErasingKeepsAllRows) {
  const Numbers keys = repeated_numbers(1000, 300, 43);
  const auto make = [&] { return TypeParam(keys, {.initial_rows = 600}); };
  this->fail_each(make, keys, [](TypeParam& table) {
    try {
      table.erase({1, 2, 3});
    } catch (const CapacityError&) {
      EXPECT_EQ(table.size(), 600U);
      throw;
    }
  });
}

TYPED_TEST(TagBucketMemory, ShortForBuildingIsNamedInBytes) {
  const Numbers keys = sequential_numbers(100);
  try {
    const TypeParam table(keys, {.buckets = BucketCount(BucketCount::largest)});
    FAIL() << "2^47 bytes were found";
  } catch (const CapacityError& error) {
    EXPECT_EQ(error.needed() / 128, BucketCount::largest);  // and a line, to place them
    EXPECT_NE(std::string(error.what()).find("tag_bucket::buckets"), std::string::npos)
        << error.what();
  }
}

TEST(TagBucketArray, BeginsBehindAMultipleOf128BytesOnHosts) {
  using Host = Kokkos::DefaultHostExecutionSpace;
  const Host exec;
  std::vector<detail::TagBucketArray<Host::memory_space>> kept;
  for (std::uint64_t count = 1; count <= 20; ++count) {
    const auto& buckets = kept.emplace_back(exec, count);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buckets.data()) % 128, 64U) << count;
    buckets.clear(exec);
    exec.fence();
    EXPECT_EQ(buckets.data()[count - 1].occupied(), 0U);
  }
  EXPECT_EQ(detail::TagBucketArray<Host::memory_space>().data(), nullptr);
}

}  // namespace
}  // namespace hashmill::test
