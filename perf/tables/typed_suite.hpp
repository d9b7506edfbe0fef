#pragma once

#include "build_operation.hpp"
#include "churn_operation.hpp"
#include "insert_operation.hpp"
#include "join_operation.hpp"
#include "library_table.hpp"
#include "lookup_operation.hpp"
#include "machine/execution_spaces.hpp"
#include "peers/host_map.hpp"
#include "peers/kokkos_unordered_map.hpp"
#ifdef HASHMILL_PERF_HAS_TBB
#include "peers/tbb_concurrent_hash_map.hpp"
#include "peers/tbb_concurrent_unordered_multimap.hpp"
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
#include "peers/boost_concurrent_flat_map.hpp"
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
#include "peers/cuco_static_map.hpp"
#include "peers/cuco_static_multiset.hpp"
#endif
#include <hashmill/error.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "case/suite.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

/// The suite of one execution space and key type: a table from algorithm names to operations.
template <class Exec, class Key>
class TypedSuite : public Suite {
 public:
  std::string backend() const override { return Exec::name(); }
  unsigned key_bits() const override { return 8 * sizeof(Key); }
  void clear() override { bench_.clear(); }
  std::uint64_t planned_bins(const CompareCase& wanted) const override {
    return Graph::planned_bins(bench_.exec(), wanted.data.num_keys,
                               graph_options(wanted.table, BuildAlgorithm::v2));
  }

  std::unique_ptr<Operation> make_operation(const CompareCase& wanted) override {
    for (const Factory& factory : factories()) {
      if (factory.algorithm != wanted.algorithm->name) continue;
      bench_.use(wanted);
      return factory.make(bench_, wanted.table);
    }
    throw InvalidArgument(std::string(wanted.algorithm->name) + " does not run on " + backend());
  }

 private:
  using Bench = Workbench<Exec, Key>;
  using Graph = typename Bench::Graph;
  using Make = std::unique_ptr<Operation> (*)(Bench&, const TableAxes&);

  struct Factory {
    std::string_view algorithm;
    Make make;
  };

  template <BuildAlgorithm Algorithm>
  static std::unique_ptr<Operation> make_graph_build(Bench& bench, const TableAxes& axes) {
    return std::make_unique<GraphBuildOperation<Bench>>(bench, graph_options(axes, Algorithm));
  }
  template <class Table>
  static std::unique_ptr<Operation> make_build(Bench& bench, const TableAxes& axes) {
    return std::make_unique<BuildOperation<Bench, Table>>(bench, axes);
  }
  template <class Table>
  static std::unique_ptr<Operation> make_insert(Bench& bench, const TableAxes& axes) {
    return std::make_unique<InsertOperation<Bench, Table>>(bench, axes);
  }
  template <class Churn>
  static std::unique_ptr<Operation> make_churn(Bench& bench, const TableAxes& axes) {
    return std::make_unique<ChurnOperation<Bench, Churn>>(bench, axes);
  }
  template <class Peer>
  static std::unique_ptr<Operation> make_peer_churn(Bench& bench, const TableAxes& axes) {
    return make_churn<PeerChurn<Exec, Peer>>(bench, axes);
  }
  template <class Table, template <class> class Lookup>
  static std::unique_ptr<Operation> make_lookup(Bench& bench, const TableAxes& axes) {
    return std::make_unique<LookupOperation<Bench, Table, Lookup>>(bench, axes);
  }
  template <template <class> class Result>
  static std::unique_ptr<Operation> make_join(Bench& bench, const TableAxes& axes) {
    return std::make_unique<JoinOperation<Bench, Result>>(bench, axes,
                                                          graph_options(axes, BuildAlgorithm::v2));
  }

