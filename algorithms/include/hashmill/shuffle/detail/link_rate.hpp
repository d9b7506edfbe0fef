#pragma once

#include <algorithm>
#include <chrono>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>

namespace hashmill::detail {

/// The nanoseconds of the slowest rank that sends so many bytes to the others, of memory of `exec`.
/// The first of three times is not counted: connections may only be made then.
template <class Exec>
[[nodiscard]] std::uint64_t time_link(const Exec& exec, const Communicator& ranks,
                                      CollectiveCall& call, std::uint64_t bytes) {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  using Clock = std::chrono::steady_clock;
  Bytes out, in;
  call.step("measure the link", [&] {
    out = backends::allocate<Bytes>(exec, "hashmill::shuffle::link", bytes);
    in = backends::allocate<Bytes>(exec, "hashmill::shuffle::link", bytes);
    exec.fence("hashmill: a link is measured");
  });
  const std::uint64_t piece = bytes / static_cast<std::uint64_t>(ranks.size() - 1);
  const auto between = [&](int rank, const auto& use) {
    if (rank == ranks.rank()) return;
    const auto other = static_cast<std::uint64_t>(rank < ranks.rank() ? rank : rank - 1);
    use(other * piece, (other + 1) * piece);
  };
  std::uint64_t least = ~std::uint64_t{0};
  for (int time = 0; time < 3; ++time) {
    call.agree("agree to measure the link");
    const auto began = Clock::now();
    start_pieces(ranks, backends::end_of_work(exec), out, in, between, between).finish();
    const std::chrono::nanoseconds took = Clock::now() - began;
    if (time > 0) least = std::min(least, static_cast<std::uint64_t>(took.count()));
  }
  return call.agree_on_greatest(least, "agree on the rate of the link");
}

/// Measures what a rank can send in a second to all others at once, and keeps it in the
/// communicator. All know the same. What 1 MiB takes counts as latency; then it sends 4, 16, 64 and
/// 256 MiB, and stops where they took 2 ms more. NVLink takes that many to reach its rate.
template <class Exec>
void measure_link(const Exec& exec, const Communicator& ranks, CollectiveCall& call) {
  constexpr std::uint64_t least = std::uint64_t{1} << 20, most = least << 8;
  constexpr std::uint64_t long_enough = 2'000'000;  // nanoseconds
  if (ranks.size() == 1) return;
  const std::uint64_t latency = time_link(exec, ranks, call, least);
  std::uint64_t bytes = least, took = 0;
  while (took < long_enough && bytes < most) {
    bytes *= 4;
    const std::uint64_t whole = time_link(exec, ranks, call, bytes);
    took = whole - std::min(whole, latency);
  }
  ranks.set_bytes_per_second(static_cast<double>(bytes - least) * 1e9 /
                             static_cast<double>(std::max<std::uint64_t>(took, 1)));
}

}  // namespace hashmill::detail
