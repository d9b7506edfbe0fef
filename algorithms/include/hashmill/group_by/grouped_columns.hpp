#pragma once

#include <hashmill/group_by/detail/aggregate_results.hpp>
#include <hashmill/row_container.hpp>
#include <tuple>

namespace hashmill {

/// The keys and results of groups, as columns; element g belongs to group g. Owns its views.
///
///     keys      a tuple with one element per key column: an OwnedColumn for numbers,
///               OwnedStrings for strings; all have a bitmap of the keys that are not null
///     results   a tuple with one OwnedColumn per aggregation
template <class Keys, class Results>
struct GroupedColumns {
  Keys keys;
  Results results;
  std::uint64_t num_groups = 0;

  /// Number of groups.
  [[nodiscard]] std::uint64_t size() const { return num_groups; }
};

/// Groups whose aggregations are not finished: keys, and what has been accumulated so far. Owns its
/// views. `HashAggregation::export_partials` gives it, on any device or rank, and `add_partials`
/// takes it, on any other. Both columns can travel through `shuffle`.
///
///     keys     a tuple with one element per key column, as in GroupedColumns
///     states   State x groups; trivially copyable
template <class Keys, class State, class MemorySpace>
struct PartialGroups {
  Keys keys;
  Kokkos::View<State*, MemorySpace> states;

  /// Number of groups.
  [[nodiscard]] std::uint64_t size() const { return states.extent(0); }
  /// The keys as `columns(...)`. They refer to these views, which must outlive them.
  [[nodiscard]] auto key_columns() const {
    return std::apply([](const auto&... key) { return columns(key.column()...); }, keys);
  }
};

namespace detail {

/// Column C of all rows. Strings are copied, which waits for `exec`; other columns are
/// asynchronous.
template <unsigned C, class Exec, class Rows>
auto extract_keys(const Exec& exec, const Rows& rows) {
  using Value = typename Rows::template value_type<C>;
  using Memory = typename Rows::memory_space;
  if constexpr (std::is_same_v<Value, StringView>) {
    return rows.template extract_strings<C>(exec, rows.all_rows());
  } else {
    OwnedColumn<Value, Memory> keys;
    keys.values = backends::allocate<decltype(keys.values)>(
        exec, "hashmill::hash_aggregation::keys", rows.size());
    keys.valid_bits = backends::allocate<decltype(keys.valid_bits)>(
        exec, "hashmill::hash_aggregation::valid_bits", (rows.size() + 7) / 8);
    rows.template extract_async<C>(exec, rows.all_rows(), nullable(keys.values, keys.valid_bits));
    return keys;
  }
}

}  // namespace detail
}  // namespace hashmill
