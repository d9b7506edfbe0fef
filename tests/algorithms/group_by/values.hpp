#pragma once

#include <hashmill/column.hpp>
#include <optional>
#include <vector>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// Values of rows, some of them null, and what a group's should come to.
struct Values {
  explicit Values(std::uint64_t rows, std::uint64_t seed) {
    const Numbers numbers = random_numbers(rows + 2, seed);
    std::vector<std::uint8_t> bits((rows + 7) / 8);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const auto value = static_cast<std::int32_t>(numbers[i + 1] % 2001) - 1000;
      ints.push_back(value);
      doubles.push_back(1e9 + value);
      valid.push_back(numbers[i + 1] % 7 < 4);
      if (valid[i]) bits[i / 8] |= static_cast<std::uint8_t>(1U << (i % 8));
    }
    device_ints = to_device(ints);
    device_doubles = to_device(doubles);
    device_bits = to_device(bits);
  }
  [[nodiscard]] auto nullable() const {
    return column(device_ints, validity(device_bits, ints.size()));
  }
  std::vector<std::int32_t> ints;
  std::vector<double> doubles;
  std::vector<bool> valid;
  Kokkos::View<std::int32_t*, Memory> device_ints;
  Kokkos::View<double*, Memory> device_doubles;
  Kokkos::View<std::uint8_t*, Memory> device_bits;
};

/// The result of group g, or nothing where it is null.
template <class Column>
auto host_results(const Column& column) {
  const auto values = to_host(column.values);
  const auto bits = to_host(column.valid_bits);
  std::vector<std::optional<typename decltype(values)::value_type>> results(values.size());
  for (std::size_t g = 0; g < values.size(); ++g) {
    if (bits.empty() || (bits[g / 8] >> (g % 8) & 1) != 0) results[g] = values[g];
  }
  return results;
}

}  // namespace hashmill::test
