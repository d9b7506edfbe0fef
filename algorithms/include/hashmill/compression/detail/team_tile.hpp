#pragma once

#include <hashmill/backends/team_scan.hpp>
#include <hashmill/compression/detail/lanes.hpp>
#include <hashmill/compression/detail/tile_arrays.hpp>

namespace hashmill::detail {

/// The layers of a tile's cascade by a team, whose scratch holds the arrays. All threads call each
/// member together, and each returns when its results may be read by all.
///
/// `Threads`: of a team, on GPUs a multiple of 32.
template <class Exec, class Member, class Word, std::uint32_t Threads>
class TeamTile {
  /// Values of a thread. Where their order matters they are consecutive ones.
  static constexpr std::uint32_t items = compression_tile / Threads;
  static constexpr std::uint32_t lanes = Threads < stream_lanes ? Threads : stream_lanes;
  static constexpr std::uint32_t lane_groups = Threads / lanes;
  static_assert(compression_tile % Threads == 0 && Threads % lanes == 0);

 public:
  using word_type = Word;

  /// Bytes of scratch that a team takes.
  [[nodiscard]] static constexpr std::size_t scratch_bytes() {
    return sizeof(Shared) + 2 * backends::wide_team_scan_bytes + 64;
  }

  KOKKOS_FORCEINLINE_FUNCTION explicit TeamTile(const Member& team)
      : team_(team),
        rank_(static_cast<std::uint32_t>(team.team_rank())),
        shared_(*static_cast<Shared*>(team.team_shmem().get_shmem_aligned(sizeof(Shared), 16))),
        counts_(team),
        sums_(team) {}

  /// The arrays that the members work on.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION TileArrays<Word>& arrays() const {
    return shared_.arrays;
  }

