#pragma once

#include <gtest/gtest.h>

#include <cstring>
#include <hashmill/murmur.hpp>
#include <hashmill/spill/detail/part_store.hpp>
#include <memory>
#include <vector>

#include "algorithms/spill/passing_bytes.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {

// Batches of bytes beside what a store of parts must give back.

using Store = detail::PartStore<Exec>;
/// One whose file is written through blocks of memory, as that of a GPU is.
using StagedStore = detail::PartStore<Exec, detail::StagedSpillFile<Exec>>;
using Bytes = std::vector<std::uint8_t>;
using HostBatch = std::vector<Bytes>;  // its arrays

/// A budget with that much of each, in the default directory. Where there is a file, the host has
/// what rows need to pass there.
inline MemoryBudget budget_of(std::uint64_t device, std::uint64_t host, std::uint64_t file) {
  const std::uint64_t passing = file > 0 ? only_passing_bytes : 0;
  return {device, std::max(host, passing), file, backends::temporary_directory()};
}
/// Arrays of any lengths up to `most` bytes, each byte of a hash of `seed`.
inline HostBatch some_arrays(std::uint64_t seed, std::uint64_t most) {
  HostBatch arrays(3);
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    arrays[a].resize(murmur3_fmix64(3 * seed + a) % (most + 1));
    for (std::size_t i = 0; i < arrays[a].size(); ++i) {
      arrays[a][i] = static_cast<std::uint8_t>(murmur3_fmix64(seed + (a << 40) + i / 16) >> i % 16);
    }
  }
  return arrays;
}
/// The batch in memory of the execution space, which the account pays for.
inline detail::StoredBatch stored(detail::MemoryAccount& account, const HostBatch& arrays) {
  detail::StoredBatch batch;
  batch.rows = arrays.front().size();
  using View = Kokkos::View<std::uint8_t*, Memory>;
  const auto views = std::make_shared<std::vector<View>>();
  for (const Bytes& array : arrays) {
    views->push_back(to_device(array));
    batch.arrays.push_back(
        {reinterpret_cast<const std::byte*>(views->back().data()), array.size()});
  }
  batch.owner = views;
  batch.grant = account.take(detail::MemoryTier::device, batch.bytes(), "a batch of a test");
  return batch;
}
/// What a batch holds.
inline HostBatch host_arrays(const detail::StoredBatch& batch) {
  HostBatch arrays;
  for (const detail::ByteArray& array : batch.arrays) {
    Bytes bytes(array.bytes);
    detail::copy_bytes<Kokkos::HostSpace, Memory>(
        Exec(), reinterpret_cast<std::byte*>(bytes.data()), array.data, array.bytes);
    Exec().fence();
    arrays.push_back(std::move(bytes));
  }
  return arrays;
}

/// A store, and what its parts must hold.
template <class Store>
struct StoreUnderTestOf {
  explicit StoreUnderTestOf(const MemoryBudget& budget)
      : account(budget), store(account, budget), expected(parts) {
    store.add_parts(parts);
  }
  static constexpr std::size_t parts = 5;

  /// Appends a batch to a part, where there is room then.
  void add(std::size_t part, const HostBatch& arrays) {
    std::uint64_t bytes = 0;
    for (const Bytes& array : arrays) bytes += detail::StoredBatch::rounded(array.size());
    store.make_room(Exec(), detail::pooled_bytes(bytes));
    store.append(part, stored(account, arrays));
    expected[part].push_back(arrays);
  }
  /// Batches of a part that is read stay in memory, so that room for others is made before.
  void make_room_to_read() { store.make_room(Exec(), 16 << 10); }
  /// Reads a part, and compares it.
  void expect_part(std::size_t part, bool keeps) {
    std::size_t b = 0;
    ASSERT_EQ(store.batches(part), expected[part].size());
    store.read(Exec(), part, 0, store.batches(part), keeps, [&](const auto& batch) {
      ASSERT_EQ(batch.rows, expected[part][b].front().size());
      ASSERT_EQ(host_arrays(batch), expected[part][b]) << "part " << part << " batch " << b;
      ++b;
    });
    EXPECT_EQ(b, expected[part].size());
    if (keeps) return;
    store.clear(part);
    expected[part].clear();
  }

  /// Takes a part as one batch, and compares it.
  void expect_part_as_one(std::size_t part) {
    HostBatch whole(3);
    std::uint64_t rows = 0;
    for (const HostBatch& arrays : expected[part]) {
      rows += arrays.front().size();
      for (std::size_t a = 0; a < whole.size(); ++a) {
        whole[a].insert(whole[a].end(), arrays[a].begin(), arrays[a].end());
      }
    }
    const detail::StoredBatch batch = store.take_as_one(Exec(), part);
    EXPECT_EQ(batch.rows, rows);
    EXPECT_EQ(host_arrays(batch), whole) << "part " << part;
    EXPECT_EQ(store.rows(part), 0U);
    expected[part].clear();
  }

  detail::MemoryAccount account;
  Store store;
  std::vector<std::vector<HostBatch>> expected;  // of each part
};
using StoreUnderTest = StoreUnderTestOf<Store>;

}  // namespace hashmill::test
