#pragma once

#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/scan.hpp>

namespace hashmill::detail {

/// Buckets that one team works through together.
inline constexpr std::uint64_t tile_buckets = 256;

[[nodiscard]] inline std::uint64_t bucket_tiles(std::uint64_t num_buckets) {
  return (num_buckets + tile_buckets - 1) / tile_buckets;
}

/// Sums `work.size(bucket)` over buckets.
template <class Work>
struct AddBucketSize {
  Work work;
  KOKKOS_FUNCTION void operator()(std::int64_t bucket, std::uint64_t& sum) const {
    sum += work.size(static_cast<std::uint64_t>(bucket));
  }
};

/// First of two passes over all buckets whose output size is unknown: `work.size(bucket)` summed a
/// tile.
template <class Exec, class Work>
struct SizeBucketTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Work work;
  std::uint64_t num_buckets;
  std::uint64_t* sizes;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * tile_buckets;
    const std::uint64_t last =
        first + tile_buckets < num_buckets ? first + tile_buckets : num_buckets;
    std::uint64_t sum = 0;
    for (std::uint64_t b = first + team.team_rank(); b < last; b += team.team_size()) {
      sum += work.size(b);
    }
    team.team_reduce(Kokkos::Sum<std::uint64_t>(sum));
    if (team.team_rank() == 0) sizes[team.league_rank()] = sum;
  }
};

/// Second pass: `work.fill(bucket, position)` at every bucket's place in the output.
template <class Exec, class Work>
struct FillBucketTile {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  Work work;
  std::uint64_t num_buckets;
  const std::uint64_t* places;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    const std::uint64_t first = static_cast<std::uint64_t>(team.league_rank()) * tile_buckets;
    const std::uint64_t each = tile_buckets / static_cast<std::uint64_t>(team.team_size());
    const std::uint64_t from = first + each * static_cast<std::uint64_t>(team.team_rank());
    std::uint64_t sum = 0;
    for (std::uint64_t b = from; b < from + each && b < num_buckets; ++b) sum += work.size(b);
    std::uint64_t place = places[team.league_rank()] + team.team_scan(sum);
    for (std::uint64_t b = from; b < from + each && b < num_buckets; ++b) {
      work.fill(b, place);
      place += work.size(b);
    }
  }
};

/// Policy of the two passes.
template <class Exec>
[[nodiscard]] Kokkos::TeamPolicy<Exec> bucket_tile_policy(const Exec& exec,
                                                          std::uint64_t num_buckets) {
  constexpr std::uint64_t limit = std::numeric_limits<int>::max();
  const std::uint64_t tiles = bucket_tiles(num_buckets);
  if (tiles > limit) throw CapacityError("too many bucket tiles for one launch", tiles, limit);
  return Kokkos::TeamPolicy<Exec>(exec, static_cast<int>(tiles),
                                  backends::team_shape<Exec>().threads);
}

/// Sum of `work.size(bucket)` over all buckets; waits for `exec`.
template <class Exec, class Work>
std::uint64_t total_of_buckets(const char* label, const Exec& exec, const Work& work,
                               std::uint64_t num_buckets) {
  std::uint64_t total = 0;
  Kokkos::parallel_reduce(label, backends::range(exec, num_buckets), AddBucketSize<Work>{work},
                          total);
  return total;
}

/// Sizes all tiles, turns the sizes into places (bucket_tiles + 1 of them) and returns the total;
/// waits for `exec`.
template <class Exec, class Work, class MemorySpace>
std::uint64_t place_bucket_tiles(
    const char* label, const Exec& exec, const Work& work, std::uint64_t num_buckets,
    const typename Workspace<MemorySpace>::template Array<std::uint64_t>& places,
    Workspace<MemorySpace>& workspace) {
  const std::uint64_t tiles = bucket_tiles(num_buckets);
  Kokkos::deep_copy(exec, Kokkos::subview(places, tiles), std::uint64_t{0});
  Kokkos::parallel_for(label, bucket_tile_policy(exec, num_buckets),
                       SizeBucketTile<Exec, Work>{work, num_buckets, places.data()});
  backends::exclusive_scan(exec, places, workspace);
  std::uint64_t total = 0;
  Kokkos::deep_copy(exec, total, Kokkos::subview(places, tiles));
  exec.fence("hashmill: the total sizes the result");
  return total;
}

/// Runs the second pass; asynchronous.
template <class Exec, class Work>
void fill_bucket_tiles(const char* label, const Exec& exec, const Work& work,
                       std::uint64_t num_buckets, const std::uint64_t* places) {
  Kokkos::parallel_for(label, bucket_tile_policy(exec, num_buckets),
                       FillBucketTile<Exec, Work>{work, num_buckets, places});
}

}  // namespace hashmill::detail
