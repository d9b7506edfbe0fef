#pragma once

#include <hashmill/backends/alias_word.hpp>
#include <hashmill/compression/detail/codec_rates.hpp>
#include <hashmill/compression/detail/decode_frames.hpp>
#include <hashmill/compression/detail/encode_frames.hpp>
#include <hashmill/shuffle/detail/sent_rows.hpp>
#include <optional>

namespace hashmill::detail {

/// The signed integer of so many bytes, by which numbers of this size are compressed: so few types
/// of kernels are compiled.
template <std::size_t Bytes>
using FrameNumber = std::conditional_t<
    Bytes == 1, std::int8_t,
    std::conditional_t<Bytes == 2, std::int16_t,
                       std::conditional_t<Bytes == 4, std::int32_t, std::int64_t>>>;

/// Numbers of any type, read or written by their bits.
template <class Number>
struct NumberBits {
  using Bits HASHMILL_MAY_ALIAS = Number;
  Bits* bits;
  KOKKOS_FORCEINLINE_FUNCTION Number operator()(std::uint64_t i) const { return bits[i]; }
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, Number number) const {
    bits[i] = number;
  }
};

[[nodiscard]] inline bool is_empty(const std::vector<std::uint64_t>& begins, std::size_t i) {
  return begins[i] == begins[i + 1];
}

/// The parts of an array that have no frame.
struct WithoutFrame {
  const RowParts& frames;
  [[nodiscard]] bool sends(std::size_t part) const { return is_empty(frames.out, part); }
  [[nodiscard]] bool receives(std::size_t round, std::size_t piece) const {
    return is_empty(frames.in[round], piece);
  }
  [[nodiscard]] bool passes_on(std::size_t round, std::size_t cell) const {
    return is_empty(frames.cells[round], cell);
  }
};

/// The parts of an array of numbers that travel compressed: a frame for each part that goes to
/// another rank. Each rank decides for its own parts, so that a rank may receive frames from some
/// and numbers from others. What arrives is not checked again, as numbers are not. All its memory
/// is borrowed.
template <class Exec, std::size_t Bytes>
class SentFrames {
 public:
  using Number = FrameNumber<Bytes>;

  /// Compresses numbers that lie in the order of their parts, where that pays. A collective part of
  /// the call, if any rank wishes to compress. Throws where a step failed on any rank.
  template <class Rows>
  void pack(const Rows& rows, const void* numbers) {
    if (rows.parts.notes.wish == CompressionWish::none) return;
    const NumberBits<Number> source{
        static_cast<typename NumberBits<Number>::Bits*>(const_cast<void*>(numbers))};
    std::optional<FrameTable<MemorySpace>> frames;
    MeasuredFrames<MemorySpace> measured;
    measured.begins.resize(rows.parts.out.size());
    rows.call.step("compress", [&] {
      const auto has_frame = [&](std::uint64_t part) { return is_compressed(rows, part); };
      frames.emplace(rows.exec, rows.parts.out, has_frame, rows.workspace);
      const std::optional<CompressionScheme> scheme = choose(rows, source, *frames);
      if (!scheme) return;
      measured = measure_frames<team, Number>(rows.exec, source, *frames, *scheme, rows.workspace);
    });
    bytes_ = exchange_sizes_beside(rows.call, rows.parts, measured.begins);
    rows.call.step("compress", [&] {
      out_ = rows.template borrow<std::byte>(bytes_.out.back());
      stops_ = borrow_stops<Frames>(rows, bytes_);
      for (const auto& pieces : bytes_.in) {
        in_.push_back(rows.template borrow<std::byte>(pieces.back()));
      }
      if (bytes_.out.back() == 0) return;
      const auto begins = device_words(rows.exec, bytes_.out, rows.workspace);
      write_frames<team, Number>(rows.exec, source, *frames, measured, begins.data(), out_.data());
      rows.exec.fence("hashmill: frames are sent");
    });
    rows.call.agree("agree on memory");
  }
  /// Starts to send the parts of a round: as frames, or as numbers from `from` to `to`.
  template <class Rows, class View>
  void add_pieces_of(const Rows& rows, std::size_t round, const View& from,
                     const Stops<View>& stops, const View& to, TravellingPieces& pieces) const {
    if (rows.parts.notes.wish == CompressionWish::none) {
      add_pieces(pieces, rows, rows.parts, round, from, stops, to);
      return;
    }
    add_pieces(pieces, rows, bytes_, round, out_, stops_[round], in_[round]);
    add_pieces(pieces, rows, rows.parts, round, from, stops, to, WithoutFrame{bytes_});
  }
  /// Writes the numbers of the frames that came in a round to their places. Waits for `exec`.
  template <class Rows>
  void finish(const Rows& rows, std::size_t round, void* numbers) {
    if (rows.parts.notes.wish == CompressionWish::none || bytes_.in[round].back() == 0) return;
    typename Workspace<MemorySpace>::Frame frame(rows.workspace);
    const auto has_frame = [&](std::uint64_t piece) { return !is_empty(bytes_.in[round], piece); };
    const FrameTable<MemorySpace> frames(rows.exec, rows.parts.in[round], has_frame,
                                         rows.workspace);
    const auto begins = device_words(rows.exec, bytes_.in[round], rows.workspace);
    read_frames<team, Number>(
        rows.exec, frames, begins.data(), in_[round].data(), {0, frames.num_rows()},
        {0, frames.num_tiles()},
        NumberBits<Number>{static_cast<typename NumberBits<Number>::Bits*>(numbers)});
    rows.exec.fence("hashmill: frames are decoded");
  }

