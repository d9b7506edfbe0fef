#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "keys/key_generator.hpp"
#include "tally.hpp"

namespace hashmill::perf {

/// The right answers for generated keys of orders `sequential` and `random`, in closed form: the
/// generator is a bijection, so the rows that hold a query's key follow from the query's number
/// without any table.
template <class Key>
class GeneratedReference {
 public:
  GeneratedReference(const EvenKeys<Key>& keys, const GeneratedQueries<Key>& queries)
      : keys_(keys), queries_(queries) {}

  /// The rows that hold the key of a query.
  KOKKOS_FUNCTION MatchingRows matches(std::uint64_t query) const {
    return rows_at(place_of(query));
  }

  /// Number of places to ask distinct_key() about.
  KOKKOS_FUNCTION std::uint64_t num_places() const { return keys_.num_distinct(); }

  /// The place of the key of a query; num_places() or more where no row holds it.
  KOKKOS_FUNCTION std::uint64_t place_of(std::uint64_t query) const {
    return queries_.identity_of(query);
  }

  /// The rows that hold the key at a place; none from num_places() on.
  KOKKOS_FUNCTION MatchingRows rows_at(std::uint64_t place) const {
    MatchingRows rows{keys_.num_rows(place), 0};
    for (std::uint64_t i = 0; i < rows.count; ++i) {
      rows.weight += row_weight(keys_.row_of(place, i));
    }
    return rows;
  }

  /// Sets `key` to the key at a place; true if no earlier place gave it.
  KOKKOS_FUNCTION bool distinct_key(std::uint64_t place, Key& key) const {
    key = keys_.key_of(place);
    return true;
  }

 private:
  EvenKeys<Key> keys_;
  GeneratedQueries<Key> queries_;
};

}  // namespace hashmill::perf
