#pragma once

#include <hashmill/shuffle/detail/row_parts.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>
#include <optional>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// All parts travel.
struct EveryPart {
  [[nodiscard]] bool sends(std::size_t /*part*/) const { return true; }
  [[nodiscard]] bool receives(std::size_t /*round*/, std::size_t /*piece*/) const { return true; }
  [[nodiscard]] bool passes_on(std::size_t /*round*/, std::size_t /*cell*/) const { return true; }
};

/// Calls `use(begin, end)` for stretches of an array of which `begins` tells the first element of
/// each number. Consecutive numbers make one stretch, if `has(number)`.
template <class Has, class Use>
void for_each_stretch(const RelayPlan::Line& line, const std::uint64_t* begins, const Has& has,
                      const Use& use) {
  std::size_t first = 0, end = 0;  // of the stretch so far
  const auto flush = [&] {
    if (first != end) use(begins[first], begins[end]);
  };
  line.for_each([&](std::size_t number) {
    if (!has(number)) return;
    if (number != end || first == end) {
      flush();
      first = number;
    }
    end = number + 1;
  });
  flush();
}

/// The pieces of arrays in a round, which travel in one exchange, or two where there are relays.
class TravellingPieces {
 public:
  explicit TravellingPieces(const Communicator& ranks) : ranks_(ranks) {}

  /// Adds the parts of one round of an array, and its pieces in another; `cells` is what
  /// `borrow_cells` made for the round. `which` tells which parts travel. `parts` are those of all
  /// arrays, or lie beside them. The three views live until all is done, by `memory` where they do
  /// not own theirs.
  template <class From, class To, class Which>
  void add(const RowParts& parts, std::size_t round, const From& from, const To& cells,
           const To& to, const Which& which, const std::shared_ptr<const void>& memory) {
    relay_ = parts.relay;
    if (relay_ != nullptr) {
      add_first_hop(parts, round, from, cells, which, memory);
      add_second_hop(parts, round, cells, to, which, memory);
      return;
    }
    const std::vector<std::uint64_t>& in = parts.in[round];
    first_.add(
        ranks_, from, to,
        [&](int rank, const auto& use) {
          parts.for_each_part(round, rank, [&](std::size_t part) {
            if (which.sends(part)) use(parts.out[part], parts.out[part + 1]);
          });
        },
        [&](int rank, const auto& use) {
          parts.for_each_piece(round, rank, [&](std::size_t piece) {
            if (which.receives(round, piece)) use(in[piece], in[piece + 1]);
          });
        },
        memory);
  }

  /// Starts to send, straight or to relays.
  void start() { under_way_.emplace(first_.start(relay_ == nullptr ? ranks_ : relay_->first())); }
  /// Waits for what this rank passes on, and sends it on.
  void pass_on() {
    if (relay_ == nullptr || is_passed_on_ || !under_way_) return;
    under_way_->finish();
    is_passed_on_ = true;
    under_way_.emplace(second_.start(relay_->second()));
  }
  /// Waits until all is sent and received that was started.
  void finish() {
    pass_on();
    if (under_way_) under_way_->finish();
  }

 private:
  /// From an array to the cells of relays.
  template <class From, class Cells, class Which>
  void add_first_hop(const RowParts& parts, std::size_t round, const From& from, const Cells& cells,
                     const Which& which, const std::shared_ptr<const void>& memory) {
    const std::size_t first_part = round * parts.shape.ranks, all = parts.shape.part_for_all();
    const std::vector<std::uint64_t>& begins = parts.cells[round];
    first_.add(
        relay_->first(), from, cells,
        [&](int x, const auto& use) {
          for_each_stretch(
              relay_->of_x(static_cast<std::size_t>(x)), &parts.out[first_part],
              [&](std::size_t rank) { return which.sends(first_part + rank); }, use);
          if (parts.sends_to_all_in(round) && which.sends(all)) {
            use(parts.out[all], parts.out.back());
          }
        },
        [&](int x, const auto& use) {
          const auto has = [&](std::size_t cell) { return which.passes_on(round, cell); };
          for_each_stretch(relay_->of_x(static_cast<std::size_t>(x)), begins.data(), has, use);
          const std::size_t cell = parts.shape.ranks + static_cast<std::size_t>(x);
          if (parts.sends_to_all_in(round) && has(cell)) use(begins[cell], begins[cell + 1]);
        },
        memory);
  }
  /// From the cells to another array.
  template <class Cells, class To, class Which>
  void add_second_hop(const RowParts& parts, std::size_t round, const Cells& cells, const To& to,
                      const Which& which, const std::shared_ptr<const void>& memory) {
    const std::size_t ranks = parts.shape.ranks;
    const std::vector<std::uint64_t>&begins = parts.cells[round], &in = parts.in[round];
    second_.add(
        relay_->second(), cells, to,
        [&](int y, const auto& use) {
          const auto has = [&](std::size_t cell) { return which.passes_on(round, cell); };
          for_each_stretch(relay_->of_y(static_cast<std::size_t>(y)), begins.data(), has, use);
          for (std::size_t x = 0; parts.sends_to_all_in(round) && x < relay_->first_size(); ++x) {
            if (has(ranks + x)) use(begins[ranks + x], begins[ranks + x + 1]);
          }
        },
        [&](int y, const auto& use) {
          const auto has = [&](std::size_t piece) { return which.receives(round, piece); };
          const RelayPlan::Line line = relay_->of_y(static_cast<std::size_t>(y));
          for_each_stretch(line, in.data(), has, use);
          if (!parts.sends_to_all_in(round)) return;
          line.for_each([&](std::size_t rank) {
            if (has(ranks + rank)) use(in[ranks + rank], in[ranks + rank + 1]);
          });
        },
        memory);
  }

  Communicator ranks_;
  std::shared_ptr<const RelayPlan> relay_;  // null: straight
  PieceList first_, second_;
  std::optional<StartedExchange> under_way_;
  bool is_passed_on_ = false;
};

}  // namespace hashmill::detail
