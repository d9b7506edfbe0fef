#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

#include "keys/tpch_orders.hpp"
#include "tally.hpp"

namespace hashmill::perf {

/// The right answers for TPC-H's lines as queries against its orders, in closed form: a key tells
/// the row of its order.
template <class Key, class Queries>
class TpchReference {
 public:
  TpchReference(const TpchOrders<Key>& orders, const Queries& queries)
      : orders_(orders), queries_(queries) {}

  /// The rows that hold the key of a query.
  KOKKOS_FUNCTION MatchingRows matches(std::uint64_t query) const {
    return rows_at(place_of(query));
  }

  /// Number of places to ask distinct_key() about.
  KOKKOS_FUNCTION std::uint64_t num_places() const { return orders_.size(); }

  /// The place of the key of a query; num_places() or more where no row holds it.
  KOKKOS_FUNCTION std::uint64_t place_of(std::uint64_t query) const {
    return orders_.row_of(queries_(query));
  }

  /// The rows that hold the key at a place; none from num_places() on.
  KOKKOS_FUNCTION MatchingRows rows_at(std::uint64_t place) const {
    if (place >= num_places()) return {};
    return {1, row_weight(place)};
  }

  /// Sets `key` to the key at a place; true if no earlier place gave it.
  KOKKOS_FUNCTION bool distinct_key(std::uint64_t place, Key& key) const {
    key = orders_(place);
    return true;
  }

 private:
  TpchOrders<Key> orders_;
  Queries queries_;
};

}  // namespace hashmill::perf