  static std::vector<Factory> factories() {
    using Map = KokkosUnorderedMap<Exec, Key>;
    using Chains = LibraryTable<Exec, Key, ChainingKind>;
    using Unique = LibraryTable<Exec, Key, LinearProbingKind<UniqueKeys>>;
    using Multi = LibraryTable<Exec, Key, LinearProbingKind<RepeatedKeys>>;
    using Tags = LibraryTable<Exec, Key, TagBucketKind>;
    std::vector<Factory> all = {
        {"v1", make_graph_build<BuildAlgorithm::v1>},
        {"v2", make_graph_build<BuildAlgorithm::v2>},
        {"contains", make_lookup<Graph, ContainsLookup>},
        {"find", make_lookup<Graph, FindLookup>},
        {"probe-standard-count", make_lookup<Graph, CountLookup>},
        {"probe-standard-retrieve", make_lookup<Graph, RetrieveLookup>},
        {"probe-new-count", make_join<JoinCount>},
        {"probe-new-all-count", make_join<JoinCountOfAll>},
        {"probe-standard-total", make_join<LookUpCount>},
        {"probe-new-pairs", make_join<JoinPairs>},
        {"probe-standard-pairs", make_join<LookUpPairs>},
        {"chaining", make_build<Chains>},
        {"chaining-find", make_lookup<Chains, FindLookup>},
        {"chaining-count", make_lookup<Chains, CountLookup>},
        {"chaining-retrieve", make_lookup<Chains, RetrieveLookup>},
        {"linear-probing", make_build<Unique>},
        {"linear-probing-find", make_lookup<Unique, FindLookup>},
        {"linear-probing-multi", make_build<Multi>},
        {"linear-probing-count", make_lookup<Multi, CountLookup>},
        {"linear-probing-retrieve", make_lookup<Multi, RetrieveLookup>},
        {"tag-bucket", make_build<Tags>},
        {"tag-bucket-find", make_lookup<Tags, FindLookup>},
        {"tag-bucket-count", make_lookup<Tags, CountLookup>},
        {"tag-bucket-retrieve", make_lookup<Tags, RetrieveLookup>},
        {"linear-probing-insert", make_insert<Unique>},
        {"linear-probing-churn", make_churn<LinearProbingChurn<Exec, Key>>},
        {"tag-bucket-insert", make_insert<Tags>},
        {"tag-bucket-churn", make_churn<TagBucketChurn<Exec, Key>>},
        {"kokkos-build", make_build<Map>},
        {"kokkos-insert", make_insert<Map>},
        {"kokkos-churn", make_peer_churn<Map>},
        {"kokkos-find", make_lookup<Map, FindLookup>},
    };
    if constexpr (is_host_space<Exec>) add_host_peers(all);
#ifdef HASHMILL_PERF_HAS_CUCO
    if constexpr (std::is_same_v<Exec, Kokkos::Cuda>) add_cuda_peers(all);
#endif
    return all;
  }

