#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <hashmill/murmur.hpp>
#include <string_view>
#include <vector>

#include "device_values.hpp"

namespace hashmill {
namespace {

// SMHasher's check of a whole hash function: hashes the keys {}, {0}, {0, 1}, ..., {0, ..., 254},
// the key of i bytes with seed 256 - i, then all the hashes with seed 0. The result is the first 4
// bytes of that.
template <class Value, class Function>
std::uint32_t smhasher_verification(const Function& function) {
  std::array<unsigned char, 256> key{};
  std::array<Value, 256> hashes{};
  for (std::uint32_t i = 0; i < 256; ++i) {
    key[i] = static_cast<unsigned char>(i);
    hashes[i] = function(key.data(), i, 256 - i);
  }
  const Value last = function(hashes.data(), sizeof(hashes), 0);
  std::uint32_t result = 0;
  std::memcpy(&result, &last, sizeof(result));
  return result;
}

TEST(Murmur, SmhasherVerificationValues) {
  EXPECT_EQ(smhasher_verification<std::uint32_t>(murmur3_x86_32), 0xB0F57EE3U);
  EXPECT_EQ(smhasher_verification<Hash128>(murmur3_x64_128), 0x6384BA69U);
  EXPECT_EQ(smhasher_verification<std::uint32_t>(murmur2_32), 0x27864C1EU);
  EXPECT_EQ(smhasher_verification<std::uint64_t>(murmur2_64a), 0x1F0D3804U);
}

static_assert(murmur3_fmix32(0) == 0);
static_assert(murmur3_fmix32(1) == 0x514E28B7);
static_assert(murmur3_fmix32(0xFFFFFFFF) == 0x81F16F39);
static_assert(murmur3_fmix64(0) == 0);
static_assert(murmur3_fmix64(1) == 0xB456BCFC34C2CB2C);
static_assert(murmur3_fmix64(2) == 0x3ABF2A20650683E7);
static_assert(murmur3_fmix64(0xDEADBEEF) == 0xD24BD59F862A1DAC);
static_assert(murmur3_fmix64(0x8000000000000000) == 0x8F780810AF31A493);
static_assert(murmur3_fmix64(0xFFFFFFFFFFFFFFFF) == 0x64B5720B4B825F21);

struct Vector32 {
  std::string_view input;
  std::uint32_t seed;
  std::uint32_t value;
};

TEST(Murmur, Murmur3X86Vectors) {
  using namespace std::string_view_literals;
  const Vector32 vectors[] = {
      {"", 0, 0},
      {"", 1, 0x514E28B7},
      {"", 0xFFFFFFFF, 0x81F16F39},
      {"\xff\xff\xff\xff", 0, 0x76293B50},
      {"\x21\x43\x65\x87", 0, 0xF55B516B},
      {"\x21\x43\x65\x87", 0x5082EDEE, 0x2362F9DE},
      {"\x21\x43\x65", 0, 0x7E4A8634},
      {"\x21\x43", 0, 0xA0F7B07A},
      {"\x21", 0, 0x72661CF4},
      {"\0\0\0\0"sv, 0, 0x2362F9DE},
      {"\0\0\0"sv, 0, 0x85F0B427},
      {"\0\0"sv, 0, 0x30F4C306},
      {"\0"sv, 0, 0x514E28B7},
      {"hello", 0, 0x248BFA47},
      {"hello", 1, 0xBB4ABCAD},
      {"hello, world", 0, 0x149BBB7F},
      {"The quick brown fox jumps over the lazy dog.", 0, 0xD5C48BFC},
  };
  for (const auto& [input, seed, value] : vectors) {
    EXPECT_EQ(murmur3_x86_32(input.data(), input.size(), seed), value) << input << ' ' << seed;
  }
}

TEST(Murmur, Murmur3X64Vectors) {
  struct Vector {
    std::string_view input;
    std::uint64_t seed;
    Hash128 value;
  };
  const Vector vectors[] = {
      {"", 0, {0, 0}},
      {"", 1, {0x4610ABE56EFF5CB5, 0x51622DAA78F83583}},
      {"foo", 0, {0xE271865701F54561, 0x7EAF87E42BBA7D87}},
      {"hello", 0, {0xCBD8A7B341BD9B02, 0x5B1E906A48AE1D19}},
      {"hello", 1, {0xA78DDFF5ADAE8D10, 0x128900EF20900135}},
      {"hello, world", 0, {0x342FAC623A5EBC8E, 0x4CDCBC079642414D}},
      {"19 Jan 2038 at 3:14:07 AM", 0, {0xB89E5988B737AFFC, 0x664FC2950231B2CB}},
      {"The quick brown fox jumps over the lazy dog.", 0, {0xCD99481F9EE902C9, 0x695DA1A38987B6E7}},
  };
  for (const auto& [input, seed, value] : vectors) {
    const Hash128 hash = murmur3_x64_128(input.data(), input.size(), seed);
    EXPECT_EQ(hash.low, value.low) << input << ' ' << seed;
    EXPECT_EQ(hash.high, value.high) << input << ' ' << seed;
  }
}

TEST(Murmur, Murmur2Vectors) {
  constexpr std::uint32_t seed = 0x9747B28C;
  const Vector32 vectors[] = {
      {"21", seed, static_cast<std::uint32_t>(-973932308)},
      {"foobar", seed, static_cast<std::uint32_t>(-790332482)},
      {"a-little-bit-long-string", seed, static_cast<std::uint32_t>(-985981536)},
      {"a-little-bit-longer-string", seed, static_cast<std::uint32_t>(-1486304829)},
      {"abc", seed, 479470107},
  };
  for (const auto& [input, with_seed, value] : vectors) {
    EXPECT_EQ(murmur2_32(input.data(), input.size(), with_seed), value) << input;
  }
}

TEST(Murmur, Murmur64AVectors) {
  EXPECT_EQ(murmur2_64a("test", 4, 0), 3407684658384555107U);
  EXPECT_EQ(murmur2_64a("test", 4, 3407684658384555107U), 14278059344916754999U);
  EXPECT_EQ(murmur2_64a("aaaa", 4, 0x9747B28C), 0x41DA53FDABAF04C8U);
  EXPECT_EQ(murmur2_64a("fransisco", 9, 1), 0x083FDAF4A6D0D3D9U);
  EXPECT_EQ(murmur2_64a("zhenhao", 7, 0x1234), 16299279845682521441U);
}

TEST(Murmur, NullOfLengthZero) {
  EXPECT_EQ(murmur3_x86_32(nullptr, 0, 1), 0x514E28B7U);
  EXPECT_EQ(murmur3_x64_128(nullptr, 0, 0), (Hash128{0, 0}));
  EXPECT_EQ(murmur2_32(nullptr, 0, 7), murmur2_32("", 0, 7));
  EXPECT_EQ(murmur2_64a(nullptr, 0, 7), murmur2_64a("", 0, 7));
}

struct Bytes64 {
  unsigned char values[64];
};

// Folds all functions of `bytes`, at every start and end, into one number.
struct FoldAllFunctions {
  KOKKOS_FUNCTION std::uint64_t operator()(const Bytes64& bytes) const {
    std::uint64_t fold = 0;
    for (unsigned begin = 0; begin < 8; ++begin) {
      for (unsigned length = 0; length + begin <= 56; ++length) {
        const unsigned char* data = bytes.values + begin;
        const Hash128 wide = murmur3_x64_128(data, length, fold);
        fold = murmur3_fmix64(fold ^ wide.low) + wide.high;
        fold = fold * 31 + murmur3_x86_32(data, length, static_cast<std::uint32_t>(fold));
        fold = fold * 31 + murmur2_32(data, length, static_cast<std::uint32_t>(fold));
        fold = fold * 31 + murmur2_64a(data, length, fold) + murmur3_fmix32(length);
      }
    }
    return fold;
  }
};

TEST(Murmur, DeviceAgreesAtEveryAlignmentAndLength) {
  std::vector<Bytes64> inputs(100);
  std::uint64_t state = 1;
  for (Bytes64& bytes : inputs) {
    for (unsigned char& byte : bytes.values) {
      byte = static_cast<unsigned char>(murmur3_fmix64(state++));
    }
  }
  EXPECT_EQ(test::device_values<std::uint64_t>(inputs, FoldAllFunctions{}),
            test::host_values<std::uint64_t>(inputs, FoldAllFunctions{}));
}

TEST(Murmur, AlignmentDoesNotMatter) {
  constexpr std::string_view text = "The quick brown fox jumps over the lazy dog.";
  std::array<char, 64> buffer{};
  for (std::size_t shift = 0; shift < 16; ++shift) {
    std::memcpy(buffer.data() + shift, text.data(), text.size());
    EXPECT_EQ(murmur3_x64_128(buffer.data() + shift, text.size(), 0).low, 0xCD99481F9EE902C9U);
    EXPECT_EQ(murmur3_x86_32(buffer.data() + shift, text.size(), 0), 0xD5C48BFCU);
  }
}

}  // namespace
}  // namespace hashmill
