#include <gtest/gtest.h>

#include <barrier>
#include <hashmill/compression.hpp>
#include <thread>

#include "algorithms/compression/compressed_inputs.hpp"
#include "algorithms/support/views.hpp"

// Teams of threads write the bytes that one thread writes: on hosts their code runs here with teams
// made of threads, whatever the machine would take. A GPU runs it itself, and its compiler warns of
// code for hosts in functions for both.
#ifndef KOKKOS_ENABLE_CUDA

namespace hashmill::test {
namespace {

constexpr std::uint32_t team_size = 4;

/// What the threads of a team share.
struct SharedTeam {
  std::barrier<> barrier{team_size};
  std::array<std::uint64_t, team_size> numbers{};
  std::array<std::byte, 1 << 16> scratch{};
};

/// One thread of a team, with the members that TeamTile calls.
class TeamThread {
 public:
  TeamThread(SharedTeam& team, int rank) : team_(team), rank_(rank) {}

  [[nodiscard]] int team_rank() const { return rank_; }
  void team_barrier() const { team_.barrier.arrive_and_wait(); }
  template <class Number>
  [[nodiscard]] Number team_scan(Number number) const {
    const auto numbers = exchange(number);
    Number before = 0;
    for (int r = 0; r < rank_; ++r)
      before += static_cast<Number>(numbers[static_cast<std::size_t>(r)]);
    return before;
  }
  template <class Reducer>
  void team_reduce(const Reducer& reducer) const {
    using Value = typename Reducer::value_type;
    static std::array<Value, team_size> values;
    values[static_cast<std::size_t>(rank_)] = reducer.reference();
    team_barrier();
    Value all = values[0];
    for (std::size_t r = 1; r < team_size; ++r) reducer.join(all, values[r]);
    team_barrier();
    reducer.reference() = all;
  }
  /// Every thread takes the same memory, as it takes it in the same order.
  [[nodiscard]] const TeamThread& team_shmem() const { return *this; }
  [[nodiscard]] void* get_shmem_aligned(std::size_t bytes, std::size_t alignment) const {
    taken_ = (taken_ + alignment - 1) / alignment * alignment;
    void* const at = team_.scratch.data() + taken_;
    taken_ += bytes;
    return at;
  }

 private:
  [[nodiscard]] std::array<std::uint64_t, team_size> exchange(std::uint64_t number) const {
    team_.numbers[static_cast<std::size_t>(rank_)] = number;
    team_barrier();
    const auto numbers = team_.numbers;
    team_barrier();
    return numbers;
  }

  SharedTeam& team_;
  int rank_;
  mutable std::size_t taken_ = 0;
};

template <class Value>
using TileOfThreads = detail::TeamTile<Kokkos::DefaultHostExecutionSpace, TeamThread,
                                       detail::TileWord<Value>, team_size>;

/// What a tile is written as, and what it is read as.
template <class Value>
struct TileResult {
  std::vector<std::byte> bytes;
  std::vector<Value> values;
  detail::FrameFault fault = detail::FrameFault::none;

  bool operator==(const TileResult&) const = default;
};

template <class Value, class Tile>
void run_tile(const Tile& tile, const std::vector<Value>& values, CompressionScheme scheme,
              TileResult<Value>& result) {
  const auto count = static_cast<std::uint32_t>(values.size());
  const auto source = [&](std::uint32_t i) { return detail::to_word<Value>(values[i]); };
  const auto header = detail::measure_tile<Value>(tile, count, scheme, source);
  const std::uint64_t bytes =
      sizeof(detail::TileHeader) + detail::tile_streams(header, count, sizeof(Value)).end;
  tile.once([&] {
    result.bytes.resize(bytes);
    result.values.resize(count);
  });
  detail::write_tile<Value>(tile, count, header, source, result.bytes.data());
  const auto fault = detail::check_tile<Value>(tile, count, static_cast<std::uint8_t>(scheme),
                                               result.bytes.data(), bytes);
  tile.once([&] { result.fault = fault; });
  detail::read_tile<Value>(tile, count, result.bytes.data(), {0, count},
                           [&](std::uint32_t i, detail::TileWord<Value> word) {
                             result.values[i] = detail::from_word<Value>(word);
                           });
}

template <class Value>
void expect_same_tiles(const std::vector<Value>& values) {
  for (const CompressionScheme scheme : compression_schemes) {
    SCOPED_TRACE(name(scheme));
    TileResult<Value> by_one;
    TileResult<Value> by_team;
    typename detail::HostTile<detail::TileWord<Value>>::Arrays arrays;
    run_tile(detail::HostTile<detail::TileWord<Value>>(arrays), values, scheme, by_one);
    EXPECT_EQ(by_one.values, values);
    SharedTeam team;
    std::vector<std::thread> threads;
    for (std::uint32_t rank = 0; rank < team_size; ++rank) {
      threads.emplace_back([&, rank] {
        const TeamThread member(team, static_cast<int>(rank));
        run_tile(TileOfThreads<Value>(member), values, scheme, by_team);
      });
    }
    for (auto& thread : threads) thread.join();
    EXPECT_TRUE(by_team == by_one);
    EXPECT_EQ(by_one.fault, detail::FrameFault::none);
  }
}

TEST(CompressionTeam, WritesTheBytesOfOneThread) {
  for (const std::uint64_t size : sampled(std::vector<std::uint64_t>{33, 2047})) {
    SCOPED_TRACE(size);
    for (const auto& input : compressed_inputs(size)) {
      SCOPED_TRACE(input.name);
      expect_same_tiles(input.numbers);
      if (size == 2047) {
        expect_same_tiles(std::vector<std::int16_t>(input.numbers.begin(), input.numbers.end()));
      }
    }
  }
}

TEST(CompressionTeam, PacksEveryWidth) {
  for (unsigned width = 0; width <= 64; width += 7) {
    SCOPED_TRACE(width);
    expect_same_tiles(numbers_of_width(300, width, 77));
  }
}

}  // namespace
}  // namespace hashmill::test

#endif
