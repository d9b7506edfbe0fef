#include "compare_plan.hpp"

#include "backend_choice.hpp"
#include "plan_sizes.hpp"
#include "planner.hpp"
#include "tables/table_algorithms.hpp"

namespace hashmill::perf {
namespace {

// All run on a host's first size, the fast ones on its second too, and all on both of a GPU.
constexpr std::uint64_t large_size = std::uint64_t{1} << 25;
const DefaultSizes default_sizes = {{small_size, large_size}, {large_size, device_size}};

PlanSizes sizes_of(const CompareOptions& options, const std::vector<BackendInfo>& backends,
                   const std::shared_ptr<const KeyFile>& file) {
  std::vector<std::uint64_t> asked = options.num_keys;
  if (asked.empty() && file) asked = {file->size()};
  return {asked, default_sizes, options.one_default_size, backends};
}

/// All combinations of the data axes, the number of keys varying slowest.
std::vector<DataAxes> combine_data(const CompareOptions& options,
                                   const std::vector<std::uint64_t>& sizes,
                                   const std::shared_ptr<const KeyFile>& file) {
  std::vector<unsigned> widths =
      options.key_bits.empty() ? std::vector<unsigned>{32} : options.key_bits;
  if (file) widths.assign(1, file->key_bits());
  std::vector<DataAxes> all;
  for (const std::uint64_t n : sizes) {
    for (const unsigned bits : widths) {
      for (const KeyOrder order : file ? std::vector{KeyOrder::random} : options.orders) {
        for (const double multiplicity : file ? std::vector<double>{1} : options.multiplicities) {
          for (const double hit_rate : options.hit_rates) {
            all.push_back({bits, n, options.num_queries.value_or(n), multiplicity, hit_rate, order,
                           options.zipf_exponent, options.seed, file});
          }
        }
      }
    }
  }
  return all;
}

std::vector<TableAxes> combine_table(const CompareOptions& options) {
  std::vector<TableAxes> all;
  for (const double load_factor : options.load_factors) {
    for (const double fill : options.fills) {
      for (const std::uint64_t bins : options.bins) all.push_back({load_factor, fill, bins});
    }
  }
  return all;
}

/// Whether a run that asks for no size has the algorithm on this one, which is the backend's.
bool in_default_run(const Algorithm& algorithm, const BackendInfo& backend, std::uint64_t n,
                    const CompareOptions& options) {
  if (options.one_default_size) return true;
  const bool was_chosen = options.algorithms.size() < table_algorithms().size();
  if (algorithm.default_run == DefaultRun::none && !was_chosen) return false;
  return !backend.is_host || n == small_size || algorithm.default_run == DefaultRun::all;
}

}  // namespace

Plan plan_tables(const CompareOptions& options, const std::vector<BackendInfo>& backends,
                 const std::shared_ptr<const KeyFile>& file) {
  const auto chosen = choose_backends(options.backends, backends);
  const PlanSizes sizes = sizes_of(options, chosen, file);
  Planner planner({options.algorithms, combine_table(options), chosen});
  for (const DataAxes& data : combine_data(options, sizes.all(), file)) {
    planner.add(data, {}, [&](const Algorithm& algorithm, const BackendInfo& backend) {
      const std::uint64_t n = data.num_keys;
      return sizes.include(backend, n) &&
             (!sizes.are_default() || in_default_run(algorithm, backend, n, options));
    });
  }
  return planner.finish();
}

}  // namespace hashmill::perf
