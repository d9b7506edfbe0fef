#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/primitives/detail/spread_order.hpp>

namespace hashmill::detail {

/// A list of rows: those in `rows` or, where that is null, consecutive rows from `first` on. It
/// holds `count` rows, beginning with place `begin` of an order.
template <class Row>
struct RowList {
  const Row* rows;
  std::uint64_t first;
  std::uint64_t count;
  SpreadOrder order{};
  std::uint64_t begin = 0;

  KOKKOS_FORCEINLINE_FUNCTION Row operator()(std::uint64_t j) const {
    if (is_range()) return static_cast<Row>(first + begin + j);
    const std::uint64_t place = order(begin + j);
    return rows == nullptr ? static_cast<Row>(first + place) : rows[place];
  }
  /// Whether the rows are consecutive and in their order. One test, which leaves loops.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_range() const {
    return order.is_none() & (rows == nullptr);
  }
  /// The list without its first n rows.
  [[nodiscard]] RowList without_first(std::uint64_t n) const {
    return {rows, first, count - n, order, begin + n};
  }
  /// The first n rows of the list.
  [[nodiscard]] RowList first_few(std::uint64_t n) const { return {rows, first, n, order, begin}; }
  /// The same rows in an order whose every prefix is spread over all of them, in tiles or one by
  /// one.
  [[nodiscard]] RowList spread(unsigned tile_bits = SpreadOrder::prefetched_bits) const {
    return {rows, first, count, SpreadOrder(count, tile_bits)};
  }
};

/// Appends rows to a list, in any order.
template <class Row>
struct RowAppender {
  Row* rows;
  std::uint64_t* count;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row row) const {
    rows[Kokkos::atomic_fetch_add(count, std::uint64_t{1})] = row;
  }
};

/// A list of rows to which kernels append. The list owns its memory. The counter lies in the
/// caller's frame of `workspace`.
template <class Row, class MemorySpace>
class RowCollector {
 public:
  using List = Kokkos::View<Row*, MemorySpace>;

  /// With room for `most` rows.
  template <class Exec>
  RowCollector(const Exec& exec, std::uint64_t most, Workspace<MemorySpace>& workspace)
      : counter_(workspace.template take<std::uint64_t>(exec, 1)),
        list_(backends::allocate<List>(exec, "hashmill::row_list", most)) {
    Kokkos::deep_copy(exec, counter_, std::uint64_t{0});
  }
  [[nodiscard]] RowAppender<Row> appender() const { return {list_.data(), counter_.data()}; }

  /// The list, cut to its length. Waits for `exec`.
  template <class Exec>
  [[nodiscard]] List finish(const Exec& exec) const {
    const std::uint64_t count = backends::fetch(
        exec, counter_, 0, "hashmill: the length of a list decides what is launched next");
    return Kokkos::subview(list_, std::make_pair(std::uint64_t{0}, count));
  }

 private:
  typename Workspace<MemorySpace>::template Array<std::uint64_t> counter_;
  List list_;
};

/// Rows that wait to be inserted, with the memory of their list.
template <class Row, class MemorySpace>
struct PendingRows {
  RowList<Row> rows{};
  Kokkos::View<Row*, MemorySpace> list{};

  PendingRows() = default;
  explicit PendingRows(const RowList<Row>& known) : rows(known) {}
  explicit PendingRows(const Kokkos::View<Row*, MemorySpace>& listed)
      : rows{listed.data(), 0, listed.extent(0)}, list(listed) {}
};

}  // namespace hashmill::detail
