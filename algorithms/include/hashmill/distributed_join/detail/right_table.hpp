#pragma once

#include <hashmill/hash_graph.hpp>
#include <hashmill/row_table.hpp>

namespace hashmill::detail {

/// A table of right keys: of numbers, or of rows of columns, to which it refers.
template <bool AsNumbers, class Exec, class Keys, class Memory>
[[nodiscard]] auto right_table(const Exec& exec, const Keys& keys, Seed seed,
                               Workspace<Memory>& workspace, const HashGraphOptions& options = {}) {
  if constexpr (AsNumbers) {
    return HashGraph<KeyOf<Keys>, Memory, KeyRow<std::uint32_t>, Murmur3Hash>(
        exec, keys, options, workspace, Murmur3Hash(seed));
  } else {
    static_cast<void>(workspace);
    return row_table(exec, keys, options, RowHash(seed));
  }
}

}  // namespace hashmill::detail
