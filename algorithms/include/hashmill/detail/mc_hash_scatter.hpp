#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/streaming.hpp>

namespace hashmill::detail {

/// Adds to `counts` how many of `count` tuples have each value of the digit.
template <class Tuple, class DigitOf>
void count_digits(const Tuple* tuples, std::uint64_t count, const DigitOf& digit,
                  std::uint64_t* counts) {
  for (std::uint64_t i = 0; i < count; ++i) ++counts[digit(tuples[i])];
}

/// Software write combining (Kim et al., "Sort vs. hash revisited", VLDB 2009, section 4.2;
/// Balkesen et al., ICDE 2013, section IV-B): each part has a buffer of whole cache lines, which go
/// to memory together, past the caches when `stream`.
///
/// A buffer goes when the next tuple of its part comes: reading a line just after its last tuple
/// was stored would wait for that store. The papers' one line a part is taken where more parts
/// would outgrow the cache; four make the branch that writes them a quarter as often a surprise,
/// and scattering a quarter faster (2 cores of an AMD EPYC 9004, 2^10 parts).
template <class Tuple>
class CombiningBuffers {
 public:
  [[nodiscard]] static std::uint64_t bytes(std::uint32_t fan_out) {
    return fan_out * (num_lines(fan_out) * backends::cache_line_bytes + 2 * sizeof(std::uint64_t));
  }
  /// `memory`: `bytes(fan_out)` bytes, aligned to a cache line; `out`: aligned to a buffer.
  CombiningBuffers(std::byte* memory, std::uint32_t fan_out, Tuple* out, bool stream)
      : bits_(static_cast<unsigned>(std::countr_zero(num_lines(fan_out) * line_tuples))),
        buffers_(reinterpret_cast<Tuple*>(memory)),
        next_(reinterpret_cast<std::uint64_t*>(buffers_ + (std::uint64_t{fan_out} << bits_))),
        first_(next_ + fan_out),
        fan_out_(fan_out),
        out_(out),
        stream_(stream) {}

  /// Where part `part` is to begin in `out`; to be called for each part before `scatter`.
  void begin_part(std::uint32_t part, std::uint64_t place) { next_[part] = first_[part] = place; }

  /// Writes all tuples to their parts. Stable.
  template <class DigitOf>
  void scatter(const Tuple* tuples, std::uint64_t count, const DigitOf& digit) const {
    const CombiningBuffers self = *this;  // so that what it writes cannot change it
    const DigitOf digit_of = digit;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Tuple tuple = tuples[i];
      const std::uint64_t part = digit_of(tuple);
      const std::uint64_t place = self.next_[part]++;
      const std::uint64_t slot = place & ((std::uint64_t{1} << self.bits_) - 1);
      Tuple* const buffer = self.buffer(part);
      if (slot == 0) self.flush(buffer, self.first_[part], place);
      buffer[slot] = tuple;
    }
    for (std::uint32_t part = 0; part < fan_out_; ++part) {
      flush(buffer(part), first_[part], next_[part]);
    }
    if (stream_) backends::streaming_fence();
  }

 private:
  static constexpr std::uint64_t line_tuples = backends::cache_line_bytes / sizeof(Tuple);

  /// Cache lines of a part's buffer.
  [[nodiscard]] static std::uint64_t num_lines(std::uint32_t fan_out) {
    constexpr std::uint64_t many = 4;
    const std::uint64_t bytes = many * backends::cache_line_bytes * fan_out;
    return bytes <= backends::private_cache_bytes() / 2 ? many : 1;
  }
  [[nodiscard]] Tuple* buffer(std::uint64_t part) const { return buffers_ + (part << bits_); }
  /// Writes what a buffer holds: the last places before `end` that are not before `first`.
  void flush(const Tuple* buffer, std::uint64_t first, std::uint64_t end) const {
    if (first == end) return;
    const std::uint64_t size = std::uint64_t{1} << bits_, begin = (end - 1) >> bits_ << bits_;
    if (stream_ && begin >= first && end - begin == size) {
      for (std::uint64_t i = 0; i < size; i += line_tuples) {
        backends::stream_line(out_ + begin + i, buffer + i);
      }
      return;
    }
    for (std::uint64_t i = std::max(begin, first); i < end; ++i) out_[i] = buffer[i - begin];
  }

  unsigned bits_;
  Tuple* buffers_;
  std::uint64_t* next_;
  std::uint64_t* first_;
  std::uint32_t fan_out_;
  Tuple* out_;
  bool stream_;
};

}  // namespace hashmill::detail
