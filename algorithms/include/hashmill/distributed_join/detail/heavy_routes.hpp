#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/distributed_join/options.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <map>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Heavy keys, as kernels look them up. They are known by their routes, so keys with the same hash
/// are one. That is right for any hash function: all that happens to one of them happens to all.
struct HeavyRoutesRef {
  static constexpr unsigned none = ~0U;
  static constexpr std::uint64_t num_bits = 1 << 16;  // 8 KiB, which stay in a cache
  const std::uint64_t* routes = nullptr;              // in ascending order
  const std::uint8_t* stays = nullptr;  // of each: whether its left rows stay, else its right ones
  const std::uint64_t* bits = nullptr;  // set for the lowest bits of these routes
  unsigned count = 0;

  /// The word of `bits` that a route has a bit in, and the bit.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t word_of(std::uint64_t route) {
    return route % num_bits / 64;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t bit_of(std::uint64_t route) {
    return std::uint64_t{1} << (route % 64);
  }
  /// The number of a route among these.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION unsigned find(std::uint64_t route) const {
    if (count == 0 || (bits[word_of(route)] & bit_of(route)) == 0) return none;
    if (route < routes[0]) return none;
    const auto found = static_cast<unsigned>(owner_of(routes, route, 0, count));
    return routes[found] == route ? found : none;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool left_stays(unsigned heavy) const {
    return stays[heavy] != 0;
  }
};

/// Routes of some rows of one side, of all ranks. Each stands for `rows` of its rank's rows.
class RouteSample {
 public:
  struct Hit {
    std::uint64_t route;
    double rows;
    std::uint32_t rank;
  };

  /// Adds those of a rank, which has `rows` rows.
  void add(std::uint32_t rank, std::uint64_t rows, const std::uint64_t* routes,
           std::uint64_t count) {
    rows_ += static_cast<double>(rows);
    for (std::uint64_t i = 0; i < count; ++i) {
      hits_.push_back({routes[i], static_cast<double>(rows) / static_cast<double>(count), rank});
    }
  }
  /// Brings them into order. Before this nothing can be asked.
  void sort() { std::ranges::sort(hits_, {}, &Hit::route); }

  /// The estimated rows of all ranks that have a route.
  [[nodiscard]] double rows_of(std::uint64_t route) const {
    double rows = 0;
    for_each_hit(route, [&](const Hit& hit) { rows += hit.rows; });
    return rows;
  }
  /// Calls `use(hit)` for all hits of a route.
  template <class Use>
  void for_each_hit(std::uint64_t route, const Use& use) const {
    auto hit = std::ranges::lower_bound(hits_, route, {}, &Hit::route);
    for (; hit != hits_.end() && hit->route == route; ++hit) use(*hit);
  }
  /// Routes with more than 1 / `shares` of all rows, seen often enough to tell.
  [[nodiscard]] std::vector<std::uint64_t> heavier_than(double shares) const {
    constexpr std::ptrdiff_t least_hits = 16;
    std::vector<std::uint64_t> routes;
    for (auto begin = hits_.begin(); begin != hits_.end();) {
      const auto end = std::find_if(begin, hits_.end(),
                                    [&](const Hit& hit) { return hit.route != begin->route; });
      if (end - begin >= least_hits && rows_of(begin->route) * shares > rows_) {
        routes.push_back(begin->route);
      }
      begin = end;
    }
    return routes;
  }

 private:
  std::vector<Hit> hits_;
  double rows_ = 0;
};

/// The heavy keys of a join, and which of their rows stay. Equal on all ranks.
struct HeavyRoutes {
  std::vector<std::uint64_t> routes;  // in ascending order
  std::vector<std::uint8_t> left_stays;
  bool deals_left = false, deals_right = false;

  /// The bits by which kernels tell most other routes.
  [[nodiscard]] std::vector<std::uint64_t> bits() const {
    std::vector<std::uint64_t> words(HeavyRoutesRef::num_bits / 64);
    for (const std::uint64_t route : routes) {
      words[HeavyRoutesRef::word_of(route)] |= HeavyRoutesRef::bit_of(route);
    }
    return words;
  }
  /// The number of those whose left rows stay, or else whose right rows do.
  [[nodiscard]] std::uint64_t count(bool left) const {
    return static_cast<std::uint64_t>(std::ranges::count(left_stays, left ? 1 : 0));
  }
};

/// Chooses the heavy keys of a join. A key is heavy if a side has more than an eighth of a rank's
/// share of rows for it. Then the rows of the side that has more of them stay on their ranks, and
/// those of the other side go to all.
///
/// Rows that stay are dealt to all ranks in turn where one rank has more than 1.5 times its share.
[[nodiscard]] inline HeavyRoutes choose_heavy(const RouteSample& left, const RouteSample& right,
                                              std::uint64_t ranks) {
  const double shares = 8.0 * static_cast<double>(ranks);
  std::map<std::uint64_t, bool> stays;  // by route: whether the left rows do
  for (const RouteSample* side : {&left, &right}) {
    for (const std::uint64_t route : side->heavier_than(shares)) {
      stays[route] = left.rows_of(route) >= right.rows_of(route);
    }
  }
  HeavyRoutes heavy;
  std::vector<double> rows_of_rank[2] = {std::vector<double>(ranks), std::vector<double>(ranks)};
  for (const auto& entry : stays) {
    const std::uint64_t route = entry.first;
    const bool left_stays = entry.second;
    heavy.routes.push_back(route);
    heavy.left_stays.push_back(left_stays ? 1 : 0);
    (left_stays ? left : right).for_each_hit(route, [&](const RouteSample::Hit& hit) {
      rows_of_rank[left_stays ? 0 : 1][hit.rank] += hit.rows;
    });
  }
  const auto is_uneven = [&](const std::vector<double>& rows) {
    double all = 0;
    for (const double of_rank : rows) all += of_rank;
    return std::ranges::max(rows) * static_cast<double>(ranks) > 1.5 * all;
  };
  heavy.deals_left = is_uneven(rows_of_rank[0]);
  heavy.deals_right = is_uneven(rows_of_rank[1]);
  return heavy;
}

}  // namespace hashmill::detail
