#pragma once

#include <hashmill/hashmill.hpp>

#include "hashes.hpp"
#include "views.hpp"

namespace hashmill::test {

/// Tables of row keys that the suite runs over.
struct FingerprintTable {
  template <class Keys>
  static auto make(const Keys& keys) {
    return row_table(Exec(), keys, {.rows_per_bucket = RowsPerBucket(4)});
  }
};
struct PackedTable {
  template <class Keys>
  static auto make(const Keys& keys) {
    return HashGraph<typename Keys::key_type, Memory, PackedRow, ConstantHash, RowEqual, Keys>(
        Exec(), keys);
  }
};
struct TagTable {
  template <class Keys>
  static auto make(const Keys& keys) {
    return TagBucket<typename Keys::key_type, Memory, std::uint64_t, RowHash, RowEqual, Keys>(
        Exec(), keys);
  }
};

}  // namespace hashmill::test
