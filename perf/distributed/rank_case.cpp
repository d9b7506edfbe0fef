#include "rank_case.hpp"

#include <algorithm>
#include <hashmill/error.hpp>
#include <limits>

#include "distributed_options.hpp"
#include "exchange_arrays.hpp"
#include "keys/key_generator.hpp"
#include "plan/input_check.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {
namespace {

/// The orders of keys, each with its Zipf exponent or none.
std::vector<std::pair<KeyOrder, double>> combine_orders(const DistributedOptions& options) {
  std::vector<std::pair<KeyOrder, double>> all;
  for (const double exponent : options.zipf_exponents) {
    if (exponent > 0) all.emplace_back(KeyOrder::zipf, exponent);
    if (exponent > 0) continue;
    for (const KeyOrder order : options.orders) all.emplace_back(order, 1.0);
  }
  return all;
}

/// Rows of 32-bit keys of all ranks together, and those of one rank, have 32-bit numbers.
void check_keys(DataAxes keys, int num_ranks) {
  const auto ranks = static_cast<std::uint64_t>(num_ranks);
  const GeneratedQueries<std::uint64_t> wide(keys.distribution(), keys.num_queries, keys.hit_rate);
  const GeneratedQueries<std::uint32_t> narrow(keys.distribution(), keys.num_queries,
                                               keys.hit_rate);
  if (keys.key_bits == 64) keys.num_keys = keys.num_queries = (keys.num_keys + ranks - 1) / ranks;
  check_input(keys);
  if (!(keys.key_bits == 64 ? wide.can_miss() : narrow.can_miss())) {
    throw InvalidArgument("--hit-rate: no key value is left for queries that miss");
  }
}

std::uint64_t all_rows(const DistributedOptions& options, std::uint64_t rows, int num_ranks) {
  if (options.is_strong) return rows;
  const auto ranks = static_cast<std::uint64_t>(num_ranks);
  if (rows > std::numeric_limits<std::uint64_t>::max() / ranks) {
    throw InvalidArgument("--n: " + std::to_string(rows) + " rows on each of " +
                          std::to_string(ranks) + " ranks are more than 2^64");
  }
  return rows * ranks;
}

std::vector<RankCase> key_cases(const DistributedOptions& options, int num_ranks) {
  std::vector<RankCase> cases;
  for (const std::uint64_t rows : options.num_rows) {
    const std::uint64_t all = all_rows(options, rows, num_ranks);
    for (const unsigned bits : options.key_bits) {
      for (const auto& [order, exponent] : combine_orders(options)) {
        for (const double multiplicity : options.multiplicities) {
          DataAxes keys;
          keys.key_bits = bits;
          keys.num_keys = keys.num_queries = all;
          keys.multiplicity = multiplicity;
          keys.hit_rate = options.hit_rate;
          keys.order = order;
          keys.zipf_exponent = exponent;
          keys.seed = options.seed;
          check_keys(keys, num_ranks);
          cases.push_back({0, options.seed, keys});
        }
      }
    }
  }
  return cases;
}

}  // namespace

std::string describe_keys(const DataAxes& keys) {
  std::string text = std::to_string(keys.key_bits).append("-bit ").append(to_string(keys.order));
  if (keys.order == KeyOrder::zipf) text.append(" ").append(plain_number(keys.zipf_exponent));
  if (keys.multiplicity == 1) return text;
  return text.append(", ").append(plain_number(keys.multiplicity)).append(" times");
}

std::vector<RankCase> rank_cases(const RankOperation& operation, const DistributedOptions& options,
                                 int num_ranks) {
  if (operation.has_keys) return key_cases(options, num_ranks);
  std::vector<RankCase> cases;
  for (const std::uint64_t bytes : options.bytes_per_rank) {
    static_cast<void>(words_of_piece(bytes, num_ranks));
    cases.push_back({bytes, options.seed});
  }
  return cases;
}

}  // namespace hashmill::perf
