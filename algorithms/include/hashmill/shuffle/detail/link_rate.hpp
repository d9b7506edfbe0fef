#pragma once

#include <chrono>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>

namespace hashmill::detail {

/// Measures what a rank can send in a second to all others at once, of memory of `exec`, and keeps
/// it in the communicator: the least of all ranks, so that all know the same. Sends 1, 4 and 16
/// MiB, and stops where they took 2 ms.
template <class Exec>
void measure_link(const Exec& exec, const Communicator& ranks, CollectiveCall& call) {
  using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space>;
  using Clock = std::chrono::steady_clock;
  constexpr std::uint64_t least = std::uint64_t{1} << 20, most = least << 4;
  constexpr std::uint64_t long_enough = 2'000'000;  // nanoseconds
  const auto others = static_cast<std::uint64_t>(ranks.size() - 1);
  if (others == 0) return;
  Bytes out, in;
  call.step("measure the link", [&] {
    out = backends::allocate<Bytes>(exec, "hashmill::shuffle::link", most);
    in = backends::allocate<Bytes>(exec, "hashmill::shuffle::link", most);
    exec.fence("hashmill: a link is measured");
  });
  for (std::uint64_t bytes = least;; bytes *= 4) {
    call.agree("agree to measure the link");
    const std::uint64_t piece = bytes / others;
    const auto between = [&](int rank, const auto& use) {
      if (rank == ranks.rank()) return;
      const auto other = static_cast<std::uint64_t>(rank < ranks.rank() ? rank : rank - 1);
      use(other * piece, (other + 1) * piece);
    };
    const auto began = Clock::now();
    start_pieces(ranks, out, in, between, between).finish();
    const auto took = static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - began).count());
    const std::uint64_t longest =
        std::max<std::uint64_t>(1, call.agree_on_greatest(took, "agree on the rate of the link"));
    if (longest < long_enough && bytes < most) continue;
    ranks.set_bytes_per_second(static_cast<double>(piece * others) * 1e9 /
                               static_cast<double>(longest));
    return;
  }
}

}  // namespace hashmill::detail
