#pragma once

#include <hashmill/join/detail/write_joined.hpp>
#include <hashmill/join/mc_hash/detail/npo.hpp>
#include <hashmill/join/mc_hash/detail/radix_join.hpp>
#include <hashmill/join/mc_hash/options.hpp>
#include <hashmill/join/mc_hash/tuples.hpp>
#include <hashmill/join_values.hpp>

/// The hash joins that CPUs are measured by, for comparison: Balkesen, Teubner, Alonso, Özsu,
/// "Main-memory hash joins on multi-core CPUs: tuning to the underlying hardware", ICDE 2013, and
/// "Multi-core, main-memory joins: sort vs. hash revisited", VLDB 2013. For joins in programs see
/// hash_join.hpp, which takes them as strategies too, of keys in a column.
///
/// Inner joins of two relations of tuples, on host execution spaces:
///
///     npo   no partitioning: one table that all threads share, and much memory traffic at random
///     pro   parallel radix join: both sides partitioned until tables fit caches; bucket chaining
///     prh   the same, with a part's table as a histogram and rows in the order of their buckets
///
/// What they have in common. Any key is legal and keys may repeat. Buckets and parts are the lowest
/// bits of the hash, by default of the key itself as in the authors' programs: its speed depends on
/// the keys (dense keys meet no collision), and `Murmur3Hash` makes them all alike. The classical
/// tables keep no order within a bucket: rows of different keys that share one cost the product of
/// their numbers.
///
/// `x` gives the payloads of all pairs, in no specified order: it counts them, allocates exactly
/// the result, and writes it. `pro` and `prh` keep pairs as they count them, where the partitioned
/// probe rows were, as long as they are no more than the rows before; what finds no room there, and
/// all that `npo` finds, is looked up again. `x_count` returns the number of pairs alone, which is
/// what the papers time. Both wait for `exec`, allocate temporary memory of `workspace` only where
/// that holds too little, and leave the input as it is.
namespace hashmill {

namespace mc_hash {

/// What a join of two relations of that type gives: `left` holds payloads of the probe side,
/// `right` those of the build side.
template <class Relation>
using JoinedPayloads =
    JoinedValues<typename Relation::non_const_value_type::Payload,
                 typename Relation::non_const_value_type::Payload, Kokkos::HostSpace>;

}  // namespace mc_hash

namespace detail {

/// Carries out a join of two relations, with temporary memory in one piece, up to its size, and
/// returns what `use(join)` makes of it.
template <template <class, class, class> class JoinOf, class Exec, class Build, class Probe,
          class Options, class Hash, class Use>
[[nodiscard]] auto with_mc_hash_join(const Exec& exec, const Build& build, const Probe& probe,
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

struct SizeOfJoin {
  static constexpr bool writes_pairs = false;
  template <class Join>
  [[nodiscard]] std::uint64_t operator()(const Join& join) const {
    return join.size();
  }
};

}  // namespace detail

namespace mc_hash {

/// NPO, the no-partitioning join (Blanas et al., SIGMOD 2011, section 3.2.1; Balkesen et al., ICDE
/// 2013, section III): threads insert their shares of `build` into one table under a latch a bucket
/// and, once all are done, probe it; both prefetch a few rows ahead.
///
/// build, probe: contiguous views of `Tuple`, in memory that `exec` can reach. The result's `left`
/// holds payloads of `probe`, `right` those of `build`. Emptying the table is part of it.
/// Cost: a read of each row, and a random access to memory a row, or more where buckets overflow.
/// Temporary memory: 32 to 48 bytes a build row (48 to 72 with tuples of 16 bytes), of which 16
/// (24) are touched only as buckets overflow. Throws CapacityError when the result exceeds
/// `options.memory_budget` or memory.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
[[nodiscard]] auto npo(const Exec& exec, const Build& build, const Probe& probe,
                       const JoinOptions& options, Workspace<Kokkos::HostSpace>& workspace,
                       const Hash& hash = {}) {
  JoinedPayloads<Build> result;
  npo(exec, build, probe, options, result, workspace, hash);
  return result;
}

/// As above, into `result`, whose memory is used again where it is enough. What it held is gone;
/// nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
void npo(const Exec& exec, const Build& build, const Probe& probe, const JoinOptions& options,
         JoinedPayloads<Build>& result, Workspace<Kokkos::HostSpace>& workspace,
         const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::npo");
  using Write = detail::WriteRelations<Exec, JoinedPayloads<Build>>;
  detail::with_mc_hash_join<detail::NpoJoin>(exec, build, probe, options, hash, workspace,
                                             Write{"mc_hash::npo", exec, options, result});
}

/// The number of pairs of `npo`.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
[[nodiscard]] std::uint64_t npo_count(const Exec& exec, const Build& build, const Probe& probe,
                                      Workspace<Kokkos::HostSpace>& workspace,
                                      const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::npo_count");
  return detail::with_mc_hash_join<detail::NpoJoin>(exec, build, probe, JoinOptions{}, hash,
                                                    workspace, detail::SizeOfJoin());
}

/// PRO, the parallel radix join with bucket chaining (Kim et al., VLDB 2009, section 4; Balkesen et
/// al., ICDE 2013, section IV): one or two passes partition both sides by the lowest bits of the
/// hash, with a histogram a thread, a prefix sum over them and write-combining buffers that go to
/// memory past the caches; then each pair of parts is a task of one thread, which chains the build
/// side's rows by further bits and probes them. Tasks are handed out one at a time; a part that is
/// too large for one thread is partitioned and joined by all.
///
/// As `npo`, and: throws InvalidArgument where `options` are out of their ranges, and CapacityError
/// where a part of the build side has 2^32 - 1 rows or more.
/// Cost: each pass reads a row twice and writes it once; joining reads it once. Temporary memory:
/// the rows of both sides, with two passes those of the larger side again, and tables of one part a
/// thread.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
[[nodiscard]] auto pro(const Exec& exec, const Build& build, const Probe& probe,
                       const RadixJoinOptions& options, Workspace<Kokkos::HostSpace>& workspace,
                       const Hash& hash = {}) {
  JoinedPayloads<Build> result;
  pro(exec, build, probe, options, result, workspace, hash);
  return result;
}

/// As above, into `result`, whose memory is used again where it is enough. What it held is gone;
/// nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
void pro(const Exec& exec, const Build& build, const Probe& probe, const RadixJoinOptions& options,
         JoinedPayloads<Build>& result, Workspace<Kokkos::HostSpace>& workspace,
         const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::pro");
  using Write = detail::WriteRelations<Exec, JoinedPayloads<Build>>;
  detail::with_mc_hash_join<detail::ProJoin>(exec, build, probe, options, hash, workspace,
                                             Write{"mc_hash::pro", exec, options, result});
}

/// The number of pairs of `pro`.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
[[nodiscard]] std::uint64_t pro_count(const Exec& exec, const Build& build, const Probe& probe,
                                      const RadixJoinOptions& options,
                                      Workspace<Kokkos::HostSpace>& workspace,
                                      const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::pro_count");
  return detail::with_mc_hash_join<detail::ProJoin>(exec, build, probe, options, hash, workspace,
                                                    detail::SizeOfJoin());
}

/// PRH, the parallel radix join with histograms (Kim et al., VLDB 2009, section 4; Balkesen et al.,
/// ICDE 2013, section IV-A): partitions as `pro`, then sorts a part's build rows by bucket and
/// probes ranges of them. Reads each build row of a part twice and writes it once more than `pro`,
/// in cache. All else as `pro`.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
[[nodiscard]] auto prh(const Exec& exec, const Build& build, const Probe& probe,
                       const RadixJoinOptions& options, Workspace<Kokkos::HostSpace>& workspace,
                       const Hash& hash = {}) {
  JoinedPayloads<Build> result;
  prh(exec, build, probe, options, result, workspace, hash);
  return result;
}

/// As above, into `result`, whose memory is used again where it is enough. What it held is gone;
/// nobody else may hold its columns.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
void prh(const Exec& exec, const Build& build, const Probe& probe, const RadixJoinOptions& options,
         JoinedPayloads<Build>& result, Workspace<Kokkos::HostSpace>& workspace,
         const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::prh");
  using Write = detail::WriteRelations<Exec, JoinedPayloads<Build>>;
  detail::with_mc_hash_join<detail::PrhJoin>(exec, build, probe, options, hash, workspace,
                                             Write{"mc_hash::prh", exec, options, result});
}

/// The number of pairs of `prh`.
template <backends::ExecutionSpace Exec, class Build, class Probe, class Hash = IdentityHash>
[[nodiscard]] std::uint64_t prh_count(const Exec& exec, const Build& build, const Probe& probe,
                                      const RadixJoinOptions& options,
                                      Workspace<Kokkos::HostSpace>& workspace,
                                      const Hash& hash = {}) {
  Kokkos::Profiling::ScopedRegion region("hashmill::mc_hash::prh_count");
  return detail::with_mc_hash_join<detail::PrhJoin>(exec, build, probe, options, hash, workspace,
                                                    detail::SizeOfJoin());
}

}  // namespace mc_hash

}  // namespace hashmill
