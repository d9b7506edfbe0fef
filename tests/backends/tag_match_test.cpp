#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/backends/six_bytes.hpp>
#include <hashmill/backends/tag_match.hpp>
#include <random>
#include <vector>

#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

constexpr std::uint32_t group = 16;

/// Tags of which many are neighbours of each other, which careless arithmetic on words mixes up.
std::vector<std::uint8_t> tricky_tags(std::uint32_t groups) {
  const std::uint8_t values[] = {0, 1, 2, 0x7E, 0x7F, 0x80, 0x81, 0xFE, 0xFF};
  std::mt19937 engine(5);
  std::vector<std::uint8_t> tags(groups * group);
  for (auto& tag : tags) tag = values[engine() % std::size(values)];
  std::fill_n(tags.begin(), group, std::uint8_t{0});
  std::fill_n(tags.begin() + group, group, std::uint8_t{0xFF});
  return tags;
}

std::uint32_t expected_match(const std::uint8_t* tags, std::uint8_t tag) {
  std::uint32_t mask = 0;
  for (std::uint32_t i = 0; i < group; ++i) mask |= (tags[i] == tag ? 1U : 0U) << i;
  return mask;
}

/// Matches each group with all 256 tags, by the machine's own way and by words.
struct MatchAll {
  Kokkos::View<const backends::TagBytes*, Memory> tags;
  Kokkos::View<std::uint32_t*, Memory> own;
  Kokkos::View<std::uint32_t*, Memory> in_words;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto tag = static_cast<std::uint8_t>(i % 256);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(&tags(i / 256));
    own(i) = backends::TagGroup(bytes).match(tag);
    in_words(i) = backends::match_tags_in_words(tags(i / 256), tag);
  }
};

TEST(TagMatch, FindsEveryTagAndNoOther) {
  constexpr std::uint32_t groups = 500;
  const auto tags = tricky_tags(groups);
  std::vector<backends::TagBytes> words(groups);
  std::memcpy(words.data(), tags.data(), tags.size());
  const auto on_device = to_device(words);
  const Kokkos::View<std::uint32_t*, Memory> own("hashmill::test::own", groups * 256);
  const Kokkos::View<std::uint32_t*, Memory> in_words("hashmill::test::words", groups * 256);
  Kokkos::parallel_for("hashmill::test::match", Kokkos::RangePolicy<Exec>(0, groups * 256),
                       MatchAll{on_device, own, in_words});
  const auto own_masks = to_host(own), word_masks = to_host(in_words);
  for (std::uint32_t g = 0; g < groups; ++g) {
    for (std::uint32_t tag = 0; tag < 256; ++tag) {
      const std::uint32_t expected =
          expected_match(tags.data() + g * group, static_cast<std::uint8_t>(tag));
      ASSERT_EQ(own_masks[g * 256 + tag], expected) << "group " << g << " tag " << tag;
      ASSERT_EQ(word_masks[g * 256 + tag], expected) << "group " << g << " tag " << tag;
    }
  }
}

struct LowestBits {
  Kokkos::View<unsigned*, Memory> lowest;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    lowest(i) = backends::lowest_bit(static_cast<std::uint32_t>(i) + 1);
  }
};

TEST(TagMatch, TellsTheLowestBit) {
  const Kokkos::View<unsigned*, Memory> lowest("hashmill::test::lowest", 65535);
  Kokkos::parallel_for("hashmill::test::lowest", Kokkos::RangePolicy<Exec>(0, 65535),
                       LowestBits{lowest});
  const auto found = to_host(lowest);
  for (std::uint32_t i = 0; i < 65535; ++i) {
    unsigned bit = 0;
    while (((i + 1) >> bit & 1U) == 0) ++bit;
    ASSERT_EQ(found[i], bit);
  }
}

/// 16 numbers of six bytes, and what is beside them.
struct SixBytes {
  std::uint16_t before[4];
  std::uint16_t words[3 * group];
  std::uint16_t behind[4];
};

struct StoreAndLoad {
  Kokkos::View<SixBytes*, Memory> bytes;
  Kokkos::View<std::uint64_t*, Memory> numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    std::uint16_t* words = bytes(0).words;
    for (unsigned pass = 0; pass < 2; ++pass) {  // even ones after odd ones: neighbours stay
      for (unsigned i = 1 - pass; i < group; i += 2) {
        backends::store_six_bytes(words + 3 * i, numbers(i));
      }
    }
    for (unsigned i = 0; i < group; ++i)
      numbers(group + i) = backends::load_six_bytes(words + 3 * i);
  }
};

TEST(SixBytes, KeepNumbersBelow48BitsAndTheirNeighbours) {
  std::mt19937_64 engine(6);
  std::vector<std::uint64_t> numbers(2 * group);
  for (auto& number : numbers) number = engine() >> 16;
  numbers[0] = 0;
  numbers[7] = numbers[15] = (std::uint64_t{1} << 48) - 1;
  const auto on_device = to_device(numbers);
  const auto bytes = to_device(std::vector<SixBytes>{{{1, 2, 3, 4}, {}, {1, 2, 3, 4}}});
  Kokkos::parallel_for("hashmill::test::six_bytes", Kokkos::RangePolicy<Exec>(0, 1),
                       StoreAndLoad{bytes, on_device});
  const auto found = to_host(on_device);
  for (unsigned i = 0; i < group; ++i) EXPECT_EQ(found[group + i], numbers[i]);
  const SixBytes stored = to_host(bytes)[0];
  for (std::uint16_t i = 0; i < 4; ++i) {
    EXPECT_EQ(stored.before[i], i + 1);
    EXPECT_EQ(stored.behind[i], i + 1);
  }
}

}  // namespace
}  // namespace hashmill::test
