#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/slices.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>

namespace hashmill::detail {

/// Combines a word that all ranks have sent: `others` has a slice of `length` words of each.
struct OrSlices {
  const std::uint64_t* others;
  std::uint64_t length, ranks;
  std::uint64_t* words;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t word = 0;
    for (std::uint64_t r = 0; r < ranks; ++r) {
      word |= others[r * length + static_cast<std::uint64_t>(i)];
    }
    words[i] = word;
  }
};

/// Sets in each rank's words the bits of all ranks. All have as many words. Part of a collective
/// call. Each rank combines a slice of the words, so that all send and receive about twice their
/// bytes. Takes memory for the words once more. `memory` holds the words where their view does not:
/// other ranks may still read them when an error has ended the call here.
template <class Exec, class Words>
void or_over_ranks(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                   const Words& words, const std::shared_ptr<const void>& memory = nullptr) {
  const auto count = static_cast<std::uint64_t>(ranks.size());
  const auto begin_of = [&](int rank) {
    return backends::slice_begin(static_cast<std::uint64_t>(rank), count, words.extent(0));
  };
  const std::uint64_t begin = begin_of(ranks.rank()), end = begin_of(ranks.rank() + 1);
  Kokkos::View<std::uint64_t*, typename Words::memory_space> others;
  call.step("allocate", [&] {
    others = backends::allocate<decltype(others)>(exec, "hashmill::or_over_ranks::others",
                                                  count * (end - begin));
  });
  call.agree("agree on memory");
  const auto slice_of = [&](int rank, const auto& use) { use(begin_of(rank), begin_of(rank + 1)); };
  const auto to_slot = [&](int rank, const auto& use) {
    const std::uint64_t first = static_cast<std::uint64_t>(rank) * (end - begin);
    use(first, first + (end - begin));
  };
  start_pieces(ranks, backends::end_of_work(exec), words, others, slice_of, to_slot, memory)
      .finish();
  call.step("combine words", [&] {
    backends::for_each_index("hashmill::or_over_ranks", exec, end - begin,
                             OrSlices{others.data(), end - begin, count, words.data() + begin});
  });
  const auto to_others = [&](int rank, const auto& use) {
    if (rank != ranks.rank()) use(begin, end);
  };
  const auto from_others = [&](int rank, const auto& use) {
    if (rank != ranks.rank()) slice_of(rank, use);
  };
  start_pieces(ranks, backends::end_of_work(exec), words, words, to_others, from_others, memory)
      .finish();
}

}  // namespace hashmill::detail
