#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/row.hpp>

namespace hashmill::detail {

// The entries of each table, in `size()` parts, each for one thread. `parts(p, f)` calls `f(key,
// row)` for each live entry of part p (`f(key)` where there are no rows).
//
// Where row numbers may repeat or be any number, entries have positions below `num_positions()`,
// and `parts.for_each_position(p, f)` calls `f(position, row)`. The ref's `for_each_position(key,
// f)` does the same for the entries with a key.

/// Parts whose entries have positions.
template <class Parts>
concept PositionedParts = requires(const Parts& parts) {
  { parts.num_positions() } -> std::same_as<std::uint64_t>;
};

/// The buckets of a HashGraph.
template <class Ref>
struct BucketEntries {
  Ref ref;
  std::uint64_t positions;

  [[nodiscard]] std::uint64_t size() const { return ref.num_buckets(); }
  [[nodiscard]] std::uint64_t num_positions() const { return positions; }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_position(std::uint64_t bucket, const F& f) const {
    const auto end = ref.end(bucket);
    for (auto i = ref.begin(bucket); i < end; ++i) f(i, ref.layout().row(ref.entry(i)));
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t bucket, const F& f) const {
    const auto end = ref.end(bucket);
    for (auto i = ref.begin(bucket); i < end; ++i) {
      const auto entry = ref.entry(i);
      if constexpr (Ref::layout_type::has_rows) {
        f(ref.layout().key(entry), ref.layout().row(entry));
      } else {
        f(ref.layout().key(entry));
      }
    }
  }
};

/// The nodes of a Chaining table. An erased node is its own successor.
template <class Ref>
struct NodeEntries {
  using Row = typename Ref::row_type;
  Ref ref;
  std::uint64_t row_base;

  [[nodiscard]] std::uint64_t size() const { return ref.num_nodes(); }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t n, const F& f) const {
    const auto node = ref.node(static_cast<Row>(n));
    if (node.second != n) f(node.first, static_cast<Row>(row_base + n));
  }
};

/// The first `count` rows of a TagBucket, those that have links; read in order, with their keys.
template <class Ref>
struct LinkedEntries {
  using Row = typename Ref::row_type;
  Ref ref;
  std::uint64_t count;

  [[nodiscard]] std::uint64_t size() const { return count; }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const F& f) const {
    if (ref.next(i) != no_row<Row>) f(ref.keys()(i), static_cast<Row>(ref.row_base() + i));
  }
};

/// The windows of a LinearProbing table.
template <class Ref>
struct WindowEntries {
  Ref ref;

  [[nodiscard]] std::uint64_t size() const { return ref.num_windows(); }
  [[nodiscard]] std::uint64_t num_positions() const {
    return ref.num_windows() * Ref::Window::size;
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_position(std::uint64_t w, const F& f) const {
    const auto& window = *ref.window(w);
    for (const auto& slot : window.slots) {
      if (Ref::Slots::is_live(slot)) f(ref.position(&slot), Ref::Slots::row(slot));
    }
  }
  template <class F>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t w, const F& f) const {
    const auto& window = *ref.window(w);
    for (const auto& slot : window.slots) {
      if (Ref::Slots::is_live(slot)) f(Ref::Slots::key(slot), Ref::Slots::row(slot));
    }
  }
};

}  // namespace hashmill::detail
