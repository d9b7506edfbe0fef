#include "tpch_rows.hpp"

#include "join_rows.hpp"
#include "tpch_sides.hpp"

namespace hashmill::perf {

std::vector<RankRow> tpch_rows(const Ranks& ranks, const RankCase& input) {
  return join_rows<TpchSides<Kokkos::DefaultExecutionSpace>>(ranks, input);
}

}  // namespace hashmill::perf
