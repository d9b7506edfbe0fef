#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/key.hpp>

namespace hashmill::perf {

/// The key that stands for all that are null.
template <class Key>
KOKKOS_FUNCTION constexpr Key null_key() {
  return 7;
}

/// Whether a key is null where a column has nulls: one in 16, so that SQL can tell them too.
template <class Key>
KOKKOS_FUNCTION bool is_null_key(const Key& key) {
  if constexpr (sizeof(Key) == 16) {
    return key.low % 16 == 7;
  } else {
    return key % 16 == 7;
  }
}

/// A reference whose queries have no match where `has_nulls` and their key is null. The rows of
/// such keys then have none either.
template <class Reference, class Queries>
struct NullsMatchNothing {
  Reference reference;
  Queries queries;
  bool has_nulls;

  KOKKOS_FUNCTION std::uint64_t num_places() const { return reference.num_places(); }
  KOKKOS_FUNCTION std::uint64_t place_of(std::uint64_t query) const {
    return is_null(query) ? num_places() : reference.place_of(query);
  }
  KOKKOS_FUNCTION auto matches(std::uint64_t query) const {
    auto rows = reference.matches(query);
    if (is_null(query)) rows = {};
    return rows;
  }

 private:
  KOKKOS_FUNCTION bool is_null(std::uint64_t query) const {
    return has_nulls && is_null_key(queries(query));
  }
};

}  // namespace hashmill::perf
