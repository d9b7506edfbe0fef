#include "cpu_plan.hpp"

#include <algorithm>
#include <functional>
#include <hashmill/error.hpp>

#include "join/join_algorithms.hpp"
#include "plan/planner.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

/// An input that a hash join or table may be bad at.
struct Shape {
  const char* name;
  KeyOrder order = KeyOrder::random;
  std::uint64_t multiplicity = 1;  ///< rows of the right side per key
  double skew = 0;                 ///< Zipf exponent of the left side
  std::uint64_t ratio = 1;         ///< left rows per right row

  /// Whether the left side is like the right, so that looking it up in a table tells of the table.
  bool is_even() const { return skew == 0 && ratio == 1; }
};

constexpr Shape all_shapes[] = {
    {.name = "dense", .order = KeyOrder::dense},
    {.name = "random"},
    {.name = "drawn", .order = KeyOrder::drawn},
    {.name = "repeated-4", .multiplicity = 4},
    {.name = "repeated-32", .multiplicity = 32},
    {.name = "zipf", .skew = 1},
    {.name = "1:16", .ratio = 16},
};

/// The joins, or else the tables, that are compared.
std::vector<Algorithm> compared() {
  std::vector<Algorithm> all;
  for (const Algorithm& join : join_algorithms()) {
    if (join.is_peer || join.name == "automatic") all.push_back(join);
  }
  using enum OperationKind;
  for (const OperationKind kind : {build, insert, find}) {
    for (const Algorithm& table : table_algorithms()) {
      const bool on_host = table.runs_on != RunsOn::gpu && table.default_run != DefaultRun::none;
      if (table.kind == kind && on_host) all.push_back(table);
    }
  }
  return all;
}

DataAxes data_of(const Shape& shape, std::uint64_t num_rows, unsigned key_bits,
                 std::uint64_t seed) {
  DataAxes data;
  data.key_bits = key_bits;
  data.num_keys = num_rows;
  data.num_queries = shape.ratio * num_rows;
  data.multiplicity = shape.multiplicity;
  data.order = shape.order;
  data.skew = shape.skew;
  data.seed = seed;
  return data;
}

std::vector<Shape> shapes_of(const CpuOptions& options) {
  std::vector<Shape> shapes;
  for (const Shape& shape : all_shapes) {
    const bool all = options.shapes.empty();
    if (all || std::ranges::find(options.shapes, shape.name) != options.shapes.end())
      shapes.push_back(shape);
  }
  return shapes;
}

/// Numbers of threads, ascending.
std::vector<unsigned> threads_of(const CpuOptions& options, unsigned all) {
  std::vector<unsigned> threads = options.threads;
  for (unsigned some = 1; options.threads.empty() && some < all; some *= 2) {
    threads.push_back(some);
  }
  if (threads.empty() || options.threads.empty()) threads.push_back(all);
  std::ranges::sort(threads);
  if (threads.back() > all) {
    throw InvalidArgument("--threads: " + std::to_string(threads.back()) +
                          " asked for, but Kokkos has " + std::to_string(all) +
                          " (OMP_NUM_THREADS, --kokkos-num-threads)");
  }
  return threads;
}

}  // namespace

std::span<const Algorithm> cpu_algorithms() {
  static const std::vector<Algorithm> all = compared();
  return all;
}

std::vector<std::string> cpu_shape_names() {
  std::vector<std::string> names;
  for (const Shape& shape : all_shapes) names.emplace_back(shape.name);
  return names;
}

Plan plan_cpu(const CpuOptions& options, const std::vector<BackendInfo>& backends) {
  const BackendInfo& host = *std::ranges::find(backends, true, &BackendInfo::is_host);
  Planner planner({.algorithms = options.algorithms,
                   .backends = {host},
                   .threads = threads_of(options, static_cast<unsigned>(host.num_threads))});
  const auto joins = [](const Algorithm& algorithm, const BackendInfo&) {
    return algorithm.kind == OperationKind::both_sides;
  };
  const auto tables = std::not_fn(joins);
  for (const std::uint64_t num_rows : options.num_rows) {
    for (const unsigned key_bits : options.key_bits) {
      for (const Shape& shape : shapes_of(options)) {
        const DataAxes data = data_of(shape, num_rows, key_bits, options.seed);
        for (const JoinOutput output : options.outputs)
          planner.add(data, {.output = output}, joins);
        if (shape.is_even()) planner.add(data, {}, tables);
      }
    }
  }
  return planner.finish();
}

}  // namespace hashmill::perf
