#pragma once

#include <hashmill/join/hash_join_options.hpp>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "answers/tally.hpp"
#include "case/algorithm.hpp"
#include "case/byte_budget.hpp"
#include "case/compare_case.hpp"
#include "case/operation.hpp"
#include "case/peer_registry.hpp"

namespace hashmill::perf {

/// The sides of a join in host memory, as peers see them; they stay there while the peer's
/// operation lives.
struct HostJoin {
  unsigned key_bits = 32;  ///< of unsigned integers: 32 or 64
  KeyColumns columns = KeyColumns::one;
  const void* right_keys = nullptr;  ///< R, `sizes.num_keys` keys: to build of
  const void* left_keys = nullptr;   ///< S, `sizes.num_queries` keys: to look up
  int num_threads = 1;               ///< as many as Hashmill uses
  TrafficSizes sizes;
  JoinKind kind = JoinKind::inner;
  JoinOutput output = JoinOutput::count;
  Tally pairs;  ///< the right result
};

/// A join of ours.
struct OurJoin {
  Algorithm algorithm;
  std::optional<JoinStrategy> strategy;  ///< of `hash_join`; none: it is `join_values`
};

/// Somebody else's join on a host; see RegisteredPeer.
struct JoinPeer {
  Algorithm algorithm;
  std::unique_ptr<Operation> (*make)(const HostJoin& sides);
};
using RegisteredJoinPeer = RegisteredPeer<JoinPeer>;

/// A peer's operation that counts the pairs; `run` is left to write, and sets `num_pairs`.
class CountOfHostJoin : public Operation {
 public:
  explicit CountOfHostJoin(const HostJoin& sides) : sides_(sides) {}
  std::string verify() override {
    if (num_pairs == sides_.pairs.count) return {};
    return std::to_string(num_pairs) + " pairs, expected " + std::to_string(sides_.pairs.count);
  }
  std::uint64_t num_items() const override {
    return sides_.sizes.num_keys + sides_.sizes.num_queries;
  }
  ByteBudget traffic() const override { return counted_join_budget(sides_.sizes); }

 protected:
  const HostJoin& sides() const { return sides_; }
  std::uint64_t num_pairs = 0;

 private:
  HostJoin sides_;
};

/// Why inner joins alone can be run, as `Algorithm::left_out` says it.
std::string outer_join(const CompareCase& row);

/// Why joins that count or give row numbers cannot be run, as `Algorithm::left_out` says it.
std::string with_payload(const CompareCase& row);

/// Why keys that are spread over columns cannot be joined, as `Algorithm::left_out` says it.
std::string with_columns(const CompareCase& row);

/// Our joins, in the order of the table.
const std::vector<OurJoin>& our_joins();

/// Every join of this program, in the order of the table.
std::span<const Algorithm> join_algorithms();

}  // namespace hashmill::perf