 private:
  using MemorySpace = typename Exec::memory_space;
  using Frames = Kokkos::View<std::byte*, MemorySpace>;
  static constexpr bool team = backends::has_wide_teams<Exec>;

  /// Whether a part leaves this rank, and is not empty.
  template <class Rows>
  [[nodiscard]] static bool is_compressed(const Rows& rows, std::size_t part) {
    const PartShape& shape = rows.parts.shape;
    const bool stays = part < shape.part_for_all() &&
                       part % shape.ranks == static_cast<std::uint64_t>(rows.ranks.rank());
    return !stays && !is_empty(rows.parts.out, part);
  }
  /// How to compress; none where it does not pay.
  template <class Rows>
  [[nodiscard]] static std::optional<CompressionScheme> choose(
      const Rows& rows, const NumberBits<Number>& source, const FrameTable<MemorySpace>& frames) {
    const CodecRates rates(rows.exec);
    const bool always = rows.travel.compression == Compression::always;
    const std::optional<double> link = rows.ranks.bytes_per_second();
    if (frames.num_tiles() == 0 || rows.travel.compression == Compression::never)
      return std::nullopt;
    if (!always && (!link || *link >= rates.fastest_link())) return std::nullopt;
    const SchemeBytes sample = sample_schemes<team, Number>(rows.exec, source, frames);
    if (always) return smallest_scheme(sample);
    const CompressionScheme soonest = rates.soonest(sample, *link);
    if (soonest == CompressionScheme::raw) return std::nullopt;
    return soonest;
  }

  RowParts bytes_;  // of the frames
  Frames out_;
  std::vector<Stops<Frames>> stops_;  // of each round
  std::vector<Frames> in_;
};

/// Stands for the frames of values that are not numbers: there are none.
struct NoFrames {
  template <class Rows>
  void pack(const Rows&, const void*) const {}
  template <class Rows, class View>
  void add_pieces_of(const Rows& rows, std::size_t round, const View& from,
                     const Stops<View>& stops, const View& to, TravellingPieces& pieces) const {
    add_pieces(pieces, rows, rows.parts, round, from, stops, to);
  }
  template <class Rows>
  void finish(const Rows&, std::size_t, const void*) const {}
};

template <class Exec, class Value>
[[nodiscard]] consteval auto choose_frames() {
  if constexpr (ScalarKey<Value>) {
    return std::type_identity<SentFrames<Exec, sizeof(Value)>>();
  } else {
    return std::type_identity<NoFrames>();
  }
}
/// The frames of a column's values.
template <class Exec, class Value>
using FramesOf = typename decltype(choose_frames<Exec, Value>())::type;

}  // namespace hashmill::detail
