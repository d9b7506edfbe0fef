#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/group_by/row_groups.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/primitives/detail/select_rows.hpp>

namespace hashmill::detail {

/// Whether a row is the representative of its group.
template <class Row>
struct IsRepresentative {
  const Row* representative_of;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t i) const {
    return representative_of[i] == i;
  }
};

/// Writes the number of each group to the element of its representative.
template <class Row>
struct NumberRepresentative {
  const Row* representatives;
  Row* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t g) const {
    numbers[representatives[g]] = static_cast<Row>(g);
  }
};

/// Replaces each row's representative by the number of its group.
template <class Row>
struct ReplaceByNumber {
  const Row* numbers;
  Row* group_of;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { group_of[i] = numbers[group_of[i]]; }
};

/// Numbers groups in the order of their representatives. On entry `groups.group_of` holds the
/// representative of each row. Waits for `exec`. Temporary memory: one row number per row; only one
/// per group is written.
template <class Row, class MemorySpace, class Exec>
void number_by_representative(const Exec& exec, RowGroups<Row, MemorySpace>& groups,
                              Workspace<MemorySpace>& workspace) {
  const std::uint64_t n = groups.num_rows();
  const IsRepresentative<Row> keep{groups.group_of.data()};
  const auto placed = place_kept<Row>("hashmill::group_rows::count", exec, n, keep, workspace);
  groups.representatives = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
      exec, "hashmill::group_rows::representatives", placed.total);
  write_kept("hashmill::group_rows::write", exec, n, keep, placed, 0,
             groups.representatives.data());
  const auto numbers = workspace.template take<Row>(exec, n);
  backends::for_each_index(
      "hashmill::group_rows::number", exec, placed.total,
      NumberRepresentative<Row>{groups.representatives.data(), numbers.data()});
  backends::for_each_index("hashmill::group_rows::replace", exec, n,
                           ReplaceByNumber<Row>{numbers.data(), groups.group_of.data()});
}

/// Makes one row the representative of each number of a dense range: the first row that comes.
template <class Row, class Keys>
struct MarkNumber {
  Keys keys;
  std::uint64_t min;
  Row* slots;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Row* const slot = slots + (canonical_bits(keys(static_cast<std::uint64_t>(i))) - min);
    if (backends::load_relaxed(slot) != no_row<Row>) return;
    Kokkos::atomic_compare_exchange(slot, no_row<Row>, static_cast<Row>(i));
  }
};

/// The numbers of the range that occur, as items of a sized output. Writes their representatives,
/// and replaces these in `slots` by the numbers of their groups.
template <class Row>
struct NumbersThatOccur {
  Row* slots;
  Row* representatives = nullptr;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t number) const {
    return slots[number] == no_row<Row> ? 0 : 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t number, std::uint64_t place) const {
    if (slots[number] == no_row<Row>) return place;
    representatives[place] = slots[number];
    slots[number] = static_cast<Row>(place);
    return place + 1;
  }
};

/// Looks up the group of each row by its key, a number of a dense range.
template <class Row, class Keys>
struct LookUpNumber {
  Keys keys;
  std::uint64_t min;
  const Row* slots;
  Row* group_of;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    group_of[i] = slots[canonical_bits(keys(static_cast<std::uint64_t>(i))) - min];
  }
};

/// Groups rows whose keys are integers of a range; groups are in the order of the keys. Waits for
/// `exec`. Temporary memory: one row number per number of the range.
template <class Row, class MemorySpace, class Exec, class Keys>
void group_dense(const Exec& exec, const Keys& keys, const KeyRange& range,
                 RowGroups<Row, MemorySpace>& groups, Workspace<MemorySpace>& workspace) {
  const std::uint64_t n = groups.num_rows();
  const std::uint64_t min = range.min;
  const std::uint64_t size = checked_add(range.span, 1, "numbers of a dense range");
  const auto slots = workspace.template take<Row>(exec, size);
  Kokkos::deep_copy(exec, slots, no_row<Row>);
  backends::for_each_index("hashmill::group_rows::mark", exec, n,
                           MarkNumber<Row, Keys>{keys, min, slots.data()});
  NumbersThatOccur<Row> work{slots.data()};
  const auto placed = place_item_tiles("hashmill::group_rows::count", exec, work, size, workspace);
  groups.representatives = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
      exec, "hashmill::group_rows::representatives", placed.total);
  work.representatives = groups.representatives.data();
  fill_item_tiles("hashmill::group_rows::write", exec, work, size, placed);
  backends::for_each_index(
      "hashmill::group_rows::look_up", exec, n,
      LookUpNumber<Row, Keys>{keys, min, slots.data(), groups.group_of.data()});
}

}  // namespace hashmill::detail
