#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/hash_graph.hpp>

namespace hashmill {

/// A HashGraph whose keys are rows of one or more columns, made by `columns(...)`. Nulls, strings
/// and types of different width compare as hashmill/columns.hpp says.
///
/// An entry is a 24-bit fingerprint of the hash, in 32 bits, and the row number: 8 bytes per entry
/// with 32-bit rows. Offsets, and lengths after an erase, add at most 8 bytes per bucket. Equality
/// is checked in the columns, which must outlive the table.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::int32_t*, Exec> year("year", 100), city("city", 100);
///     const auto keys = hashmill::columns(year, city);
///     const auto table = hashmill::row_table(exec, keys);
///     Kokkos::View<std::uint32_t*, Exec> rows("rows", keys.size());
///     table.find(exec, keys, rows);                 // a row with that year and city, or no_row
///     const auto all = table.retrieve(exec, keys);  // all rows of every query
///
/// Where rows are added and erased, use TagBucket. It takes the same key source, hash and equality.
template <class RowKeys, RowNumber Row = std::uint32_t>
using RowTable = HashGraph<typename RowKeys::key_type, typename RowKeys::memory_space,
                           FingerprintRow<Row>, RowHash, RowEqual, RowKeys>;

/// Builds a RowTable of `keys`, which `columns(...)` returned, on `exec`, then fences `exec`.
/// Throws as the constructor of HashGraph.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class RowKeys>
[[nodiscard]] RowTable<RowKeys, Row> row_table(const Exec& exec, const RowKeys& keys,
                                               const HashGraphOptions& options = {},
                                               const RowHash& hash = {}) {
  return RowTable<RowKeys, Row>(exec, keys, options, hash);
}

}  // namespace hashmill
