#include "join_algorithms.hpp"

#include <utility>

#include "case/compare_case.hpp"
#include "keys/tpch_orders.hpp"

namespace hashmill::perf {
namespace {

bool has_payload(const CompareCase& row) { return static_cast<unsigned>(row.result.output) >= 4; }

/// Why `hash_join` cannot be run: rows without a partner have no payload of the other side.
std::string missing_payload(const CompareCase& row) {
  return has_payload(row) && !outer_join(row).empty() ? "of outer joins with --payload 4, 8 and 16"
                                                      : "";
}

/// Why a strategy that takes keys in columns cannot be run: payloads are gathered from views.
std::string columns_and_payload(const CompareCase& row) {
  const bool both = has_payload(row) && row.data.columns != KeyColumns::one;
  return both ? with_columns(row) + " with --payload 4, 8 and 16" : missing_payload(row);
}

/// Why `unique_keys` cannot be run.
std::string repeated_keys(const CompareCase& row) {
  if (row.data.columns != KeyColumns::one) return with_columns(row);
  const bool repeats = row.data.multiplicity > 1 || is_left_to_chance(row.data.order);
  return repeats ? "where keys of the right side repeat" : missing_payload(row);
}

/// How far the keys of the right side lie apart, if they do not lie anywhere.
std::uint64_t key_range(const DataAxes& data) {
  if (data.order == KeyOrder::tpch) return TpchOrders<std::uint64_t>(data.num_keys).largest_key();
  const bool counts_up = data.order == KeyOrder::dense || data.order == KeyOrder::sequential;
  return counts_up ? data.distribution().num_distinct() : ~std::uint64_t{0};
}

/// Why `array` cannot be run.
std::string keys_far_apart(const CompareCase& row) {
  if (row.data.columns != KeyColumns::one) return with_columns(row);
  constexpr std::uint64_t longest_array = std::uint64_t{1} << 21;
  return key_range(row.data) <= longest_array
             ? missing_payload(row)
             : "where keys of the right side lie 2^21 apart or more (try --n 2^20 --order dense)";
}

/// Why `join_values` cannot be run.
std::string no_payload(const CompareCase& row) {
  if (row.data.columns != KeyColumns::one) return with_columns(row);
  return has_payload(row) ? outer_join(row) : "of --payload count and rows";
}

/// Why `intersect` cannot be run.
std::string outer_or_columns(const CompareCase& row) {
  const std::string why = with_columns(row);
  return why.empty() ? outer_join(row) : why;
}

OurJoin ours(std::string name, std::string structure, std::optional<JoinStrategy> strategy,
             std::string (*left_out)(const CompareCase&) = columns_and_payload) {
  return {{.name = std::move(name),
           .kind = OperationKind::both_sides,
           .structure = std::move(structure),
           .axes = {.queries = true, .sides = true},
           .left_out = left_out},
          strategy};
}

}  // namespace

std::string outer_join(const CompareCase& row) {
  return row.result.kind == JoinKind::inner ? "" : "of outer joins";
}

std::string with_columns(const CompareCase& row) {
  return row.data.columns == KeyColumns::one ? "" : "of --columns two, strings and nulls";
}

std::string with_payload(const CompareCase& row) {
  return has_payload(row) ? "of --payload 4, 8 and 16" : "";
}

const std::vector<OurJoin>& our_joins() {
  using enum JoinStrategy;
  static const std::vector<OurJoin> all = {
      ours("automatic", "hash_join, automatic", automatic),
      ours("look-up", "hash_join, look_up", look_up),
      ours("intersect", "hash_join, intersect", intersect, outer_or_columns),
      ours("partitioned", "hash_join, partitioned", partitioned),
      ours("unique-keys", "hash_join, unique_keys", unique_keys, repeated_keys),
      ours("tag-bucket", "hash_join, tag_bucket", tag_bucket),
      ours("array", "hash_join, array", array, keys_far_apart),
      ours("join-values", "join_values", std::nullopt, no_payload),
  };
  return all;
}

std::span<const Algorithm> join_algorithms() {
  static const std::vector<Algorithm> all = RegisteredJoinPeer::list_after(our_joins());
  return all;
}

}  // namespace hashmill::perf
