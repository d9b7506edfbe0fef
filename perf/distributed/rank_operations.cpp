#include "exchange_rows.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

std::span<const RankOperation> rank_operations() {
  static constexpr RankOperation all[] = {{"exchange", exchange_rows}};
  return all;
}

}  // namespace hashmill::perf
