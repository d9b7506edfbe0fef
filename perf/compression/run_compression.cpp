#include "run_compression.hpp"

#include <hashmill/compression.hpp>
#include <iostream>

#include "compression_report.hpp"
#include "keys/bit_permutation.hpp"
#include "keys/tpch_orders.hpp"
#include "machine/execution_spaces.hpp"
#include "report/json_file.hpp"
#include "report/plot.hpp"
#include "run/median.hpp"
#include "run/progress_bar.hpp"
#include "run/seconds_of.hpp"

namespace hashmill::perf {
namespace {

/// The value of each row of a column, but for L_ORDERKEY, which follows from the orders before.
template <class Value>
struct ColumnValue {
  CompressedValues column;
  TpchOrders<std::uint64_t> orders;
  Value* values;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    values[i] = static_cast<Value>(value(i));
  }

 private:
  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t value(std::uint64_t i) const {
    const std::uint64_t random = splitmix64(i);
    switch (column) {
      case CompressedValues::order_key:
        return orders(i);
      case CompressedValues::order_priority:
        return orders.priority(i);
      case CompressedValues::narrow:
        return random % (1U << 13);
      case CompressedValues::sorted:
        return 8 * i + random % 8;
      case CompressedValues::runs:
        return splitmix64((i + random % 4) / 8);
      default:
        return random;
    }
  }
};

/// Counts values that differ.
template <class Value>
struct CountDifferent {
  const Value *before, *after;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& count) const {
    count += before[i] != after[i] ? 1 : 0;
  }
};

template <class Value, class Exec>
Kokkos::View<Value*, typename Exec::memory_space> make_column(const Exec& exec,
                                                              CompressedValues column,
                                                              std::uint64_t rows) {
  using Values = Kokkos::View<Value*, typename Exec::memory_space>;
  const TpchOrders<std::uint64_t> orders(rows);
  if constexpr (sizeof(Value) == 8) {
    if (column == CompressedValues::line_key) {  // at least one line for each order
      const auto all = make_line_keys(exec, orders, {0, rows / 2 + 1});
      return Kokkos::subview(
          all, std::make_pair(std::uint64_t{0}, std::min<std::uint64_t>(rows, all.extent(0))));
    }
  }
  const auto values = backends::allocate<Values>(exec, "hashmill::perf::column", rows);
  Kokkos::parallel_for("hashmill::perf::make_column", backends::range(exec, rows),
                       ColumnValue<Value>{column, orders, values.data()});
  exec.fence("hashmill::perf::make_column: the column is used");
  return values;
}

/// A column under one scheme: all but whether the sample chooses it.
template <class Value, class Exec, class Values>
CompressionResult time_scheme(const Exec& exec, const Values& values, const Values& again,
                              CompressedValues column, CompressionScheme scheme,
                              unsigned repetitions) {
  Workspace<typename Exec::memory_space> workspace;
  const std::uint64_t rows = values.extent(0);
  std::vector<double> encode, decode;
  CompressedColumn<Value, typename Exec::memory_space> compressed;
  for (unsigned r = 0; r <= repetitions; ++r) {
    const double encoded =
        seconds_of([&] { compressed = compress(exec, values, workspace, scheme); });
    Kokkos::deep_copy(exec, again, Value{});
    exec.fence("hashmill::perf: the timer starts");
    const double decoded = seconds_of([&] { decompress(exec, compressed, again); });
    if (r == 0) continue;  // takes new memory
    encode.push_back(encoded);
    decode.push_back(decoded);
  }
  CompressionResult result{column, scheme, Exec::name()};
  result.value_bytes = rows * sizeof(Value);
  result.frame_bytes = compressed.bytes();
  result.encode_seconds = median(encode);
  result.decode_seconds = median(decode);
  Kokkos::parallel_reduce("hashmill::perf::count_different", backends::range(exec, rows),
                          CountDifferent<Value>{values.data(), again.data()}, result.num_wrong);
  exec.fence("hashmill::perf: the count is used on the host");
  return result;
}

template <class Value, class Exec>
void time_column(const Exec& exec, CompressedValues column,
                 const CompressionCommandOptions& options, ProgressBar& progress,
                 std::vector<CompressionResult>& results) {
  using Values = Kokkos::View<Value*, typename Exec::memory_space>;
  const Values values = make_column<Value>(exec, column, options.num_rows);
  const auto again = backends::allocate<Values>(exec, "hashmill::perf::again", values.extent(0));
  Workspace<typename Exec::memory_space> workspace;
  const CompressionScheme chosen = compress(exec, values, workspace).scheme();
  for (const CompressionScheme scheme : options.schemes) {
    progress.show(results.size(), to_string(column) + ", " + std::string(name(scheme)));
    results.push_back(
        time_scheme<Value>(exec, values, again, column, scheme, options.run.repetitions));
    results.back().is_chosen = scheme == chosen;
  }
}

}  // namespace

int run_compression(const CompressionCommandOptions& options) {
  const std::string& json_path = options.run.json_path;
  if (!json_path.empty() && !is_writable(json_path)) {
    throw InvalidArgument("--json: cannot write " + json_path);
  }
  const PlotFile plot(options.run.plot_path, json_path);
  const std::vector<BackendInfo> backends = describe_backends();
  ProgressBar progress(!options.run.no_progress,
                       backends.size() * options.columns.size() * options.schemes.size());
  std::vector<CompressionResult> results;
  for_each_execution_space([&](auto tag) {
    const typename decltype(tag)::type exec;
    for (const CompressedValues column : options.columns) {
      if (column == CompressedValues::order_priority) {
        time_column<std::uint32_t>(exec, column, options, progress, results);
      } else {
        time_column<std::uint64_t>(exec, column, options, progress, results);
      }
    }
  });
  progress.hide();
  print_compression(std::cout, results, backends);
  print_chosen_layers(std::cout, results);
  const auto num_wrong =
      std::ranges::count_if(results, [](const CompressionResult& r) { return r.num_wrong != 0; });
  std::cout << '\n' << results.size() << " rows, ";
  if (num_wrong == 0) std::cout << "every result verified\n";
  if (num_wrong != 0) std::cout << num_wrong << " FAILED\n";
  std::cout.flush();
  if (!plot.json_path().empty()) write_json(plot.json_path(), results, backends);
  plot.draw();
  return num_wrong == 0 ? 0 : 1;
}

}  // namespace hashmill::perf
