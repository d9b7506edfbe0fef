#pragma once

#include <hashmill/backends/lanes.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>

namespace hashmill::detail {

// Look-ups in tables where the rows of a key are consecutive. `ref.walk(key)` returns a walk whose
// `step(s)` reads its s-th piece, a few rows. For a key with many rows, a group of lanes reads
// adjacent pieces and writes adjacent rows at the same time. A thread alone would do neither.

/// Whether the pieces of a search for a key can be read in any order.
template <class Ref>
concept StepwiseRef = requires(const Ref& ref, const HashedKey<typename Ref::key_type>& key) {
  ref.walk(key).step(std::uint64_t{0});
};

/// Whether such searches are usually long, so that groups of lanes count, too.
template <class Ref>
concept LongStepwiseRef = StepwiseRef<Ref> && Ref::long_searches;

/// Writes the rows of a step from `to` on, at most to `end`, and returns the end of what it wrote.
/// Every row is indexed by a constant, which keeps the step in registers.
template <class Walk, class Row>
KOKKOS_FORCEINLINE_FUNCTION Row* write_matches(const typename Walk::Step& step, Row* to,
                                               const Row* end) {
  backends::unrolled<Walk::width>([&](unsigned i) {
    if ((step.matches >> i & 1) != 0 && to < end) *to++ = step.row(i);
  });
  return to;
}

/// Writes the `count` rows of a key by one thread alone.
template <class Walk, class Row>
KOKKOS_FORCEINLINE_FUNCTION void write_rows(const Walk& walk, std::uint64_t count, Row* rows) {
  const Row* const end = rows + count;
  for (std::uint64_t s = 0; rows < end; ++s) {
    const auto step = walk.step(s);
    rows = write_matches<Walk>(step, rows, end);
    if (step.last) return;
  }
}

/// The common part of both kernels. Each thread first does its own query, as far as that is short
/// work. Then the lanes of a group together do the group's longer queries, one at a time.
template <class Exec, class Ref, class Queries>
struct StepwiseQueries {
  static_assert(require_comparable<typename Ref::key_type, KeyOf<Queries>>());
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  using Group = backends::LaneGroup<Exec>;
  Ref ref;
  Queries queries;

  /// Runs `own(q)`, which returns 0 when a query is finished. For any other number it then runs
  /// `together(group, q, number)`.
  template <class Own, class Together>
  KOKKOS_FORCEINLINE_FUNCTION void run(const Member& team, const Own& own,
                                       const Together& together) const {
    const auto rank = static_cast<unsigned>(team.team_rank());
    const std::uint64_t n = queries.size();
    const std::uint64_t q = static_cast<std::uint64_t>(team.league_rank()) *
                                static_cast<std::uint64_t>(team.team_size()) +
                            rank;
    const Group group(rank);
    const std::uint32_t mine = q < n ? own(q) : 0;
    for (unsigned lane = 0; lane < Group::lanes; ++lane) {
      const std::uint32_t more = group.broadcast(mine, lane);
      if (more != 0) together(group, q - group.lane() + lane, more);
    }
  }
  /// Whether the table's key type can hold a query, so that the query may have rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool can_be_key(std::uint64_t q) const {
    return Conversion::always || Conversion::fits(queries(q));
  }
  /// The search for a query that the key type can hold.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION auto walk(std::uint64_t q) const {
    const typename Ref::key_type key = Conversion::cast(queries(q));
    return ref.walk(key);
  }

 private:
  using Conversion = KeyConversion<typename Ref::key_type, KeyOf<Queries>>;
};

/// Counts the rows of each query.
template <class Exec, class Ref, class Queries, class Out>
struct CountInSteps {
  using Lookup = StepwiseQueries<Exec, Ref, Queries>;
  using Group = typename Lookup::Group;
  static constexpr std::uint64_t alone = 2;  ///< steps that end most searches for few rows
  Lookup lookup;
  Out out;

