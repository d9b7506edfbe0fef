#pragma once

#include <hashmill/compression/detail/codec_rates.hpp>
#include <hashmill/shuffle/compression.hpp>
#include <hashmill/shuffle/detail/row_parts.hpp>
#include <memory>

namespace hashmill::detail {

/// How columns travel, as a caller asks.
struct Travel {
  Compression compression = Compression::automatic;
  ShuffleLevels levels = ShuffleLevels::automatic;
  /// Whether what arrives lies in the workspace, with all else that is temporary. The caller has
  /// opened a frame, which outlives it.
  bool borrows = false;
  /// Whether rows of a part may come in any order, and no answers are sent to them.
  bool any_order = false;
};

/// What a rank wishes that sends so many bytes.
template <class Exec>
[[nodiscard]] CompressionWish wish_to_compress(const Exec& exec, const Communicator& ranks,
                                               Compression compression, std::uint64_t bytes) {
  constexpr std::uint64_t least_bytes = std::uint64_t{16} << 20;
  if (compression == Compression::always) return CompressionWish::compress;
  if (compression == Compression::never || ranks.size() == 1) return CompressionWish::none;
  if (bytes < least_bytes) return CompressionWish::none;
  const std::optional<double> link = ranks.bytes_per_second();
  if (!link) return CompressionWish::measure;
  return *link < CodecRates(exec).fastest_link() ? CompressionWish::compress
                                                 : CompressionWish::none;
}

/// What this rank tells the others before it sends so many bytes.
template <class Exec>
[[nodiscard]] TravelNotes notes_before(const Exec& exec, const Communicator& ranks,
                                       const Travel& travel, std::uint64_t bytes) {
  return {wish_to_compress(exec, ranks, travel.compression, bytes), bytes,
          static_cast<std::uint64_t>(ranks.bytes_per_second().value_or(0))};
}

/// Whether N nodes of M ranks, P in all, save more time by fewer messages across nodes than they
/// take to send S bytes of each rank inside nodes as well:
///
///     (P - M - N + 1) x 5 us > S (1 - 1/M - (M - 1)/P) / rate inside
///
/// The rate inside nodes is taken to be 8 times the rate across, and that to be 25 GB/s where it is
/// not known.
[[nodiscard]] inline bool is_faster_by_relays(const RankPlaces& places, const TravelNotes& notes) {
  constexpr double seconds_per_message = 5e-6, usual_rate = 25e9, times_faster_inside = 8;
  const double n = places.num_nodes(), m = places.node_size(0), p = n * m;
  const double rate =
      notes.bytes_per_second == 0 ? usual_rate : static_cast<double>(notes.bytes_per_second);
  const double more = static_cast<double>(notes.bytes) * (1 - 1 / m - (m - 1) / p);
  return (p - m - n + 1) * seconds_per_message > more / (times_faster_inside * rate);
}

/// The relays of rows; null where they go straight. Collective where it is not.
[[nodiscard]] inline std::shared_ptr<const RelayPlan> choose_relay(const Communicator& ranks,
                                                                   ShuffleLevels levels,
                                                                   const TravelNotes& notes) {
  if (levels == ShuffleLevels::one || !ranks.places().are_equal_nodes()) return nullptr;
  if (levels == ShuffleLevels::automatic && !is_faster_by_relays(ranks.places(), notes)) {
    return nullptr;
  }
  return std::make_shared<const RelayPlan>(ranks.nodes(),
                                           levels != ShuffleLevels::inside_then_across);
}

}  // namespace hashmill::detail
