#pragma once

#include <memory>
#include <span>
#include <vector>

#include "case/algorithm.hpp"
#include "case/compare_case.hpp"
#include "case/operation.hpp"
#include "case/peer_registry.hpp"
#include "group_result.hpp"

namespace hashmill::perf {

/// The rows of a group-by in host memory, as peers see them; they stay there while the peer's
/// operation lives.
struct HostGroupBy {
  unsigned key_bits = 32;  ///< of unsigned integers: 32 or 64
  KeyColumns columns = KeyColumns::one;
  const void* keys = nullptr;             ///< `num_rows` of them
  const std::uint32_t* values = nullptr;  ///< to aggregate
  std::uint64_t num_rows = 0;
  int num_threads = 1;  ///< as many as Hashmill uses
  Aggregates aggregates = Aggregates::sum;
  Tally expected;  ///< the right groups
};

/// Ways of the library to group: `group_by`, `group_rows` and `aggregate`, or `group_by` with
/// groups in rows that a TagBucket finds.
enum class GroupWay { automatic, numbered, in_rows };

/// A group-by of ours.
struct OurGroupBy {
  Algorithm algorithm;
  GroupWay way;
};

/// Somebody else's group-by on a host; see RegisteredPeer.
struct GroupByPeer {
  Algorithm algorithm;
  std::unique_ptr<Operation> (*make)(const HostGroupBy& rows);
};
using RegisteredGroupByPeer = RegisteredPeer<GroupByPeer>;

/// A peer's operation; `run` is left to write, and `tally_groups`, which tallies what it gave by
/// `group_weight`.
class HostGroupByOperation : public Operation {
 public:
  explicit HostGroupByOperation(const HostGroupBy& rows) : rows_(rows) {}
  std::string verify() override { return compare_groups(rows_.expected, tally_groups()); }
  std::uint64_t num_items() const override { return rows_.num_rows; }
  ByteBudget traffic() const override {
    return aggregates_budget(rows_.aggregates, rows_.num_rows, rows_.key_bits / 8,
                             rows_.expected.count);
  }

 protected:
  virtual Tally tally_groups() = 0;
  const HostGroupBy& rows() const { return rows_; }

 private:
  HostGroupBy rows_;
};

/// Our group-bys, in the order of the table.
const std::vector<OurGroupBy>& our_group_bys();

/// Every group-by of this program, in the order of the table.
std::span<const Algorithm> group_by_algorithms();

}  // namespace hashmill::perf