  KOKKOS_FUNCTION void operator()(const typename Lookup::Member& team) const {
    lookup.run(
        team, [&](std::uint64_t q) { return begin(q); },
        [&](const Group& group, std::uint64_t q, std::uint32_t found) {
          finish(group, q, found - 1);
        });
  }

 private:
  /// 0 when the search has ended, else 1 + the rows found so far.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin(std::uint64_t q) const {
    if (!lookup.can_be_key(q)) {
      out(q) = 0;
      return 0;
    }
    const auto walk = lookup.walk(q);
    std::uint32_t found = 0;
    for (std::uint64_t s = 0; s < alone; ++s) {
      const auto step = walk.step(s);
      found += static_cast<std::uint32_t>(Kokkos::popcount(step.matches));
      if (!step.last) continue;
      out(q) = found;
      return 0;
    }
    return found + 1;
  }
  KOKKOS_FORCEINLINE_FUNCTION void finish(const Group& group, std::uint64_t q,
                                          std::uint64_t found) const {
    constexpr std::uint32_t ended = 1U << 16;  // above the sum of matches
    constexpr std::uint64_t lanes = Group::lanes;
    const auto walk = lookup.walk(q);
    for (std::uint64_t s = alone + group.lane();; s += 2 * lanes) {
      const auto near = walk.step(s), far = walk.step(s + lanes);
      const auto matches = Kokkos::popcount(near.matches) + Kokkos::popcount(far.matches);
      const std::uint32_t sum =
          group.sum(static_cast<std::uint32_t>(matches) + (near.last || far.last ? ended : 0));
      found += sum % ended;
      if (sum >= ended) break;
    }
    if (group.lane() == 0) out(q) = found;
  }
};

/// Writes the rows of each query to the place that its offset tells.
template <class Exec, class Ref, class Queries, class Row>
struct RetrieveInSteps {
  using Lookup = StepwiseQueries<Exec, Ref, Queries>;
  using Group = typename Lookup::Group;
  static constexpr std::uint64_t few = 4;  ///< rows that a thread writes alone
  Lookup lookup;
  const std::uint64_t* offsets;
  Row* rows;

  KOKKOS_FUNCTION void operator()(const typename Lookup::Member& team) const {
    lookup.run(
        team, [&](std::uint64_t q) { return begin(q); },
        [&](const Group& group, std::uint64_t q, std::uint32_t) { write_together(group, q); });
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t begin(std::uint64_t q) const {
    const std::uint64_t from = offsets[q], size = offsets[q + 1] - from;
    if (!lookup.can_be_key(q)) return 0;
    if (size > few) return 1;
    if (size != 0) write_rows(lookup.walk(q), size, rows + from);
    return 0;
  }
  KOKKOS_FORCEINLINE_FUNCTION void write_together(const Group& group, std::uint64_t q) const {
    const auto walk = lookup.walk(q);
    Row* next = rows + offsets[q];
    Row* const end = rows + offsets[q + 1];
    for (std::uint64_t s = 0; next < end && s < walk.steps(); s += Group::lanes) {
      const auto step = walk.step(s + group.lane());
      std::uint32_t total = 0;
      Row* const to = next + group.sum_before(
                                 static_cast<std::uint32_t>(Kokkos::popcount(step.matches)), total);
      write_matches<typename Ref::Walk>(step, to, end);
      next += total;
    }
  }
};

/// Runs one of the kernels over `num_queries` queries. Asynchronous on `exec`. Throws CapacityError
/// when there are too many queries for one launch.
template <class Exec, class Kernel>
void launch_stepwise(const char* label, const Exec& exec, std::uint64_t num_queries,
                     const Kernel& kernel) {
  constexpr std::uint64_t threads = backends::team_threads<Exec>;
  launch_even_tiles(label, exec, (num_queries + threads - 1) / threads, kernel);
}

}  // namespace hashmill::detail
