#pragma once

#include <hashmill/communicator.hpp>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Starts to send stretches of an array and to receive into those of another. `to_rank(r, use)`
/// calls `use(begin, end)` for each stretch that goes to rank r, `from_rank(r, use)` for each that
/// comes from it. Both ranks name the same stretches in the same order. Both views, and `memory`
/// where they do not own theirs, live until the exchange is done.
template <class From, class To, class ToRank, class FromRank>
[[nodiscard]] StartedExchange start_pieces(const Communicator& ranks, const From& from,
                                           const To& to, const ToRank& to_rank,
                                           const FromRank& from_rank,
                                           std::shared_ptr<const void> memory = nullptr) {
  constexpr std::uint64_t width = sizeof(typename To::value_type);
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  // Each rank begins with the rank behind it, so that not all send to the same one.
  for (int k = 1; k <= ranks.size(); ++k) {
    const int next = (ranks.rank() + k) % ranks.size();
    const int previous = (ranks.rank() + ranks.size() - k) % ranks.size();
    to_rank(next, [&](std::uint64_t begin, std::uint64_t end) {
      if (begin == end) return;
      sends.push_back(
          {next, reinterpret_cast<const std::byte*>(from.data() + begin), (end - begin) * width});
    });
    from_rank(previous, [&](std::uint64_t begin, std::uint64_t end) {
      if (begin == end) return;
      receives.push_back(
          {previous, reinterpret_cast<std::byte*>(to.data() + begin), (end - begin) * width});
    });
  }
  return ranks.start({sends, receives, 0, backends::memory_kind<typename To::memory_space>,
                      std::make_shared<std::tuple<From, To, std::shared_ptr<const void>>>(
                          from, to, std::move(memory))},
                     "exchange rows");
}

}  // namespace hashmill::detail
