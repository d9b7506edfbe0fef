#pragma once

#include <hashmill/join/detail/write_joined.hpp>
#include <hashmill/join/mc_hash/detail/npo.hpp>
#include <hashmill/join/mc_hash/detail/radix_join.hpp>
#include <hashmill/join/mc_hash/options.hpp>
#include <hashmill/join/mc_hash/tuples.hpp>
#include <hashmill/join_values.hpp>

/// The hash joins that are the baselines for CPUs, for comparison. Source: Balkesen, Teubner,
/// Alonso, Özsu, "Main-memory hash joins on multi-core CPUs: tuning to the underlying hardware",
/// ICDE 2013, and "Multi-core, main-memory joins: sort vs. hash revisited", VLDB 2013.
///
/// Programs should use hash_join.hpp.
///
/// Inner joins of two relations of tuples, on host execution spaces:
///
///     npo   no partitioning: one table that all threads share; much random memory traffic
///     pro   parallel radix join: both sides are partitioned until tables fit caches; the table of
///           a part is bucket chains
///     prh   as pro, but the table of a part is a histogram and the rows in the order of their
///           buckets
///
/// Columns become relations first:
///
///     const Kokkos::DefaultHostExecutionSpace exec;
///     using Keys = Kokkos::View<std::uint32_t*, Kokkos::HostSpace>;
///     const Keys orders("orders", 1000), items("items", 4000);
///     const auto build = hashmill::mc_hash::tuples_of(exec, orders);  // payloads: row numbers
///     const auto probe = hashmill::mc_hash::tuples_of(exec, items);
///     hashmill::Workspace<Kokkos::HostSpace> workspace;
///     const auto pairs = hashmill::mc_hash::pro(exec, probe, build, {}, workspace);
///     // rows pairs.left(i) of `items` and pairs.right(i) of `orders` have equal keys
///
/// Any key is legal and keys may repeat. Buckets and parts are numbered by the lowest bits of the
/// hash. By default the hash is the key itself, as in the authors' programs. The speed then depends
/// on the keys; dense keys never collide. `Murmur3Hash` removes this dependence.
///
/// The classical tables keep no order within a bucket. If rows of different keys share a bucket,
/// the cost is the product of their numbers.
///
/// Each join is two functions:
///
///     x         the payloads of all pairs, in no specified order. Counts the pairs, allocates
///               exactly the result, and writes it.
///     x_count   only the number of pairs, which is what the papers time
///
/// `pro` and `prh` keep pairs while they count them, in the memory of the partitioned probe rows,
/// as long as there are no more pairs than rows so far. Pairs without room there are looked up
/// again, and so are all pairs of `npo`.
///
/// All wait for `exec`, and do not change the input. They allocate temporary memory only if
/// `workspace` holds too little.
namespace hashmill {

namespace mc_hash {

/// The result of a join of two relations of this type: `left` holds payloads of the probe side,
/// `right` those of the build side.
template <class Relation>
using JoinedPayloads =
    JoinedValues<typename Relation::non_const_value_type::Payload,
                 typename Relation::non_const_value_type::Payload, Kokkos::HostSpace>;

}  // namespace mc_hash

namespace detail {

/// Counts a join of two relations, with temporary memory in one piece. Returns `use(join)`, which
/// can write the pairs.
template <template <class, class, class> class JoinOf, class Exec, class Probe, class Build,
          class Options, class Hash, class Use>
[[nodiscard]] auto with_mc_hash_join(const Exec& exec, const Probe& probe, const Build& build,
                                     const Options& options, const Hash& hash,
                                     Workspace<Kokkos::HostSpace>& workspace, const Use& use) {
  using Tuple = typename Build::non_const_value_type;
  static_assert(!backends::has_wide_teams<Exec>,
                "hashmill::mc_hash: these joins run on execution spaces of the host only");
  static_assert(std::is_same_v<Tuple, typename Probe::non_const_value_type>,
                "hashmill::mc_hash: the sides hold tuples of different types");
  static_assert(HashFor<Hash, typename Tuple::Key>,
                "hashmill::mc_hash: the hash maps a key to an unsigned number of 64 bits");
  require_accessible_table<Exec, typename Build::memory_space>();
  require_accessible_queries<Exec, Probe>();
  require_contiguous<Build, Probe>();
  using Join = JoinOf<Exec, Tuple, Hash>;
  workspace.reserve(exec, Join::bytes(exec, build.extent(0), probe.extent(0), options));
  const typename Workspace<Kokkos::HostSpace>::Frame frame(workspace);
  return use(Join(exec, {build.data(), build.extent(0)}, {probe.data(), probe.extent(0)}, options,
                  Use::writes_pairs, own_hash(hash, HashLevel::parts), workspace));
}

/// Writes the result of a join.
template <class Exec, class Joined>
struct WriteRelations {
  static constexpr bool writes_pairs = true;
  const char* operation;
  const Exec& exec;
  const JoinOptions& options;
  Joined& joined;

