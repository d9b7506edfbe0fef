#pragma once

/// Includes everything that Hashmill offers. This header belongs to the algorithms, not to core, so
/// that includes run one way only: algorithms, backends, core.
///
/// Two things cannot be checked by the library:
/// - A process that ran a kernel with OpenMP must not run another one after `fork`. The child has
///   none of the threads and waits for them for ever.
/// - Functors of the caller (hashes, equalities, conditions and others) must not throw. They run
///   inside kernels, which no exception may leave, so the process would end.

#include <hashmill/aggregate.hpp>
#include <hashmill/aggregations.hpp>
#include <hashmill/array_table.hpp>
#include <hashmill/arrow.hpp>
#include <hashmill/bloom_filter.hpp>
#include <hashmill/boolean_column.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/chaining.hpp>
#include <hashmill/column.hpp>
#include <hashmill/columns.hpp>
#include <hashmill/compression.hpp>
#include <hashmill/constant_column.hpp>
#include <hashmill/csr.hpp>
#include <hashmill/distinct_counts.hpp>
#include <hashmill/error.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/group_by/grouped_columns.hpp>
#include <hashmill/group_by/hash_aggregation_options.hpp>
#include <hashmill/group_by/row_groups.hpp>
#include <hashmill/group_rows.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/hash_aggregation.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/hash_family.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/intersect.hpp>
#include <hashmill/join.hpp>
#include <hashmill/join/hash_join_options.hpp>
#include <hashmill/join/mc_hash/options.hpp>
#include <hashmill/join/mc_hash/tuples.hpp>
#include <hashmill/join_filter.hpp>
#include <hashmill/join_values.hpp>
#include <hashmill/key.hpp>
#include <hashmill/key_mode.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/mc_hash.hpp>
#include <hashmill/multi_map.hpp>
#include <hashmill/options.hpp>
#include <hashmill/packed_column.hpp>
#include <hashmill/partition.hpp>
#include <hashmill/row.hpp>
#include <hashmill/row_container.hpp>
#include <hashmill/row_key.hpp>
#include <hashmill/row_layout.hpp>
#include <hashmill/row_table.hpp>
#include <hashmill/tag_bucket.hpp>
#include <hashmill/validate.hpp>
#include <hashmill/version.hpp>
