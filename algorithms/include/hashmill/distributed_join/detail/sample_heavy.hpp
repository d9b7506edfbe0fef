#pragma once

#include <algorithm>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/distributed_join/detail/heavy_routes.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <span>
#include <vector>

namespace hashmill::detail {

/// Reads the routes of some rows, at equal distances.
template <class Route>
struct SampleRoutes {
  Route route_of_row;
  std::uint64_t rows, count;
  std::uint64_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    out[k] = route_of_row(static_cast<std::uint64_t>(k) * rows / count);
  }
};

/// Writes the routes of at most `out.size()` rows to a host's array. Returns how many. Waits for
/// `exec`.
template <class Exec, class Route>
std::uint64_t sample_routes(const Exec& exec, const Route& route_of_row, std::uint64_t rows,
                            std::span<std::uint64_t> out,
                            Workspace<typename Exec::memory_space>& workspace) {
  const typename Workspace<typename Exec::memory_space>::Frame frame(workspace);
  const std::uint64_t count = std::min<std::uint64_t>(rows, out.size());
  const auto routes = workspace.template take<std::uint64_t>(exec, count);
  backends::for_each_index("hashmill::distributed_join::sample", exec, count,
                           SampleRoutes<Route>{route_of_row, rows, count, routes.data()});
  const auto host = host_words(exec, routes);
  std::ranges::copy(host, out.begin());
  return count;
}

/// Samples the keys of both sides on all ranks, and chooses the heavy ones.
template <class Request>
[[nodiscard]] HeavyRoutes agree_on_heavy(const Request& request) {
  constexpr std::size_t least_of_a_rank = 128, sample_of_all = 4096;
  const auto ranks = static_cast<std::size_t>(request.ranks.size());
  const std::size_t sampled = std::max(least_of_a_rank, sample_of_all / ranks);
  // Of each side: its rows, how many are sampled, and their routes.
  const std::size_t of_a_side = 2 + sampled;
  std::vector<std::uint64_t> mine(2 * of_a_side), all(ranks * mine.size());
  request.call.step("sample", [&] {
    const auto sample = [&](std::uint64_t* to, const auto& route_of_row, std::uint64_t rows) {
      to[0] = rows;
      to[1] = sample_routes(request.exec, route_of_row, rows, {to + 2, sampled}, request.workspace);
    };
    sample(mine.data(), request.left_routes(), request.left_rows());
    sample(&mine[of_a_side], request.right_routes(), request.right_rows());
  });
  request.ranks.all_gather(std::span<const std::uint64_t>(mine), std::span(all), "sample");
  HeavyRoutes heavy;
  request.call.step("choose heavy keys", [&] {
    RouteSample sides[2];
    for (std::size_t r = 0; r < ranks; ++r) {
      for (std::size_t s = 0; s < 2; ++s) {
        const std::uint64_t* const from = &all[(2 * r + s) * of_a_side];
        sides[s].add(static_cast<std::uint32_t>(r), from[0], from + 2, from[1]);
      }
    }
    for (RouteSample& side : sides) side.sort();
    heavy = choose_heavy(sides[0], sides[1], ranks);
  });
  return heavy;
}

}  // namespace hashmill::detail
