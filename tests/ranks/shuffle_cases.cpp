#include <array>
#include <hashmill/hash.hpp>
#include <tuple>

#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {

void collects_and_distributes(const Communicator& ranks) {
  for (int root = 0; root < ranks.size(); ++root) {
    std::vector<std::uint32_t> mine(100 * std::size_t(ranks.rank()) + 1);
    for (std::uint32_t i = 0; i < mine.size(); ++i) mine[i] = 1000 * ranks.rank() + i;
    const auto all = collect(rank_exec(), ranks, root, to_device(mine));
    const auto collected = to_host(all.column<0>());
    std::vector<std::uint32_t> expected;
    for (int r = 0; r < ranks.size(); ++r) {
      for (std::uint32_t i = 0; i < 100U * r + 1; ++i) expected.push_back(1000 * r + i);
    }
    EXPECT_EQ(collected, ranks.rank() == root ? expected : std::vector<std::uint32_t>());

    const auto back = distribute(rank_exec(), ranks, root, all.column<0>());
    const auto share = to_host(back.column<0>());
    const auto count = std::uint64_t(ranks.size()), rank = std::uint64_t(ranks.rank());
    const std::uint64_t begin = backends::slice_begin(rank, count, expected.size());
    const std::uint64_t end = backends::slice_begin(rank + 1, count, expected.size());
    EXPECT_EQ(share, std::vector<std::uint32_t>(expected.begin() + std::ptrdiff_t(begin),
                                                expected.begin() + std::ptrdiff_t(end)));
  }
}

// What holds for shuffles over any ranks.

namespace {

std::uint8_t narrow_of(std::uint64_t key, std::uint64_t row) {
  return static_cast<std::uint8_t>(key * 3 + row);
}
struct Wide {
  std::uint64_t key, row;
  friend bool operator==(const Wide&, const Wide&) = default;
};

/// Checks all columns of rows that were shuffled: they come by rank, then in its order, together,
/// and `is_mine(key, rank, row)` tells which.
template <class Received, class IsMine>
void expect_rows(const Received& received, const ShuffleInput& input, const Communicator& ranks,
                 const IsMine& is_mine) {
  const auto keys = to_host(received.template column<0>());
  const auto narrow = to_host(received.template column<1>());
  const auto wide = to_host(received.template column<2>());
  const auto rows = to_host(received.template column<3>());
  ASSERT_EQ(received.offsets.size(), std::size_t(ranks.size()) + 1);
  ASSERT_EQ(keys.size(), received.size());
  std::uint64_t at = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    ASSERT_EQ(received.offsets[std::size_t(r)], at);
    const auto theirs = keys_of(input, r, ranks.size());
    for (std::uint64_t i = 0; i < theirs.size(); ++i) {
      if (!is_mine(theirs[i], r, i)) continue;
      ASSERT_LT(at, received.size());
      ASSERT_EQ(keys[at], theirs[i]);
      ASSERT_EQ(narrow[at], narrow_of(theirs[i], i));
      ASSERT_EQ(wide[at], (Wide{theirs[i], i}));
      ASSERT_EQ(rank_of(rows[at]), std::uint32_t(r));
      ASSERT_EQ(row_of(rows[at]), i);
      ++at;
    }
  }
  EXPECT_EQ(at, received.size());
}

/// Calls `shuffle(keys, columns...)` with the columns that `expect_rows` checks.
template <class Shuffle>
auto with_columns(const ShuffleInput& input, const Communicator& ranks, const Shuffle& shuffle) {
  const auto keys = keys_of(input, ranks.rank(), ranks.size());
  std::vector<std::uint8_t> narrow;
  std::vector<Wide> wide;
  for (std::uint64_t i = 0; i < keys.size(); ++i) {
    narrow.push_back(narrow_of(keys[i], i));
    wide.push_back({keys[i], i});
  }
  const auto view = to_device(keys);
  return shuffle(view, view, to_device(narrow), to_device(wide),
                 GlobalRows(ranks.rank(), keys.size()));
}

