#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/error.hpp>
#include <optional>

#include "expected_groups.hpp"
#include "machine/free_memory.hpp"

namespace hashmill::perf {

/// What the group-bys on one execution space and key type share: rows and the right groups, kept
/// from one case to the next while they stay valid.
template <class ExecutionSpace, class KeyType>
class GroupBench {
 public:
  using Exec = ExecutionSpace;
  using Key = KeyType;
  using memory_space = typename Exec::memory_space;
  using Keys = Kokkos::View<Key*, memory_space>;
  using Values = Kokkos::View<std::uint32_t*, memory_space>;

  /// Makes the rows of a case. Throws `CapacityError` if there is no memory for them, or for what
  /// group-bys take beside them.
  void use(const CompareCase& wanted) {
    if (axes_ == wanted.data && aggregates_ == wanted.result.aggregates) return;
    clear();
    const DataAxes& data = wanted.data;
    // Columns of a key take up to 24 bytes beside it, of rows and of groups.
    const std::uint64_t column_bytes = data.columns == KeyColumns::one ? 0 : 24;
    const std::uint64_t work_bytes_a_row = 32 + column_bytes;
    const std::uint64_t work_bytes_a_group = 64 + column_bytes;
    const std::uint64_t row_bytes = sizeof(Key) + sizeof(std::uint32_t);
    require_free_memory<memory_space>(
        data.num_keys * (row_bytes + work_bytes_a_row) + data.num_groups * work_bytes_a_group,
        "group-by");
    const GroupKeys<Key> source(data);
    expected_ = expected_groups(exec_, source, wanted.result.aggregates);
    keys_ = materialise(exec_, source);
    values_ = make_values(exec_, data.num_keys);
    axes_ = data;
    aggregates_ = wanted.result.aggregates;
  }

  /// Frees everything.
  void clear() {
    axes_.reset();
    workspace_ = {};
    keys_ = {};
    values_ = {};
  }

  const Exec& exec() const { return exec_; }
  const Keys& keys() const { return keys_; }
  const Values& values() const { return values_; }
  const Tally& expected() const { return expected_; }
  Workspace<memory_space>& workspace() { return workspace_; }

 private:
  Exec exec_;
  std::optional<DataAxes> axes_;
  Aggregates aggregates_ = Aggregates::sum;
  Workspace<memory_space> workspace_;
  Keys keys_;
  Values values_;
  Tally expected_;
};

}  // namespace hashmill::perf
