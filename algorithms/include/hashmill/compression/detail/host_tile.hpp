#pragma once

#include <hashmill/compression/detail/lanes.hpp>
#include <hashmill/compression/detail/tile_arrays.hpp>

namespace hashmill::detail {

/// The layers of a tile's cascade on one thread, whose first cache holds the arrays. TeamTile has
/// the same members; see there for what each does.
template <class Word>
class HostTile {
  /// Values that `expand` writes at once.
  static constexpr std::uint32_t at_once = 16;

 public:
  using word_type = Word;

  /// What the layers work on, on a thread's stack. `expand` writes to the spare values, and lets
  /// them be the values.
  struct Arrays {
    Word buffers[2][compression_tile + at_once];
    Word* values = buffers[0];
    Word* spare = buffers[1];
    std::uint16_t run_lengths[compression_tile + 1];
    std::uint16_t delta_run_lengths[compression_tile + 1];
  };

  KOKKOS_FUNCTION explicit HostTile(Arrays& arrays) : arrays_(arrays) {}

  [[nodiscard]] KOKKOS_FUNCTION Arrays& arrays() const { return arrays_; }

  template <class Act>
  KOKKOS_FUNCTION void each(std::uint32_t first, std::uint32_t end, const Act& act) const {
    const Act own = act;  // whose members nothing that it writes can change
    for (std::uint32_t i = first; i < end; ++i) own(i);
  }
  template <class Source>
  KOKKOS_FUNCTION void load(std::uint32_t count, const Source& source) const {
    each(0, count, [source, values = arrays_.values](std::uint32_t i) { values[i] = source(i); });
  }
  template <class Sink>
  KOKKOS_FUNCTION void store(std::uint32_t first, std::uint32_t end, const Sink& sink) const {
    each(first, end, [sink, values = arrays_.values](std::uint32_t i) { sink(i, values[i]); });
  }
  template <class Act>
  KOKKOS_FUNCTION void once(const Act& act) const {
    act();
  }

  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t find_runs(std::uint32_t count,
                                                        std::uint16_t* lengths) const {
    if (count == 0) return 0;
    Word* const values = arrays_.values;
    // Bits of 64 values tell where runs begin: a step for each run, not for each value.
    std::uint64_t starts[compression_tile / 64];
    mark_starts(values, count, starts);
    for (std::uint32_t i = 0; i < count; ++i) lengths[i] = static_cast<std::uint16_t>(i);
    std::uint32_t runs = 0;
    for (std::uint32_t first = 0; first < count; first += 64) {
      std::uint64_t left = starts[first / 64];
      if (left == ~std::uint64_t{0}) {  // no two of them are equal
        if (runs != first) {
          move_64(values + first, values + runs);
          move_64(lengths + first, lengths + runs);
        }
        runs += 64;
        continue;
      }
      for (; left != 0; left &= left - 1) {
        const std::uint32_t i = first + static_cast<std::uint32_t>(Kokkos::countr_zero(left));
        values[runs] = values[i];
        lengths[runs++] = static_cast<std::uint16_t>(i);
      }
    }
    lengths[runs] = static_cast<std::uint16_t>(count);
    for (std::uint32_t r = 0; r < runs; ++r) {
      lengths[r] = static_cast<std::uint16_t>(lengths[r + 1] - lengths[r]);
    }
    return runs;
  }

  KOKKOS_FUNCTION void differences(std::uint32_t count) const {
    Word* const values = arrays_.values;
    for (std::uint32_t i = 0; i + 1 < count; ++i) values[i] = values[i + 1] - values[i];
  }
  KOKKOS_FUNCTION void sums(Word first, std::uint32_t count) const {
    Word* const values = arrays_.values;
    Word sum = first;
    for (std::uint32_t i = 0; i < count; ++i) {
      const Word delta = values[i];
      values[i] = sum;
      sum += delta;
    }
  }
  KOKKOS_FUNCTION void expand(std::uint32_t runs, const std::uint16_t* lengths,
                              std::uint32_t count) const {
    if (runs == count) return;
    // Most runs are short. Without a branch on their length they are written at once, and what is
    // too much is overwritten by the next ones.
    const Word* const values = arrays_.values;
    Word* const expanded = arrays_.spare;
    Word* begin = expanded;
    for (std::uint32_t r = 0; r < runs; ++r) {
      const Word value = values[r];
      Word* const end = begin + lengths[r];
      for (std::uint32_t i = 0; i < at_once; ++i) begin[i] = value;
      for (Word* at = begin + at_once; at < end; ++at) *at = value;
      begin = end;
    }
    arrays_.spare = arrays_.values;
    arrays_.values = expanded;
  }

  template <class Number>
  [[nodiscard]] KOKKOS_FUNCTION Bounds<Number> bounds(const Number* numbers, std::uint32_t count,
                                                      Number flip) const {
    auto least = static_cast<Number>(~Number{0});
    Number greatest = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto number = static_cast<Number>(numbers[i] ^ flip);
      least = number < least ? number : least;
      greatest = number > greatest ? number : greatest;
    }
    return {least, greatest};
  }

