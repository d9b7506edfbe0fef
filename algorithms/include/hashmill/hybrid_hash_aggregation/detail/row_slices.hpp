#pragma once

#include <hashmill/distributed_group_by/detail/listed_batch.hpp>
#include <hashmill/group_by/detail/batches/batch_groups.hpp>
#include <utility>

namespace hashmill::detail {

// Consecutive rows of a batch as a batch of their own, which reads them in the whole one.

/// Rows of a column from `first` on.
template <class Column>
struct ColumnSlice {
  using memory_space = typename Column::memory_space;
  using value_type = typename Column::value_type;
  Column column;
  std::uint64_t first, count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return column.is_null(first + i);
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return column(first + i);
  }
  /// The address of value i, for prefetching.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto address(std::uint64_t i) const
      requires(requires(const Column& of) { of.address(i); }) {
    return column.address(first + i);
  }
};

/// Rows of keys; of a view as a view, by which integers are grouped faster.
template <class... Cols>
[[nodiscard]] auto slice_of(const Columns<Cols...>& keys, std::uint64_t first,
                            std::uint64_t count) {
  return std::apply(
      [&](const Cols&... column) {
        return columns(ColumnSlice<Cols>{column, first, count}...);
      },
      columns_of(keys.list()));
}
template <class Keys>
  requires Kokkos::is_view_v<Keys>
[[nodiscard]] auto slice_of(const Keys& keys, std::uint64_t first, std::uint64_t count) {
  return Kokkos::subview(keys, std::pair(first, first + count));
}
template <ColumnOfValues Keys>
  requires(!Kokkos::is_view_v<Keys>)
[[nodiscard]] auto slice_of(const Keys& keys, std::uint64_t first, std::uint64_t count) {
  return slice_of(columns(keys), first, count);
}

/// An aggregation of rows.
template <class Op, class Source, bool Nullable>
[[nodiscard]] auto slice_of(const Fold<Op, Source, Nullable>& all, std::uint64_t first,
                            std::uint64_t count) {
  if constexpr (std::is_same_v<Source, EveryRow>) {
    return all;
  } else {
    using Slice = ColumnSlice<Source>;
    return Fold<Op, Slice, Nullable>(Slice{all.column(), first, count}, all.op());
  }
}

}  // namespace hashmill::detail
