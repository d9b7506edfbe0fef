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

/// How the rows of a partitioned join are dealt out: parts by the highest bits of the hash, of
/// which the right side's rows become tables in scratch (GPU) or a private cache (CPU).
struct JoinPartPlan {
  unsigned part_bits;       ///< log2 of the parts
  unsigned bucket_bits;     ///< log2 of the buckets of a table
  std::uint32_t capacity;   ///< rows that a table holds; parts with more are joined in pieces
  std::uint32_t left_rows;  ///< rows of the other side that are looked up in a table at most
};

/// Rows of a table, from `begin` up to, and without, `end`.
struct JoinRun {
  std::uint32_t begin, end;
};

/// Tables of one part or of a piece of it, made by a team in its scratch:
///
///     ends:    uint32 x buckets     where the rows of a bucket end; they begin where those of the
///                                   bucket before it do
///     firsts:  keys (or hashes) x rows, by bucket
///     seconds: values x rows, beside them
///
/// Rows with equal keys are neighbours, so that lanes of a GPU read and write many at once, and
/// CPUs compare eight keys in one instruction. With `Indexed`, the seconds are indices of the rows
/// in the records that the table was made of, for those who ask which row matched.
template <class Exec, class Side, bool Indexed = false>
class JoinPartTable {
  using Record = typename Side::record_type;
  using First = decltype(Record::first);
  using Second = std::conditional_t<Indexed, std::uint16_t, typename Side::Value>;
  using Hash = decltype(std::declval<const Side&>().hash(std::declval<const Record&>()));
  static constexpr bool wide = backends::has_wide_teams<Exec>;
  static constexpr std::size_t second_bytes = std::is_empty_v<Second> ? 0 : sizeof(Second);
  static constexpr std::size_t row_bytes = sizeof(First) + second_bytes;
  static constexpr std::uint32_t most_rows = 65535;
  /// Expected rows of a bucket, as log2: as few as memory allows where each is a comparison, as
  /// many as one comparison of several finds elsewhere.
  static constexpr unsigned rows_bits = wide ? 0 : 1;
  /// Whether comparing words tells which rows may match.
  static constexpr bool by_words = !wide && Side::equal_keys_have_equal_firsts &&
                                   std::is_integral_v<First> &&
                                   (sizeof(First) == 4 || sizeof(First) == 8);

 public:
  /// Of parts of `num_rows` rows: as many that the expected ones fill nine tenths of what there is
  /// room for, five standard deviations of a part of 2048 rows.
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

  /// Sorts `count` rows, at most the plan's capacity, by bucket; called by all threads of the team.
  /// Reads them twice, the second time from a cache.
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

  /// The rows among which those with a key of this hash are.
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

  /// Which of the records it is.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t index(std::uint32_t j) const {
    static_assert(Indexed);
    return seconds_[j];
  }

  /// Calls `use(j, row(j))` with each row whose key is that of `theirs`, a row of the other side.
  template <class Other, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const Other& other,
                                                  const typename Other::record_type& theirs,
                                                  const Use& use) const {
    const JoinRun found = run(other.hash(theirs));
    if constexpr (by_words) {
      std::uint32_t j = found.begin;
      do {
        for (std::uint32_t mask = match(j, found.end, theirs.first); mask != 0; mask &= mask - 1) {
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

  /// How many rows have the key of `theirs`.
  template <class Other>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(
      const Other& other, const typename Other::record_type& theirs) const {
    std::uint32_t rows = 0;
    if constexpr (by_words && Side::equal_firsts_decide) {
      const JoinRun found = run(other.hash(theirs));
      std::uint32_t j = found.begin;
      do {
        rows += static_cast<std::uint32_t>(Kokkos::popcount(match(j, found.end, theirs.first)));
        j += backends::run_words;
      } while (j < found.end);
    } else {
      for_each_match(other, theirs, CountRow{&rows});
    }
    return rows;
  }

 private:
  /// Alignment of three arrays, what kernels add, and what `match` reads behind the last row.
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
      firsts[place] = record.first;
      if constexpr (Indexed) {
        seconds[place] = static_cast<Second>(index);
      } else if constexpr (second_bytes != 0) {
        seconds[place] = record.second;
      }
    }
  };
  /// Calls `use(row, index, bucket)` with the rows of this thread; hosts hash many in one loop that
  /// the compiler can vectorise.
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
  /// Where in a run a lane begins: each elsewhere, because runs of one length, a power of two,
  /// begin in the same bank of scratch, and lanes in step would wait for each other.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t rotation(std::uint32_t rows) const {
    constexpr std::uint32_t few = 8;
    return wide && rows > few ? rank_ % rows : 0;
  }
  /// Of the eight rows from `j` up, those before `end` with the word `first`.
  [[nodiscard]] std::uint32_t match(std::uint32_t j, std::uint32_t end, First first) const {
    using Word = std::conditional_t<sizeof(First) == 4, std::uint32_t, std::uint64_t>;
    const std::uint32_t left = end - j;
    const std::uint32_t there = left < backends::run_words ? (1U << left) - 1 : ~0U;
    return backends::match_run(reinterpret_cast<const Word*>(firsts_ + j),
                               static_cast<Word>(first)) &
           there;
  }
  /// Turns the buckets' sizes into where they begin.
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
