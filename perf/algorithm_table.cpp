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
    {"kokkos-build", build, "Kokkos::UnorderedMap", every_backend, keys_only, true},
    {"std-build", build, "std::unordered_multimap", host_serial, keys_only, true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-build", build, "tbb::concurrent_unordered_multimap", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-build", build, "absl::flat_hash_map", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-build", build, "boost::unordered_flat_map", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-build", build, "cuco::static_map", gpu, slots, true, small, cuco_map_limits},
    {"cuco-multi-build", build, "cuco::static_multiset", gpu, slots, true, small,
     cuco_multi_limits},
#endif
    {"linear-probing-insert", insert, "LinearProbing", every_backend, slots, false, small,
     linear_probing_limits},
    {"tag-bucket-insert", insert, "TagBucket", every_backend, slots, false, small,
     tag_bucket_limits},
    {"kokkos-insert", insert, "Kokkos::UnorderedMap", every_backend, keys_only, true},
    {"std-insert", insert, "std::unordered_multimap", host_serial, keys_only, true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-insert", insert, "tbb::concurrent_unordered_multimap", host_threads, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-insert", insert, "absl::flat_hash_map", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-insert", insert, "boost::unordered_flat_map", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-insert", insert, "cuco::static_map", gpu, slots, true, small, cuco_map_limits},
#endif
    {"linear-probing-churn", churn, "LinearProbing", every_backend, slots, false, small,
     linear_probing_limits},
    {"tag-bucket-churn", churn, "TagBucket", every_backend, slots, false, small, tag_bucket_limits},
    {"kokkos-churn", churn, "Kokkos::UnorderedMap", every_backend, keys_only, true},
    {"std-churn", churn, "std::unordered_multimap", host_serial, keys_only, true},
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-churn", churn, "absl::flat_hash_map", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-churn", churn, "boost::unordered_flat_map", host_serial, keys_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-churn", churn, "cuco::static_map", gpu, slots, true, small, cuco_map_limits},
#endif
    {"contains", contains, "HashGraph V2", every_backend, table_and_queries, false, none},
    {"find", find, "HashGraph V2", every_backend, table_and_queries, false, all},
    {"chaining-find", find, "Chaining", every_backend, table_and_queries, false, all},
    {"linear-probing-find", find, "LinearProbing", every_backend, slots_and_queries, false, all,
     linear_probing_limits},
    {"tag-bucket-find", find, "TagBucket", every_backend, slots_and_queries, false, all,
     tag_bucket_limits},
    {"kokkos-find", find, "Kokkos::UnorderedMap", every_backend, queries_only, true},
    {"std-find", find, "std::unordered_multimap", host_threads, queries_only, true},
#ifdef HASHMILL_PERF_HAS_TBB
    {"tbb-find", find, "tbb::concurrent_unordered_multimap", host_threads, queries_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    {"absl-find", find, "absl::flat_hash_map", host_threads, queries_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    {"boost-find", find, "boost::unordered_flat_map", host_threads, queries_only, true},
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
    {"cuco-find", find, "cuco::static_map", gpu, slots_and_queries, true, small, cuco_map_limits},
#endif
    {"probe-standard-count", count, "HashGraph Probe-Standard", every_backend, table_and_queries,
     false, all},
    {"chaining-count", count, "Chaining", every_backend, table_and_queries},
    {"linear-probing-count", count, "LinearProbing, repeated keys", every_backend,
     slots_and_queries, false, small, linear_probing_limits},
    {"tag-bucket-count", count, "TagBucket", every_backend, slots_and_queries, false, small,
     tag_bucket_limits},
    {"std-count", count, "std::unordered_multimap", host_threads, queries_only, true, none},
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
    {"cuco-retrieve", retrieve, "cuco::static_multiset", gpu, slots_and_queries, true, small,
     cuco_multi_limits},
#endif
    {"probe-new-count", join_count, "HashGraph Probe-New", every_backend, table_and_queries, false,
     all},
    {"probe-new-pairs", join_pairs, "HashGraph Probe-New", every_backend, join},
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
