#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/hash_graph.hpp>

namespace hashmill {

/// The HashGraph of rows of columns: a fingerprint of 32 bits and the row, 8 bytes an entry with
/// 32-bit rows and 8 more a bucket at most; equality is checked in the columns, which must outlive
/// it. TagBucket takes the same key source, hash and equality where rows come and go.
template <class RowKeys, RowNumber Row = std::uint32_t>
using RowTable = HashGraph<typename RowKeys::key_type, typename RowKeys::memory_space,
                           FingerprintRow<Row>, RowHash, RowEqual, RowKeys>;

/// Builds it of `columns(...)` on `exec`, which it fences. Throws as HashGraph's constructor.
template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class RowKeys>
[[nodiscard]] RowTable<RowKeys, Row> row_table(const Exec& exec, const RowKeys& keys,
                                               const HashGraphOptions& options = {},
                                               const RowHash& hash = {}) {
  return RowTable<RowKeys, Row>(exec, keys, options, hash);
}

}  // namespace hashmill
