#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hashmill.hpp>
#include <map>

#include "algorithms/group_by/mixed_rows.hpp"
#include "algorithms/support/failing_allocations.hpp"

namespace hashmill::test {
namespace {

constexpr std::uint64_t tile_rows =
    detail::RowTile<MixedContainer::layout_type, backends::has_wide_teams<Exec>>::rows;

/// Row numbers on the device, `nothing_there` as `no_row`.
template <class Row>
Kokkos::View<Row*, Memory> device_rows(const std::vector<std::uint64_t>& which) {
  std::vector<Row> rows;
  for (const std::uint64_t row : which) {
    rows.push_back(row == nothing_there ? no_row<Row> : static_cast<Row>(row));
  }
  return to_device(rows);
}

TEST(RowLayout, PutsTheWidestFirstAndFillsToWords) {
  using Drawn = RowLayout<std::uint32_t, StringView, double, std::int16_t>;
  static_assert(Drawn::offset<1> == 0 && Drawn::offset<2> == 16 && Drawn::offset<0> == 24 &&
                Drawn::nulls_offset == 28 && Drawn::offset<3> == 32 && Drawn::used_bytes == 34 &&
                Drawn::row_bytes == 40);
  static_assert(RowLayout<std::uint64_t, float>::row_bytes == 16);
  static_assert(RowLayout<std::uint32_t, std::uint32_t>::row_bytes == 16);
  static_assert(RowLayout<bool>::row_bytes == 8);
  using Aligned = RowLayout<std::uint8_t, Key128>;
  static_assert(Aligned::offset<1> == 0 && Aligned::offset<0> == 20 && Aligned::row_bytes == 32 &&
                Aligned::alignment == 16);
  static_assert(std::is_trivially_copyable_v<MixedContainer::ref_type> &&
                std::is_trivially_copyable_v<decltype(MixedContainer().keys<0, 1>())>);
}

TEST(RowContainer, KeepsBatchesAppendedInTurn) {
  MixedContainer container;
  MixedRows expected;
  std::uint64_t seed = 0;
  for (const std::uint64_t size :
       {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{0}, std::uint64_t{9},
        tile_rows - 1, tile_rows, tile_rows + 1, 3 * tile_rows + 5}) {
    SCOPED_TRACE(size);
    const MixedRows batch(size, ++seed);
    ASSERT_EQ(append(container, batch), expected.size());
    expected.append(batch);
    ASSERT_NO_FATAL_FAILURE(expect_all_rows(container, expected));
    ASSERT_GE(container.capacity(), container.size());
  }
}

TEST(RowContainer, KeepsOneBatchOfAnySize) {
  for (const std::uint64_t size :
       {std::uint64_t{1}, tile_rows - 1, tile_rows, tile_rows + 1, 20 * tile_rows + 3}) {
    SCOPED_TRACE(size);
    MixedContainer container;
    const MixedRows rows(size, size);
    append(container, rows);
    ASSERT_NO_FATAL_FAILURE(expect_all_rows(container, rows));
  }
}

TEST(RowContainer, ExtractsRowsInAnyOrderRepeatedAndNone) {
  MixedContainer container;
  const MixedRows expected(1000, 4);
  append(container, expected);
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{1}, tile_rows + 1}) {
    SCOPED_TRACE(size);
    std::vector<std::uint64_t> which = repeated_numbers(size, 1001, size);
    for (auto& row : which) row = row == 1000 ? nothing_there : row;
    ASSERT_NO_FATAL_FAILURE(
        expect_rows(container, expected, which, device_rows<std::uint32_t>(which)));
    ASSERT_NO_FATAL_FAILURE(
        expect_rows(container, expected, which, device_rows<std::uint64_t>(which)));
  }
  const std::vector<std::uint64_t> none(20, nothing_there);
  expect_rows(container, expected, none, device_rows<std::uint32_t>(none));
}

TEST(RowContainer, ExtractsRangesOfRows) {
  MixedContainer container;
  const MixedRows expected(3 * tile_rows, 5);
  append(container, expected);
  for (const auto& [first, count] :
       std::vector<std::pair<std::uint64_t, std::uint64_t>>{{0, 0},
                                                            {1, 1},
                                                            {3, tile_rows + 1},
                                                            {tile_rows - 1, 2 * tile_rows + 1},
                                                            {3 * tile_rows, 0}}) {
    SCOPED_TRACE(std::to_string(count) + " from " + std::to_string(first));
    ASSERT_NO_FATAL_FAILURE(
        expect_rows(container, expected, sequential_numbers(count, first), RowRange{first, count}));
  }
}

