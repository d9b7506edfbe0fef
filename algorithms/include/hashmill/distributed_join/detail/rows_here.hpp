#pragma once

#include <hashmill/join/detail/rows_in_parts.hpp>
#include <hashmill/shuffle/detail/row_parts.hpp>
#include <memory>

namespace hashmill::detail {

/// Rows of a side on this rank, as a join reads them: a tuple of local columns.
template <class Columns>
struct RowsHere {
  Columns columns;
  ReplicatedRows replicated{};          ///< those that all ranks have, behind all others
  std::shared_ptr<const void> owner{};  ///< keeps memory that is not the caller's
  RowsInParts<std::uint32_t> cuts{};    ///< the parts that they lie in, if they were cut
};

}  // namespace hashmill::detail
