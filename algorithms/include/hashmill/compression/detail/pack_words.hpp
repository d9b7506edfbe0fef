#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/key.hpp>

/// Numbers of the same width, one after the other in words of 64 bits: any of them is read at once.

namespace hashmill::detail {

/// Words that `count` numbers of `width` bits take, with one more, so that two neighbours can be
/// read for each.
[[nodiscard]] inline std::uint64_t packed_words(std::uint64_t count, std::uint32_t width) {
  if (count == 0) return 0;
  constexpr const char* what = "bits of a packed column";
  return checked_add(checked_multiply(count, width, what), 63, what) / 64 + 1;
}

/// Number i. Between two words it is in both.
[[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t packed_bits(const std::uint64_t* words,
                                                                    std::uint64_t i,
                                                                    std::uint32_t width) {
  if (width == 0) return 0;
  const std::uint64_t bit = i * width;
  const std::uint64_t* const word = words + bit / 64;
  const auto used = static_cast<std::uint32_t>(bit % 64);
  // The second word is shifted twice: by 64 at once means nothing.
  return ((word[0] >> used) | (word[1] << 1 << (63 - used))) & (~std::uint64_t{0} >> (64 - width));
}

/// Writes a word of packed values; those of null rows are the least one.
template <class Column>
struct PackWord {
  Column column;
  std::uint64_t least;
  std::uint32_t width;
  std::uint64_t* words;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto k = static_cast<std::uint64_t>(index);
    const std::uint64_t begin = 64 * k;  // bit
    std::uint64_t word = 0;
    if (width != 0) {
      for (std::uint64_t i = begin / width; i < column.size() && i * width < begin + 64; ++i) {
        const std::uint64_t bit = i * width;
        const std::uint64_t number = distance(i);
        word |= bit >= begin ? number << (bit - begin) : number >> (begin - bit);
      }
    }
    words[k] = word;
  }

 private:
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t distance(std::uint64_t i) const {
    if (column.is_null(i)) return 0;
    using Number = NumberOf<typename Column::value_type>;
    using Wide = std::conditional_t<std::is_signed_v<Number>, std::int64_t, std::uint64_t>;
    return static_cast<std::uint64_t>(static_cast<Wide>(static_cast<Number>(column(i)))) - least;
  }
};

/// Writes all words of a packed column. Asynchronous. Each word is written once; values that lie in
/// two words are read twice.
template <class Exec, class Column, class Words>
void pack_words(const Exec& exec, const Column& column, std::uint64_t least, std::uint32_t width,
                const Words& words) {
  backends::for_each_index("hashmill::pack_column", exec, words.extent(0),
                           PackWord<Column>{column, least, width, words.data()});
}

}  // namespace hashmill::detail
