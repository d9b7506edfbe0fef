#pragma once

#include "build_operation.hpp"
#include "churn_operation.hpp"
#include "insert_operation.hpp"
#include "join_operation.hpp"
#include "library_table.hpp"
#include "lookup_operation.hpp"
#include "partition_operation.hpp"
#include "peers/host_map.hpp"
#include "peers/kokkos_unordered_map.hpp"
#ifdef KOKKOS_ENABLE_CUDA
#include "peers/cub_sort_operation.hpp"
#endif
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
#include <memory>

#include "table_list.hpp"

namespace hashmill::perf {

// What makes the operations of table_list.hpp.

#ifdef HASHMILL_PERF_HAS_CUCO
template <class Exec, class Key, int GroupSize>
struct RetrieveOf<CucoStaticMultiset<Exec, Key, GroupSize>> {
  template <class Bench>
  using Lookup = CucoRetrieveLookup<Bench>;
};
#endif

template <BuildAlgorithm Algorithm>
struct MakeGraphBuild {
  template <class Bench>
  static std::unique_ptr<Operation> make(Bench& bench, const TableAxes& axes) {
    return std::make_unique<GraphBuildOperation<Bench>>(bench, graph_options(axes, Algorithm));
  }
};

template <unsigned Bits>
struct MakePartition {
  template <class Bench>
  static std::unique_ptr<Operation> make(Bench& bench, const TableAxes&) {
    return std::make_unique<PartitionOperation<Bench, Bits>>(bench);
  }
};

#ifdef KOKKOS_ENABLE_CUDA
template <unsigned Bits>
struct MakeCubSort {
  template <class Bench>
  static std::unique_ptr<Operation> make(Bench& bench, const TableAxes&) {
    return std::make_unique<CubSortOperation<Bench, Bits>>(bench);
  }
};
#endif

template <template <class> class Result>
struct MakeGraphJoin {
  template <class Bench>
  static std::unique_ptr<Operation> make(Bench& bench, const TableAxes& axes) {
    return std::make_unique<JoinOperation<Bench, Result>>(bench, axes,
                                                          graph_options(axes, BuildAlgorithm::v2));
  }
};

/// A look-up of a kind in a table.
template <OperationKind Kind, class Table, class Bench>
std::unique_ptr<Operation> make_lookup(Bench& bench, const TableAxes& axes) {
  if constexpr (Kind == OperationKind::contains) {
    return std::make_unique<LookupOperation<Bench, Table, ContainsLookup>>(bench, axes);
  } else if constexpr (Kind == OperationKind::find) {
    return std::make_unique<LookupOperation<Bench, Table, FindLookup>>(bench, axes);
  } else if constexpr (Kind == OperationKind::count) {
    return std::make_unique<LookupOperation<Bench, Table, CountLookup>>(bench, axes);
  } else {
    static_assert(Kind == OperationKind::retrieve, "no look-up");
    using Retrieve = LookupOperation<Bench, Table, RetrieveOf<Table>::template Lookup>;
    return std::make_unique<Retrieve>(bench, axes);
  }
}

template <OperationKind Kind>
struct MakeGraphLookup {
  template <class Bench>
  static std::unique_ptr<Operation> make(Bench& bench, const TableAxes& axes) {
    return make_lookup<Kind, typename Bench::Graph>(bench, axes);
  }
};

template <OperationKind Kind, template <class Exec, class Key> class TableOf>
struct MakeTableOperation {
  template <class Bench>
  static std::unique_ptr<Operation> make(Bench& bench, const TableAxes& axes) {
    using Exec = typename Bench::Exec;
    using Table = TableOf<Exec, typename Bench::Key>;
    if constexpr (Kind == OperationKind::build) {
      return std::make_unique<BuildOperation<Bench, Table>>(bench, axes);
    } else if constexpr (Kind == OperationKind::insert) {
      return std::make_unique<InsertOperation<Bench, Table>>(bench, axes);
    } else if constexpr (Kind == OperationKind::churn) {
      using Churn = typename ChurnOf<Exec, Table>::type;
      return std::make_unique<ChurnOperation<Bench, Churn>>(bench, axes);
    } else {
      return make_lookup<Kind, Table>(bench, axes);
    }
  }
};

}  // namespace hashmill::perf
