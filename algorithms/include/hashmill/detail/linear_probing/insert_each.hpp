#pragma once

#include <hashmill/detail/partition/spread_order.hpp>
#include <hashmill/insert_result.hpp>
#include <hashmill/options.hpp>

namespace hashmill::detail {

/// Keys and rows to insert one by one, from the `from`-th on of an order.
template <class Ref, class Keys, class Rows>
struct RowsToInsert {
  Ref ref;
  Keys keys;
  Rows rows;
  SpreadOrder order{};
  std::uint64_t from = 0;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t at(std::uint64_t i) const {
    return order(from + i);
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto key(std::uint64_t at) const {
    return as_stored<typename Ref::key_type>(keys(at));
  }
  void prefetch(std::uint64_t i) const { ref.prefetch(ref.hasher()(key(at(i)))); }
};

/// Inserts each key where a predicate holds and tells what happened.
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
};

/// Inserts each key or applies an operation to its row.
template <class Ref, class Keys, class Rows, class Op>
struct ApplyEach : RowsToInsert<Ref, Keys, Rows> {
  Op op;

  KOKKOS_FORCEINLINE_FUNCTION InsertOutcome operator()(std::uint64_t i) const {
    const std::uint64_t at = this->at(i);
    return this->ref.insert_or_apply(this->key(at), this->rows(at), op);
  }
};

/// Inserts each key unless it is there and tells its row.
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
};

}  // namespace hashmill::detail
