#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hashmill/backends/publish.hpp>
#include <hashmill/row_layout.hpp>

namespace hashmill {

/// A RowContainer as kernels see it: trivially copyable, owns nothing. Valid until the container
/// grows, is cleared, moved or destroyed.
///
/// Rows are identified by number, below `size()`. Any number of threads may call all members at the
/// same time. Threads that change a row may run beside threads that change other columns of it.
/// Threads that change the same value must use atomic operations at its `address`.
template <class MemorySpace, class... Values>
class RowContainerRef {
 public:
  using memory_space = MemorySpace;
  using layout_type = RowLayout<Values...>;
  /// The type that column C returns.
  template <unsigned C>
  using value_type = typename layout_type::template Value<C>;
  /// The type in which a row stores column C.
  template <unsigned C>
  using stored_type = typename layout_type::template Stored<C>;

  RowContainerRef() = default;
  /// Used by its container, whose `ref()` makes one.
  RowContainerRef(std::byte* rows, char* strings, std::uint64_t size)
      : rows_(rows), strings_(strings), size_(size) {}

  /// Number of rows.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return size_; }

  /// The value of column C in a row. Where it is null, what is stored in its place: zeros or an
  /// empty string, unless `set` was called before `set_null`. The bytes of strings lie in the
  /// container.
  template <unsigned C>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION value_type<C> value(std::uint64_t row) const {
    return value_in<C>(row_address(row));
  }
  /// Whether the value of column C in a row is null.
  template <unsigned C>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t row) const {
    return (nulls(row) >> C & 1U) != 0;
  }
  /// The null bits of a row: bit c is set where column c is null.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t nulls(std::uint64_t row) const {
    return *null_bits(row);
  }

  /// The address of column C's value in a row, for atomic operations and for prefetching; aligned
  /// as its type requires.
  template <unsigned C>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION stored_type<C>* address(std::uint64_t row) const {
    return reinterpret_cast<stored_type<C>*>(row_address(row) + layout_type::template offset<C>);
  }
  /// Sets the value of column C, which is then not null. Not for strings.
  template <unsigned C>
  KOKKOS_FORCEINLINE_FUNCTION void set(std::uint64_t row, const value_type<C>& value) const {
    static_assert(!layout_type::template is_string<C>,
                  "hashmill::RowContainerRef::set: strings are appended only");
    *address<C>(row) = value;
    constexpr std::uint32_t bit = 1U << C;
    if ((backends::load_relaxed(null_bits(row)) & bit) != 0) {
      Kokkos::atomic_and(null_bits(row), ~bit);
    }
  }
  /// Makes the value of column C null.
  template <unsigned C>
  KOKKOS_FORCEINLINE_FUNCTION void set_null(std::uint64_t row) const {
    Kokkos::atomic_or(null_bits(row), std::uint32_t{1} << C);
  }

  /// The address of a row, all of whose `RowLayout::row_bytes` bytes lie there.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::byte* row_address(std::uint64_t row) const {
    return rows_ + row * layout_type::row_bytes;
  }
  /// The value of column C in the row, or in the copy of a row, at address `row`.
  template <unsigned C>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION value_type<C> value_in(const std::byte* row) const {
    const auto* const stored =
        reinterpret_cast<const stored_type<C>*>(row + layout_type::template offset<C>);
    if constexpr (layout_type::template is_string<C>) {
      return {strings_ + stored->begin, stored->size};
    } else {
      return *stored;
    }
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t* null_bits(std::uint64_t row) const {
    return reinterpret_cast<std::uint32_t*>(row_address(row) + layout_type::nulls_offset);
  }

  std::byte* rows_ = nullptr;
  char* strings_ = nullptr;
  std::uint64_t size_ = 0;
};

}  // namespace hashmill
