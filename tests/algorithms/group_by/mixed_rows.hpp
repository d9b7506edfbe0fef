#pragma once

#include <gtest/gtest.h>

#include <hashmill/row_container.hpp>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// What a group accumulates, as a value of a row.
struct SumAndCount {
  double sum = 0;
  std::uint64_t count = 0;
  friend bool operator==(const SumAndCount&, const SumAndCount&) = default;
};
enum class Colour : std::uint16_t { red, green, blue = 65535 };

template <class Value>
using Optionals = std::vector<std::optional<Value>>;
using Strings = Optionals<std::string>;

/// The bitmap of a column on the device, from its third bit, as in a slice of an Arrow array.
inline constexpr std::uint64_t first_valid_bit = 3;
template <class Value>
Kokkos::View<std::uint8_t*, Memory> device_bits(const Optionals<Value>& values) {
  std::vector<std::uint8_t> bits((values.size() + first_valid_bit + 7) / 8);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t bit = i + first_valid_bit;
    if (values[i]) bits[bit / 8] |= static_cast<std::uint8_t>(1U << (bit % 8));
  }
  return to_device(bits);
}

/// A column on the device; nulls have rubbish as values.
template <class Value>
class DeviceValues {
 public:
  explicit DeviceValues(const Optionals<Value>& host) : bits_(device_bits(host)) {
    std::vector<Value> values;
    for (const auto& value : host) values.push_back(value.value_or(static_cast<Value>(77)));
    values_ = to_device(values);
  }
  [[nodiscard]] auto column() const {
    return hashmill::column(values_, validity(bits_, values_.extent(0), first_valid_bit));
  }

 private:
  Kokkos::View<Value*, Memory> values_;
  Kokkos::View<std::uint8_t*, Memory> bits_;
};
class DeviceStrings {
 public:
  explicit DeviceStrings(const Strings& host) : bits_(device_bits(host)) {
    std::vector<std::int64_t> offsets{0};
    std::vector<char> bytes;
    for (const auto& string : host) {
      for (const char c : string.value_or("rubbish")) bytes.push_back(c);
      offsets.push_back(static_cast<std::int64_t>(bytes.size()));
    }
    offsets_ = to_device(offsets);
    bytes_ = to_device(bytes);
  }
  [[nodiscard]] auto column() const {
    return string_column(offsets_, bytes_,
                         validity(bits_, offsets_.extent(0) - 1, first_valid_bit));
  }

 private:
  Kokkos::View<std::int64_t*, Memory> offsets_;
  Kokkos::View<char*, Memory> bytes_;
  Kokkos::View<std::uint8_t*, Memory> bits_;
};

/// Columns of all kinds and widths, in std types.
struct MixedRows {
  Optionals<std::int8_t> bytes;
  Strings names;
  Optionals<double> doubles;
  Optionals<Colour> colours;
  Optionals<std::int64_t> longs;
  Optionals<float> floats;
  Strings notes;

  MixedRows() = default;
  /// Random ones, a quarter of them null, and strings of 0 to 40 bytes.
  MixedRows(std::uint64_t count, std::uint64_t seed) {
    const Numbers numbers = random_numbers(7 * count + 2, seed);
    for (std::uint64_t i = 0; i < count; ++i) {
      const auto* const n = &numbers[7 * i + 1];
      const auto is_null = [&](unsigned c) { return n[c] >> 62 == 0; };
      const auto text = [](std::uint64_t number) {
        return std::string(number % 41, static_cast<char>('a' + number % 23));
      };
      bytes.push_back(static_cast<std::int8_t>(n[0]));
      names.push_back(text(n[1]));
      doubles.push_back(static_cast<double>(n[2] % 1000) / 8);
      colours.push_back(static_cast<Colour>(n[3] % 65536));
      longs.push_back(static_cast<std::int64_t>(n[4]));
      floats.push_back(static_cast<float>(n[5] % 4096));
      notes.push_back(text(n[6]));
      if (is_null(0)) bytes.back().reset();
      if (is_null(1)) names.back().reset();
      if (is_null(2)) doubles.back().reset();
      if (is_null(3)) colours.back().reset();
      if (is_null(4)) longs.back().reset();
      if (is_null(5)) floats.back().reset();
      if (is_null(6)) notes.back().reset();
    }
  }
  [[nodiscard]] std::uint64_t size() const { return bytes.size(); }
  void append(const MixedRows& more) {
    const auto add = [](auto& to, const auto& from) {
      to.insert(to.end(), from.begin(), from.end());
    };
    add(bytes, more.bytes);
    add(names, more.names);
    add(doubles, more.doubles);
    add(colours, more.colours);
    add(longs, more.longs);
    add(floats, more.floats);
    add(notes, more.notes);
  }
};

/// The container of them, with accumulators beside.
using MixedContainer = RowContainer<Memory, std::int8_t, StringView, double, Colour, std::int64_t,
                                    float, StringView, SumAndCount>;
inline constexpr SumAndCount initial{0.5, 7};

