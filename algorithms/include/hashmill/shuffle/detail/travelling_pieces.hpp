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

/// A piece that arrives with its lead, elsewhere than where it is to be.
struct LedPiece {
  std::size_t piece;
  std::uint64_t at;  // where its lead begins
  std::uint64_t lead, begin, end;

  [[nodiscard]] std::uint64_t size() const { return end - begin; }
};
/// Whether a part travels with its lead: if it is long and goes to another GPU. Sender and receiver
/// know all of that.
template <class View>
[[nodiscard]] bool has_lead(const RowParts& parts, std::uint64_t elements) {
  using MemorySpace = typename View::memory_space;
  constexpr std::uint64_t least_bytes = std::uint64_t{1} << 18;
  return backends::memory_kind<MemorySpace> == backends::MemoryKind::device &&
         !parts.leads.empty() && parts.relay == nullptr &&
         elements * sizeof(typename View::value_type) >= least_bytes;
}
/// The pieces of a round that arrive so, on rank `rank`. They begin at multiples of `lead_unit`,
/// the first at 0.
template <class View>
[[nodiscard]] std::vector<LedPiece> led_pieces(const RowParts& parts, std::size_t round, int rank) {
  std::vector<LedPiece> pieces;
  const std::vector<std::uint64_t>& in = parts.in[round];
  std::uint64_t at = 0;
  for (std::size_t piece = 0; piece + 1 < in.size(); ++piece) {
    const bool is_own = piece % parts.shape.ranks == static_cast<std::size_t>(rank);
    if (is_own || !has_lead<View>(parts, in[piece + 1] - in[piece])) continue;
    const std::uint64_t lead = parts.leads[round][piece];
    pieces.push_back({piece, at, lead, in[piece], in[piece + 1]});
    at += without_lead(lead + pieces.back().size());
  }
  return pieces;
}
/// Where an array of a round lies between ranks.
template <class View>
struct Stops {
  View cells;  ///< what this rank passes on
  View led;    ///< what arrives with leads
};

/// The pieces of arrays in a round, which travel in one exchange, or two where there are relays.
class TravellingPieces {
 public:
  explicit TravellingPieces(const Communicator& ranks) : ranks_(ranks) {}

  /// Adds the parts of one round of an array, and its pieces in another; `stops` is what
  /// `borrow_stops` made for the round. `which` tells which parts travel. `parts` are those of all
  /// arrays, or lie beside them. All views live until all is done, by `memory` where they do not
  /// own theirs.
  template <class From, class To, class Which>
  void add(const RowParts& parts, std::size_t round, const From& from, const Stops<To>& stops,
           const To& to, const Which& which, const std::shared_ptr<const void>& memory) {
    relay_ = parts.relay;
    if (relay_ != nullptr) {
      add_first_hop(parts, round, from, stops.cells, which, memory);
      add_second_hop(parts, round, stops.cells, to, which, memory);
      return;
    }
    add_exact(parts, round, from, to, which, memory);
    add_led(parts, round, from, stops.led, to, which, memory);
  }

  /// Starts to send, straight or to relays, after the work that `exec` was given so far.
  template <class Exec>
  void start(const Exec& exec) {
    const backends::DeviceEvent after = backends::end_of_work(exec);
    under_way_.emplace(first_.start(relay_ == nullptr ? ranks_ : relay_->first(), &after));
  }
  /// Waits for what this rank passes on, and sends it on.
  void pass_on() {
    if (relay_ == nullptr || is_passed_on_ || !under_way_) return;
    under_way_->finish();
    is_passed_on_ = true;
    under_way_.emplace(second_.start(relay_->second()));
  }
  /// Waits until all is sent and received that was started. What arrived with a lead is then copied
  /// to its place by `exec`; asynchronous.
  template <class Exec>
  void finish(const Exec& exec) {
    pass_on();
    if (!under_way_) return;
    under_way_->finish();
    using Bytes = Kokkos::View<std::byte*, typename Exec::memory_space, Kokkos::MemoryUnmanaged>;
    for (const Copy& copy : copies_) {
      Kokkos::deep_copy(exec, Bytes(copy.to, copy.bytes), Bytes(copy.from, copy.bytes));
    }
  }

 private:
  struct Copy {
    std::byte *to, *from;
    std::uint64_t bytes;
  };

  /// Whether elements that travel between this rank and another have a lead.
  template <class View>
  [[nodiscard]] bool is_led(const RowParts& parts, int other, std::uint64_t elements) const {
    return other != ranks_.rank() && has_lead<View>(parts, elements);
  }
  /// What has no lead, from an array to another.
  template <class From, class To, class Which>
  void add_exact(const RowParts& parts, std::size_t round, const From& from, const To& to,
                 const Which& which, const std::shared_ptr<const void>& memory) {
    const std::vector<std::uint64_t>&out = parts.out, &in = parts.in[round];
    first_.add(
        ranks_, from, to,
        [&](int rank, const auto& use) {
          parts.for_each_part(round, rank, [&](std::size_t part) {
            const std::uint64_t begin = out[part], end = out[part + 1];
            if (which.sends(part) && !is_led<To>(parts, rank, end - begin)) use(begin, end);
          });
        },
        [&](int rank, const auto& use) {
          parts.for_each_piece(round, rank, [&](std::size_t piece) {
            const std::uint64_t begin = in[piece], end = in[piece + 1];
            const bool is_here = which.receives(round, piece);
            if (is_here && !is_led<To>(parts, rank, end - begin)) use(begin, end);
          });
        },
        memory);
  }
  /// What has one, from an array to another, by way of `led`.
  template <class From, class To, class Which>
  void add_led(const RowParts& parts, std::size_t round, const From& from, const To& led,
               const To& to, const Which& which, const std::shared_ptr<const void>& memory) {
    const std::vector<LedPiece> pieces = led_pieces<To>(parts, round, ranks_.rank());
    const auto arrives = [&](const LedPiece& piece) { return which.receives(round, piece.piece); };
    first_.add(
        ranks_, from, led,
        [&](int rank, const auto& use) {
          parts.for_each_part(round, rank, [&](std::size_t part) {
            const std::uint64_t begin = parts.out[part], end = parts.out[part + 1];
            if (which.sends(part) && is_led<To>(parts, rank, end - begin)) {
              use(begin - lead_of(begin), end);
            }
          });
        },
        [&](int rank, const auto& use) {
          for (const LedPiece& piece : pieces) {
            const bool is_theirs =
                piece.piece % parts.shape.ranks == static_cast<std::size_t>(rank);
            if (is_theirs && arrives(piece)) use(piece.at, piece.at + piece.lead + piece.size());
          }
        },
        memory);
    const auto byte = [](const To& view, std::uint64_t element) {
      return reinterpret_cast<std::byte*>(view.data() + element);
    };
    for (const LedPiece& piece : pieces) {
      if (!arrives(piece)) continue;
      copies_.push_back({byte(to, piece.begin), byte(led, piece.at + piece.lead),
                         piece.size() * sizeof(typename To::value_type)});
    }
  }
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
  std::vector<Copy> copies_;
  std::optional<StartedExchange> under_way_;
  bool is_passed_on_ = false;
};

}  // namespace hashmill::detail
