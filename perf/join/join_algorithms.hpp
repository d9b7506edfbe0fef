#pragma once

#include <memory>
#include <span>

#include "../algorithm_table.hpp"
#include "../byte_budget.hpp"
#include "../operation.hpp"
#include "../peer_registry.hpp"

namespace hashmill::perf {

/// The sides of a join in host memory, as peers see them; they stay there while the peer's
/// operation lives.
struct HostJoin {
  unsigned key_bits = 32;            ///< of unsigned integers: 32 or 64
  const void* right_keys = nullptr;  ///< R, `sizes.num_keys` keys: to build of
  const void* left_keys = nullptr;   ///< S, `sizes.num_queries` keys: to look up
  int num_threads = 1;               ///< as many as Hashmill uses
  TrafficSizes sizes;                ///< with the right number of pairs, `num_matches`
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
    if (num_pairs == sides_.sizes.num_matches) return {};
    return std::to_string(num_pairs) + " pairs, expected " +
           std::to_string(sides_.sizes.num_matches);
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

/// Every join of this program, in the order of the table.
std::span<const Algorithm> join_algorithms();

}  // namespace hashmill::perf
