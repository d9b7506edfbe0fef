#include <hashmill/compression.hpp>

#include "algorithms/support/views.hpp"
#include "fuzz_step.hpp"

namespace hashmill::test {
namespace {

using Bytes = std::vector<std::byte>;

/// Numbers that are drawn one by one, repeated, or added up.
Numbers compressed_numbers(RandomSource& random, std::uint64_t most) {
  Numbers numbers = random.numbers(most);
  if (random.chance(2)) {
    const std::uint64_t longest = 1 + random.below(50);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      if (!random.chance(longest)) numbers[i] = numbers[i - 1];
    }
  }
  if (random.chance(2)) {
    const std::uint64_t steps = 1 + random.below(1000);
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      numbers[i] = numbers[i - 1] + numbers[i] % steps;
    }
  }
  return numbers;
}

CompressionScheme drawn_scheme(RandomSource& random) {
  if (random.chance(4)) return CompressionScheme::automatic;
  return random.pick(compression_schemes);
}

/// Compresses numbers as values of a type, reads the frame, and decodes a part of it.
template <class Value>
void compress_and_decompress(RandomSource& random) {
  const Numbers numbers = compressed_numbers(random, 20'000);
  std::vector<Value> values(numbers.size());
  std::transform(numbers.begin(), numbers.end(), values.begin(),
                 [](std::uint64_t number) { return static_cast<Value>(number); });
  Workspace<Memory> workspace;
  const auto made = compress(Exec(), to_device(values), workspace, drawn_scheme(random));
  const auto column = compressed_from_frame<Value>(Exec(), made.frame());
  const std::uint64_t first = random.below(values.size() + 1);
  const std::uint64_t count = random.below(values.size() - first + 1);
  const Kokkos::View<Value*, Memory> out("hashmill::test::out", count);
  decompress(Exec(), column, out, first);
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
  require_equal("values", to_host(out),
                std::vector<Value>(begin, begin + static_cast<std::ptrdiff_t>(count)));
}

/// Changes bits, copies bytes to other places, or cuts bytes off.
void change(RandomSource& random, Bytes& frame) {
  for (std::uint64_t changes = 1 + random.below(4); changes != 0 && !frame.empty(); --changes) {
    const std::uint64_t at = random.below(frame.size());
    // Headers are the smallest part, and have the most to say.
    const std::uint64_t near_begin = random.below(std::min<std::uint64_t>(frame.size(), 160));
    switch (random.below(4)) {
      case 0:
        frame[near_begin] ^= std::byte{1} << random.below(8);
        break;
      case 1:
        frame[random.chance(2) ? at : near_begin] = static_cast<std::byte>(random.below(256));
        break;
      case 2:
        std::copy_n(frame.begin() + static_cast<std::ptrdiff_t>(near_begin),
                    std::min(random.below(40), frame.size() - std::max(at, near_begin)),
                    frame.begin() + static_cast<std::ptrdiff_t>(at));
        break;
      default:
        if (random.chance(4)) frame.resize(frame.size() - random.below(frame.size()));
    }
  }
}

/// Makes the checksums right, as far as the frame can be read: so that what they guard is looked
/// at.
void mend_checksums(Bytes& frame) {
  detail::FrameHeader header;
  if (frame.size() < sizeof(header)) return;
  std::memcpy(&header, frame.data(), sizeof(header));
  const std::uint64_t most = (frame.size() - sizeof(header)) / 8;
  std::uint64_t begin = 0;
  header.checksum = detail::mixed_header(header);
  detail::HostTile<std::uint64_t>::Arrays arrays;
  for (std::uint64_t tile = 0; tile < std::min(header.tiles, most); ++tile) {
    std::uint64_t end = 0;
    std::memcpy(&end, frame.data() + sizeof(header) + 8 * tile, 8);
    header.checksum += detail::mixed_entry(end, tile);
    const std::uint64_t first = detail::first_tile_byte(header.tiles);
    if (begin > end || end > frame.size() || first + end > frame.size() || end - begin < 32) break;
    std::byte* const bytes = frame.data() + first + begin;
    const std::uint32_t checksum = detail::HostTile<std::uint64_t>(arrays).checksum(
        bytes, static_cast<std::uint32_t>(end - begin));
    std::memcpy(bytes, &checksum, sizeof(checksum));
    begin = end;
  }
  std::memcpy(frame.data(), &header, sizeof(header));
}

/// A changed frame is refused, or is another right one; then it can be decoded.
void read_changed_frame(RandomSource& random) {
  Workspace<Memory> workspace;
  const Numbers numbers = compressed_numbers(random, 5000);
  Bytes frame =
      to_host(compress(Exec(), to_device(numbers), workspace, drawn_scheme(random)).frame());
  change(random, frame);
  if (!random.chance(4)) mend_checksums(frame);
  try {
    const auto column = compressed_from_frame<std::uint64_t>(Exec(), to_device(frame));
    if (column.size() > 1'000'000) throw Mismatch("a frame with more values than it has tiles for");
    const Kokkos::View<std::uint64_t*, Memory> out("hashmill::test::out", column.size());
    decompress(Exec(), column, out);
  } catch (const InvalidArgument&) {  // as it should be
  }
}

}  // namespace

std::vector<FuzzStep> compression_steps() {
  return {{"compression of 64 bits", compress_and_decompress<std::uint64_t>},
          {"compression of 16 bits", compress_and_decompress<std::int16_t>},
          {"changed frames", read_changed_frame}};
}

}  // namespace hashmill::test
