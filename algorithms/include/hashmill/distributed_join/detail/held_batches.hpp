#pragma once

#include <hashmill/distributed_join/detail/copied_columns.hpp>
#include <hashmill/distributed_join/join_side.hpp>
#include <utility>

namespace hashmill::detail {

/// Batches of rows of one side that wait to be sent, in memory of their own.
template <class Exec, class Side>
class HeldBatches;
template <class Exec, class KeyColumns, class... Columns>
class HeldBatches<Exec, JoinSide<KeyColumns, Columns...>> {
 public:
  using MemorySpace = typename Exec::memory_space;
  using Copies = std::tuple<CopiedColumn<MemorySpace, Columns>...>;
  /// A batch as joins read it.
  using Batch =
      JoinSide<KeyColumns, decltype(local_column<MemorySpace>(
                               std::declval<const CopiedColumn<MemorySpace, Columns>&>()))...>;

  /// Copies the rows of columns. Waits for `exec`. Unchanged if it throws.
  template <class... Given>
  void add(const Exec& exec, const std::tuple<Given...>& columns,
           Workspace<MemorySpace>& workspace) {
    copy(exec, columns, nullptr, length_of(std::get<0>(columns)), workspace);
  }
  /// Copies the rows in a list alone.
  template <class... Given>
  void add(const Exec& exec, const std::tuple<Given...>& columns,
           const Kokkos::View<std::uint64_t*, MemorySpace>& rows,
           Workspace<MemorySpace>& workspace) {
    copy(exec, columns, rows.data(), rows.extent(0), workspace);
  }
  /// Columns without rows.
  [[nodiscard]] static Copies no_rows(const Exec& exec) {
    Copies columns;
    const auto make = [&](auto& column) {
      if constexpr (std::is_same_v<std::decay_t<decltype(column)>, OwnedStrings<MemorySpace>>) {
        column = allocate_strings<MemorySpace>(exec, 0);
      }
    };
    std::apply([&](auto&... column) { (make(column), ...); }, columns);
    return columns;
  }
  /// The number of batches.
  [[nodiscard]] std::uint64_t size() const { return batches_.size(); }
  /// The number of rows.
  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  /// Calls `use(batch)` for each batch.
  template <class Use>
  void for_each(const Use& use) const {
    for (const Copies& batch : batches_) use(as_batch(batch));
  }
  /// Calls `use(batch)` for each batch, which is freed then, and for others without rows, `count`
  /// in all. None is left.
  template <class Use>
  void take_each(const Exec& exec, std::uint64_t count, const Use& use) {
    for (std::uint64_t b = 0; b < count; ++b) {
      const Copies batch = b < size() ? std::exchange(batches_[b], {}) : no_rows(exec);
      use(as_batch(batch));
    }
    batches_.clear();
    rows_ = 0;
  }

 private:
  template <class... Given>
  void copy(const Exec& exec, const std::tuple<Given...>& columns, const std::uint64_t* rows,
            std::uint64_t count, Workspace<MemorySpace>& workspace) {
    batches_.push_back(copy_columns<Copies>(exec, columns, rows, count, workspace));
    rows_ += count;
  }
  [[nodiscard]] static Batch as_batch(const Copies& copies) {
    return {local_columns<MemorySpace>(copies)};
  }
  std::vector<Copies> batches_;
  std::uint64_t rows_ = 0;
};

}  // namespace hashmill::detail