TEST(RowContainer, KeepsLongAndEmptyStrings) {
  RowContainer<Memory, StringView> container;
  const std::string letters = "abcdefghijklmnopqrstuvwxyz";
  std::string huge;
  for (int i = 0; i < 10'000; ++i) huge += letters.substr(static_cast<std::size_t>(i) % 26);
  Strings expected;
  const std::vector<Strings> batches{
      {"", "", ""},
      {std::nullopt, "x", "", huge, std::nullopt, "", huge.substr(1), ""},
      Strings(70'000, "ab"),
      {huge + huge, std::string(65'536, 'y'), "z"},
      Strings(300)};
  for (const Strings& batch : batches) {
    const DeviceStrings strings(batch);
    ASSERT_EQ(container.append(Exec(), strings.column()), expected.size());
    expected.insert(expected.end(), batch.begin(), batch.end());
    const auto found = container.extract_strings<0>(Exec(), container.all_rows());
    ASSERT_TRUE(host_strings(found) == expected);
    // What was extracted can be appended.
    RowContainer<Memory, StringView> copy;
    copy.append(Exec(), found.column());
    ASSERT_TRUE(host_strings(copy.extract_strings<0>(Exec(), copy.all_rows())) == expected);
  }
}

TEST(RowContainer, TakesDictionaries) {
  const Strings words{"one", std::nullopt, "three", ""};
  const DeviceStrings dictionary(words);
  const Optionals<std::uint8_t> codes{2, 0, std::nullopt, 1, 3, 2};
  const DeviceValues<std::uint8_t> device_codes(codes);
  RowContainer<Memory, StringView, std::uint8_t> container;
  container.append(Exec(), dictionary_column(device_codes.column(), dictionary.column()),
                   device_codes.column());
  EXPECT_TRUE(host_strings(container.extract_strings<0>(Exec(), container.all_rows())) ==
              (Strings{"three", "one", std::nullopt, std::nullopt, "", "three"}));
}

using Numbered = RowContainer<Memory, std::uint32_t, double, SumAndCount>;

/// Changes rows as kernels may: all at once.
struct ChangeRows {
  Numbered::ref_type rows;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    const std::uint64_t group = rows.value<0>(i) % 10;
    Kokkos::atomic_add(&rows.address<2>(group)->sum, rows.value<1>(i));
    Kokkos::atomic_add(&rows.address<2>(group)->count, std::uint64_t{1});
    if (i % 3 == 0) rows.set_null<0>(i);
    if (i % 5 == 0) rows.set_null<1>(i);
    if (i % 15 == 0) rows.set<1>(i, -1.0);
  }
};
TEST(RowContainer, LetsKernelsChangeRows) {
  constexpr std::uint64_t n = 5000;
  std::vector<std::uint32_t> keys(n);
  std::vector<double> values(n);
  std::vector<SumAndCount> expected(10);
  for (std::uint64_t i = 0; i < n; ++i) {
    keys[i] = static_cast<std::uint32_t>(i < 10 ? i : i * i % 97);
    values[i] = static_cast<double>(i);
    expected[keys[i] % 10].sum += values[i];
    ++expected[keys[i] % 10].count;
  }
  Numbered container;
  container.append(Exec(), to_device(keys), to_device(values),
                   constant_column<Memory>(SumAndCount{}, n));
  const Exec exec;
  Kokkos::parallel_for("hashmill::test::change", backends::range(exec, n),
                       ChangeRows{container.ref()});
  const auto sums = out_view<Kokkos::View<SumAndCount*, Memory>>(10);
  container.extract<2>(exec, RowRange{0, 10}, sums);
  EXPECT_TRUE(to_host(sums) == expected);
  const auto bits = out_view<Kokkos::View<std::uint8_t*, Memory>>(n / 8);
  const auto more_bits = out_view<Kokkos::View<std::uint8_t*, Memory>>(n / 8 + 1);
  const auto a = out_view<Kokkos::View<std::uint32_t*, Memory>>(n);
  const auto b = out_view<Kokkos::View<double*, Memory>>(n);
  container.extract<1, 0>(exec, container.all_rows(), nullable(b, bits), nullable(a, more_bits));
  const auto host_bits = to_host(bits), host_more = to_host(more_bits);
  const auto host_b = to_host(b);
  for (std::uint64_t i = 0; i < n; ++i) {
    ASSERT_EQ(host_bits[i / 8] >> (i % 8) & 1, i % 5 != 0 || i % 15 == 0) << i;
    ASSERT_EQ(host_more[i / 8] >> (i % 8) & 1, i % 3 != 0) << i;
    if (i % 15 != 0) continue;
    ASSERT_EQ(host_b[i], -1.0);
  }
}

TEST(RowContainer, GivesColumnsToGroupBy) {
  const MixedRows rows(2000, 6);
  MixedContainer container;
  append(container, rows);
  const auto sums = group_by(Exec(), columns(container.column<1>()),
                             agg::count(container.column<2>()), agg::max(container.column<4>()));
  std::map<std::optional<std::string>, std::pair<std::uint64_t, std::optional<std::int64_t>>>
      groups;
  for (std::uint64_t i = 0; i < rows.size(); ++i) {
    auto& [count, most] = groups[rows.names[i]];
    count += rows.doubles[i].has_value() ? 1 : 0;
    most = std::max(most, rows.longs[i]);
  }
  const auto representatives = to_host(sums.representatives);
  ASSERT_EQ(representatives.size(), groups.size());
  const auto counts = to_host(std::get<0>(sums.results).values);
  const auto most =
      host_optionals(std::get<1>(sums.results).values, std::get<1>(sums.results).valid_bits);
  for (std::size_t g = 0; g < counts.size(); ++g) {
    const auto& expected = groups[rows.names[representatives[g]]];
    EXPECT_EQ(counts[g], expected.first);
    EXPECT_TRUE(most[g] == expected.second);
  }
}

TEST(RowContainer, KeepsItsMemoryWhenCleared) {
  MixedContainer container;
  const MixedRows rows(1000, 7), others(900, 8);
  append(container, rows);
  const std::uint64_t bytes = container.bytes();
  container.clear();
  EXPECT_EQ(container.size(), 0U);
  expect_all_rows(container, {});
  append(container, others);
  EXPECT_EQ(container.bytes(), bytes);
  expect_all_rows(container, others);
}

TEST(RowContainer, AllocatesNothingWhereRoomIsReserved) {
  constexpr std::uint64_t n = 3000;
  Numbered container;
  container.reserve(Exec(), 2 * n);
  EXPECT_EQ(container.capacity(), 2 * n);
  EXPECT_EQ(container.bytes(), 2 * n * Numbered::layout_type::row_bytes);
  const Kokkos::View<std::uint32_t*, Memory> keys("hashmill::test::keys", n);
  const Kokkos::View<double*, Memory> values("hashmill::test::values", n);
  Workspace<Memory> workspace;
  const KokkosRecorder recorder;
  for (int i = 0; i < 2; ++i) {
    container.append_async(Exec(), workspace, keys, values,
                           constant_column<Memory>(SumAndCount{}, n));
  }
  Exec().fence("hashmill::test: appended");
  for (const auto& event : recorder.events()) {
    EXPECT_FALSE(event.kind == KokkosEvent::Kind::allocation && is_library_label(event.label))
        << event.label;
  }
  EXPECT_EQ(container.size(), 2 * n);
}

TEST(RowContainer, MovesWithItsRows) {
  const MixedRows rows(100, 9);
  MixedContainer container;
  append(container, rows);
  MixedContainer other(std::move(container));
  expect_all_rows(other, rows);
  container = std::move(other);
  expect_all_rows(container, rows);
}

// Errors

TEST(RowContainerErrors, RefusesColumnsOfDifferentLengths) {
  Numbered container;
  const Kokkos::View<std::uint32_t*, Memory> keys("hashmill::test::keys", 10);
  const Kokkos::View<double*, Memory> values("hashmill::test::values", 9);
  const auto zeros = constant_column<Memory>(SumAndCount{}, 10);
  EXPECT_THROW(container.append(Exec(), keys, values, zeros), InvalidArgument);
  EXPECT_EQ(container.size(), 0U);
}

TEST(RowContainerErrors, RefusesOutputsOfAnotherLengthAndRowsBeyondTheEnd) {
  MixedContainer container;
  const MixedRows rows(100, 10);
  append(container, rows);
  const auto out = out_view<Kokkos::View<double*, Memory>>(10);
  const auto bits = out_view<Kokkos::View<std::uint8_t*, Memory>>(1);
  const Exec exec;
  EXPECT_THROW(container.extract<2>(exec, RowRange{0, 9}, out), InvalidArgument);
  EXPECT_THROW(container.extract<2>(exec, RowRange{91, 10}, out), InvalidArgument);
  EXPECT_THROW(container.extract<2>(exec, RowRange{~std::uint64_t{0}, 10}, out), InvalidArgument);
  EXPECT_THROW(container.extract<2>(exec, RowRange{0, 10}, nullable(out, bits)), InvalidArgument);
  EXPECT_THROW((void)container.extract_strings<1>(exec, RowRange{101, 0}), InvalidArgument);
  const auto list = device_rows<std::uint32_t>(sequential_numbers(11));
  EXPECT_THROW(container.extract<2>(exec, list, out), InvalidArgument);
  container.extract<2>(exec, RowRange{90, 10}, out);
}

TEST(RowContainerErrors, RefusesMoreRowsThanMemoryHolds) {
  MixedContainer container;
  const MixedRows rows(100, 11);
  append(container, rows);
  EXPECT_THROW(container.reserve(Exec(), std::uint64_t{1} << 50), CapacityError);
  EXPECT_THROW(container.reserve(Exec(), ~std::uint64_t{0}), CapacityError);
  EXPECT_THROW(container.reserve(Exec(), 0, ~std::uint64_t{0}), CapacityError);
  expect_all_rows(container, rows);
}

TEST(RowContainerErrors, StaysAsItWasWhenMemoryIsShort) {
  const MixedRows rows(500, 12), more(5000, 13);
  std::uint64_t failed = 0;
  for (std::uint64_t k = 0;; ++k) {
    MixedContainer container;
    append(container, rows);
    try {
      const FailingAllocations failing(k);
      append(container, more);
    } catch (const CapacityError&) {
      ++failed;
      ASSERT_NO_FATAL_FAILURE(expect_all_rows(container, rows));
      continue;
    }
    break;
  }
  EXPECT_GE(failed, 3U);
}

}  // namespace
}  // namespace hashmill::test
