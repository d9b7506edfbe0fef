#pragma once

#include <bit>
#include <hashmill/backends/publish.hpp>
#include <hashmill/group_by/detail/batches/kept_folds.hpp>

namespace hashmill::detail {

/// Merges the groups of a batch, which all differ from each other, into the groups of the table.
template <class Kept, class Folds, class Row, class Place>
struct MergeBatch {
  Kept kept;
  Folds folds;
  const typename Folds::Group* batch;
  const Row* group_of;
  Place place;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const {
    merge_group(kept, &place(group_of[j]), folds, batch[j]);
  }
};

/// Adds the values of a batch's rows to their groups, which are many. A team takes a tile of rows:
///
///     scratch   | set 0: slot 0 | slot 1 | … | set 1: slot 0 | slot 1 | … | …
///     slot      accumulators | owner: the first group that came, of those with
///                              number % set_slots == slot
///     thread t  uses set t % sets
///
/// A row whose group owns its slot is added there. Other rows are added to their group in memory,
/// atomically. At the end of the tile the slots are merged into their groups. A group with a good
/// part of the rows nearly always owns a slot in each set. Several sets keep its rows from taking
/// turns at one address. Hosts have 1 set.
template <class Exec, class Folds, class Row, class Place>
struct FoldIntoRows {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = typename Folds::Group;
  static constexpr bool wide = backends::has_wide_teams<Exec>;
  using How = std::conditional_t<wide, Shared, Alone>;
  struct Slot {
    Group group;
    Row owner;
  };
  static constexpr std::uint64_t tile_rows = wide ? 4096 : 16384;
  static constexpr std::uint32_t sets = wide ? 8 : 1;
  static constexpr std::uint32_t set_slots =
      std::bit_floor(static_cast<std::uint32_t>(16384 / sets / sizeof(Slot) | 1));
  static constexpr std::uint32_t num_slots = sets * set_slots;
  static constexpr std::size_t scratch_bytes = num_slots * sizeof(Slot) + alignof(Slot);
  static constexpr std::uint64_t lead = 16;  // rows by which hosts prefetch groups ahead

  Folds folds;
  const Row* group_of;
  std::uint64_t num_rows;
  Place place;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    constexpr std::size_t bytes = num_slots * sizeof(Slot);
    auto* const slots =
        static_cast<Slot*>(team.team_scratch(wide ? 0 : 1).get_shmem_aligned(bytes, alignof(Slot)));
    const auto rank = static_cast<std::uint32_t>(team.team_rank());
    const auto threads = static_cast<std::uint32_t>(team.team_size());
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      folds.clear(&slots[s].group);
      slots[s].owner = no_row<Row>;
    }
    team.team_barrier();
    const std::uint64_t begin = static_cast<std::uint64_t>(team.league_rank()) * tile_rows;
    const std::uint64_t end = begin + tile_rows < num_rows ? begin + tile_rows : num_rows;
    Slot* const set = slots + rank % sets * set_slots;
    for (std::uint64_t i = begin + rank; i < end; i += threads) {
      if constexpr (!wide) {
        KOKKOS_IF_ON_HOST((if (i + lead < end) backends::prefetch(&place(group_of[i + lead]));))
      }
      add(set, group_of[i], i);
    }
    team.team_barrier();
    for (std::uint32_t s = rank; s < num_slots; s += threads) {
      if (slots[s].owner == no_row<Row>) continue;
      folds.template merge<Shared, false>(&place(slots[s].owner), slots[s].group);
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION void add(Slot* set, Row group, std::uint64_t i) const {
    Slot& slot = set[group % set_slots];
    if (claim(&slot.owner, group)) {
      folds.template add<How, false>(&slot.group, &slot.group, i);
    } else {
      Group* const to = &place(group);
      folds.template add<Shared, false>(to, to, i);
    }
  }
  /// Whether the group owns the slot. A free slot becomes the group's.
  KOKKOS_FORCEINLINE_FUNCTION static bool claim(Row* owner, Row group) {
    Row seen = wide ? backends::load_relaxed(owner) : *owner;
    if (seen == no_row<Row>) {
      if constexpr (wide) {
        seen = Kokkos::atomic_compare_exchange(owner, no_row<Row>, group);
      } else {
        *owner = group;
      }
      if (seen == no_row<Row>) return true;
    }
    return seen == group;
  }
};

/// Adds the values of all rows to their groups; asynchronous.
template <class Exec, class Folds, class Row, class Place>
void fold_into_rows(const Exec& exec, const Folds& folds, const Row* group_of,
                    std::uint64_t num_rows, const Place& place) {
  using Kernel = FoldIntoRows<Exec, Folds, Row, Place>;
  if (num_rows == 0) return;
  launch_tiles<backends::has_wide_teams<Exec>, Kokkos::TeamPolicy<Exec>>(
      "hashmill::hash_aggregation::fold_rows", exec,
      (num_rows + Kernel::tile_rows - 1) / Kernel::tile_rows, Kernel::scratch_bytes,
      Kernel{folds, group_of, num_rows, place});
}

}  // namespace hashmill::detail