void shuffles_by_key(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for (const ShuffleInput& input : shuffle_inputs) {
    SCOPED_TRACE(input.name);
    const auto received = with_columns(input, ranks, [&](const auto& keys, const auto&... columns) {
      return shuffle(rank_exec(), ranks, keys, workspace, columns...);
    });
    const auto owners = static_cast<std::uint32_t>(ranks.size());
    expect_rows(received, input, ranks, [&](std::uint64_t key, int, std::uint64_t) {
      return rank_of_hash(Murmur3Hash()(key), owners) == std::uint32_t(ranks.rank());
    });
  }
}

void shuffles_to_ranks(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto target = [&](int rank, std::uint64_t row) {
    return (std::uint64_t(rank) + row * row) % std::uint64_t(ranks.size());
  };
  for (const ShuffleInput& input : shuffle_inputs) {
    SCOPED_TRACE(input.name);
    const auto received = with_columns(input, ranks, [&](const auto& keys, const auto&... columns) {
      std::vector<std::uint16_t> to(keys.extent(0));
      for (std::uint64_t i = 0; i < to.size(); ++i) {
        to[i] = static_cast<std::uint16_t>(target(ranks.rank(), i));
      }
      return shuffle_to(rank_exec(), ranks, to_device(to), workspace, columns...);
    });
    expect_rows(received, input, ranks, [&](std::uint64_t, int rank, std::uint64_t row) {
      return target(rank, row) == std::uint64_t(ranks.rank());
    });
  }
}

/// Keys in two columns, of which one is strided; their rows meet on one rank.
void shuffles_by_columns(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const std::uint64_t n = 2000;
  Kokkos::View<std::uint32_t*, Memory> first("first", n);
  Kokkos::View<double*, Memory> spaced("second", 3 * n);
  const auto first_host = Kokkos::create_mirror_view(first);
  const auto spaced_host = Kokkos::create_mirror_view(spaced);
  for (std::uint64_t i = 0; i < n; ++i) {
    first_host(i) = static_cast<std::uint32_t>(i % 13);
    for (const int k : {0, 1, 2}) spaced_host(3 * i + std::uint64_t(k)) = double(i % 7) / 2;
  }
  Kokkos::deep_copy(first, first_host);
  Kokkos::deep_copy(spaced, spaced_host);
  const Kokkos::View<double*, Kokkos::LayoutStride, Memory> second(spaced.data(),
                                                                   Kokkos::LayoutStride(n, 3));
  for (const std::uint64_t seed : {0, 1}) {
    const auto received = shuffle(rank_exec(), ranks, columns(first, second),
                                  ShuffleOptions{Seed(seed)}, workspace, first, second);
    const auto firsts = to_host(received.column<0>());
    const auto seconds = to_host(received.column<1>());
    std::vector<std::uint64_t> mine(91), all(91);
    for (std::size_t i = 0; i < firsts.size(); ++i) {
      ++mine[firsts[i] * 7 + static_cast<std::uint64_t>(2 * seconds[i])];
    }
    all = mine;
    ranks.all_reduce(all, Reduction::sum);
    for (std::uint64_t key = 0; key < all.size(); ++key) {
      std::uint64_t rows = 0;
      for (std::uint64_t i = 0; i < n; ++i) rows += i % 13 * 7 + i % 7 == key ? 1 : 0;
      EXPECT_EQ(all[key], rows * std::uint64_t(ranks.size()));
      EXPECT_TRUE(mine[key] == 0 || mine[key] == all[key]);
    }
  }
}

void names_the_rank_that_fails(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const int last = ranks.size() - 1;
  const auto keys = to_device(std::vector<std::uint32_t>(50, 3));
  const auto fewer = to_device(std::vector<std::uint32_t>(ranks.rank() == last ? 49 : 50));
  expect_failure(ranks, last, "partition", [&] {
    static_cast<void>(shuffle(rank_exec(), ranks, keys, workspace, keys, fewer));
  });
  const auto to = to_device(std::vector<std::uint32_t>(
      50, ranks.rank() == last ? static_cast<std::uint32_t>(ranks.size()) : 0U));
  expect_failure(ranks, last, "partition",
                 [&] { static_cast<void>(shuffle_to(rank_exec(), ranks, to, workspace, keys)); });
}

