#pragma once

#include <hashmill/communicator.hpp>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Stretches of arrays that are sent and received in one exchange.
class PieceList {
 public:
  /// Adds stretches of an array that are sent, and those of another in which they arrive.
  /// `to_rank(r, use)` calls `use(begin, end)` for each stretch that goes to rank r,
  /// `from_rank(r, use)` for each that comes from it. Both ranks name the same stretches in the
  /// same order. The exchange keeps both views, and `memory` where they do not own theirs.
  template <class From, class To, class ToRank, class FromRank>
  void add(const Communicator& ranks, const From& from, const To& to, const ToRank& to_rank,
           const FromRank& from_rank, std::shared_ptr<const void> memory) {
    constexpr std::uint64_t width = sizeof(typename To::value_type);
    kind_ = backends::memory_kind<typename To::memory_space>;
    // Each rank begins with the rank behind it, so that not all send to the same one.
    for (int k = 1; k <= ranks.size(); ++k) {
      const int next = (ranks.rank() + k) % ranks.size();
      const int previous = (ranks.rank() + ranks.size() - k) % ranks.size();
      to_rank(next, [&](std::uint64_t begin, std::uint64_t end) {
        if (begin == end) return;
        sends_.push_back(
            {next, reinterpret_cast<const std::byte*>(from.data() + begin), (end - begin) * width});
      });
      from_rank(previous, [&](std::uint64_t begin, std::uint64_t end) {
        if (begin == end) return;
        receives_.push_back(
            {previous, reinterpret_cast<std::byte*>(to.data() + begin), (end - begin) * width});
      });
    }
    owners_.push_back(std::make_shared<std::tuple<From, To, std::shared_ptr<const void>>>(
        from, to, std::move(memory)));
  }
  /// Starts to send and receive all of them, `after` something or at once.
  [[nodiscard]] StartedExchange start(const Communicator& ranks,
                                      const backends::DeviceEvent* after = nullptr) const {
    return ranks.start({sends_, receives_, 0, kind_, std::make_shared<Owners>(owners_), after},
                       "exchange rows");
  }

 private:
  using Owners = std::vector<std::shared_ptr<const void>>;
  std::vector<backends::Send> sends_;
  std::vector<backends::Receive> receives_;
  backends::MemoryKind kind_ = backends::MemoryKind::host;
  Owners owners_;
};

/// Starts an exchange of one array `after` something; see `PieceList::add`.
template <class From, class To, class ToRank, class FromRank>
[[nodiscard]] StartedExchange start_pieces(const Communicator& ranks,
                                           const backends::DeviceEvent& after, const From& from,
                                           const To& to, const ToRank& to_rank,
                                           const FromRank& from_rank,
                                           std::shared_ptr<const void> memory = nullptr) {
  PieceList pieces;
  pieces.add(ranks, from, to, to_rank, from_rank, std::move(memory));
  return pieces.start(ranks, &after);
}

}  // namespace hashmill::detail