  template <class Join>
  void operator()(const Join& join) const {
    write_joined(operation, exec, join, options, joined);
  }
};

/// Returns the size of a join and writes no pairs.
struct SizeOfJoin {
  static constexpr bool writes_pairs = false;
  template <class Join>
  [[nodiscard]] std::uint64_t operator()(const Join& join) const {
    return join.size();
  }
};

}  // namespace detail

namespace mc_hash {

/// NPO, the no-partitioning join. Source: Blanas et al., SIGMOD 2011, section 3.2.1; Balkesen et
/// al., ICDE 2013, section III.
///
/// Threads insert their shares of `build` into one table, with one latch per bucket. Once all are
/// done, they probe it. Both steps prefetch a few rows ahead.
///
/// probe, build: contiguous views of `Tuple`, in memory that `exec` can access. The result's `left`
/// holds payloads of `probe`, and `right` those of `build`. Emptying the table is part of the join.
///
/// Cost: reads each row and makes one random memory access per row, or more if buckets overflow.
/// The pairs are looked up twice, once to count them.
///
///     temporary memory per build row   8-byte tuples    16-byte tuples
///     all                              32 to 48 bytes   48 to 72 bytes
///     of it, touched only where        16 bytes         24 bytes
///       buckets overflow
///
/// Throws CapacityError if the result exceeds `options.memory_budget`, or if memory is short.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
[[nodiscard]] auto npo(const Exec& exec, const Probe& probe, const Build& build,
                       const JoinOptions& options, Workspace<Kokkos::HostSpace>& workspace,
                       const Hash& hash = {}) {
  JoinedPayloads<Build> result;
  npo(exec, probe, build, options, result, workspace, hash);
  return result;
}

/// As above, into `result`. Reuses its memory if that suffices. Its former contents are lost, and
/// nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
void npo(const Exec& exec, const Probe& probe, const Build& build, const JoinOptions& options,
         JoinedPayloads<Build>& result, Workspace<Kokkos::HostSpace>& workspace,
         const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::npo");
  using Write = detail::WriteRelations<Exec, JoinedPayloads<Build>>;
  detail::with_mc_hash_join<detail::NpoJoin>(exec, probe, build, options, hash, workspace,
                                             Write{"mc_hash::npo", exec, options, result});
}

/// The number of pairs that `npo` finds. Throws CapacityError if memory is short.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
[[nodiscard]] std::uint64_t npo_count(const Exec& exec, const Probe& probe, const Build& build,
                                      Workspace<Kokkos::HostSpace>& workspace,
                                      const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::npo_count");
  return detail::with_mc_hash_join<detail::NpoJoin>(exec, probe, build, JoinOptions{}, hash,
                                                    workspace, detail::SizeOfJoin());
}

/// PRO, the parallel radix join with bucket chaining. Source: Kim et al., VLDB 2009, section 4;
/// Balkesen et al., ICDE 2013, section IV.
///
///     1. One or two passes partition both sides by the lowest bits of the hash. Each thread has a
///        histogram; a prefix sum runs over all of them. Write-combining buffers are written to
///        memory past the caches.
///     2. Each pair of parts is a task of one thread. It chains the build side's rows by further
///        bits of the hash, and probes them.
///
/// Tasks are handed out one at a time. A part that is too large for one thread is partitioned and
/// joined by all threads.
///
/// Arguments and result as for `npo`.
///
/// Cost: each pass reads each row twice and writes it once; joining reads it once. Temporary
/// memory: the rows of both sides, the rows of the larger side again if there are two passes, and
/// one part's table per thread.
///
/// Throws InvalidArgument if `options` are out of their ranges. Throws CapacityError as `npo`, and
/// also if a part of the build side has 2^32 - 1 rows or more.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
[[nodiscard]] auto pro(const Exec& exec, const Probe& probe, const Build& build,
                       const RadixJoinOptions& options, Workspace<Kokkos::HostSpace>& workspace,
                       const Hash& hash = {}) {
  JoinedPayloads<Build> result;
  pro(exec, probe, build, options, result, workspace, hash);
  return result;
}

/// As above, into `result`. Reuses its memory if that suffices. Its former contents are lost, and
/// nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
void pro(const Exec& exec, const Probe& probe, const Build& build, const RadixJoinOptions& options,
         JoinedPayloads<Build>& result, Workspace<Kokkos::HostSpace>& workspace,
         const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::pro");
  using Write = detail::WriteRelations<Exec, JoinedPayloads<Build>>;
  detail::with_mc_hash_join<detail::ProJoin>(exec, probe, build, options, hash, workspace,
                                             Write{"mc_hash::pro", exec, options, result});
}

/// The number of pairs that `pro` finds. Ignores `options.memory_budget`; throws as `pro`
/// otherwise.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
[[nodiscard]] std::uint64_t pro_count(const Exec& exec, const Probe& probe, const Build& build,
                                      const RadixJoinOptions& options,
                                      Workspace<Kokkos::HostSpace>& workspace,
                                      const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::pro_count");
  return detail::with_mc_hash_join<detail::ProJoin>(exec, probe, build, options, hash, workspace,
                                                    detail::SizeOfJoin());
}

/// PRH, the parallel radix join with histograms. Source: Kim et al., VLDB 2009, section 4; Balkesen
/// et al., ICDE 2013, section IV-A.
///
/// Partitions as `pro` does, then sorts a part's build rows by bucket and probes ranges of them.
/// Building a part's table reads each build row twice and writes it once, in cache; that of `pro`
/// reads it once and writes links. Everything else is as for `pro`.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
[[nodiscard]] auto prh(const Exec& exec, const Probe& probe, const Build& build,
                       const RadixJoinOptions& options, Workspace<Kokkos::HostSpace>& workspace,
                       const Hash& hash = {}) {
  JoinedPayloads<Build> result;
  prh(exec, probe, build, options, result, workspace, hash);
  return result;
}

/// As above, into `result`. Reuses its memory if that suffices. Its former contents are lost, and
/// nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
void prh(const Exec& exec, const Probe& probe, const Build& build, const RadixJoinOptions& options,
         JoinedPayloads<Build>& result, Workspace<Kokkos::HostSpace>& workspace,
         const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::prh");
  using Write = detail::WriteRelations<Exec, JoinedPayloads<Build>>;
  detail::with_mc_hash_join<detail::PrhJoin>(exec, probe, build, options, hash, workspace,
                                             Write{"mc_hash::prh", exec, options, result});
}

/// The number of pairs that `prh` finds. Ignores `options.memory_budget`; throws as `prh`
/// otherwise.
template <backends::ExecutionSpace Exec, class Probe, class Build, class Hash = IdentityHash>
[[nodiscard]] std::uint64_t prh_count(const Exec& exec, const Probe& probe, const Build& build,
                                      const RadixJoinOptions& options,
                                      Workspace<Kokkos::HostSpace>& workspace,
                                      const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::prh_count");
  return detail::with_mc_hash_join<detail::PrhJoin>(exec, probe, build, options, hash, workspace,
                                                    detail::SizeOfJoin());
}

}  // namespace mc_hash

}  // namespace hashmill
