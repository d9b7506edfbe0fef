#pragma once

#include <hashmill/tag_bucket.hpp>

#include "algorithms/multi_map/typed_multi_map.hpp"
#include "algorithms/support/expect_table.hpp"

namespace hashmill::test {

/// A TagBucket table of numbers, with what it offers beyond other tables.
template <class Key, class Row, class Hash, class Equal = KeyEqual>
class TagBucketTable final
    : public TypedMultiMap<
          MultiMapTable, Key,
          TagBucket<Key, Memory, Row, Hash, Equal, typename KeyColumns<Key>::Source>> {
 public:
  using Owner = TagBucket<Key, Memory, Row, Hash, Equal, typename KeyColumns<Key>::Source>;
  using Base = TypedMultiMap<MultiMapTable, Key, Owner>;

  explicit TagBucketTable(const Numbers& keys, const TagBucketOptions& options = {})
      : Base(keys, options) {}

  [[nodiscard]] Owner& owner() { return this->owner_; }
  [[nodiscard]] const Owner& owner() const { return this->owner_; }

  /// Replaces the columns by others, of which the first rows are as before.
  void set_keys(const Numbers& keys) {
    this->columns_ = KeyColumns<Key>(keys);
    owner().set_keys(Exec(), this->columns_.source());
  }
  InsertResult insert(std::uint64_t first, std::uint64_t count) {
    return owner().insert(Exec(), first, count);
  }
  [[nodiscard]] TagBucketStatistics statistics() const { return owner().statistics(Exec()); }

  /// The case that references and expectations ask for.
  [[nodiscard]] static MultiMapCase table_case() {
    return {.name = "TagBucket",
            .has_rows = true,
            .normal = &normal_number<Key>,
            .hash = &hash_of_number<Key, Hash>};
  }
};

}  // namespace hashmill::test
