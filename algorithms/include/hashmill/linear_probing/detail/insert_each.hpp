#pragma once

#include <hashmill/key_conversion.hpp>
#include <hashmill/linear_probing/detail/probing_slots.hpp>
#include <hashmill/options.hpp>
#include <hashmill/primitives/detail/row_list.hpp>
#include <hashmill/primitives/insert_result.hpp>

namespace hashmill::detail {

/// Keys and rows to insert one by one: those whose positions a list has.
template <class Ref, class Keys, class Rows>
struct RowsToInsert {
  Ref ref;
  Keys keys;
  Rows rows;
  RowList<std::uint64_t> list{};

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t at(std::uint64_t i) const {
    return list(i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto key(std::uint64_t at) const {
    return as_stored<typename Ref::key_type>(keys(at));
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(key(at(i)))); }

  /// Whether the row would take a slot in the table as it is now.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool asks_for_room(std::uint64_t at) const {
    using Row = typename Ref::row_type;
    if (as_row<Row>(rows(at)) >= slot_rows_end<Row>) return false;
    return !Ref::unique || !ref.contains(key(at));
  }
  /// Reports that there was no room for a row, in operations with a result per row. The counts
  /// report it anyway.
  KOKKOS_FORCEINLINE_FUNCTION void give_up(std::uint64_t) const {}
};

/// Inserts each key.
template <class Ref, class Keys, class Rows>
struct InsertEach : RowsToInsert<Ref, Keys, Rows> {
  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const std::uint64_t at = this->at(i);
    return this->ref.insert(this->key(at), this->rows(at));
  }
};

/// Inserts each key for which a predicate holds, and reports each outcome.
template <class Ref, class Keys, class Rows, class Predicate, class Outcomes>
struct InsertIf : RowsToInsert<Ref, Keys, Rows> {
  Predicate predicate;
  Outcomes outcomes;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const std::uint64_t at = this->at(i);
    const InsertOutcome outcome =
        predicate(at) ? this->ref.insert(this->key(at), this->rows(at)) : InsertOutcome::skipped;
    outcomes(at) = outcome;
    return outcome;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool asks_for_room(std::uint64_t at) const {
    return predicate(at) && RowsToInsert<Ref, Keys, Rows>::asks_for_room(at);
  }
  KOKKOS_FORCEINLINE_FUNCTION void give_up(std::uint64_t at) const {
    outcomes(at) = InsertOutcome::full;
  }
};

/// Inserts each key, or applies an operation to its row.
template <class Ref, class Keys, class Rows, class Op>
struct ApplyEach : RowsToInsert<Ref, Keys, Rows> {
  Op op;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const std::uint64_t at = this->at(i);
    return this->ref.insert_or_apply(this->key(at), this->rows(at), op);
  }
};

/// Inserts each key unless it has an entry, and reports its row.
template <class Ref, class Keys, class Rows, class There>
struct FindOrInsertEach : RowsToInsert<Ref, Keys, Rows> {
  There there;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const std::uint64_t at = this->at(i);
    auto row = no_row<typename Ref::row_type>;
    const InsertOutcome outcome = this->ref.find_or_insert(this->key(at), this->rows(at), row);
    there(at) = row;
    return outcome;
  }
  KOKKOS_FORCEINLINE_FUNCTION void give_up(std::uint64_t at) const {
    there(at) = no_row<typename Ref::row_type>;
  }
};

/// Runs `each` for item i if that takes no slot. Otherwise lists its row.
template <class Each>
struct DoOrList {
  Each each;
  RowAppender<std::uint64_t> append;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const std::uint64_t at = each.at(i);
    if (!each.asks_for_room(at)) return each(i);
    append(at);
    return InsertOutcome::skipped;  // for now
  }
  void prefetch(std::uint64_t i) const { each.prefetch(i); }
};

/// Reports for all rows that there was no room.
template <class Each>
struct GiveUpEach {
  Each each;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    each.give_up(each.at(static_cast<std::uint64_t>(i)));
  }
};

}  // namespace hashmill::detail
