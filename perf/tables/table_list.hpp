#pragma once

#include <Kokkos_Macros.hpp>
#include <hashmill/hash_graph/options.hpp>
#include <hashmill/linear_probing/options.hpp>
#include <string_view>

#include "case/algorithm.hpp"

// Every algorithm on tables, in one list: its name, its title, where it runs, its axes, its limits
// and what makes it. Tables and makers are only declared here, so that a list of names compiles
// none of them; table_makers.hpp defines the makers. A new table is a declaration and a row.

namespace hashmill::perf {

// Makers of operations, from a bench and the axes of its table.
template <BuildAlgorithm>
struct MakeGraphBuild;
template <OperationKind>
struct MakeGraphLookup;
template <template <class Bench> class Result>
struct MakeGraphJoin;
template <OperationKind, template <class Exec, class Key> class Table>
struct MakeTableOperation;

/// Of our partition, and of CUB's sort, by so many bits.
template <unsigned Bits>
struct MakePartition;
template <unsigned Bits>
struct MakeCubSort;

// Results of joins of HashGraphs.
template <class Bench>
class JoinCount;
template <class Bench>
class JoinCountOfAll;
template <class Bench>
class LookUpCount;
template <class Bench>
class JoinPairs;
template <class Bench>
class LookUpPairs;

// Other tables of ours.
struct ChainingKind;
template <class Kind>
struct LinearProbingKind;
struct TagBucketKind;
template <class Exec, class Key, class Kind>
class LibraryTable;

template <class Exec, class Key>
using ChainingTable = LibraryTable<Exec, Key, ChainingKind>;
template <class Exec, class Key>
using LinearProbingTable = LibraryTable<Exec, Key, LinearProbingKind<UniqueKeys>>;
template <class Exec, class Key>
using LinearProbingMultiTable = LibraryTable<Exec, Key, LinearProbingKind<RepeatedKeys>>;
template <class Exec, class Key>
using TagBucketTable = LibraryTable<Exec, Key, TagBucketKind>;

// Peers.
template <class Exec, class Key>
class KokkosUnorderedMap;
template <class Exec, class Key>
class StdUnorderedMultimap;
template <class Exec, class Key>
class TbbConcurrentUnorderedMultimap;
template <class Exec, class Key>
class TbbConcurrentHashMap;
template <class Exec, class Key>
class AbslFlatHashMap;
template <class Exec, class Key>
class BoostUnorderedFlatMap;
template <class Exec, class Key>
class BoostConcurrentFlatMap;
template <class Exec, class Key, int GroupSize, bool Erasable>
class CucoStaticMap;
template <class Exec, class Key, int GroupSize>
class CucoStaticMultiset;

/// The tables of cuCollections that probe with groups of so many threads.
template <int GroupSize>
struct Cuco {
  template <class Exec, class Key>
  using Map = CucoStaticMap<Exec, Key, GroupSize, false>;
  template <class Exec, class Key>
  using ErasableMap = CucoStaticMap<Exec, Key, GroupSize, true>;
  template <class Exec, class Key>
  using Multiset = CucoStaticMultiset<Exec, Key, GroupSize>;
};

/// What the rows of a table have in common.
struct TableRow {
  std::string_view name;   ///< its operations are called after it
  std::string_view title;  ///< as shown in the table
  UsedAxes axes = {};
  double most_fill = 1;  ///< the largest share of slots in use
  int group_size = 0;    ///< threads that probe together, which name and title say; 0: neither does
};

/// An operation of a table, which is a row.
template <OperationKind Kind>
struct Compared {
  DefaultRun default_run = DefaultRun::small;
  std::string_view suffix = {};  ///< of its name; empty: that of the operation
};
using Build = Compared<OperationKind::build>;
using Insert = Compared<OperationKind::insert>;
using Churn = Compared<OperationKind::churn>;
using Find = Compared<OperationKind::find>;
using Count = Compared<OperationKind::count>;
using Retrieve = Compared<OperationKind::retrieve>;

/// What is said of an operation of a table. A build of ours has the name of the table alone. Where
/// one thread alone may insert, all may look up.
Algorithm algorithm_of(const TableRow& table, OperationKind kind, RunsOn where, unsigned widest_key,
                       bool is_peer, DefaultRun default_run, std::string_view suffix);

template <template <class, class> class Table, RunsOn Where, unsigned WidestKey, class Rows,
          OperationKind Kind>
void add_operation(Rows& rows, const TableRow& table, bool is_peer,
                   const Compared<Kind>& operation) {
  rows.template add<MakeTableOperation<Kind, Table>, Where, WidestKey>(algorithm_of(
      table, Kind, Where, WidestKey, is_peer, operation.default_run, operation.suffix));
}

/// Adds the operations of a table of ours.
template <template <class, class> class Table, class Rows, OperationKind... Kinds>
void add_ours(Rows& rows, const TableRow& table, const Compared<Kinds>&... operations) {
  (add_operation<Table, RunsOn::every_backend, 128>(rows, table, false, operations), ...);
}

/// Adds the operations of a peer's table.
template <template <class, class> class Table, RunsOn Where, unsigned WidestKey = 128, class Rows,
          OperationKind... Kinds>
void add_peer(Rows& rows, const TableRow& table, const Compared<Kinds>&... operations) {
  (add_operation<Table, Where, WidestKey>(rows, table, true, operations), ...);
}

/// What is said of an operation of HashGraph.
Algorithm graph_algorithm(std::string_view name, OperationKind kind, std::string_view title,
                          UsedAxes axes, DefaultRun default_run = DefaultRun::small);

/// Adds a row of HashGraph; `words` are those of graph_algorithm.
template <class Maker, class Rows, class... Words>
void add_graph(Rows& rows, const Words&... words) {
  rows.template add<Maker, RunsOn::every_backend, 128>(graph_algorithm(words...));
}

template <class Rows>
void list_hash_graph(Rows& rows) {
  using enum OperationKind;
  using enum DefaultRun;
  using enum BuildAlgorithm;
  const UsedAxes built{.load_factor = true};
  const UsedAxes binned{.load_factor = true, .bins = true};
  const UsedAxes asked{.queries = true, .load_factor = true};
  const UsedAxes joined{.queries = true, .load_factor = true, .bins = true};
  constexpr const char* looked_up = "HashGraph Probe-Standard";
  constexpr const char* added_up = "HashGraph Probe-Standard, added up";
  constexpr const char* merged = "HashGraph Probe-New, runs of equal queries merged";
  constexpr const char* not_merged = "HashGraph Probe-New, none merged";

  add_graph<MakeGraphBuild<v1>>(rows, "v1", build, "HashGraph V1", built, all);
  add_graph<MakeGraphBuild<v2>>(rows, "v2", build, "HashGraph V2", binned, all);
  add_graph<MakeGraphLookup<contains>>(rows, "contains", contains, "HashGraph V2", asked, none);
  add_graph<MakeGraphLookup<find>>(rows, "find", find, "HashGraph V2", asked, all);
  add_graph<MakeGraphLookup<count>>(rows, "probe-standard-count", count, looked_up, asked, all);
  add_graph<MakeGraphLookup<retrieve>>(rows, "probe-standard-retrieve", retrieve, looked_up, asked);
  add_graph<MakeGraphJoin<JoinCount>>(rows, "probe-new-count", join_count, merged, asked, all);
  add_graph<MakeGraphJoin<JoinCountOfAll>>(rows, "probe-new-all-count", join_count, not_merged,
                                           joined);
  add_graph<MakeGraphJoin<LookUpCount>>(rows, "probe-standard-total", join_count, added_up, asked,
                                        all);
  add_graph<MakeGraphJoin<JoinPairs>>(rows, "probe-new-pairs", join_pairs, "HashGraph Probe-New",
                                      joined);
  add_graph<MakeGraphJoin<LookUpPairs>>(rows, "probe-standard-pairs", join_pairs, looked_up, asked);
}

/// What is said of a partition or a sort, ours or a peer's.
Algorithm partition_algorithm(std::string_view name, OperationKind kind, std::string_view title,
                              bool is_peer);

/// Partitions, and beside them the sorts of CUB by as many bits. One by all bits makes of keys and
/// rows what can be searched, as a build does.
template <class Rows>
void list_partitions(Rows& rows) {
  using enum OperationKind;
  using enum RunsOn;
  const auto add = [&]<class Maker, RunsOn Where, unsigned WidestKey>(const auto&... words) {
    rows.template add<Maker, Where, WidestKey>(partition_algorithm(words...));
  };
  add.template operator()<MakePartition<8>, every_backend, 128>("partition-8", partition_8,
                                                                "partition by hash", false);
  add.template operator()<MakePartition<16>, every_backend, 128>("partition-16", partition_16,
                                                                 "partition by hash", false);
#ifdef KOKKOS_ENABLE_CUDA
  constexpr const char* sort = "cub::DeviceRadixSort";
  add.template operator()<MakeCubSort<8>, gpu, 64>("cub-8", partition_8, sort, true);
  add.template operator()<MakeCubSort<16>, gpu, 64>("cub-16", partition_16, sort, true);
  add.template operator()<MakeCubSort<64>, gpu, 64>("cub", build, sort, true);
#endif
}

template <int... GroupSizes, class Rows>
void list_cuco(Rows& rows) {
  using enum RunsOn;
  const UsedAxes slots{.fill = true};
  (add_peer<Cuco<GroupSizes>::template Map, gpu, 64>(
       rows, {"cuco", "cuco::static_map", slots, 0.99, GroupSizes}, Build{}, Insert{}, Find{}),
   ...);
  add_peer<Cuco<4>::ErasableMap, gpu, 64>(rows, {"cuco", "cuco::static_map", slots, 0.99, 4},
                                          Churn{});
  (add_peer<Cuco<GroupSizes>::template Multiset, gpu, 32>(
       rows, {"cuco", "cuco::static_multiset", slots, 0.99, GroupSizes},
       Build{.suffix = "multi-build"}, Retrieve{}),
   ...);
}

/// Hands every row to `rows.add<Maker, Where, WidestKey>(algorithm)`. Such a maker makes operations
/// on backends of `Where` and of keys of at most `WidestKey` bits. Of an operation, tables are
/// shown in the order of this list.
template <class Rows>
void list_tables(Rows& rows) {
  using enum RunsOn;
  using enum DefaultRun;
  const UsedAxes buckets{.load_factor = true};
  const UsedAxes slots{.fill = true};

  list_hash_graph(rows);
  list_partitions(rows);
  add_ours<ChainingTable>(rows, {"chaining", "Chaining", buckets}, Build{all}, Find{all}, Count{},
                          Retrieve{});
  add_ours<LinearProbingTable>(rows, {"linear-probing", "LinearProbing", slots, 0.95}, Build{all},
                               Insert{}, Churn{}, Find{all});
  add_ours<LinearProbingMultiTable>(rows,
                                    {"linear-probing", "LinearProbing, repeated keys", slots, 0.95},
                                    Build{none, "multi"}, Count{}, Retrieve{});
  add_ours<TagBucketTable>(rows, {"tag-bucket", "TagBucket", slots, 0.875}, Build{all}, Insert{},
                           Churn{}, Find{all}, Count{}, Retrieve{});

  // It gives up inserting above 6/7.
  add_peer<KokkosUnorderedMap, every_backend>(rows, {"kokkos", "Kokkos::UnorderedMap", slots, 0.85},
                                              Build{}, Insert{}, Churn{}, Find{});
  add_peer<StdUnorderedMultimap, host_serial>(rows,
                                              {"std", "std::unordered_multimap, 1 thread inserts"},
                                              Build{}, Insert{}, Churn{}, Find{}, Count{none});
#ifdef HASHMILL_PERF_HAS_TBB
  add_peer<TbbConcurrentUnorderedMultimap, host_threads>(
      rows, {"tbb", "tbb::concurrent_unordered_multimap"}, Build{}, Insert{}, Find{}, Count{none});
  add_peer<TbbConcurrentHashMap, host_threads>(rows, {"tbb-hash-map", "tbb::concurrent_hash_map"},
                                               Build{}, Insert{}, Churn{}, Find{});
#endif
#ifdef HASHMILL_PERF_HAS_ABSL
  add_peer<AbslFlatHashMap, host_serial>(rows, {"absl", "absl::flat_hash_map, 1 thread inserts"},
                                         Build{}, Insert{}, Churn{}, Find{});
#endif
#ifdef HASHMILL_PERF_HAS_BOOST
  add_peer<BoostUnorderedFlatMap, host_serial>(
      rows, {"boost", "boost::unordered_flat_map, 1 thread inserts"}, Build{}, Insert{}, Churn{},
      Find{});
#endif
#ifdef HASHMILL_PERF_HAS_CONCURRENT_BOOST
  add_peer<BoostConcurrentFlatMap, host_threads>(
      rows, {"boost-concurrent", "boost::concurrent_flat_map"}, Build{}, Insert{}, Churn{}, Find{});
#endif
#ifdef HASHMILL_PERF_HAS_CUCO
  list_cuco<4, 1, 2, 8>(rows);
#endif
}

}  // namespace hashmill::perf
