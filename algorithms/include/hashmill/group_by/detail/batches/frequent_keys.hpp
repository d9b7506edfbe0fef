#pragma once

#include <algorithm>
#include <hashmill/group_by/detail/batches/batch_groups.hpp>

namespace hashmill::detail {

/// Whether the state of a row can be told from the row alone, and can be merged with states of the
/// same group in any order. The first value and the variance of floating-point numbers need all
/// rows of a batch at once.
template <class Folds, class Kept>
inline constexpr bool has_row_states =
    !Folds::two_passes && std::is_same_v<typename Folds::Group, typename Kept::Group>;

/// The states of listed rows, each of that row alone: a column.
template <class Folds, class Row, class MemorySpace>
struct StatesOfRows {
  using memory_space = MemorySpace;
  using value_type = typename Folds::Group;
  Folds folds;
  const Row* rows;
  std::uint64_t count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    value_type state{};
    folds.clear(&state);
    folds.template add<Alone, false>(&state, &state, rows[i]);
    return state;
  }
};

/// Writes every `stride`-th row.
template <class Row>
struct WriteSample {
  Row* rows;
  std::uint64_t stride;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    rows[i] = static_cast<Row>(static_cast<std::uint64_t>(i) * stride);
  }
};

/// Adds those rows of a batch whose keys are frequent to their groups. Appends the others to
/// `rare`, a container of rows as the table's, each with its own state.
///
/// Frequent are keys that have a group already, and those in a sample of the batch: every 64th row,
/// but at most 2^16 rows, so that a table of them stays in caches. In a batch of at most 2^22 rows
/// a key with 300 rows is missed once in 100 times. Waits for `exec`.
///
/// If it throws CapacityError, `rare` is unchanged, and the table has at most more groups.
template <class Row, class Target, class Keys, class By, class Folds, class Rare>
void add_frequent(const Target& to, const Keys& keys, const By& by, const Folds& folds,
                  const GroupHashOf<Keys>& hash, Rare& rare) {
  using Memory = typename By::memory_space;
  constexpr std::uint64_t most_sampled = std::uint64_t{1} << 16;
  const std::uint64_t count = by.size();
  const std::uint64_t sampled = std::min(count / 64 + 1, most_sampled);
  const auto group_of = to.workspace.template take<Row>(to.exec, count);
  {
    const typename Workspace<Memory>::Frame frame(to.workspace);
    const auto sample = to.workspace.template take<Row>(to.exec, sampled);
    backends::for_each_index("hashmill::hash_aggregation::sample", to.exec, sampled,
                             WriteSample<Row>{sample.data(), count / sampled});
    const auto fresh =
        find_fresh_groups(to, keys, KeysOfRows<By, Row, Memory>{by, sample.data(), sampled},
                          static_cast<const Row*>(sample.data()), hash,
                          to.workspace.template take<Row>(to.exec, sampled));
    to.append(by, fresh.representatives);
  }
  to.table.find_async(to.exec, by, group_of);
  const auto others = list_without_group(to.exec, group_of.data(), count, to.workspace);
  append_listed(to.exec, to.workspace, rare, by.list(), others.data(), others.extent(0),
                StatesOfRows<Folds, Row, Memory>{folds, others.data(), others.extent(0)});
  fold_into_rows(to.exec, folds, static_cast<const Row*>(group_of.data()), count, to.table.place());
  to.exec.fence("hashmill::hash_aggregation: the batch goes");
}

}  // namespace hashmill::detail
