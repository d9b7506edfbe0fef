#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

#include "algorithms/row_container/row_columns.hpp"

namespace hashmill::test {

/// The rules of a join's columns; they hold for all three.
struct Rules {
  bool nulls_equal = false;
  bool nans_unequal = false;

  template <class Value>
  [[nodiscard]] bool match(const std::optional<Value>& a, const std::optional<Value>& b) const {
    if (!a || !b) return !a && !b && nulls_equal;
    if constexpr (std::is_same_v<Value, double>) {
      if (std::isnan(*a) && std::isnan(*b)) return !nans_unequal;
    }
    return *a == *b;
  }
  [[nodiscard]] bool match(const Row& a, const Row& b) const {
    return match(a.city, b.city) && match(a.street, b.street) && match(a.height, b.height);
  }
  /// A function that lists the right rows which match a left row; both must outlive it.
  [[nodiscard]] auto matches(const std::vector<Row>& left, const std::vector<Row>& right) const {
    return [rules = *this, &left, &right](std::uint64_t l) {
      std::vector<std::uint64_t> found;
      for (std::uint64_t r = 0; r < right.size(); ++r) {
        if (rules.match(left[l], right[r])) found.push_back(r);
      }
      return found;
    };
  }
  template <class Keys>
  [[nodiscard]] Keys apply(const Keys& keys) const {
    const Keys nulls = nulls_equal ? keys.nulls_equal() : keys;
    return nans_unequal ? nulls.nans_unequal() : nulls;
  }
};

/// What rows group by: nulls are one value, NaNs are one value, -0.0 is 0.0.
using GroupKey = std::tuple<bool, std::int64_t, bool, std::string, int, double>;

inline GroupKey group_key(const Row& row) {
  const bool has_nan = row.height && std::isnan(*row.height);
  return {row.city.has_value(),         row.city.value_or(0),
          row.street.has_value(),       row.street.value_or(""),
          row.height ? 1 + has_nan : 0, row.height && !has_nan ? *row.height + 0.0 : 0.0};
}

}  // namespace hashmill::test
