#include "rank_case.hpp"

#include <algorithm>
#include <hashmill/error.hpp>
#include <limits>

#include "distributed_options.hpp"
#include "exchange_arrays.hpp"
#include "keys/key_generator.hpp"
#include "keys/tpch_orders.hpp"
#include "plan/input_check.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {
namespace {

/// The orders of keys of tables, each with its Zipf exponent or none.
std::vector<DataAxes> table_keys(const DistributedOptions& options) {
  std::vector<DataAxes> all;
  for (const double exponent : options.zipf_exponents) {
    for (const KeyOrder order : options.orders) {
      DataAxes keys;
      keys.order = exponent > 0 ? KeyOrder::zipf : order;
      if (exponent > 0) keys.zipf_exponent = exponent;
      all.push_back(keys);
      if (exponent > 0) break;
    }
  }
  return all;
}

/// The orders of the right keys of joins, each with all skews of the keys. Pairs are checked
/// in closed form, which keys that are drawn have not.
std::vector<DataAxes> join_keys(const DistributedOptions& options) {
  std::vector<DataAxes> all;
  for (const KeyOrder order : options.orders) {
    if (is_left_to_chance(order)) continue;
    for (const double exponent : options.zipf_exponents) {
      for (const double hot_share : options.hot_shares) {
        for (const double right_hot_share : options.right_hot_shares) {
          DataAxes keys;
          keys.order = order;
          keys.skew = exponent;
          keys.hot_share = hot_share;
          keys.right_hot_share = right_hot_share;
          all.push_back(keys);
        }
      }
    }
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

std::vector<RankCase> key_cases(const DistributedOptions& options, int num_ranks, bool are_sides) {
  std::vector<RankCase> cases;
  for (const std::uint64_t rows : options.num_rows) {
    const std::uint64_t all = all_rows(options, rows, num_ranks);
    for (const unsigned bits : options.key_bits_or(are_sides ? 64 : 32)) {
      for (DataAxes keys : are_sides ? join_keys(options) : table_keys(options)) {
        for (const double multiplicity : options.multiplicities) {
          keys.key_bits = bits;
          keys.num_keys = keys.num_queries = all;
          keys.multiplicity = multiplicity;
          keys.hit_rate = options.hit_rate.value_or(are_sides ? 0.3 : 1);
          keys.seed = options.seed;
          check_keys(keys, num_ranks);
          cases.push_back({0, options.seed, keys});
        }
      }
    }
  }
  return cases;
}

/// Orders of a rank have numbers of 32 bits, and so have their lines.
std::vector<RankCase> tpch_cases(const DistributedOptions& options, int num_ranks) {
  std::vector<RankCase> cases;
  for (const double factor : options.scale_factors) {
    DataAxes keys;
    keys.order = KeyOrder::tpch;
    keys.key_bits = 64;
    keys.seed = options.seed;
    keys.num_keys = num_tpch_orders(options.is_strong ? factor / num_ranks : factor);
    keys.num_queries = most_order_lines * keys.num_keys;
    check_input(keys);
    keys.num_keys = num_tpch_orders(options.is_strong ? factor : factor * num_ranks);
    keys.num_queries = 0;
    cases.push_back({0, options.seed, keys});
  }
  return cases;
}

std::vector<RankCase> byte_cases(const DistributedOptions& options, int num_ranks) {
  std::vector<RankCase> cases;
  for (const std::uint64_t bytes : options.bytes_per_rank) {
    static_cast<void>(words_of_piece(bytes, num_ranks));
    cases.push_back({bytes, options.seed});
  }
  return cases;
}

/// Adds a word and its figure, unless it is what goes without saying.
void add_unless(double silent, double figure, const char* word, std::string& text) {
  if (figure != silent) text.append(", ").append(word).append(" ").append(plain_number(figure));
}

}  // namespace

std::string describe_keys(const RankOperation& operation, const DataAxes& keys) {
  if (operation.input == RankInput::bytes) return "";
  if (operation.input == RankInput::tpch) return "TPC-H";
  std::string text = std::to_string(keys.key_bits).append("-bit ").append(to_string(keys.order));
  if (keys.order == KeyOrder::zipf) text.append(" ").append(plain_number(keys.zipf_exponent));
  if (keys.multiplicity != 1) text.append(", ").append(plain_number(keys.multiplicity) + " times");
  if (operation.input == RankInput::keys) return text;
  add_unless(1, keys.hit_rate, "hit rate", text);
  add_unless(0, keys.skew, "left zipf", text);
  add_unless(0, keys.hot_share, "left hot", text);
  add_unless(0, keys.right_hot_share, "right hot", text);
  return text;
}

std::vector<RankCase> rank_cases(const RankOperation& operation, const DistributedOptions& options,
                                 int num_ranks) {
  switch (operation.input) {
    case RankInput::bytes:
      return byte_cases(options, num_ranks);
    case RankInput::keys:
      return key_cases(options, num_ranks, false);
    case RankInput::sides:
      return key_cases(options, num_ranks, true);
    case RankInput::tpch:
      return tpch_cases(options, num_ranks);
  }
  return {};
}

}  // namespace hashmill::perf
