#pragma once

#include <algorithm>
#include <bit>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/team_atomic.hpp>

namespace hashmill::detail {

/// How the rows of a partitioned join are dealt out: parts by the highest bits of the hash, of
/// which the right side's rows become tables in scratch (GPU) or a private cache (CPU).
struct JoinPartPlan {
  unsigned part_bits;       ///< log2 of the parts
  unsigned slot_bits;       ///< log2 of the heads of a table
  std::uint32_t capacity;   ///< rows that a table holds; parts with more are joined in pieces
  std::uint32_t left_rows;  ///< rows of the other side that are looked up in a table at most
};

/// Tables of one part or of a piece of it, chained: `heads` for each slot and `next` for each row
/// hold a row's place plus 1, or 0.
///
/// A team makes one together; the rows stay where they were partitioned to on CPUs, whose caches
/// have them anyway, and are copied to scratch on GPUs.
template <class Exec, class Side>
class JoinPartTable {
  using Record = typename Side::record_type;
  using Link = std::uint16_t;
  static constexpr bool copies = backends::has_wide_teams<Exec>;
  static constexpr std::size_t row_bytes = sizeof(Link) + sizeof(Record);
  static constexpr std::uint32_t most_rows = 65535;

 public:
  /// Of parts of `num_rows` rows: as many that the expected ones fill seven tenths of what there is
  /// room for.
  [[nodiscard]] static JoinPartPlan plan(std::uint64_t num_rows) {
    const std::size_t room = copies ? backends::team_shape<Exec>().scratch_bytes - slack
                                    : backends::private_cache_bytes() / 2;
    JoinPartPlan plan{0, 6, 0, 0};
    while ((std::size_t{2} << plan.slot_bits) * (sizeof(std::uint32_t) + row_bytes) <= room) {
      ++plan.slot_bits;
    }
    const std::size_t rows_room = room - (sizeof(std::uint32_t) << plan.slot_bits);
    const std::uint64_t most = std::min<std::uint64_t>(rows_room / row_bytes, most_rows);
    while (num_rows >> plan.part_bits > most * 7 / 10) ++plan.part_bits;
    const std::uint64_t expected = num_rows >> plan.part_bits;
    plan.capacity =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(most, expected + expected / 2 + 64));
    plan.slot_bits =
        std::clamp(static_cast<unsigned>(std::bit_width(expected)), 1U, plan.slot_bits);
    plan.left_rows = copies ? 8192 : 65535;
    return plan;
  }
  [[nodiscard]] static std::size_t scratch_bytes(const JoinPartPlan& plan) {
    return (sizeof(std::uint32_t) << plan.slot_bits) + plan.capacity * row_bytes + slack;
  }

  /// Links `count` rows, at most the plan's capacity; called by all threads of the team.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION JoinPartTable(const Member& team, const JoinPartPlan& plan,
                                            const Side& side, const Record* rows,
                                            std::uint32_t count)
      : side_(side), shift_(plan.part_bits), bits_(plan.slot_bits), rows_(rows) {
    constexpr std::uint32_t size = backends::team_threads<Exec>;
    const auto& scratch = team.team_scratch(copies ? 0 : 1);
    heads_ = static_cast<std::uint32_t*>(
        scratch.get_shmem_aligned(sizeof(std::uint32_t) << plan.slot_bits, 16));
    if constexpr (copies) {
      copy_ = static_cast<Record*>(scratch.get_shmem_aligned(plan.capacity * sizeof(Record), 16));
    }
    next_ = static_cast<Link*>(scratch.get_shmem_aligned(plan.capacity * sizeof(Link), 16));
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    for (std::uint32_t s = rank; s < 1U << bits_; s += size) heads_[s] = 0;
    team.team_barrier();
    for (std::uint32_t j = rank; j < count; j += size) {
      const Record record = rows_[j];
      if constexpr (copies) copy_[j] = record;
      next_[j] = static_cast<Link>(
          backends::team_exchange<Exec>(&heads_[slot(side_.hash(record))], j + 1));
    }
    team.team_barrier();
  }

  /// Calls `use(record)` with each row whose key is that of `theirs`, a row of the other side.
  template <class Other, class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const Other& other,
                                                  const typename Other::record_type& theirs,
                                                  const Use& use) const {
    for (std::uint32_t j = heads_[slot(other.hash(theirs))]; j != 0; j = next_[j - 1]) {
      const Record& record = row(j - 1);
      if (side_.same_key(record, other, theirs)) use(record);
    }
  }

 private:
  static constexpr std::size_t slack = 128;  // alignment, and what kernels add

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t slot(std::uint64_t hash) const {
    return static_cast<std::uint32_t>(hash << shift_ >> (64 - bits_));
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Record& row(std::uint32_t j) const {
    if constexpr (copies) {
      return copy_[j];
    } else {
      return rows_[j];
    }
  }

  const Side& side_;
  unsigned shift_, bits_;
  const Record* rows_;
  std::uint32_t* heads_ = nullptr;
  Record* copy_ = nullptr;
  Link* next_ = nullptr;
};

}  // namespace hashmill::detail
