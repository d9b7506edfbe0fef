#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <hashmill/error.hpp>
#include <string>
#include <string_view>
#include <type_traits>

// What public calls require of the views that they are given. Each rule stands in one place.

namespace hashmill::detail {

/// True for views of one dimension, and for whatever is not a view.
template <class Source>
inline constexpr bool has_one_dimension = true;
template <class Source>
  requires Kokkos::is_view_v<Source>
inline constexpr bool has_one_dimension<Source> = Source::rank() == 1;

/// Whether the type of a view tells that its elements are adjacent.
template <class Source>
inline constexpr bool is_contiguous_view = false;
template <class Source>
  requires Kokkos::is_view_v<Source>
inline constexpr bool is_contiguous_view<Source> =
    has_one_dimension<Source> &&
    (std::is_same_v<typename Source::array_layout, Kokkos::LayoutLeft> ||
     std::is_same_v<typename Source::array_layout, Kokkos::LayoutRight>);

/// Refuses, at compile time, views that do not have exactly one dimension. Their elements need not
/// be adjacent.
template <class... Sources>
constexpr void require_one_dimension() {
  static_assert((has_one_dimension<Sources> && ...),
                "hashmill: keys, values, rows and results are views of one dimension");
}

/// Refuses, at compile time, views whose elements may not be adjacent, where their memory is read
/// as one block.
template <class... Views>
constexpr void require_contiguous() {
  static_assert((is_contiguous_view<Views> && ...),
                "hashmill: bits, offsets and bytes of strings, relations and what Arrow takes are "
                "contiguous views of one dimension");
}

template <class Source>
concept HasSize = requires(const Source& source) {
  { source.size() } -> std::convertible_to<std::uint64_t>;
};

/// Whether a source has a length. Callables have none: they answer for any index.
template <class Source>
inline constexpr bool has_length = std::is_integral_v<Source> || HasSize<Source>;

/// What keys can be read from: a View, a column, `columns(...)`, or anything else that knows its
/// length and returns the key of a row.
template <class Source>
inline constexpr bool is_key_source = Kokkos::is_view_v<Source> ||
                                      (HasSize<Source> &&
                                       std::invocable<const Source&, std::uint64_t>);

/// Refuses, at compile time, keys that kernels cannot read, such as a std::vector.
template <class Keys>
constexpr void require_keys() {
  static_assert(is_key_source<Keys>,
                "hashmill: keys are a Kokkos::View, a column, columns(...), or another source with "
                "size() and operator()(row); put those of a std container into a View first");
  require_one_dimension<Keys>();
}

/// The number of elements of a source; a number stands for itself.
template <class Source>
[[nodiscard]] std::uint64_t length_of(const Source& source) {
  if constexpr (std::is_integral_v<Source>) {
    return source;
  } else {
    return source.size();
  }
}

/// Throws InvalidArgument, which names both lengths, unless two sources have the same length. The
/// text `but` stands before the second. Callables agree with any length.
template <class First, class Second>
void expect_lengths(std::string_view operation, const char* what, const First& first,
                    const char* but, const char* other, const Second& second) {
  require_one_dimension<First, Second>();
  if constexpr (has_length<First> && has_length<Second>) {
    const std::uint64_t n = length_of(first), m = length_of(second);
    if (n == m) return;
    throw InvalidArgument(std::string(operation) + ": " + std::to_string(n) + " " + what + but +
                          std::to_string(m) + " " + other);
  }
}

/// Checks sources that are read side by side: "insert: 3 keys but 2 rows".
template <class First, class Second>
void same_length(std::string_view operation, const char* what, const First& first,
                 const char* other, const Second& second) {
  expect_lengths(operation, what, first, " but ", other, second);
}

/// Checks a source and the room for its results: "find: 3 queries but room for 2 results".
template <class First, class Out>
void same_room(std::string_view operation, const char* what, const First& first, const char* other,
               const Out& out) {
  expect_lengths(operation, what, first, " but room for ", other, out);
}

}  // namespace hashmill::detail
