#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/match_run.hpp>
#include <hashmill/backends/tag_match.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/backends/team_scan.hpp>
#include <type_traits>
#include <utility>

namespace hashmill::detail {

/// How the rows of a partitioned join are dealt out. The highest bits of the hash choose the part.
/// The right rows of a part become a table in scratch (GPU) or in a private cache (CPU).
struct JoinPartPlan {
  unsigned part_bits;       ///< log2 of the parts
  unsigned bucket_bits;     ///< log2 of the buckets of a table
  std::uint32_t capacity;   ///< most rows of a table; larger parts are joined in pieces
  std::uint32_t left_rows;  ///< most left rows that are looked up in one table
};

/// Rows of a table, from `begin` up to `end`, which is not one of them.
struct JoinRun {
  std::uint32_t begin, end;
};

/// The table of one part, or of a piece of it, which a team makes in its scratch:
///
///     ends     uint32 x buckets         where the rows of each bucket end; they begin where those
///                                       of the bucket before it end
///     firsts   keys (or hashes) x rows  in bucket order
///     seconds  values x rows            in the same order
///
/// Rows with equal keys are neighbours. So lanes of a GPU read and write many at once, and CPUs
/// compare eight keys in one instruction. With `Indexed`, the seconds are the rows' indices in the
/// records that the table was made of, for callers that ask which row matched.
template <class Exec, class Side, bool Indexed = false>
class JoinPartTable {
  using Record = typename Side::record_type;
  using First = FirstOf<Record>;
  using Second = std::conditional_t<Indexed, std::uint16_t, typename Side::Value>;
  using Hash = decltype(std::declval<const Side&>().hash(std::declval<const Record&>()));
  static constexpr bool wide = backends::has_wide_teams<Exec>;
  static constexpr std::size_t second_bytes = std::is_empty_v<Second> ? 0 : sizeof(Second);
  static constexpr std::size_t row_bytes = sizeof(First) + second_bytes;
  static constexpr std::uint32_t most_rows = 65535;
  /// Expected rows per bucket, as log2. GPUs compare rows singly: 1 row, the fewest that memory
  /// allows. CPUs compare several words in one instruction: 2 rows.
  static constexpr unsigned rows_bits = wide ? 0 : 1;
  /// Whether comparing words tells which rows may match.
  static constexpr bool by_words = !wide && Side::equal_keys_have_equal_firsts &&
                                   std::is_integral_v<First> &&
                                   (sizeof(First) == 4 || sizeof(First) == 8);

 public:
  /// Plans the parts of `num_rows` right rows: so many that the expected rows of a part fill at
  /// most nine tenths of a table. The rest is five standard deviations of a part of 2048 rows.
  [[nodiscard]] static JoinPartPlan plan(std::uint64_t num_rows) {
    const std::size_t room = wide ? backends::team_shape<Exec>().scratch_bytes - slack
                                  : backends::private_cache_bytes() / 2;
    JoinPartPlan plan{0, 6, 0, 0};
    while ((std::size_t{2} << plan.bucket_bits) * (sizeof(std::uint32_t) + most_bytes()) <= room) {
      ++plan.bucket_bits;
    }
    const std::size_t rows_room = room - (sizeof(std::uint32_t) << plan.bucket_bits);
    const std::uint64_t most = std::min<std::uint64_t>(rows_room / row_bytes, most_rows);
    while (num_rows >> plan.part_bits > most * 9 / 10) ++plan.part_bits;
    const std::uint64_t expected = num_rows >> plan.part_bits;
    plan.capacity =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(most, expected + expected / 2 + 64));
    plan.bucket_bits = std::clamp(static_cast<unsigned>(std::bit_width(expected >> rows_bits)), 1U,
                                  plan.bucket_bits);
    plan.left_rows = wide ? 8192 : 65535;
    return plan;
  }
  [[nodiscard]] static std::size_t scratch_bytes(const JoinPartPlan& plan) {
    return (sizeof(std::uint32_t) << plan.bucket_bits) + plan.capacity * row_bytes + slack;
  }

