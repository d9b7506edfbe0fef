#pragma once

#include <hashmill/columns.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// What a row holds, in std types: an integer, a string and a number, each perhaps null.
struct Row {
  std::optional<std::int64_t> city;
  std::optional<std::string> street;
  std::optional<double> height;
};

/// Rows with few different values, so that many match.
inline std::vector<Row> random_rows(std::uint64_t count, std::uint64_t seed) {
  const std::string streets[] = {"", "high", "low", "a long street's name"};
  const double heights[] = {0.0, -0.0, 1.5, std::numeric_limits<double>::quiet_NaN()};
  std::vector<Row> rows(count);
  const Numbers numbers = random_numbers(3 * count + 2, seed);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t city = numbers[3 * i + 1] % 7, street = numbers[3 * i + 2] % 5,
                        height = numbers[3 * i + 3] % 5;
    if (city < 6) rows[i].city = static_cast<std::int64_t>(city) - 3;
    if (street < 4) rows[i].street = streets[street];
    if (height < 4) rows[i].height = heights[height];
  }
  return rows;
}

/// Rows as columns on the device, the integers of a type of the caller's choice.
template <class City>
class RowColumns {
 public:
  explicit RowColumns(const std::vector<Row>& rows) {
    std::vector<City> cities;
    std::vector<std::int32_t> offsets{0};
    std::vector<char> bytes;
    std::vector<double> heights;
    std::vector<std::uint8_t> bits[3];
    for (auto& mask : bits) mask.resize((rows.size() + first_bit + 7) / 8);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      cities.push_back(static_cast<City>(rows[i].city.value_or(77)));
      for (const char c : rows[i].street.value_or("rubbish")) bytes.push_back(c);
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
      heights.push_back(rows[i].height.value_or(i));
      const bool valid[] = {rows[i].city.has_value(), rows[i].street.has_value(),
                            rows[i].height.has_value()};
      for (int c = 0; c < 3; ++c) {
        const std::size_t bit = i + first_bit;
        if (valid[c]) bits[c][bit / 8] |= static_cast<std::uint8_t>(1U << (bit % 8));
      }
    }
    cities_ = to_device(cities);
    offsets_ = to_device(offsets);
    bytes_ = to_device(bytes);
    heights_ = to_device(heights);
    for (int c = 0; c < 3; ++c) bits_[c] = to_device(bits[c]);
  }

  [[nodiscard]] auto city() const { return column(cities_, valid(0)); }
  [[nodiscard]] auto street() const { return string_column(offsets_, bytes_, valid(1)); }
  [[nodiscard]] auto height() const { return column(heights_, valid(2)); }
  [[nodiscard]] auto keys() const { return columns(city(), street(), height()); }

 private:
  static constexpr std::uint64_t first_bit = 3;  // of the bitmaps, as in a slice of an Arrow array
  [[nodiscard]] Validity valid(int c) const {
    return validity(bits_[c], cities_.extent(0), first_bit);
  }
  Kokkos::View<City*, Memory> cities_;
  Kokkos::View<std::int32_t*, Memory> offsets_;
  Kokkos::View<char*, Memory> bytes_;
  Kokkos::View<double*, Memory> heights_;
  Kokkos::View<std::uint8_t*, Memory> bits_[3];
};

}  // namespace hashmill::test
