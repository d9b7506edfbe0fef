#pragma once

#include "algorithms/table.hpp"

namespace hashmill::test {

// A file each, because every case takes seconds to compile. Together they cover every key type,
// layout, row width and hash function at least once; hash functions that collide get fewer keys.

/// The most keys that tables under the colliding hash functions are looked up in completely.
inline constexpr std::uint64_t for_four_bits = 10001;
inline constexpr std::uint64_t for_constant = 600;

std::vector<TableCase> narrow_cases();
std::vector<TableCase> packed_cases();
std::vector<TableCase> signed_cases();
std::vector<TableCase> word_cases();
std::vector<TableCase> double_word_cases();
std::vector<TableCase> wide_cases();

}  // namespace hashmill::test
