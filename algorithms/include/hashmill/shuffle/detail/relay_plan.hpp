#pragma once

#include <hashmill/communicator.hpp>
#include <hashmill/shuffle/levels.hpp>
#include <memory>

namespace hashmill::detail {

/// How pieces reach their ranks by way of a rank between, the relay. Ranks are numbered node by
/// node, so that rank and relay are pairs (x, y): x is a rank's number in the first communicator of
/// the two, y in the second one.
///
///     first hop    the source sends what is for rank (x, y) to rank x of its first communicator
///     at a relay   cell (x, y): from rank x of the first one, for rank y of the second one
///     second hop   it goes to rank y of the second one
///
/// Cells are numbered as ranks are, so that consecutive ones travel in one message across nodes.
class RelayPlan {
 public:
  RelayPlan(std::shared_ptr<const NodeCommunicators> nodes, bool across_first)
      : nodes_(std::move(nodes)), across_first_(across_first) {}

  [[nodiscard]] const Communicator& first() const {
    return across_first_ ? nodes_->across : nodes_->inside;
  }
  [[nodiscard]] const Communicator& second() const {
    return across_first_ ? nodes_->inside : nodes_->across;
  }
  /// Numbers of ranks, parts, pieces or cells: each `stride` behind the one before.
  struct Line {
    std::size_t first, stride, count;
    /// Calls `use(number)` for each.
    template <class Use>
    void for_each(const Use& use) const {
      for (std::size_t i = 0; i < count; ++i) use(first + i * stride);
    }
  };
  /// All (x, y) of an x.
  [[nodiscard]] Line of_x(std::size_t x) const {
    return {x * stride_x(), stride_y(), second_size()};
  }
  /// All (x, y) of a y.
  [[nodiscard]] Line of_y(std::size_t y) const {
    return {y * stride_y(), stride_x(), first_size()};
  }
  [[nodiscard]] std::size_t first_size() const { return size(first()); }
  [[nodiscard]] std::size_t second_size() const { return size(second()); }

 private:
  [[nodiscard]] static std::size_t size(const Communicator& ranks) {
    return static_cast<std::size_t>(ranks.size());
  }
  [[nodiscard]] std::size_t stride_x() const { return across_first_ ? second_size() : 1; }
  [[nodiscard]] std::size_t stride_y() const { return across_first_ ? 1 : first_size(); }

  std::shared_ptr<const NodeCommunicators> nodes_;
  bool across_first_;
};

}  // namespace hashmill::detail
