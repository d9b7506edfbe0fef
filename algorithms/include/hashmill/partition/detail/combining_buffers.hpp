#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/streaming.hpp>

namespace hashmill::detail {

/// Software write combining for one host thread. Each part has a buffer of whole cache lines, which
/// goes to `sink` at once, past the caches if `stream`. Stable. Sources: Kim et al., "Sort vs. hash
/// revisited", VLDB 2009, section 4.2; Balkesen et al., ICDE 2013, section IV-B.
///
/// A full buffer is written when the next record of its part comes. To read a line just after its
/// last record was stored would wait for that store, and so for all streaming stores before it.
///
///     | buffer per part | when                              | effect                             |
///     |-----------------|-----------------------------------|------------------------------------|
///     | 4 cache lines   | all fit half of the private cache | the branch that writes buffers     |
///     |                 |                                   | mispredicts a quarter as often;    |
///     |                 |                                   | scattering is a quarter faster     |
///     | 1 cache line    | otherwise                         | as in the papers                   |
///
/// Measured with 2^10 parts on 2 cores of an AMD EPYC 9004.
template <class Record, class Offset, class Sink>
class CombiningBuffers {
 public:
  [[nodiscard]] static std::uint64_t bytes(std::uint32_t fan_out) {
    return std::uint64_t{fan_out} * ((sizeof(Record) << log_records(fan_out)) + 2 * sizeof(Offset));
  }
  /// `memory`: `bytes(fan_out)` bytes, aligned to a cache line. Position 0 of `sink` must be, too.
  CombiningBuffers(std::byte* memory, std::uint32_t fan_out, const Sink& sink, bool stream)
      : bits_(log_records(fan_out)),
        buffers_(reinterpret_cast<Record*>(memory)),
        next_(reinterpret_cast<Offset*>(buffers_ + (std::uint64_t{fan_out} << bits_))),
        first_(next_ + fan_out),
        fan_out_(fan_out),
        sink_(sink),
        stream_(stream) {}

  /// Sets where a part begins. Call it for each part before its first record.
  void begin_part(std::uint32_t part, Offset place) const { next_[part] = first_[part] = place; }

  /// Takes the next record of a part.
  void put(std::uint64_t part, const Record& record) const {
    const Offset place = next_[part]++;
    const Offset slot = place & ((Offset{1} << bits_) - 1);
    Record* const buffer = buffers_ + (part << bits_);
    if (slot == 0) flush(buffer, first_[part], place);
    buffer[slot] = record;
  }
  /// Writes the remaining records of all parts.
  void finish() const {
    for (std::uint32_t part = 0; part < fan_out_; ++part) {
      flush(buffers_ + (std::uint64_t{part} << bits_), first_[part], next_[part]);
    }
    if (stream_) backends::streaming_fence();
  }

 private:
  static constexpr bool whole_lines = backends::cache_line_bytes % sizeof(Record) == 0;

  /// log2 of the records per buffer: one cache line or four, or about that where records do not
  /// divide a line.
  [[nodiscard]] static unsigned log_records(std::uint32_t fan_out) {
    constexpr std::uint64_t many = 4;
    constexpr std::uint64_t a_line =
        std::bit_floor(std::max<std::uint64_t>(backends::cache_line_bytes / sizeof(Record), 4));
    const std::uint64_t bytes = many * a_line * sizeof(Record) * fan_out;
    const bool fits = bytes <= backends::private_cache_bytes() / 2;
    return static_cast<unsigned>(std::countr_zero(fits ? many * a_line : a_line));
  }
  /// Writes the contents of a buffer: its last places before `end`, but none before `first`.
  void flush(const Record* buffer, Offset first, Offset end) const {
    if (first == end) return;
    const Offset size = Offset{1} << bits_, begin = (end - 1) >> bits_ << bits_;
    if constexpr (whole_lines && requires { sink_.address(0); }) {
      if (stream_ && begin >= first && end - begin == size) {
        constexpr Offset line = backends::cache_line_bytes / sizeof(Record);
        for (Offset i = 0; i < size; i += line) {
          backends::stream_line(sink_.address(begin + i), buffer + i);
        }
        return;
      }
    }
    for (Offset i = std::max(begin, first); i < end; ++i) sink_(i, buffer[i - begin]);
  }

  unsigned bits_;
  Record* buffers_;
  Offset* next_;
  Offset* first_;
  std::uint32_t fan_out_;
  Sink sink_;
  bool stream_;
};

}  // namespace hashmill::detail
