#pragma once

#include <cstdint>
#include <hashmill/key.hpp>
#include <limits>
#include <type_traits>
#include <vector>

namespace hashmill::test {

/// What any number is compared by.
template <class Number>
auto exact(Number number) {
  if constexpr (std::is_enum_v<Number>) {
    return static_cast<__int128>(static_cast<std::underlying_type_t<Number>>(number));
  } else if constexpr (std::is_floating_point_v<Number>) {
    return static_cast<long double>(number);
  } else {
    return static_cast<__int128>(number);
  }
}
template <class A, class B>
bool same_number(A a, B b) {
  const auto x = exact(a), y = exact(b);
  return x == y || (x != x && y != y);
}

/// Numbers at the ends of all types, and those that share their low bits, as far as `Number` holds
/// them.
template <class Number>
std::vector<Number> telling_numbers() {
  std::vector<Number> numbers;
  if constexpr (std::is_floating_point_v<Number>) {
    using Limits = std::numeric_limits<double>;
    for (const double value : {0.0, -0.0, 1.0, -1.0, 0.5, 0.1, 16777217.0, 1e300, -1e300, 1e-300,
                               Limits::infinity(), -Limits::infinity(), Limits::quiet_NaN()}) {
      numbers.push_back(static_cast<Number>(value));
    }
  } else {
    using Integer = typename detail::NumberOf<Number>;
    for (const int bits : {0, 1, 7, 8, 15, 16, 31, 32, 63, 64}) {
      const __int128 power = __int128{1} << bits;
      for (const __int128 value : {power - 1, power, power + 5, -power, -power - 1, -power + 5}) {
        const auto number = static_cast<Integer>(value);
        if (static_cast<__int128>(number) == value) numbers.push_back(static_cast<Number>(number));
      }
    }
  }
  return numbers;
}

}  // namespace hashmill::test