/// In a part of the ranks, errors name the number that a rank had before.
void names_ranks_of_a_part(const Communicator& ranks) {
  const Communicator part = ranks.split(ranks.rank() % 2, -ranks.rank());
  const auto keys = to_device(std::vector<std::uint32_t>(5, 3));
  const auto fewer = to_device(std::vector<std::uint32_t>(part.rank() == 0 ? 4 : 5));
  Workspace<Memory> workspace;
  try {
    static_cast<void>(shuffle(rank_exec(), part, keys, workspace, keys, fewer));
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument&) {
    EXPECT_EQ(part.rank(), 0);
  } catch (const CommunicationError& error) {
    EXPECT_EQ(error.rank(), ranks.rank());
    EXPECT_EQ(error.failed_rank(), part.original_rank(0));
    EXPECT_GT(error.failed_rank(), ranks.rank());
  }
  collects_and_distributes(part);
}

/// Small numbers are compressed where the link is slow, and sent as they are where it is fast.
void compresses_where_that_pays(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  const Communicator own = ranks.split(0, ranks.rank());
  const std::uint64_t rows = (std::uint64_t{17} << 20) / sizeof(std::uint32_t);
  std::vector<std::uint32_t> numbers(rows);
  for (std::uint64_t i = 0; i < rows; ++i) numbers[i] = static_cast<std::uint32_t>(i % 200);
  const auto there = to_device(numbers);
  Workspace<Memory> workspace;
  ShuffleOptions options;
  options.levels = ShuffleLevels::one;  // else bytes travel twice
  const auto bytes_sent = [&] {
    const std::uint64_t before = own.statistics().bytes_sent;
    const auto received = shuffle(rank_exec(), own, there, options, workspace, there);
    std::vector<std::uint64_t> counts(400);
    for (const std::uint32_t number : to_host(received.column<0>())) ++counts.at(number);
    const std::span all(counts.data(), 200);
    own.all_reduce(all, Reduction::sum);
    for (std::uint64_t number = 0; number < 200; ++number) {
      EXPECT_EQ(counts[number], own.size() * ((rows - number + 199) / 200));
    }
    return own.statistics().bytes_sent - before;
  };
  const std::uint64_t bytes = rows * sizeof(std::uint32_t), ranks_sent_to = own.size() - 1;
  static_cast<void>(bytes_sent());
  ASSERT_TRUE(own.bytes_per_second().has_value());
  EXPECT_EQ(own.all_gather(*own.bytes_per_second()),
            std::vector<double>(std::size_t(own.size()), *own.bytes_per_second()));
  own.set_bytes_per_second(1e6);
  const std::uint64_t compressed = bytes_sent();
  own.set_bytes_per_second(1e15);
  const std::uint64_t plain = bytes_sent();
  EXPECT_NEAR(double(plain), double(bytes) * double(ranks_sent_to) / own.size(),
              0.2 * double(bytes));
  EXPECT_LT(3 * compressed, plain);
}

void refuses_what_ranks_do_not_agree_in(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  Workspace<Memory> workspace;
  const auto keys = to_device(std::vector<std::uint32_t>(50, 3));
  const auto wide = to_device(std::vector<std::uint64_t>(50, 3));
  EXPECT_THROW(ranks.rank() == 1
                   ? static_cast<void>(shuffle(rank_exec(), ranks, keys, workspace, wide))
                   : static_cast<void>(shuffle(rank_exec(), ranks, keys, workspace, keys)),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(collect(rank_exec(), ranks, ranks.rank() == 1 ? 1 : 0, keys)),
               InvalidArgument);
  EXPECT_THROW(static_cast<void>(collect(rank_exec(), ranks, ranks.size(), keys)), InvalidArgument);
  collects_and_distributes(ranks);
}

}  // namespace

std::span<const RankCase> shuffle_cases() {
  static constexpr RankCase all[] = {
      {"shuffles_by_key", shuffles_by_key},
      {"shuffles_to_ranks", shuffles_to_ranks},
      {"shuffles_by_columns", shuffles_by_columns},
      {"collects_and_distributes", collects_and_distributes},
      {"names_the_rank_that_fails", names_the_rank_that_fails},
      {"names_ranks_of_a_part", names_ranks_of_a_part},
      {"compresses_where_that_pays", compresses_where_that_pays},
      {"refuses_what_ranks_do_not_agree_in", refuses_what_ranks_do_not_agree_in},
  };
  return all;
}

}  // namespace hashmill::test
