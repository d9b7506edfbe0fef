#pragma once

#include <algorithm>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/distributed_join/detail/heavy_routes.hpp>
#include <hashmill/distributed_join/detail/part_of_row.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <span>
#include <vector>

namespace hashmill::detail {

/// `count` of `rows` rows, at equal distances.
struct EvenSample {
  std::uint64_t rows, count;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t row(std::uint64_t k) const {
    return k * rows / count;
  }
  /// How many of them come before a row.
  [[nodiscard]] std::uint64_t before(std::uint64_t row) const {
    return rows == 0 ? 0 : (row * count + rows - 1) / rows;
  }
};

/// Reads the routes of sampled rows. Those of a batch begin with row `first_row`, and with the
/// sample's `first`.
template <class Route>
struct SampleRoutes {
  Route route_of_row;
  EvenSample sample;
  std::uint64_t first, first_row;
  std::uint64_t* out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out[i] = route_of_row(sample.row(first + static_cast<std::uint64_t>(i)) - first_row);
  }
};

/// Writes the routes of at most `out.size()` of a rank's rows to a host's array. Returns how many.
/// `for_each_keys(use)` gives the keys of all batches. Waits for `exec`.
template <class Request, class ForEachKeys>
std::uint64_t sample_routes(const Request& request, std::uint64_t rows,
                            const ForEachKeys& for_each_keys, std::span<std::uint64_t> out) {
  const EvenSample sample{rows, std::min<std::uint64_t>(rows, out.size())};
  std::uint64_t first_row = 0;
  for_each_keys([&](const auto& keys) {
    const typename std::decay_t<decltype(request.workspace)>::Frame frame(request.workspace);
    const std::uint64_t first = sample.before(first_row);
    const std::uint64_t count = sample.before(first_row + keys.size()) - first;
    const auto routes = request.workspace.template take<std::uint64_t>(request.exec, count);
    const auto route_of_row = routes_of(keys, request.options.seed);
    backends::for_each_index("hashmill::distributed_join::sample", request.exec, count,
                             SampleRoutes<std::decay_t<decltype(route_of_row)>>{
                                 route_of_row, sample, first, first_row, routes.data()});
    const auto host = host_words(request.exec, routes);
    std::ranges::copy(host, out.begin() + static_cast<std::ptrdiff_t>(first));
    first_row += keys.size();
  });
  return sample.count;
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
    const auto sample = [&](std::uint64_t* to, std::uint64_t rows, const auto& for_each_keys) {
      to[0] = rows;
      to[1] = sample_routes(request, rows, for_each_keys, {to + 2, sampled});
    };
    sample(mine.data(), request.left_rows(),
           [&](const auto& use) { request.for_each_left_keys(use); });
    sample(&mine[of_a_side], request.right_rows(),
           [&](const auto& use) { request.for_each_right_keys(use); });
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
