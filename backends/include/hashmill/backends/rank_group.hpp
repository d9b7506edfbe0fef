#pragma once

#include <algorithm>
#include <array>
#include <hashmill/backends/link.hpp>
#include <hashmill/capacity.hpp>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// Some ranks of a link, numbered from 0. Its tag keeps its messages apart from those of other
/// groups of the same link. Copies count their calls together.
class RankGroup {
 public:
  /// The collective calls, as letters name them.
  enum class Call : std::uint64_t { all_gather, all_to_all, sum, minimum, maximum, bit_or };

  /// All ranks of a link.
  explicit RankGroup(const std::shared_ptr<Link>& link)
      : RankGroup(link, all_ranks(link->size()), 0) {}
  /// The ranks `ranks` of a link, among them its own.
  RankGroup(std::shared_ptr<Link> link, std::vector<int> ranks, int tag)
      : link_(std::move(link)),
        ranks_(std::move(ranks)),
        tag_(tag),
        calls_(std::make_shared<std::uint64_t>(0)) {
    const auto mine = std::find(ranks_.begin(), ranks_.end(), link_->rank());
    rank_ = static_cast<int>(mine - ranks_.begin());
  }

  /// The number of this rank in the group.
  [[nodiscard]] int rank() const { return rank_; }
  /// The number of ranks.
  [[nodiscard]] int size() const { return static_cast<int>(ranks_.size()); }
  /// The number in the link of a rank of this group.
  [[nodiscard]] int in_link(int rank) const { return ranks_.at(static_cast<std::size_t>(rank)); }
  /// The link of the group.
  [[nodiscard]] const std::shared_ptr<Link>& link() const { return link_; }

  /// Starts an exchange whose ranks are those of this group.
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange, const char* phase) const {
    std::vector<Send> sends(exchange.sends.begin(), exchange.sends.end());
    std::vector<Receive> receives(exchange.receives.begin(), exchange.receives.end());
    for (Send& piece : sends) piece.rank = in_link(piece.rank);
    for (Receive& piece : receives) piece.rank = in_link(piece.rank);
    return link_->start({sends, receives, tag_, exchange.memory, exchange.owner, exchange.after},
                        phase);
  }
  /// The number of the last call.
  [[nodiscard]] std::uint64_t last_call() const { return *calls_; }
  /// The number of the next call.
  [[nodiscard]] std::uint64_t next_call() const { return ++*calls_; }

 private:
  [[nodiscard]] static std::vector<int> all_ranks(int size) {
    std::vector<int> ranks(static_cast<std::size_t>(size));
    std::iota(ranks.begin(), ranks.end(), 0);
    return ranks;
  }

  std::shared_ptr<Link> link_;
  std::vector<int> ranks_;  // their numbers in the link
  int rank_ = 0, tag_;
  std::shared_ptr<std::uint64_t> calls_;
};

/// Letters of one length, to each rank of a group and from each. All begin with the number, the
/// kind and the step of their call, which shows where ranks call different things.
class Letters {
 public:
  /// Letters with texts of `bytes` bytes. The group must outlive them. Throws CapacityError where
  /// there is no memory for them, after which the link is dead: other ranks wait for this one.
  Letters(const RankGroup& group, std::uint64_t bytes)
      : group_(group), letter_(bytes + sizeof(Head)), boxes_(boxes_for(group, bytes)) {}
  /// Writes the text for a rank.
  void write(int to, std::span<const std::byte> text) {
    std::copy(text.begin(), text.end(), letter(boxes_->out, to) + sizeof(Head));
  }
  /// Reads the text of a rank, after `exchange`.
  void read(int from, std::span<std::byte> text) {
    const std::byte* begin = letter(boxes_->in, from) + sizeof(Head);
    std::copy(begin, begin + text.size(), text.begin());
  }
  /// Sends all and waits for all. Throws CommunicationError, and InvalidArgument on all ranks where
  /// they call different things.
  void exchange(RankGroup::Call call, const char* phase) {
    Head mine{group_.next_call(), call, {}};
    copy_text(phase, mine.phase);
    std::vector<Send> sends;
    std::vector<Receive> receives;
    for (int r = 0; r < group_.size(); ++r) {
      std::memcpy(letter(boxes_->out, r), &mine, sizeof(mine));
      sends.push_back({r, letter(boxes_->out, r), letter_});
      receives.push_back({r, letter(boxes_->in, r), letter_});
    }
    group_.link()->finish(group_.start({sends, receives, 0, MemoryKind::host, boxes_}, phase),
                          phase);
    for (int r = 0; r < group_.size(); ++r) require_equal(r, head(r), head(0), phase);
  }

 private:
  struct Head {
    std::uint64_t number;
    RankGroup::Call call;
    std::array<char, 32> phase;
    friend bool operator==(const Head&, const Head&) = default;
  };
  struct Boxes {
    std::vector<std::byte> out, in;
  };
  static constexpr const char* what = "letters of a collective call";

  [[nodiscard]] static std::shared_ptr<Boxes> boxes_for(const RankGroup& group,
                                                        std::uint64_t bytes) {
    const auto ranks = static_cast<std::uint64_t>(group.size());
    std::uint64_t all = ~std::uint64_t{0};
    try {
      all = checked_multiply(checked_add(bytes, sizeof(Head), what), 2 * ranks, what);
      auto boxes = std::make_shared<Boxes>();
      boxes->out.resize(all / 2);
      boxes->in.resize(all / 2);
      return boxes;
    } catch (const CapacityError&) {
      group.link()->give_up(what);
      throw;
    } catch (const std::exception&) {  // of a vector
      group.link()->give_up(what);
      throw CapacityError("no memory for " + std::to_string(all) + " bytes of " + what, all, 0);
    }
  }
  [[nodiscard]] std::byte* letter(std::vector<std::byte>& box, int rank) const {
    return box.data() + static_cast<std::size_t>(rank) * letter_;
  }
  [[nodiscard]] Head head(int from) {
    Head head{};
    std::memcpy(&head, letter(boxes_->in, from), sizeof(head));
    return head;
  }
  void require_equal(int rank, const Head& theirs, const Head& first, const char* phase) const {
    if (theirs == first) return;
    throw InvalidArgument(std::string(phase) + ": " + text(rank, theirs) + " where " +
                          text(0, first));
  }
  [[nodiscard]] std::string text(int rank, const Head& head) const {
    constexpr const char* names[] = {"all_gather",           "all_to_all",
                                     "all_reduce (sum)",     "all_reduce (minimum)",
                                     "all_reduce (maximum)", "all_reduce (bit_or)"};
    const auto call = static_cast<std::size_t>(head.call);
    const std::string step(head.phase.begin(), std::ranges::find(head.phase, '\0'));
    return "rank " + std::to_string(group_.in_link(rank)) + " makes call " +
           std::to_string(head.number) + ", " +
           (call < std::size(names) ? names[call] : "which is none of these") + ", in step '" +
           step + "'";
  }

  const RankGroup& group_;
  std::uint64_t letter_;  // bytes
  std::shared_ptr<Boxes> boxes_;
};

}  // namespace hashmill::backends
