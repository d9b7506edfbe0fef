#pragma once

#include "table.hpp"

namespace hashmill::test {

// A file each, because every case takes seconds to compile. Together they cover every key type,
// layout, row width and hash function at least once; hash functions that collide get fewer keys.

std::vector<TableCase> narrow_cases();
std::vector<TableCase> packed_cases();
std::vector<TableCase> signed_cases();
std::vector<TableCase> word_cases();
std::vector<TableCase> double_word_cases();
std::vector<TableCase> wide_cases();

}  // namespace hashmill::test
