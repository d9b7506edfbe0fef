#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "input_file.hpp"

namespace hashmill::perf {

/// Reads one column of unsigned integers from a comma-separated file with a header row (RFC 4180:
/// quoted fields, doubled quotes, line breaks inside quotes, CRLF; a byte-order mark is skipped).
///
/// Every value must be at most `largest`. Takes time linear in the file's bytes, all of which are
/// in memory meanwhile. Throws `CapacityError` where the file is larger than the free memory.
/// Throws `KeyFileError`, which names the line and byte of the first fault:
///
/// - a column that the header lacks or has twice,
/// - a row that ends before the column,
/// - a value that is not an unsigned integer, or too large,
/// - a quote that is never closed, or no row at all.
std::vector<std::uint64_t> read_csv_column(const InputFile& file, std::string_view column,
                                           std::uint64_t largest);

}  // namespace hashmill::perf