  static void add_host_peers(std::vector<Factory>& all) {
    using Multimap = StdUnorderedMultimap<Exec, Key>;
    all.push_back({"std-build", make_build<Multimap>});
    all.push_back({"std-insert", make_insert<Multimap>});
    all.push_back({"std-churn", make_peer_churn<Multimap>});
    all.push_back({"std-find", make_lookup<Multimap, FindLookup>});
    all.push_back({"std-count", make_lookup<Multimap, CountLookup>});
#ifdef HASHMILL_PERF_HAS_TBB
    using Concurrent = TbbConcurrentUnorderedMultimap<Exec, Key>;
    all.push_back({"tbb-build", make_build<Concurrent>});
    all.push_back({"tbb-insert", make_insert<Concurrent>});
    all.push_back({"tbb-find", make_lookup<Concurrent, FindLookup>});
    all.push_back({"tbb-count", make_lookup<Concurrent, CountLookup>});
    using HashMap = TbbConcurrentHashMap<Exec, Key>;
    all.push_back({"tbb-hash-map-build", make_build<HashMap>});
    all.push_back({"tbb-hash-map-insert", make_insert<HashMap>});
    all.push_back({"tbb-hash-map-churn", make_peer_churn<HashMap>});
    all.push_back({"tbb-hash-map-find", make_lookup<HashMap, FindLookup>});
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
    using AbslFlat = AbslFlatHashMap<Exec, Key>;
    all.push_back({"absl-build", make_build<AbslFlat>});
    all.push_back({"absl-insert", make_insert<AbslFlat>});
    all.push_back({"absl-churn", make_peer_churn<AbslFlat>});
    all.push_back({"absl-find", make_lookup<AbslFlat, FindLookup>});
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
    using BoostFlat = BoostUnorderedFlatMap<Exec, Key>;
    all.push_back({"boost-build", make_build<BoostFlat>});
    all.push_back({"boost-insert", make_insert<BoostFlat>});
    all.push_back({"boost-churn", make_peer_churn<BoostFlat>});
    all.push_back({"boost-find", make_lookup<BoostFlat, FindLookup>});
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
    using ConcurrentFlat = BoostConcurrentFlatMap<Exec, Key>;
    all.push_back({"boost-concurrent-build", make_build<ConcurrentFlat>});
    all.push_back({"boost-concurrent-insert", make_insert<ConcurrentFlat>});
    all.push_back({"boost-concurrent-churn", make_peer_churn<ConcurrentFlat>});
    all.push_back({"boost-concurrent-find", make_lookup<ConcurrentFlat, FindLookup>});
#endif
  }

#ifdef HASHMILL_PERF_HAS_CUCO
  static void add_cuda_peers(std::vector<Factory>& all) {
    if constexpr (sizeof(Key) <= 8) {
      add_cuco_map<1>(all, "cuco-1-build", "cuco-1-insert", "cuco-1-find");
      add_cuco_map<2>(all, "cuco-2-build", "cuco-2-insert", "cuco-2-find");
      add_cuco_map<4>(all, "cuco-build", "cuco-insert", "cuco-find");
      add_cuco_map<8>(all, "cuco-8-build", "cuco-8-insert", "cuco-8-find");
      all.push_back({"cuco-churn", make_peer_churn<CucoErasableMap<Exec, Key>>});
    }
    if constexpr (sizeof(Key) == 4) {
      add_cuco_multiset<1>(all, "cuco-1-multi-build", "cuco-1-retrieve");
      add_cuco_multiset<2>(all, "cuco-2-multi-build", "cuco-2-retrieve");
      add_cuco_multiset<4>(all, "cuco-multi-build", "cuco-retrieve");
      add_cuco_multiset<8>(all, "cuco-8-multi-build", "cuco-8-retrieve");
    }
  }

  /// The map that probes with groups of so many threads.
  template <int GroupSize>
  static void add_cuco_map(std::vector<Factory>& all, std::string_view build,
                           std::string_view insert, std::string_view find) {
    using Map = CucoStaticMap<Exec, Key, GroupSize>;
    all.push_back({build, make_build<Map>});
    all.push_back({insert, make_insert<Map>});
    all.push_back({find, make_lookup<Map, FindLookup>});
  }
  template <int GroupSize>
  static void add_cuco_multiset(std::vector<Factory>& all, std::string_view build,
                                std::string_view retrieve) {
    using Multiset = CucoStaticMultiset<Exec, Key, GroupSize>;
    all.push_back({build, make_build<Multiset>});
    all.push_back({retrieve, make_lookup<Multiset, CucoRetrieveLookup>});
  }
#endif

  Bench bench_;
};

/// The suites of one key type, one for each execution space compiled in.
template <class Key>
std::vector<std::unique_ptr<Suite>> make_suites() {
  std::vector<std::unique_ptr<Suite>> suites;
  for_each_execution_space([&]<class Exec>(TypeTag<Exec>) {
    suites.push_back(std::make_unique<TypedSuite<Exec, Key>>());
  });
  return suites;
}

}  // namespace hashmill::perf
