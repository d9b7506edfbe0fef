#ifdef HASHMILL_PERF_HAS_ABSL
#include <absl/container/flat_hash_map.h>

#include <algorithm>

#include "case/compare_case.hpp"
#include "group_by/group_by_algorithms.hpp"

namespace hashmill::perf {
namespace {

/// Peer: absl::flat_hash_map from key to what its rows come to, one thread.
template <class Key>
class AbslGroupBy : public HostGroupByOperation {
 public:
  explicit AbslGroupBy(const HostGroupBy& rows) : HostGroupByOperation(rows) {}

  /// The map gives its memory back when it is emptied.
  bool runs_in(RunMemory memory) const override { return memory == RunMemory::fresh; }
  void prepare(RunMemory) override { groups_ = {}; }
  void run() override {
    const auto* const keys = static_cast<const Key*>(rows().keys);
    for (std::uint64_t i = 0; i < rows().num_rows; ++i) {
      GroupResult& group = groups_[keys[i]];
      ++group.count;
      if (rows().aggregates == Aggregates::count) continue;
      const std::uint32_t value = rows().values[i];
      group.sum += value;
      if (rows().aggregates == Aggregates::sum) continue;
      group.least = std::min(group.least, value);
      group.greatest = std::max(group.greatest, value);
    }
    if (rows().aggregates != Aggregates::all) return;
    for (auto& [key, group] : groups_)
      group.mean = static_cast<double>(group.sum) / static_cast<double>(group.count);
  }

 protected:
  Tally tally_groups() override {
    Tally tally;
    for (const auto& [key, group] : groups_) add_group(key, group, rows().aggregates, tally);
    return tally;
  }

 private:
  absl::flat_hash_map<Key, GroupResult> groups_;
};

std::unique_ptr<Operation> make(const HostGroupBy& rows) {
  if (rows.key_bits == 32) return std::make_unique<AbslGroupBy<std::uint32_t>>(rows);
  return std::make_unique<AbslGroupBy<std::uint64_t>>(rows);
}

std::string left_out(const CompareCase& row) {
  return row.data.columns == KeyColumns::one ? "" : "of --columns two, strings and nulls";
}

const RegisteredGroupByPeer peer({{.name = "absl",
                                   .kind = OperationKind::group,
                                   .structure = "absl::flat_hash_map, 1 thread",
                                   .runs_on = RunsOn::host_serial,
                                   .axes = {.groups = true},
                                   .is_peer = true,
                                   .left_out = left_out},
                                  make});

}  // namespace
}  // namespace hashmill::perf
#endif
