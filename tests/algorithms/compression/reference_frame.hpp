#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

namespace hashmill::test {

/// Reads a frame, one bit after the other, from what the header `frame.hpp` says of its layout,
/// with no code of the library. The frame must be right.
class ReferenceFrame {
 public:
  explicit ReferenceFrame(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  [[nodiscard]] std::uint64_t number(std::uint64_t at, unsigned bytes) const {
    std::uint64_t number = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      number |= std::to_integer<std::uint64_t>(bytes_.at(at + i)) << (8 * i);
    }
    return number;
  }
  [[nodiscard]] std::uint64_t count() const { return number(8, 8); }
  [[nodiscard]] std::uint64_t tiles() const { return number(24, 8); }

  /// The values, as unsigned words of `value_bytes` bytes.
  [[nodiscard]] std::vector<std::uint64_t> values() const {
    std::vector<std::uint64_t> all;
    std::uint64_t begin = 40 + 8 * tiles();
    for (std::uint64_t tile = 0; tile < tiles(); ++tile) {
      const std::uint64_t left = count() - tile * 2048;
      read_tile(begin, left < 2048 ? left : 2048, all);
      begin = 40 + 8 * tiles() + number(40 + 8 * tile, 8);
    }
    return all;
  }

 private:
  [[nodiscard]] unsigned value_bytes() const { return static_cast<unsigned>(number(5, 1)); }
  [[nodiscard]] unsigned word_bits() const { return value_bytes() == 8 ? 64 : 32; }
  [[nodiscard]] std::uint64_t as_word(std::uint64_t number) const {
    return word_bits() == 64 ? number : number & 0xFFFFFFFF;
  }

  /// Reads a packed stream, and moves `at` behind it.
  [[nodiscard]] std::vector<std::uint64_t> stream(std::uint64_t& at, std::uint64_t count,
                                                  unsigned width, std::uint64_t reference) const {
    const unsigned bits = width <= 32 ? 32 : 64;
    const std::uint64_t words = ((count + 31) / 32 * width + bits - 1) / bits;
    std::array<std::vector<bool>, 32> lanes;
    for (std::uint64_t word = 0; word < 32 * words; ++word) {
      const std::uint64_t value = number(at + word * bits / 8, bits / 8);
      for (unsigned b = 0; b < bits; ++b) lanes.at(word % 32).push_back((value >> b & 1) != 0);
    }
    at += 32 * words * bits / 8;
    std::vector<std::uint64_t> entries;
    for (std::uint64_t i = 0; i < count; ++i) {
      std::uint64_t entry = 0;
      for (unsigned b = 0; b < width; ++b) {
        entry |= std::uint64_t{lanes.at(i % 32).at(i / 32 * width + b)} << b;
      }
      entries.push_back(entry + reference);
    }
    return entries;
  }
  [[nodiscard]] static std::vector<std::uint64_t> repeated(
      const std::vector<std::uint64_t>& values, const std::vector<std::uint64_t>& times) {
    std::vector<std::uint64_t> all;
    for (std::size_t r = 0; r < values.size(); ++r) all.insert(all.end(), times.at(r), values[r]);
    return all;
  }

  void read_tile(std::uint64_t at, std::uint64_t values, std::vector<std::uint64_t>& all) const {
    const std::uint64_t scheme = number(at + 4, 1);
    const auto width = [&](unsigned s) { return static_cast<unsigned>(number(at + 5 + s, 1)); };
    const std::uint64_t stored = number(at + 8, 2);
    const std::uint64_t runs = number(at + 10, 2);
    std::uint64_t data = at + 32;
    if (scheme == 0) {
      for (std::uint64_t i = 0; i < values; ++i) {
        all.push_back(number(data + i * value_bytes(), value_bytes()));
      }
      return;
    }
    auto found = stream(data, stored, width(0), number(at + 16, 8));
    std::vector<std::uint64_t> run_lengths;
    if (scheme >= 3) run_lengths = stream(data, runs, width(1), number(at + 12, 2));
    if (scheme == 5) found = repeated(found, stream(data, stored, width(2), number(at + 14, 2)));
    if (scheme == 2 || scheme >= 4) {
      std::vector<std::uint64_t> sums{number(at + 24, 8)};
      for (const std::uint64_t delta : found) sums.push_back(sums.back() + delta);
      found = sums;
    }
    if (scheme >= 3) found = repeated(found, run_lengths);
    for (const std::uint64_t word : found) {
      const std::uint64_t mask =
          value_bytes() == 8 ? ~std::uint64_t{0} : (std::uint64_t{1} << 8 * value_bytes()) - 1;
      all.push_back(as_word(word) & mask);
    }
  }

  std::vector<std::byte> bytes_;
};

}  // namespace hashmill::test
