#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>

namespace hashmill::detail {

/// Writes, for results in compressed form (CSR), the query of each result: the left column of a
/// join. A team writes a tile of results, whichever queries they belong to. So one query with
/// millions of results costs no more than many queries with one result each.
template <class Exec, class Row>
struct ExpandTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint64_t tile_results = 4096;
  const std::uint64_t* offsets;  // num_queries + 1
  std::uint64_t num_queries;
  std::uint64_t first;  // number of query 0
  std::uint64_t num_results;
  Row* queries;

  [[nodiscard]] static std::uint64_t tiles(std::uint64_t results) {
    return results / tile_results + (results % tile_results != 0 ? 1 : 0);
  }

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t begin = static_cast<std::uint64_t>(team.league_rank()) * tile_results;
    const std::uint64_t end =
        begin + tile_results < num_results ? begin + tile_results : num_results;
    const std::uint64_t low = owner_of(offsets, begin, 0, num_queries);
    if constexpr (backends::has_wide_teams<Exec>) {
      const std::uint64_t high = owner_of(offsets, end - 1, low, num_queries);
      for (std::uint64_t k = begin + team.team_rank(); k < end; k += team.team_size()) {
        queries[k] = static_cast<Row>(first + owner_of(offsets, k, low, high + 1));
      }
    } else {
      const ExpandTile tile = *this;  // so that compilers keep its members in registers
      std::uint64_t query = low;
      std::uint64_t next = tile.offsets[low + 1];  // the first result of query + 1
      for (std::uint64_t k = begin; k < end; ++k) {
        while (next <= k) next = tile.offsets[++query + 1];
        tile.queries[k] = static_cast<Row>(tile.first + query);
      }
    }
  }
};

/// Writes the query of every result, for queries numbered from `first`. Asynchronous. Throws
/// CapacityError when there are too many results for one launch (2^31 tiles).
template <class Exec, class Row>
void expand_rows(const char* label, const Exec& exec, const std::uint64_t* offsets,
                 std::uint64_t num_queries, std::uint64_t first, std::uint64_t num_results,
                 Row* queries) {
  using Tile = ExpandTile<Exec, Row>;
  launch_even_tiles(label, exec, Tile::tiles(num_results),
                    Tile{offsets, num_queries, first, num_results, queries});
}

}  // namespace hashmill::detail
