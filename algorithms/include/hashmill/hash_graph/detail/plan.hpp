#pragma once

#include <hashmill/hash_graph/detail/bins.hpp>
#include <hashmill/partition/detail/level_bytes.hpp>
#include <string>

namespace hashmill::detail {

/// The number of buckets that options ask for. Throws CapacityError if `rows_per_bucket` asks
/// for more than 2^40.
[[nodiscard]] inline std::uint64_t bucket_count(std::uint64_t num_keys,
                                                const HashGraphOptions& options) {
  return options.buckets ? options.buckets->value()
                         : options.rows_per_bucket.buckets_for(num_keys).value();
}

/// Whether all functions of these two types are one function, because they hold nothing.
template <class HashA, class HashB>
inline constexpr bool are_one_hash =
    std::is_same_v<std::decay_t<HashA>, std::decay_t<HashB>>&& std::is_empty_v<std::decay_t<HashA>>;

/// Throws InvalidArgument unless two tables have one hash range and one hash function. Functions
/// that hold something and have no `==` are taken on trust, but not for shares, where keys would be
/// sought in buckets that are elsewhere.
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
  } else if constexpr (!are_one_hash<decltype(a.hash()), decltype(b.hash())>) {
    if (a.hash_range() == HashRange::whole(a.num_buckets())) return;
    throw InvalidArgument(std::string(operation) +
                          ": the tables hold shares of a table; give their hash function an "
                          "operator==, so that it can be compared");
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
  bytes = checked_add(bytes, levels_bytes<team, Record, Index>(exec, plan, num_keys), "workspace");
  return checked_add(bytes, rounding_bytes(num_keys, buckets), "workspace");
}

/// Bytes of memory of a table.
template <class Layout>
[[nodiscard]] std::uint64_t table_bytes(std::uint64_t num_keys, const HashGraphOptions& options) {
  const std::uint64_t buckets = bucket_count(num_keys, options);
  constexpr std::uint64_t allocation_rounding = 64;  // Kokkos rounds each array up to 8 bytes
  const std::uint64_t offsets =
      checked_bytes<typename Layout::Index>(checked_add(buckets, 1, "buckets"), "offsets");
  return checked_add(checked_bytes<typename Layout::Entry>(num_keys, "entries"),
                     checked_add(offsets, allocation_rounding, "table"), "table");
}

/// Bytes of workspace that its build takes. Without bins it takes only what scans and rounding do.
template <class Layout, class Exec>
[[nodiscard]] std::uint64_t build_bytes(const Exec& exec, std::uint64_t num_keys,
                                        const HashGraphOptions& options) {
  const std::uint64_t buckets = bucket_count(num_keys, options);
  if (num_keys == 0 || options.algorithm == BuildAlgorithm::v1) {
    return rounding_bytes(num_keys, buckets);
  }
  const BuildPlan plan =
      plan_build<backends::has_wide_teams<Exec>, Layout>(exec, num_keys, buckets, options.bins);
  return binning_bytes<Layout>(exec, num_keys, buckets, plan.levels);
}

/// See HashGraph::predicted_peak_bytes.
template <class Layout, class Exec>
[[nodiscard]] std::uint64_t predicted_peak_bytes(const Exec& exec, std::uint64_t num_keys,
                                                 const HashGraphOptions& options) {
  return checked_add(table_bytes<Layout>(num_keys, options),
                     build_bytes<Layout>(exec, num_keys, options), "peak bytes");
}

}  // namespace hashmill::detail