  /// Sorts `count` rows by bucket. `count` is at most the plan's capacity. All threads of the team
  /// call it. Reads the rows twice, the second time from a cache.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION JoinPartTable(const Member& team, const JoinPartPlan& plan,
                                            const Side& side, const Record* rows,
                                            std::uint32_t count)
      : side_(side),
        rows_(rows),
        rank_(static_cast<std::uint32_t>(team.team_rank())),
        shift_(plan.part_bits),
        bits_(plan.bucket_bits) {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto& scratch = team.team_scratch(wide ? 0 : 1);
    ends_ = static_cast<std::uint32_t*>(
        scratch.get_shmem_aligned(sizeof(std::uint32_t) << plan.bucket_bits, 16));
    firsts_ = static_cast<First*>(scratch.get_shmem_aligned(plan.capacity * sizeof(First), 16));
    seconds_ = static_cast<Second*>(scratch.get_shmem_aligned(plan.capacity * second_bytes, 16));
    for (std::uint32_t b = rank_; b < 1U << bits_; b += size) ends_[b] = 0;
    team.team_barrier();
    for_each_bucket(count, CountRowOf{ends_});
    team.team_barrier();
    scan(team);
    team.team_barrier();
    for_each_bucket(count, PlaceRow{ends_, firsts_, seconds_});
    team.team_barrier();
  }

  /// Returns the rows of the bucket that a key of this hash would be in.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION JoinRun run(Hash hash) const {
    const std::uint32_t b = bucket(hash);
    return {b == 0 ? 0 : ends_[b - 1], ends_[b]};
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Record row(std::uint32_t j) const {
    if constexpr (Indexed) {
      return rows_[seconds_[j]];
    } else if constexpr (second_bytes == 0) {
      return {firsts_[j], {}};
    } else {
      return {firsts_[j], seconds_[j]};
    }
  }

  /// Returns which of the records row `j` is.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t index(std::uint32_t j) const {
    static_assert(Indexed);
    return seconds_[j];
  }

  /// Calls `use(j, row(j))` for each row whose key equals that of `theirs`, a row of the other
  /// side.
  template <class Other, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const Other& other,
                                                  const typename Other::record_type& theirs,
                                                  const Use& use) const {
    const JoinRun found = run(other.hash(theirs));
    if constexpr (by_words) {
      std::uint32_t j = found.begin;
      do {
        for (std::uint32_t mask = match(j, found.end, first_of(theirs)); mask != 0;
             mask &= mask - 1) {
          const std::uint32_t place = j + backends::lowest_bit(mask);
          const Record record = row(place);
          if (Side::equal_firsts_decide || side_.same_key(record, other, theirs)) {
            use(place, record);
          }
        }
        j += backends::run_words;
      } while (j < found.end);
    } else {
      const std::uint32_t rows = found.end - found.begin;
      std::uint32_t j = found.begin + rotation(rows);
      for (std::uint32_t i = 0; i < rows; ++i) {
        const Record record = row(j);
        if (side_.same_key(record, other, theirs)) use(j, record);
        if (++j == found.end) j = found.begin;
      }
    }
  }

  /// Returns how many rows have the key of `theirs`.
  template <class Other>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(
      const Other& other, const typename Other::record_type& theirs) const {
    std::uint32_t rows = 0;
    if constexpr (by_words && Side::equal_firsts_decide) {
      const JoinRun found = run(other.hash(theirs));
      std::uint32_t j = found.begin;
      do {
        rows += static_cast<std::uint32_t>(Kokkos::popcount(match(j, found.end, first_of(theirs))));
        j += backends::run_words;
      } while (j < found.end);
    } else {
      for_each_match(other, theirs, CountRow{&rows});
    }
    return rows;
  }

 private:
  /// Bytes for the alignment of three arrays, for what kernels add, and for what `match` reads past
  /// the last row.
  static constexpr std::size_t slack = 256;

  struct CountRow {
    std::uint32_t* rows;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint32_t, const Record&) const { ++*rows; }
  };

  struct CountRowOf {
    std::uint32_t* ends;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const Record&, std::uint32_t,
                                                std::uint32_t bucket) const {
      backends::team_fetch_add<Exec>(&ends[bucket], std::uint32_t{1});
    }
  };
  struct PlaceRow {
    std::uint32_t* ends;
    First* firsts;
    Second* seconds;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const Record& record, std::uint32_t index,
                                                std::uint32_t bucket) const {
      const std::uint32_t place = backends::team_fetch_add<Exec>(&ends[bucket], std::uint32_t{1});
      firsts[place] = first_of(record);
      if constexpr (Indexed) {
        seconds[place] = static_cast<Second>(index);
      } else if constexpr (second_bytes != 0) {
        seconds[place] = second_of(record);
      }
    }
  };
  /// Calls `use(row, index, bucket)` for the rows of this thread. Hosts hash many rows in one loop,
  /// which the compiler can vectorise.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_bucket(std::uint32_t count, const Use& use) const {
    const Record* const rows = rows_;
    if constexpr (wide) {
      constexpr std::uint32_t size = backends::team_threads<Exec>;
      for (std::uint32_t j = rank_; j < count; j += size) {
        const Record record = rows[j];
        use(record, j, bucket(side_.hash(record)));
      }
    } else {
      constexpr std::uint32_t batch = 128;
      std::uint32_t buckets[batch];
      const JoinPartTable self = *this;
      for (std::uint32_t first = 0; first < count; first += batch) {
        const std::uint32_t left = count - first < batch ? count - first : batch;
        const Record* const some = rows + first;
        for (std::uint32_t j = 0; j < left; ++j) buckets[j] = self.bucket(self.side_.hash(some[j]));
        for (std::uint32_t j = 0; j < left; ++j) use(some[j], first + j, buckets[j]);
      }
    }
  }

  [[nodiscard]] static constexpr std::size_t most_bytes() { return row_bytes << rows_bits; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t bucket(Hash hash) const {
    return static_cast<std::uint32_t>(hash << shift_ >> (8 * sizeof(Hash) - bits_));
  }
  /// Returns where in a run a lane begins: each lane elsewhere. Runs whose length is one power of
  /// two begin in the same bank of scratch. Lanes in step that all began at the first row would
  /// wait for each other.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rotation(std::uint32_t rows) const {
    constexpr std::uint32_t few = 8;
    return wide && rows > few ? rank_ % rows : 0;
  }
  /// Returns one bit per row for the eight rows from `j` on. A bit is set if its row is before
  /// `end` and has the word `first`.
  [[nodiscard]] std::uint32_t match(std::uint32_t j, std::uint32_t end, First first) const {
    using Word = std::conditional_t<sizeof(First) == 4, std::uint32_t, std::uint64_t>;
    const std::uint32_t left = end - j;
    const std::uint32_t there = left < backends::run_words ? (1U << left) - 1 : ~0U;
    return backends::match_run(reinterpret_cast<const Word*>(firsts_ + j),
                               static_cast<Word>(first)) &
           there;
  }
  /// Turns the sizes of the buckets into the places where they begin.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION void scan(const Member& team) const {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const std::uint32_t buckets = 1U << bits_;
    const std::uint32_t each = buckets < size ? 1 : buckets / size;
    const std::uint32_t first = each * static_cast<std::uint32_t>(team.team_rank());
    const std::uint32_t last = first < buckets ? first + each : first;
    std::uint32_t begin = 0;
    if constexpr (wide) {
      std::uint32_t sum = 0;
      for (std::uint32_t b = first; b < last; ++b) sum += ends_[b];
      begin = backends::TeamScan<Exec, Member>(team).exclusive_sum(sum);
    }
    for (std::uint32_t b = first; b < last; ++b) {
      const std::uint32_t rows = ends_[b];
      ends_[b] = begin;
      begin += rows;
    }
  }

  const Side& side_;
  const Record* rows_;
  std::uint32_t rank_;
  unsigned shift_, bits_;
  std::uint32_t* ends_ = nullptr;
  First* firsts_ = nullptr;
  Second* seconds_ = nullptr;
};

}  // namespace hashmill::detail