/// Calls `use(columns...)` with the columns of rows, the accumulators last.
template <class Use>
void with_columns(const MixedRows& rows, const Use& use) {
  const DeviceValues<std::int8_t> bytes(rows.bytes);
  const DeviceStrings names(rows.names), notes(rows.notes);
  const DeviceValues<double> doubles(rows.doubles);
  const DeviceValues<Colour> colours(rows.colours);
  const DeviceValues<std::int64_t> longs(rows.longs);
  const DeviceValues<float> floats(rows.floats);
  use(bytes.column(), names.column(), doubles.column(), colours.column(), longs.column(),
      floats.column(), notes.column(), constant_column<Memory>(initial, rows.size()));
}
inline std::uint64_t append(MixedContainer& container, const MixedRows& rows) {
  std::uint64_t first = 0;
  with_columns(rows, [&](const auto&... columns) { first = container.append(Exec(), columns...); });
  return first;
}

/// Whether row i of a bitmap has a value. An empty one has no nulls.
inline bool is_valid(const std::vector<std::uint8_t>& bits, std::size_t i) {
  return bits.empty() || (bits[i / 8] >> (i % 8) & 1) != 0;
}
/// Values and bits of a column as extracted; expects zeros for nulls.
template <class Values>
auto host_optionals(const Values& values, const Kokkos::View<std::uint8_t*, Memory>& bits) {
  const auto host = to_host(values);
  const auto valid = to_host(bits);
  using Value = typename decltype(host)::value_type;
  Optionals<Value> result(host.size());
  for (std::size_t i = 0; i < host.size(); ++i) {
    if (is_valid(valid, i)) {
      result[i] = host[i];
    } else {
      EXPECT_TRUE(host[i] == Value{}) << "null " << i;
    }
  }
  return result;
}
template <class Value>
Optionals<Value> host_column(const OwnedColumn<Value, Memory>& column) {
  return host_optionals(column.values, column.valid_bits);
}
inline Strings host_strings(const OwnedStrings<Memory>& strings) {
  const auto offsets = to_host(strings.offsets);
  const auto bytes = to_host(strings.bytes);
  const auto valid = to_host(strings.valid_bits);
  Strings result(offsets.size() - 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(offsets[i]);
    const auto end = static_cast<std::ptrdiff_t>(offsets[i + 1]);
    if (is_valid(valid, i)) {
      result[i] = std::string(bytes.begin() + begin, bytes.begin() + end);
    } else {
      EXPECT_EQ(begin, end) << "null " << i;
    }
  }
  return result;
}

/// The rows of a column that are listed; null for `nothing`.
inline constexpr std::uint64_t nothing_there = ~std::uint64_t{0};
template <class Value>
Optionals<Value> at(const Optionals<Value>& values, const std::vector<std::uint64_t>& which) {
  Optionals<Value> result;
  for (const std::uint64_t row : which) {
    result.push_back(row == nothing_there ? std::nullopt : values[row]);
  }
  return result;
}

template <class View>
View out_view(std::uint64_t size) {
  return View("hashmill::test::out", size);
}

/// Expects extraction to give the rows of `expected` that `which` lists; `rows` are these for the
/// container.
template <class Which>
void expect_rows(const MixedContainer& container, const MixedRows& expected,
                 const std::vector<std::uint64_t>& which, const Which& rows) {
  using Bits = Kokkos::View<std::uint8_t*, Memory>;
  const std::uint64_t n = which.size(), bytes = (n + 7) / 8;
  const auto a = out_view<Kokkos::View<std::int8_t*, Memory>>(n);
  const auto b = out_view<Kokkos::View<double*, Memory>>(n);
  const auto c = out_view<Kokkos::View<Colour*, Memory>>(n);
  const auto d = out_view<Kokkos::View<std::int64_t*, Memory>>(n);
  const auto e = out_view<Kokkos::View<float*, Memory>>(n);
  const auto f = out_view<Kokkos::View<SumAndCount*, Memory>>(n);
  Bits bits[6];
  for (Bits& some : bits) some = out_view<Bits>(bytes);
  container.extract<0, 2, 3, 4, 5, 7>(Exec(), rows, nullable(a, bits[0]), nullable(b, bits[1]),
                                      nullable(c, bits[2]), nullable(d, bits[3]),
                                      nullable(e, bits[4]), nullable(f, bits[5]));
  EXPECT_TRUE(host_optionals(a, bits[0]) == at(expected.bytes, which));
  EXPECT_TRUE(host_optionals(b, bits[1]) == at(expected.doubles, which));
  EXPECT_TRUE(host_optionals(c, bits[2]) == at(expected.colours, which));
  EXPECT_TRUE(host_optionals(d, bits[3]) == at(expected.longs, which));
  EXPECT_TRUE(host_optionals(e, bits[4]) == at(expected.floats, which));
  EXPECT_TRUE(host_optionals(f, bits[5]) ==
              at(Optionals<SumAndCount>(expected.size(), initial), which));
  EXPECT_TRUE(host_strings(container.extract_strings<1>(Exec(), rows)) ==
              at(expected.names, which));
  EXPECT_TRUE(host_strings(container.extract_strings<6>(Exec(), rows)) ==
              at(expected.notes, which));
}
inline void expect_all_rows(const MixedContainer& container, const MixedRows& expected) {
  ASSERT_EQ(container.size(), expected.size());
  expect_rows(container, expected, sequential_numbers(expected.size()), container.all_rows());
}

}  // namespace hashmill::test
