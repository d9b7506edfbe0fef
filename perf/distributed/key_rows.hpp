#pragma once

#include "rank_row.hpp"

namespace hashmill::perf {

/// What makes the rows of the operations on keys of one type, on the default execution space. Each
/// type is its own source file, so that they compile side by side.
struct KeyRows {
  MakeRankRows shuffle, build, contains, find, count, intersect, group_by, join;
};

KeyRows key_rows_32();
KeyRows key_rows_64();

}  // namespace hashmill::perf
