#pragma once

#include <hashmill/chaining.hpp>

#include "algorithms/multi_map/typed_multi_map.hpp"
#include "algorithms/support/expect_table.hpp"

namespace hashmill::test {

/// A Chaining table of numbers, with what it offers beyond other tables.
template <class Key, class Row, class Hash>
class ChainingTable final
    : public TypedMultiMap<MultiMapTable, Key, Chaining<Key, Memory, Row, Hash>> {
 public:
  using Owner = Chaining<Key, Memory, Row, Hash>;
  using Base = TypedMultiMap<MultiMapTable, Key, Owner>;

  explicit ChainingTable(const Numbers& keys, const ChainingOptions& options = {})
      : Base(keys, options) {}

  [[nodiscard]] Owner& owner() { return this->owner_; }
  [[nodiscard]] const Owner& owner() const { return this->owner_; }

  /// Appends keys that are gone when it returns, as callers may do.
  std::uint64_t append(const Numbers& keys) {
    return owner().append(Exec(), KeyColumns<Key>(keys).source());
  }
  void rehash(std::uint64_t buckets) { owner().rehash(Exec(), BucketCount(buckets)); }

  /// The case that references and expectations ask for.
  [[nodiscard]] static MultiMapCase table_case() {
    return {.name = "Chaining",
            .has_rows = true,
            .normal = &normal_number<Key>,
            .hash = &hash_of_number<Key, Hash>};
  }
};

}  // namespace hashmill::test
