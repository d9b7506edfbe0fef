#include <gtest/gtest.h>

#include "algorithms/group_by/mixed_rows.hpp"

namespace hashmill::test {
namespace {

// Both ways to move rows, whichever the machine would take: that of GPUs, forced on this machine's
// execution space (on hosts its teams have one thread), and on hosts that past the caches.

using Layout = MixedContainer::layout_type;
using Writable = RowContainerRef<Memory, std::int8_t, StringView, double, Colour, std::int64_t,
                                 float, StringView, SumAndCount>;
constexpr std::uint64_t tile_rows = detail::RowTile<Layout, true>::rows;

/// The bytes of `count` rows from row `first` of a container up.
std::vector<std::byte> row_bytes(const MixedContainer& container, std::uint64_t first,
                                 std::uint64_t count) {
  std::vector<std::byte> bytes(count * Layout::row_bytes);
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::deep_copy(
      Kokkos::View<std::byte*, Kokkos::HostSpace, Unmanaged>(bytes.data(), bytes.size()),
      Kokkos::View<const std::byte*, Memory, Unmanaged>(container.ref().row_address(first),
                                                        bytes.size()));
  return bytes;
}

/// Expects `write(fields, where, count)` to write what a container has, wherever rows begin.
template <class Write>
void expect_written(const MixedRows& rows, const Write& write) {
  MixedContainer expected;
  append(expected, rows);
  for (const std::uint64_t first : {0, 1, 2, 3, 5}) {
    SCOPED_TRACE(first);
    const std::uint64_t end = first + rows.size();
    const Kokkos::View<std::byte*, Memory> memory("hashmill::test::rows",
                                                  (end + 1) * Layout::row_bytes);
    with_columns(rows, [&](const auto&... columns) {
      Workspace<Memory> workspace;
      std::uint64_t string_bytes = 0;
      const auto fields = detail::list_fields(Exec(), workspace, string_bytes, columns...);
      write(fields, memory.data() + first * Layout::row_bytes, rows.size());
      Exec().fence("hashmill::test: rows written");
    });
    const auto bytes = to_host(memory);
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(first * Layout::row_bytes);
    const auto behind = bytes.begin() + static_cast<std::ptrdiff_t>(end * Layout::row_bytes);
    EXPECT_TRUE(std::vector<std::byte>(begin, behind) == row_bytes(expected, 0, rows.size()));
    const auto is_zero = [](std::byte b) { return b == std::byte{0}; };
    EXPECT_TRUE(std::all_of(bytes.begin(), begin, is_zero)) << "before";
    EXPECT_TRUE(std::all_of(behind, bytes.end(), is_zero)) << "behind";
  }
}

const std::vector<std::uint64_t> sizes{
    0, 1, 2, tile_rows - 1, tile_rows, tile_rows + 1, 3 * tile_rows + 7, 4001};

TEST(RowContainerTeam, WritesRowsThroughScratch) {
  for (const std::uint64_t size : sampled(sizes)) {
    SCOPED_TRACE(size);
    ASSERT_NO_FATAL_FAILURE(expect_written(
        MixedRows(size, size), [](const auto& fields, std::byte* to, std::uint64_t count) {
          detail::write_rows<Layout, true>(Exec(), fields, to, count);
        }));
  }
}

template <class Memory_>
void write_past_caches(const MixedRows& rows) {
  if constexpr (!backends::has_wide_teams<Exec>) {
    expect_written(rows, [](const auto& fields, std::byte* to, std::uint64_t count) {
      using Fields = std::decay_t<decltype(fields)>;
      using Kernel = detail::WriteRowsHost<Exec, Layout, Fields>;
      const std::uint64_t tiles = Kernel::Tile::tiles(count);
      if (tiles == 0) return;
      detail::launch_tiles<false, Kokkos::TeamPolicy<Exec>>("hashmill::test::write_rows", Exec(),
                                                            tiles, Kernel::scratch_bytes,
                                                            Kernel{{fields}, to, count, true});
    });
  }
}

TEST(RowContainerTeam, WritesRowsPastTheCaches) {
  for (const std::uint64_t size : sizes) {
    SCOPED_TRACE(size);
    ASSERT_NO_FATAL_FAILURE(write_past_caches<Memory>(MixedRows(size, size)));
  }
}

TEST(RowContainerTeam, ReadsRowsThroughScratch) {
  for (const std::uint64_t size : sampled(sizes)) {
    SCOPED_TRACE(size);
    const MixedRows rows(size, size);
    MixedContainer container;
    append(container, rows);
    for (const std::uint64_t first : {0, 1, 5}) {
      if (first > size) continue;
      const std::uint64_t n = size - first;
      const auto doubles = out_view<Kokkos::View<double*, Memory>>(n);
      const auto longs = out_view<Kokkos::View<std::int64_t*, Memory>>(n);
      const auto bits = out_view<Kokkos::View<std::uint8_t*, Memory>>((n + 7) / 8);
      const auto more_bits = out_view<Kokkos::View<std::uint8_t*, Memory>>((n + 7) / 8);
      const Writable ref = container.ref();
      const auto outs =
          detail::list_values(detail::column_out<4, Writable>(nullable(longs, bits)),
                              detail::column_out<2, Writable>(nullable(doubles, more_bits)));
      const auto expect = [&] {
        Exec().fence("hashmill::test: rows read");
        const auto which = sequential_numbers(n, first);
        EXPECT_TRUE(host_optionals(longs, bits) == at(rows.longs, which));
        EXPECT_TRUE(host_optionals(doubles, more_bits) == at(rows.doubles, which));
      };
      detail::read_rows<true>(Exec(), ref, RowsFrom{first}, n, outs, true);
      expect();
      Kokkos::deep_copy(longs, 0);
      Kokkos::deep_copy(bits, std::uint8_t{0});
      const auto list = to_device(sequential_numbers(n, first));
      const auto listed = detail::key_access(list);
      detail::read_rows<true>(Exec(), ref,
                              detail::WideListedRows<std::uint64_t, decltype(listed)>{listed}, n,
                              outs, true);
      expect();
    }
  }
}

TEST(RowContainerTeam, CopiesStringsInPiecesOf16Bytes) {
  std::string huge;
  for (int i = 0; i < 3000; ++i) huge += std::to_string(i);
  std::vector<Strings> cases{{}, {""}, {"abc"}, {std::nullopt, huge, "", "", huge + "x"}};
  cases.push_back(MixedRows(1000, 3).names);
  cases.push_back(Strings(5000, "x"));
  for (const Strings& strings : cases) {
    const DeviceStrings device(strings);
    const auto column = device.column();
    Workspace<Memory> workspace;
    auto out = detail::allocate_strings<Memory>(Exec(), strings.size());
    const std::uint64_t total = detail::place_strings(Exec(), column, out.offsets, workspace);
    out.bytes = detail::allocate_bytes<Memory>(Exec(), total);
    detail::copy_strings<true>(Exec(), column, out.offsets.data(), strings.size(), total,
                               out.bytes.data());
    Exec().fence("hashmill::test: strings copied");
    const auto bytes = to_host(out.bytes);
    std::string expected;
    for (const auto& string : strings) expected += string.value_or("");
    EXPECT_TRUE(std::string(bytes.begin(), bytes.end()) == expected);
  }
}

}  // namespace
}  // namespace hashmill::test
