#pragma once

#include <cmath>
#include <map>

#include "algorithms/join/join_fixture.hpp"
#include "algorithms/support/telling_numbers.hpp"
#include "random_source.hpp"

namespace hashmill::test {

/// What numbers of all types are compared by: whether it is NaN, and the number. -0.0 is 0.0.
using ExactNumber = std::pair<bool, long double>;
template <class Number>
ExactNumber exact_number(Number number) {
  const auto value = static_cast<long double>(exact(number));
  return std::isnan(value) ? ExactNumber{true, 0} : ExactNumber{false, value};
}

/// Numbers of a type: of the shapes that inputs come in, and among them those at its ends.
template <class Number>
std::vector<Number> draw_numbers(RandomSource& random, std::uint64_t most) {
  const std::vector<Number> telling = telling_numbers<Number>();
  const std::uint64_t one_in = 1 + random.below(8);
  std::vector<Number> numbers;
  for (const std::uint64_t number : random.numbers(most)) {
    if (random.chance(one_in)) {
      numbers.push_back(random.pick(telling));
    } else if constexpr (std::is_floating_point_v<Number>) {
      numbers.push_back(static_cast<Number>(static_cast<double>(number % 100'000) / 8));
    } else {
      numbers.push_back(static_cast<Number>(number));
    }
  }
  return numbers;
}

/// Numbers in a column of a table of one to four, so with gaps or without.
template <class Number>
class StridedColumn {
 public:
  using View = Kokkos::View<const Number*, Kokkos::LayoutStride, Memory>;

  StridedColumn(RandomSource& random, const std::vector<Number>& numbers)
      : table_("hashmill::test::table", numbers.size(), 1 + random.below(4)),
        column_(Kokkos::subview(table_, Kokkos::ALL, random.below(table_.extent(1)))) {
    Kokkos::deep_copy(column_, to_device(numbers));
  }
  [[nodiscard]] View view() const { return column_; }

 private:
  Kokkos::View<Number**, Kokkos::LayoutRight, Memory> table_;
  Kokkos::View<Number*, Kokkos::LayoutStride, Memory> column_;
};

/// Sides of a join whose keys are numbers of two types, and what it should give.
template <class Right, class Left>
class MixedSides {
 public:
  explicit MixedSides(RandomSource& random) : right(draw_numbers<Right>(random, 4000)) {
    for (std::uint64_t r = 0; r < right.size(); ++r) rows_[exact_number(right[r])].push_back(r);
    std::uint64_t pairs = 0;
    for (const Left number : draw_numbers<Left>(random, 4000)) {
      if (pairs > 500'000) break;
      left.push_back(number);
      pairs += matches(left.size() - 1).size();
    }
  }
  /// The right rows of a left one, ascending.
  [[nodiscard]] const std::vector<std::uint64_t>& matches(std::uint64_t l) const {
    static const std::vector<std::uint64_t> none;
    const auto found = rows_.find(exact_number(left[l]));
    return found == rows_.end() ? none : found->second;
  }
  [[nodiscard]] Pairs expected(JoinKind kind) const {
    const auto listed = [&](std::uint64_t l) -> const auto& { return matches(l); };
    return expected_pairs(kind, left.size(), right.size(), listed, EveryPair{});
  }

  std::vector<Right> right;
  std::vector<Left> left;

 private:
  std::map<ExactNumber, std::vector<std::uint64_t>> rows_;
};

}  // namespace hashmill::test
