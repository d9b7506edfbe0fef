#include "algorithm_table.hpp"

#include <algorithm>

namespace hashmill::perf {
namespace {

constexpr UsedAxes keys_only{};
constexpr UsedAxes queries_only{.queries = true};
constexpr UsedAxes v1_build{.load_factor = true};
constexpr UsedAxes v2_build{.load_factor = true, .bins = true};
constexpr UsedAxes table_and_queries{.queries = true, .load_factor = true};
constexpr UsedAxes slots{.fill = true};
constexpr UsedAxes slots_and_queries{.queries = true, .fill = true};
constexpr UsedAxes join{.queries = true, .load_factor = true, .bins = true};

using enum OperationKind;
using enum RunsOn;
using enum DefaultRun;

constexpr TableLimits linear_probing_limits{.fill = 0.95};
constexpr TableLimits tag_bucket_limits{.fill = 0.875};
constexpr TableLimits kokkos_limits{.fill = 0.85};  // it gives up inserting above 6/7
#ifdef HASHMILL_PERF_HAS_CUCO
constexpr TableLimits cuco_map_limits{.fill = 0.99, .key_bits = 64};
constexpr TableLimits cuco_multi_limits{.fill = 0.99, .key_bits = 32};
#endif

constexpr Algorithm algorithms[] = {
    {"v1", build, "HashGraph V1", every_backend, v1_build, false, all},
    {"v2", build, "HashGraph V2", every_backend, v2_build, false, all},
    {"chaining", build, "Chaining", every_backend, v1_build, false, all},
    {"linear-probing", build, "LinearProbing", every_backend, slots, false, all,
     linear_probing_limits},
    {"linear-probing-multi", build, "LinearProbing, repeated keys", every_backend, slots, false,
     none, linear_probing_limits},
    {"tag-bucket", build, "TagBucket", every_backend, slots, false, all, tag_bucket_limits},
    {"kokkos-build", build, "Kokkos::UnorderedMap", every_backend, slots, true, small,
     kokkos_limits},
    {"std-build", build, "std::unordered_multimap, 1 thread inserts", host_serial, keys_only, true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-build", build, "tbb::concurrent_unordered_multimap", host_threads, keys_only, true},
    {"tbb-hash-map-build", build, "tbb::concurrent_hash_map", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-build", build, "absl::flat_hash_map, 1 thread inserts", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-build", build, "boost::unordered_flat_map, 1 thread inserts", host_serial, keys_only,
     true},
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
    {"boost-concurrent-build", build, "boost::concurrent_flat_map", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-build", build, "cuco::static_map, groups of 4", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-1-build", build, "cuco::static_map, groups of 1", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-2-build", build, "cuco::static_map, groups of 2", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-8-build", build, "cuco::static_map, groups of 8", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-multi-build", build, "cuco::static_multiset, groups of 4", gpu, slots, true, small,
     cuco_multi_limits},
    {"cuco-1-multi-build", build, "cuco::static_multiset, groups of 1", gpu, slots, true, small,
     cuco_multi_limits},
    {"cuco-2-multi-build", build, "cuco::static_multiset, groups of 2", gpu, slots, true, small,
     cuco_multi_limits},
    {"cuco-8-multi-build", build, "cuco::static_multiset, groups of 8", gpu, slots, true, small,
     cuco_multi_limits},
#endif
    {"linear-probing-insert", insert, "LinearProbing", every_backend, slots, false, small,
     linear_probing_limits},
    {"tag-bucket-insert", insert, "TagBucket", every_backend, slots, false, small,
     tag_bucket_limits},
    {"kokkos-insert", insert, "Kokkos::UnorderedMap", every_backend, slots, true, small,
     kokkos_limits},
    {"std-insert", insert, "std::unordered_multimap, 1 thread inserts", host_serial, keys_only,
     true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-insert", insert, "tbb::concurrent_unordered_multimap", host_threads, keys_only, true},
    {"tbb-hash-map-insert", insert, "tbb::concurrent_hash_map", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-insert", insert, "absl::flat_hash_map, 1 thread inserts", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-insert", insert, "boost::unordered_flat_map, 1 thread inserts", host_serial, keys_only,
     true},
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
    {"boost-concurrent-insert", insert, "boost::concurrent_flat_map", host_threads, keys_only,
     true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-insert", insert, "cuco::static_map, groups of 4", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-1-insert", insert, "cuco::static_map, groups of 1", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-2-insert", insert, "cuco::static_map, groups of 2", gpu, slots, true, small,
     cuco_map_limits},
    {"cuco-8-insert", insert, "cuco::static_map, groups of 8", gpu, slots, true, small,
     cuco_map_limits},
#endif
    {"linear-probing-churn", churn, "LinearProbing", every_backend, slots, false, small,
     linear_probing_limits},
    {"tag-bucket-churn", churn, "TagBucket", every_backend, slots, false, small, tag_bucket_limits},
    {"kokkos-churn", churn, "Kokkos::UnorderedMap", every_backend, slots, true, small,
     kokkos_limits},
    {"std-churn", churn, "std::unordered_multimap, 1 thread inserts", host_serial, keys_only, true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-hash-map-churn", churn, "tbb::concurrent_hash_map", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-churn", churn, "absl::flat_hash_map, 1 thread inserts", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-churn", churn, "boost::unordered_flat_map, 1 thread inserts", host_serial, keys_only,
     true},
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
    {"boost-concurrent-churn", churn, "boost::concurrent_flat_map", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-churn", churn, "cuco::static_map, groups of 4", gpu, slots, true, small,
     cuco_map_limits},
#endif
    {"contains", contains, "HashGraph V2", every_backend, table_and_queries, false, none},
    {"find", find, "HashGraph V2", every_backend, table_and_queries, false, all},
    {"chaining-find", find, "Chaining", every_backend, table_and_queries, false, all},
    {"linear-probing-find", find, "LinearProbing", every_backend, slots_and_queries, false, all,
     linear_probing_limits},
    {"tag-bucket-find", find, "TagBucket", every_backend, slots_and_queries, false, all,
     tag_bucket_limits},
    {"kokkos-find", find, "Kokkos::UnorderedMap", every_backend, slots_and_queries, true, small,
     kokkos_limits},
    {"std-find", find, "std::unordered_multimap, 1 thread inserts", host_threads, queries_only,
     true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-find", find, "tbb::concurrent_unordered_multimap", host_threads, queries_only, true},
    {"tbb-hash-map-find", find, "tbb::concurrent_hash_map", host_threads, queries_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-find", find, "absl::flat_hash_map, 1 thread inserts", host_threads, queries_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-find", find, "boost::unordered_flat_map, 1 thread inserts", host_threads, queries_only,
     true},
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
    {"boost-concurrent-find", find, "boost::concurrent_flat_map", host_threads, queries_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-find", find, "cuco::static_map, groups of 4", gpu, slots_and_queries, true, small,
     cuco_map_limits},
    {"cuco-1-find", find, "cuco::static_map, groups of 1", gpu, slots_and_queries, true, small,
     cuco_map_limits},
    {"cuco-2-find", find, "cuco::static_map, groups of 2", gpu, slots_and_queries, true, small,
     cuco_map_limits},
    {"cuco-8-find", find, "cuco::static_map, groups of 8", gpu, slots_and_queries, true, small,
     cuco_map_limits},
#endif
    {"probe-standard-count", count, "HashGraph Probe-Standard", every_backend, table_and_queries,
     false, all},
    {"chaining-count", count, "Chaining", every_backend, table_and_queries},
    {"linear-probing-count", count, "LinearProbing, repeated keys", every_backend,
     slots_and_queries, false, small, linear_probing_limits},
    {"tag-bucket-count", count, "TagBucket", every_backend, slots_and_queries, false, small,
     tag_bucket_limits},
    {"std-count", count, "std::unordered_multimap, 1 thread inserts", host_threads, queries_only,
     true, none},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-count", count, "tbb::concurrent_unordered_multimap", host_threads, queries_only, true,
     none},
#endif
    {"probe-standard-retrieve", retrieve, "HashGraph Probe-Standard", every_backend,
     table_and_queries},
    {"chaining-retrieve", retrieve, "Chaining", every_backend, table_and_queries},
    {"linear-probing-retrieve", retrieve, "LinearProbing, repeated keys", every_backend,
     slots_and_queries, false, small, linear_probing_limits},
    {"tag-bucket-retrieve", retrieve, "TagBucket", every_backend, slots_and_queries, false, small,
     tag_bucket_limits},
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-retrieve", retrieve, "cuco::static_multiset, groups of 4", gpu, slots_and_queries, true,
     small, cuco_multi_limits},
    {"cuco-1-retrieve", retrieve, "cuco::static_multiset, groups of 1", gpu, slots_and_queries,
     true, small, cuco_multi_limits},
    {"cuco-2-retrieve", retrieve, "cuco::static_multiset, groups of 2", gpu, slots_and_queries,
     true, small, cuco_multi_limits},
    {"cuco-8-retrieve", retrieve, "cuco::static_multiset, groups of 8", gpu, slots_and_queries,
     true, small, cuco_multi_limits},
#endif
    {"probe-new-count", join_count, "HashGraph Probe-New, runs of equal queries merged",
     every_backend, table_and_queries, false, all},
    {"probe-new-all-count", join_count, "HashGraph Probe-New, none merged", every_backend, join,
     false, small},
    {"probe-standard-total", join_count, "HashGraph Probe-Standard, added up", every_backend,
     table_and_queries, false, all},
    {"probe-new-pairs", join_pairs, "HashGraph Probe-New", every_backend, join},
    {"probe-standard-pairs", join_pairs, "HashGraph Probe-Standard", every_backend,
     table_and_queries},
};

}  // namespace

std::span<const Algorithm> all_algorithms() { return algorithms; }

const Algorithm* find_algorithm(std::string_view name) {
  const auto* const found = std::ranges::find(algorithms, name, &Algorithm::name);
  return found == std::end(algorithms) ? nullptr : found;
}

std::string_view to_string(OperationKind kind) {
  switch (kind) {
    case build:
      return "build";
    case insert:
      return "insert";
    case churn:
      return "churn";
    case contains:
      return "contains";
    case find:
      return "find";
    case count:
      return "count";
    case retrieve:
      return "retrieve";
    case join_count:
      return "join, count";
    case join_pairs:
      return "join, pairs";
    case both_sides:
      return "join, both sides";
    case group:
      return "group by";
  }
  return "";
}

}  // namespace hashmill::perf
