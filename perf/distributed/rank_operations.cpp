#include "exchange_rows.hpp"
#include "key_rows.hpp"
#include "rank_row.hpp"
#include "tpch_rows.hpp"

namespace hashmill::perf {
namespace {

/// The rows of an operation, of the key type of the case.
template <MakeRankRows KeyRows::*Rows>
std::vector<RankRow> rows_of_keys(const Ranks& ranks, const RankCase& input) {
  const KeyRows of_type = input.keys.key_bits == 64 ? key_rows_64() : key_rows_32();
  return (of_type.*Rows)(ranks, input);
}

}  // namespace

std::string name_with(const char* name, const Travel& travel) {
  constexpr const char* compressed[] = {"", ", never compressed", ", always compressed"};
  constexpr const char* levels[] = {"", ", one level", ", across then inside",
                                    ", inside then across"};
  return std::string(name) + compressed[static_cast<std::size_t>(travel.compression)] +
         levels[static_cast<std::size_t>(travel.levels)];
}

std::span<const RankOperation> rank_operations() {
  static constexpr RankOperation all[] = {
      {"exchange", RankInput::bytes, exchange_rows},
      {"shuffle", RankInput::keys, rows_of_keys<&KeyRows::shuffle>},
      {"build", RankInput::keys, rows_of_keys<&KeyRows::build>},
      {"contains", RankInput::keys, rows_of_keys<&KeyRows::contains>},
      {"find", RankInput::keys, rows_of_keys<&KeyRows::find>},
      {"count", RankInput::keys, rows_of_keys<&KeyRows::count>},
      {"intersect", RankInput::keys, rows_of_keys<&KeyRows::intersect>},
      {"group-by", RankInput::keys, rows_of_keys<&KeyRows::group_by>},
      {"join", RankInput::sides, rows_of_keys<&KeyRows::join>},
      {"tpch", RankInput::tpch, tpch_rows},
  };
  return all;
}

}  // namespace hashmill::perf