  /// act(i) for each i from `first` up, below `end`.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void each(std::uint32_t first, std::uint32_t end,
                                        const Act& act) const {
    for (std::uint32_t i = first + rank_; i < end; i += Threads) act(i);
    team_.team_barrier();
  }
  /// values[i] = source(i) for each i below `count`.
  template <class Source>
  KOKKOS_FORCEINLINE_FUNCTION void load(std::uint32_t count, const Source& source) const {
    each(0, count, [&](std::uint32_t i) { arrays().values[i] = source(i); });
  }
  /// sink(i, values[i]) for each i from `first` up, below `end`.
  template <class Sink>
  KOKKOS_FORCEINLINE_FUNCTION void store(std::uint32_t first, std::uint32_t end,
                                         const Sink& sink) const {
    each(first, end, [&](std::uint32_t i) { sink(i, arrays().values[i]); });
  }
  /// act() by one thread.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void once(const Act& act) const {
    if (rank_ == 0) act();
    team_.team_barrier();
  }

  /// Replaces the first `count` values by one for each run of equal ones. Returns the number of
  /// runs, and in `lengths` how many values each had.
  KOKKOS_FUNCTION std::uint32_t find_runs(std::uint32_t count, std::uint16_t* lengths) const {
    Word* const values = arrays().values;
    const std::uint32_t begin = rank_ * items;
    Word before = 0;
    if (begin < count) before = begin == 0 ? ~values[0] : values[begin - 1];
    const Word before_own = before;
    Word kept[items];
    std::uint32_t starts = 0;
    each_own(count, [&](std::uint32_t k, std::uint32_t i) {
      kept[k] = values[i];
      starts += kept[k] != before ? 1 : 0;
      before = kept[k];
    });
    std::uint32_t run = counts_.exclusive_sum(starts);
    if (rank_ + 1 == Threads) shared_.total = run + starts;
    team_.team_barrier();
    before = before_own;
    each_own(count, [&](std::uint32_t k, std::uint32_t i) {
      if (kept[k] == before) return;
      before = kept[k];
      values[run] = before;
      lengths[run++] = static_cast<std::uint16_t>(i);
    });
    team_.team_barrier();
    const std::uint32_t runs = shared_.total;
    replace(lengths, runs, [=](std::uint32_t r) {
      const std::uint32_t end = r + 1 < runs ? lengths[r + 1] : count;
      return static_cast<std::uint16_t>(end - lengths[r]);
    });
    return runs;
  }

  /// Replaces the first `count` values by the differences between neighbours, one fewer.
  KOKKOS_FUNCTION void differences(std::uint32_t count) const {
    Word* const values = arrays().values;
    replace(values, count == 0 ? 0 : count - 1,
            [=](std::uint32_t i) { return static_cast<Word>(values[i + 1] - values[i]); });
  }
  /// Replaces `count` - 1 differences by `count` values, of which `first` is the first.
  KOKKOS_FUNCTION void sums(Word first, std::uint32_t count) const {
    Word* const values = arrays().values;
    Word kept[items];
    Word own = 0;
    each_own(count, [&](std::uint32_t k, std::uint32_t i) {
      kept[k] = i + 1 < count ? values[i] : Word{0};
      own += kept[k];
    });
    Word sum = first + sums_.exclusive_sum(own);
    team_.team_barrier();
    each_own(count, [&](std::uint32_t k, std::uint32_t i) {
      values[i] = sum;
      sum += kept[k];
    });
    team_.team_barrier();
  }
  /// Replaces the values of `runs` runs by all of their `count` values.
  KOKKOS_FUNCTION void expand(std::uint32_t runs, const std::uint16_t* lengths,
                              std::uint32_t count) const {
    if (runs == count) return;
    mark_starts(runs, lengths, count);
    std::uint32_t starts = 0;
    each_own(count, [&](std::uint32_t, std::uint32_t i) { starts += shared_.starts[i]; });
    // The run of the value before this thread's first one. The first value of all starts run 0.
    std::uint32_t run = counts_.exclusive_sum(starts) - 1;
    Word kept[items];
    Word* const values = arrays().values;
    each_own(count, [&](std::uint32_t k, std::uint32_t i) {
      run += shared_.starts[i];
      kept[k] = values[run];
    });
    team_.team_barrier();
    each_own(count, [&](std::uint32_t k, std::uint32_t i) { values[i] = kept[k]; });
    team_.team_barrier();
  }

  /// The least and the greatest of `count` numbers with the bits of `flip` changed.
  template <class Number>
  [[nodiscard]] KOKKOS_FUNCTION Bounds<Number> bounds(const Number* numbers, std::uint32_t count,
                                                      Number flip) const {
    Kokkos::MinMaxScalar<Number> found{static_cast<Number>(~Number{0}), 0};
    for (std::uint32_t i = rank_; i < count; i += Threads) {
      const auto number = static_cast<Number>(numbers[i] ^ flip);
      found.min_val = number < found.min_val ? number : found.min_val;
      found.max_val = number > found.max_val ? number : found.max_val;
    }
    team_.team_reduce(Kokkos::MinMax<Number>(found));
    return {found.min_val, found.max_val};
  }

  /// Packs `numbers` - `reference`, `width` bits each, into `out`. Numbers up to a multiple of 32
  /// are overwritten.
  template <class Number>
  KOKKOS_FUNCTION void pack(Number* numbers, std::uint32_t count, Number reference,
                            std::uint32_t width, std::byte* out) const {
    if (width == 0) return;
    const std::uint32_t padded = lane_positions(count) * stream_lanes;
    for (std::uint32_t i = count + rank_; i < padded; i += Threads) numbers[i] = reference;
    team_.team_barrier();
    if (word_bits(width) == 32) {
      pack_words(numbers, count, reference, width, reinterpret_cast<std::uint32_t*>(out));
    } else if constexpr (sizeof(Number) == 8) {
      pack_words(numbers, count, reference, width, reinterpret_cast<std::uint64_t*>(out));
    }
    team_.team_barrier();
  }
  /// Reverses `pack`. Writes up to a multiple of 32.
  template <class Number>
  KOKKOS_FUNCTION void unpack(const std::byte* in, std::uint32_t count, Number reference,
                              std::uint32_t width, Number* numbers) const {
    if (width == 0) {
      for (std::uint32_t i = rank_; i < count; i += Threads) numbers[i] = reference;
    } else if (word_bits(width) == 32) {
      unpack_words(reinterpret_cast<const std::uint32_t*>(in), count, reference, width, numbers);
    } else if constexpr (sizeof(Number) == 8) {
      unpack_words(reinterpret_cast<const std::uint64_t*>(in), count, reference, width, numbers);
    }
    team_.team_barrier();
  }

  /// The checksum of a tile of `bytes` bytes, its header included.
  [[nodiscard]] KOKKOS_FUNCTION std::uint32_t checksum(const std::byte* tile,
                                                       std::uint32_t bytes) const {
    const auto* const words = reinterpret_cast<const std::uint32_t*>(tile);
    std::uint32_t sum = 0;
    for (std::uint32_t i = 1 + rank_; i < bytes / 4; i += Threads) sum += mixed_word(words[i], i);
    team_.team_reduce(Kokkos::Sum<std::uint32_t>(sum));
    return sum;
  }
  /// Whether `lengths` are lengths of `runs` runs, none of them empty, of `count` values.
  [[nodiscard]] KOKKOS_FUNCTION bool are_lengths_of(const std::uint16_t* lengths,
                                                    std::uint32_t runs, std::uint32_t count) const {
    std::uint32_t sum = 0;
    for (std::uint32_t r = rank_; r < runs; r += Threads) {
      sum += lengths[r] == 0 ? compression_tile + 1 : lengths[r];  // too many, for an empty one
    }
    team_.team_reduce(Kokkos::Sum<std::uint32_t>(sum));
    return sum == count;
  }

 private:
  struct Shared {
    TileArrays<Word> arrays;
    std::uint16_t starts[compression_tile];  ///< 1 where a run starts
    std::uint32_t total;
  };

  /// Calls act(k, i) for each of the thread's consecutive values i below `count`, of which it is
  /// number k.
  template <class Act>
  KOKKOS_FORCEINLINE_FUNCTION void each_own(std::uint32_t count, const Act& act) const {
    HASHMILL_UNROLL(8)
    for (std::uint32_t k = 0; k < items; ++k) {
      const std::uint32_t i = rank_ * items + k;
      if (i < count) act(k, i);
    }
  }
  /// starts[i] = 1 where a run starts at value i, else 0.
  KOKKOS_FORCEINLINE_FUNCTION void mark_starts(std::uint32_t runs, const std::uint16_t* lengths,
                                               std::uint32_t count) const {
    for (std::uint32_t i = rank_; i < count; i += Threads) shared_.starts[i] = 0;
    std::uint32_t own = 0;
    each_own(runs, [&](std::uint32_t, std::uint32_t r) { own += lengths[r]; });
    std::uint32_t at = counts_.exclusive_sum(own);
    team_.team_barrier();
    each_own(runs, [&](std::uint32_t, std::uint32_t r) {
      shared_.starts[at] = 1;
      at += lengths[r];
    });
    team_.team_barrier();
  }
  /// array[i] = make(i) for each i below `count`, where `make` reads the array as it was.
  template <class Element, class Make>
  KOKKOS_FORCEINLINE_FUNCTION void replace(Element* array, std::uint32_t count,
                                           const Make& make) const {
    Element made[items];
    HASHMILL_UNROLL(8)
    for (std::uint32_t k = 0; k < items; ++k) {
      const std::uint32_t i = k * Threads + rank_;
      if (i < count) made[k] = make(i);
    }
    team_.team_barrier();
    HASHMILL_UNROLL(8)
    for (std::uint32_t k = 0; k < items; ++k) {
      const std::uint32_t i = k * Threads + rank_;
      if (i < count) array[i] = made[k];
    }
    team_.team_barrier();
  }
  template <class Number, class Lane>
  KOKKOS_FORCEINLINE_FUNCTION void pack_words(const Number* numbers, std::uint32_t count,
                                              Number reference, std::uint32_t width,
                                              Lane* out) const {
    constexpr std::uint32_t bits = 8 * sizeof(Lane);
    const std::uint32_t positions = lane_positions(count);
    const std::uint32_t words = lane_words(count, width);
    for (std::uint32_t k = rank_ / lanes; k < words; k += lane_groups) {
      for (std::uint32_t l = rank_ % lanes; l < stream_lanes; l += lanes) {
        const std::uint32_t bit = k * bits;
        Lane word = 0;
        for (std::uint32_t j = bit / width; j < positions && j * width < bit + bits; ++j) {
          const auto number =
              static_cast<Lane>(static_cast<Number>(numbers[j * stream_lanes + l] - reference));
          word |= j * width >= bit ? number << (j * width - bit) : number >> (bit - j * width);
        }
        out[k * stream_lanes + l] = word;
      }
    }
  }
  template <class Lane, class Number>
  KOKKOS_FORCEINLINE_FUNCTION void unpack_words(const Lane* words, std::uint32_t count,
                                                Number reference, std::uint32_t width,
                                                Number* numbers) const {
    constexpr std::uint32_t bits = 8 * sizeof(Lane);
    const std::uint32_t padded = lane_positions(count) * stream_lanes;
    for (std::uint32_t i = rank_; i < padded; i += Threads) {
      const std::uint32_t bit = i / stream_lanes * width;
      const Lane* const word = words + bit / bits * stream_lanes + i % stream_lanes;
      const std::uint32_t used = bit % bits;
      Lane number = word[0] >> used;
      if (used + width > bits) number |= word[stream_lanes] << (bits - used);
      numbers[i] = static_cast<Number>((number & low_bits<Lane>(width)) + reference);
    }
  }

  const Member& team_;
  std::uint32_t rank_;
  Shared& shared_;
  backends::TeamScan<Exec, Member> counts_;
  backends::TeamScan<Exec, Member, Word> sums_;
};

}  // namespace hashmill::detail
