#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/detail/floating_bits.hpp>

namespace hashmill::detail {

/// A number as the sum of two doubles, with about 106 bits. The second double holds what the first
/// had to round off. Source: T. J. Dekker, "A Floating-Point Technique for Extending the Available
/// Precision", 1971.
struct NumberPair {
  double high;
  double low;

  /// The nearest double. If the sum has left the range of double, `low` is meaningless and unused.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double nearest() const {
    const double sum = high + low;
    return is_nan(sum) ? high : sum;
  }
};

/// The rounding error of `sum`, which is the rounded sum of a and b: exactly a + b - sum. Source:
/// D. E. Knuth, The Art of Computer Programming, volume 2, 4.2.2.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION double rounded_off(double a, double b, double sum) {
  const double rounded = as_rounded(sum), of_b = as_rounded(rounded - a);
  const double of_a = as_rounded(rounded - of_b);
  return as_rounded(a - of_a) + as_rounded(b - of_b);
}

/// Adds a number to a sum that keeps what it rounds off in `low`. Source: T. Ogita, S. M. Rump and
/// S. Oishi, "Accurate Sum and Dot Product", 2005.
///
/// Several threads may add at once. Each learns from its own addition what `high` was, so that no
/// rounding error is lost.
template <class How>
KOKKOS_FORCEINLINE_FUNCTION void add_exactly(NumberPair* to, double number) {
  const double before = How::fetch_add(&to->high, number);
  const double lost = rounded_off(before, number, before + number);
  if (How::is_alone || lost != 0) How::add(&to->low, lost);
}
template <class How>
KOKKOS_FORCEINLINE_FUNCTION void add_exactly(NumberPair* to, const NumberPair& number) {
  add_exactly<How>(to, number.high);
  How::add(&to->low, number.low);
}

/// a / b to about 104 bits. If the quotient is infinite or NaN, it is the quotient of the doubles.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION NumberPair divide(const NumberPair& a,
                                                            const NumberPair& b) {
  const double quotient = as_rounded(a.high / b.high);
  const double rest = Kokkos::fma(-quotient, b.high, a.high) + (a.low - quotient * b.low);
  const double more = rest / b.high;
  const double sum = as_rounded(quotient + more);
  if (is_nan(sum)) return {quotient, 0};
  return {sum, more - as_rounded(sum - quotient)};
}

/// a * b to about 104 bits. If the product is infinite or NaN, it is the product of the doubles.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION NumberPair product(const NumberPair& a,
                                                             const NumberPair& b) {
  const double rounded = as_rounded(a.high * b.high);
  const double more = Kokkos::fma(a.high, b.high, -rounded) + (a.high * b.low + a.low * b.high);
  const double sum = as_rounded(rounded + more);
  if (is_nan(sum)) return {rounded, 0};
  return {sum, more - as_rounded(sum - rounded)};
}

/// A sum of integers modulo 2^(64 Words), lowest word first. It is the same in any order. Negative
/// integers are added as their two's complements.
template <unsigned Words>
struct WordSum {
  std::uint64_t words[Words];
};

/// Adds to a sum. Several threads may add to its words at once: the thread whose addition makes a
/// word wrap around carries into the next.
template <class How, unsigned Words>
KOKKOS_FORCEINLINE_FUNCTION void add_exactly(WordSum<Words>* to, const WordSum<Words>& number) {
  std::uint64_t carry = 0;
  for (unsigned w = 0; w < Words; ++w) {
    const std::uint64_t part = number.words[w] + carry;
    carry = static_cast<std::uint64_t>(part < carry);
    if (!How::is_alone && part == 0) continue;
    const std::uint64_t sum = How::fetch_add(&to->words[w], part) + part;
    carry |= static_cast<std::uint64_t>(sum < part);
  }
}

/// The negative of a number, in two's complement.
template <unsigned Words>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WordSum<Words> negated(const WordSum<Words>& number) {
  WordSum<Words> result{};
  std::uint64_t carry = 1;
  for (unsigned w = 0; w < Words; ++w) {
    result.words[w] = ~number.words[w] + carry;
    carry = carry != 0 && result.words[w] == 0 ? 1 : 0;
  }
  return result;
}

/// The product of two words, exact.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WordSum<2> product(std::uint64_t a, std::uint64_t b) {
  constexpr std::uint64_t half = 0xFFFFFFFF;
  const std::uint64_t low = (a & half) * (b & half);
  const std::uint64_t upper = (a >> 32) * (b & half) + (low >> 32);
  const std::uint64_t lower = (a & half) * (b >> 32) + (upper & half);
  return {{lower << 32 | (low & half), (a >> 32) * (b >> 32) + (upper >> 32) + (lower >> 32)}};
}
template <unsigned A, unsigned B>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION WordSum<A + B> product(const WordSum<A>& a,
                                                                 const WordSum<B>& b) {
  WordSum<A + B> result{};
  for (unsigned i = 0; i < A; ++i) {
    std::uint64_t carry = 0;
    for (unsigned j = 0; j < B; ++j) {
      const WordSum<2> part = product(a.words[i], b.words[j]);
      const std::uint64_t sum = part.words[0] + result.words[i + j];
      result.words[i + j] = sum + carry;
      carry = part.words[1] + (sum < part.words[0] ? 1 : 0) + (sum + carry < sum ? 1 : 0);
    }
    result.words[i + B] = carry;
  }
  return result;
}

/// An unsigned number of several words, rounded to about 105 bits.
template <unsigned Words>
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION NumberPair as_pair(const WordSum<Words>& number) {
  NumberPair pair{0, 0};
  for (unsigned h = 2 * Words; h-- != 0;) {
    const auto half =
        static_cast<double>(number.words[h / 2] >> (h % 2 * 32) & std::uint64_t{0xFFFFFFFF});
    const double above = pair.high * 0x1p32;
    const double sum = as_rounded(above + half);
    pair = {sum, pair.low * 0x1p32 + rounded_off(above, half, sum)};
  }
  return pair;
}
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION NumberPair as_pair(std::uint64_t number) {
  return as_pair(WordSum<1>{{number}});
}

}  // namespace hashmill::detail
