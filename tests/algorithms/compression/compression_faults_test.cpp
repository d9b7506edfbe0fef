#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hashmill/compression.hpp>

#include "algorithms/compression/compressed_inputs.hpp"
#include "algorithms/support/views.hpp"

// Frames that came from elsewhere, changed in any way: none is decoded, each is refused by name.

namespace hashmill::test {
namespace {

/// A small frame of two tiles under each scheme.
std::vector<std::vector<std::byte>> small_frames() {
  Workspace<Memory> workspace;
  std::vector<std::vector<std::byte>> frames;
  const auto view = to_device(runs_of_numbers(2060, 60, 3, times_seven));
  for (const CompressionScheme scheme : compression_schemes) {
    if (scheme == CompressionScheme::raw) continue;  // long, and without layers
    frames.push_back(to_host(compress(Exec(), view, workspace, scheme).frame()));
  }
  frames.push_back(
      to_host(compress(Exec(), to_device(random_numbers(5, 1)), workspace, CompressionScheme::raw)
                  .frame()));
  frames.push_back(to_host(compress(Exec(), to_device(Numbers()), workspace).frame()));
  return frames;
}

/// What is said of bytes, nothing if they are a frame.
std::string refusal(const std::vector<std::byte>& bytes) {
  try {
    static_cast<void>(compressed_from_frame<std::uint64_t>(Exec(), to_device(bytes)));
  } catch (const InvalidArgument& error) {
    return error.what();
  }
  return "";
}

TEST(CompressionFaults, EveryChangedBitIsSeen) {
  for (const auto& frame : small_frames()) {
    ASSERT_EQ(refusal(frame), "");
    const std::size_t stride = sampling() ? 131 : 3;  // bits; has no factor in common with 8
    for (std::size_t bit = 0; bit < 8 * frame.size(); bit += stride) {
      auto changed = frame;
      changed[bit / 8] ^= std::byte{1} << (bit % 8);
      EXPECT_NE(refusal(changed), "") << "bit " << bit << " of " << 8 * frame.size();
    }
  }
}

TEST(CompressionFaults, EveryTruncationIsSeen) {
  for (const auto& frame : small_frames()) {
    for (std::size_t bytes = 0; bytes < frame.size(); bytes += sampling() ? 97 : 3) {
      const auto end = frame.begin() + static_cast<std::ptrdiff_t>(bytes);
      EXPECT_NE(refusal({frame.begin(), end}), "") << bytes << " of " << frame.size();
    }
    auto longer = frame;
    longer.resize(frame.size() + 8);
    EXPECT_NE(refusal(longer), "");
  }
}

TEST(CompressionFaults, AreNamed) {
  using ::testing::HasSubstr;
  const auto frame = small_frames().front();
  const auto with = [&](std::size_t at, std::byte value) {
    auto changed = frame;
    changed.at(at) = value;
    return refusal(changed);
  };
  EXPECT_THAT(with(0, std::byte{0}), HasSubstr("magic number"));
  EXPECT_THAT(with(4, std::byte{9}), HasSubstr("version is 9, not 1"));
  EXPECT_THAT(with(5, std::byte{4}), HasSubstr("bytes of a value is 4, not 8"));
  EXPECT_THAT(with(6, std::byte{77}), HasSubstr("unknown scheme 77"));
  EXPECT_THAT(with(8, std::byte{1}), HasSubstr("checksum"));
  EXPECT_THAT(with(40, std::byte{1}), HasSubstr("tile 0 of 2 has wrong directory"));
  EXPECT_THAT(with(frame.size() - 1, std::byte{0xAA}), HasSubstr("tile 1 of 2 has wrong checksum"));
  EXPECT_THAT(refusal({frame.begin(), frame.begin() + 39}), HasSubstr("39 bytes"));
  EXPECT_THAT(refusal({frame.begin(), frame.end() - 1}), HasSubstr("number of bytes"));
}

/// A tile whose checksum is right and whose contents are not.
template <class Change>
std::string refusal_of_tile(std::vector<std::byte> frame, const Change& change) {
  auto* const tile = frame.data() + 40 + 2 * 8;
  std::uint64_t end = 0;
  std::memcpy(&end, frame.data() + 40, 8);
  detail::TileHeader header;
  std::memcpy(&header, tile, sizeof(header));
  change(header);
  std::memcpy(tile, &header, sizeof(header));
  detail::HostTile<std::uint64_t>::Arrays arrays;
  header.checksum =
      detail::HostTile<std::uint64_t>(arrays).checksum(tile, static_cast<std::uint32_t>(end));
  std::memcpy(tile, &header, sizeof(header));
  return refusal(frame);
}

TEST(CompressionFaults, ContentsAreCheckedBehindARightChecksum) {
  using ::testing::HasSubstr;
  const auto frames = small_frames();
  const auto& runs = frames[2];  // pack, delta, runs
  using Header = detail::TileHeader;
  EXPECT_EQ(refusal_of_tile(runs, [](Header&) {}), "");
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.scheme = 1; }), HasSubstr("scheme"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.width = 65; }), HasSubstr("widths"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.run_width = 17; }), HasSubstr("widths"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.runs = 0; }), HasSubstr("counts"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.runs = 2049; }), HasSubstr("counts"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.stored += 1; }), HasSubstr("counts"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.width += 30; }), HasSubstr("size"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { h.run_reference += 1; }),
              HasSubstr("run lengths"));
  EXPECT_THAT(refusal_of_tile(runs, [](Header& h) { --h.runs, --h.stored; }),
              HasSubstr("run lengths"));
  EXPECT_THAT(refusal_of_tile(frames[4], [](Header& h) { ++h.delta_run_reference; }),
              HasSubstr("run lengths"));
}

}  // namespace
}  // namespace hashmill::test
