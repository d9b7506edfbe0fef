#pragma once

#include <hashmill/hash_graph/detail/bins.hpp>
#include <string>

namespace hashmill::detail {

/// The number of buckets that options ask for. Throws CapacityError if `rows_per_bucket` asks
/// for more than 2^40.
[[nodiscard]] inline std::uint64_t bucket_count(std::uint64_t num_keys,
                                                const HashGraphOptions& options) {
  return options.buckets ? options.buckets->value()
                         : options.rows_per_bucket.buckets_for(num_keys).value();
}

/// Throws InvalidArgument unless two tables put equal keys into the same buckets.
template <class A, class B>
void check_same_hash_range(const char* operation, const A& a, const B& b) {
  if (a.num_buckets() != b.num_buckets()) {
    throw InvalidArgument(std::string(operation) + ": the tables have different hash ranges, " +
                          std::to_string(a.num_buckets()) + " and " +
                          std::to_string(b.num_buckets()) +
                          " buckets; build both with the same HashGraphOptions::buckets");
  }
  if (!(a.hash_range() == b.hash_range())) {
    throw InvalidArgument(std::string(operation) + ": the tables hold different shares of a table");
  }
  if constexpr (requires { a.hash() == b.hash(); }) {
    if (!(a.hash() == b.hash())) {
      throw InvalidArgument(std::string(operation) +
                            ": the tables have different hash functions or seeds");
    }
  }
}

/// Throws InvalidArgument if a table holds a range of a larger one's buckets.
template <class Table>
void require_all_buckets(const char* operation, const Table& table) {
  if (table.hash_range() == HashRange::whole(table.num_buckets())) return;
  throw InvalidArgument(
      std::string(operation) +
      ": the table is one rank's share; use the functions of the distributed table");
}

/// See HashGraph::planned_bins.
template <class Layout, class Exec>
[[nodiscard]] std::uint64_t planned_bins(const Exec& exec, std::uint64_t num_keys,
                                         const HashGraphOptions& options) {
  if (num_keys == 0 || options.algorithm == BuildAlgorithm::v1) return 0;
  return plan_build<backends::has_wide_teams<Exec>, Layout>(
             exec, num_keys, bucket_count(num_keys, options), options.bins)
      .bins.bins;
}

/// Bytes that one level of partitioning takes from the workspace.
template <bool Team, class Record, class Index, class Exec>
[[nodiscard]] std::uint64_t level_bytes(const Exec& exec, const LevelPlan& plan, unsigned level,
                                        std::uint64_t records) {
  const std::uint64_t parents = std::uint64_t{1} << plan.bits_before(level);
  const std::uint64_t tiles =
      tile_bound(records, parents, tile_records<Exec, Record, Team>(exec, records));
  return (parents + 1 + (tiles << plan.bits_of(level)) + 1) * sizeof(Index);
}

/// Bytes of workspace that rounding of arrays and temporaries of scans take: about one word per
/// 1000 values. Building without bins takes no more.
[[nodiscard]] inline std::uint64_t rounding_bytes(std::uint64_t num_keys, std::uint64_t buckets) {
  return (std::uint64_t{1} << 16) + num_keys / 64 + buckets / 64;
}

/// Bytes of workspace that a build through bins takes if no bin outgrows a team or thread.
template <class Layout, class Exec>
[[nodiscard]] std::uint64_t binning_bytes(const Exec& exec, std::uint64_t num_keys,
                                          std::uint64_t buckets, const LevelPlan& plan) {
  using Record = typename Layout::Record;
  using Entry = typename Layout::Entry;
  using Index = typename Layout::Index;
  constexpr bool team = backends::has_wide_teams<Exec>;
  const std::uint64_t copies = std::is_same_v<Record, Entry> || plan.levels == 1 ? 1 : 2;
  std::uint64_t bytes =
      checked_multiply(copies, checked_bytes<Record>(num_keys, "records"), "records");
  std::uint64_t level = 0;
  for (unsigned l = 0; l < plan.levels; ++l) {  // offsets of every level stay until the end
    bytes += ((std::uint64_t{1} << plan.bits_before(l + 1)) + 1) * sizeof(Index);
    level = std::max(level, level_bytes<team, Record, Index>(exec, plan, l, num_keys));
  }
  if constexpr (!team) level += node_exchange_bytes<Record, Index>(num_keys, plan.bits_of(0));
  return checked_add(bytes, level + rounding_bytes(num_keys, buckets), "workspace");
}

/// See HashGraph::predicted_peak_bytes.
template <class Layout, class Exec>
[[nodiscard]] std::uint64_t predicted_peak_bytes(const Exec& exec, std::uint64_t num_keys,
                                                 const HashGraphOptions& options) {
  using Entry = typename Layout::Entry;
  using Index = typename Layout::Index;
  const std::uint64_t buckets = bucket_count(num_keys, options);
  const std::uint64_t table =
      checked_add(checked_bytes<Entry>(num_keys, "entries"),
                  checked_bytes<Index>(checked_add(buckets, 1, "buckets"), "offsets"), "table");
  constexpr std::uint64_t allocation_rounding = 64;  // Kokkos rounds each array up to 8 bytes
  const bool has_bins = num_keys != 0 && options.algorithm != BuildAlgorithm::v1;
  const std::uint64_t workspace =
      has_bins ? binning_bytes<Layout>(exec, num_keys, buckets,
                                       plan_build<backends::has_wide_teams<Exec>, Layout>(
                                           exec, num_keys, buckets, options.bins)
                                           .levels)
               : rounding_bytes(num_keys, buckets);
  return checked_add(table, workspace + allocation_rounding, "peak bytes");
}

}  // namespace hashmill::detail