  template <class Number>
  KOKKOS_FUNCTION void pack(Number* numbers, std::uint32_t count, Number reference,
                            std::uint32_t width, std::byte* out) const {
    if (width == 0) return;
    const std::uint32_t positions = lane_positions(count);
    for (std::uint32_t i = count; i < positions * stream_lanes; ++i) numbers[i] = reference;
    if (word_bits(width) == 32) {
      pack_words(numbers, positions, reference, width, reinterpret_cast<std::uint32_t*>(out));
    } else if constexpr (sizeof(Number) == 8) {
      pack_words(numbers, positions, reference, width, reinterpret_cast<std::uint64_t*>(out));
    }
  }
  template <class Number>
  KOKKOS_FUNCTION void unpack(const std::byte* in, std::uint32_t count, Number reference,
                              std::uint32_t width, Number* numbers) const {
    const std::uint32_t positions = lane_positions(count);
    if (width == 0) {
      for (std::uint32_t i = 0; i < count; ++i) numbers[i] = reference;
    } else if (word_bits(width) == 32) {
      unpack_words(reinterpret_cast<const std::uint32_t*>(in), positions, reference, width,
                   numbers);
    } else if constexpr (sizeof(Number) == 8) {
      unpack_words(reinterpret_cast<const std::uint64_t*>(in), positions, reference, width,
                   numbers);
    }
  }

  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t checksum(const std::byte* tile,
                                                       std::uint32_t bytes) const {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(tile);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 1; i < bytes / 4; ++i) sum += mixed_word(words[i], i);
    return sum;
  }
  [[nodiscard]] KOKKOS_FUNCTION bool are_lengths_of(const std::uint16_t* lengths,
                                                    std::uint32_t runs, std::uint32_t count) const {
    std::uint32_t sum = 0;
    std::uint32_t zeros = 0;
    for (std::uint32_t r = 0; r < runs; ++r) {
      sum += lengths[r];
      zeros += lengths[r] == 0;
    }
    return sum == count && zeros == 0;
  }

 private:
  /// Bit i % 64 of word i / 64 tells whether value i differs from the one before.
  KOKKOS_FUNCTION static void mark_starts(const Word* values, std::uint32_t count,
                                          std::uint64_t* starts) {
    Word before = static_cast<Word>(~values[0]);
    for (std::uint32_t first = 0; first < count; first += 64) {
      std::uint8_t differs[64];
      const std::uint32_t some = count - first < 64 ? count - first : 64;
      const Word* const own = values + first;
      differs[0] = own[0] != before;
      for (std::uint32_t i = 1; i < some; ++i) differs[i] = own[i] != own[i - 1];
      before = own[some - 1];
      for (std::uint32_t i = some; i < 64; ++i) differs[i] = 0;
      std::uint64_t word = 0;
      for (std::uint32_t b = 0; b < 8; ++b) {  // gathers the lowest bits of 8 bytes
        std::uint64_t eight = 0;
        for (std::uint32_t i = 0; i < 8; ++i) eight |= std::uint64_t{differs[8 * b + i]} << 8 * i;
        word |= (eight * 0x0102040810204080U >> 56) << 8 * b;
      }
      starts[first / 64] = word;
    }
  }
  template <class Number, class Lane>
  KOKKOS_FUNCTION static void pack_words(const Number* numbers, std::uint32_t positions,
                                         Number reference, std::uint32_t width, Lane* out) {
    constexpr std::uint32_t bits = 8 * sizeof(Lane);
    Lane word[stream_lanes] = {};
    std::uint32_t used = 0;  // bits of `word`
    for (std::uint32_t j = 0; j < positions; ++j, numbers += stream_lanes) {
      for (std::uint32_t l = 0; l < stream_lanes; ++l) {
        word[l] |= static_cast<Lane>(static_cast<Number>(numbers[l] - reference)) << used;
      }
      used += width;
      if (used < bits) continue;
      for (std::uint32_t l = 0; l < stream_lanes; ++l) out[l] = word[l];
      out += stream_lanes;
      used -= bits;
      for (std::uint32_t l = 0; l < stream_lanes; ++l) {
        const auto number = static_cast<Lane>(static_cast<Number>(numbers[l] - reference));
        word[l] = used == 0 ? 0 : number >> (width - used);
      }
    }
    if (used == 0) return;
    for (std::uint32_t l = 0; l < stream_lanes; ++l) out[l] = word[l];
  }
  template <class Lane, class Number>
  KOKKOS_FUNCTION static void unpack_words(const Lane* words, std::uint32_t positions,
                                           Number reference, std::uint32_t width, Number* numbers) {
    constexpr std::uint32_t bits = 8 * sizeof(Lane);
    const auto mask = low_bits<Lane>(width);
    std::uint32_t used = 0;  // bits of `words`
    for (std::uint32_t j = 0; j < positions; ++j, numbers += stream_lanes) {
      if (used + width <= bits) {
        for (std::uint32_t l = 0; l < stream_lanes; ++l) {
          numbers[l] = static_cast<Number>(((words[l] >> used) & mask) + reference);
        }
      } else {
        const Lane* const next = words + stream_lanes;
        for (std::uint32_t l = 0; l < stream_lanes; ++l) {
          const Lane both = (words[l] >> used) | (next[l] << (bits - used));
          numbers[l] = static_cast<Number>((both & mask) + reference);
        }
      }
      used += width;
      if (used >= bits) {
        used -= bits;
        words += stream_lanes;
      }
    }
  }

  /// Moves 64 numbers to a place before theirs, which may reach into it.
  template <class Number>
  KOKKOS_FUNCTION static void move_64(const Number* from, Number* to) {
    Number moved[64];
    for (std::uint32_t i = 0; i < 64; ++i) moved[i] = from[i];
    for (std::uint32_t i = 0; i < 64; ++i) to[i] = moved[i];
  }

  Arrays& arrays_;
};

}  // namespace hashmill::detail
