#include "exchange_rows.hpp"
#include "key_rows.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {
namespace {

/// The rows of an operation, of the key type of the case.
template <MakeRankRows KeyRows::*Rows>
std::vector<RankRow> rows_of_keys(const Ranks& ranks, const RankCase& input) {
  const KeyRows of_type = input.keys.key_bits == 64 ? key_rows_64() : key_rows_32();
  return (of_type.*Rows)(ranks, input);
}

}  // namespace

std::span<const RankOperation> rank_operations() {
  static constexpr RankOperation all[] = {
      {"exchange", false, exchange_rows},
      {"shuffle", true, rows_of_keys<&KeyRows::shuffle>},
      {"build", true, rows_of_keys<&KeyRows::build>},
      {"contains", true, rows_of_keys<&KeyRows::contains>},
      {"find", true, rows_of_keys<&KeyRows::find>},
      {"count", true, rows_of_keys<&KeyRows::count>},
      {"intersect", true, rows_of_keys<&KeyRows::intersect>},
      {"group-by", true, rows_of_keys<&KeyRows::group_by>},
  };
  return all;
}

}  // namespace hashmill::perf
