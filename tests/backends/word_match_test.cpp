#include <gtest/gtest.h>

#include <hashmill/backends/word_match.hpp>
#include <random>
#include <vector>

#include "algorithms/support/views.hpp"

namespace hashmill::test {
namespace {

/// Halves of words of which many are equal or next to each other, on both sides of the sign.
constexpr std::uint32_t tricky[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                    0x80000001, 0xFFFFFFFC, 0xFFFFFFFD, 0xFFFFFFFF};

std::vector<std::uint64_t> tricky_words(std::size_t count) {
  std::mt19937 engine(7);
  const auto half = [&] { return std::uint64_t{tricky[engine() % std::size(tricky)]}; };
  std::vector<std::uint64_t> words(count);
  for (auto& word : words) word = half() << 32 | half();
  return words;
}

struct Answers {
  std::uint32_t match, upper, lowest;
  std::uint64_t chosen;
  bool last;
};

/// Asks group g for two of the tricky values.
struct AskGroup {
  Kokkos::View<const std::uint64_t*, Memory> words;
  Kokkos::View<const std::uint32_t*, Memory> values;
  Kokkos::View<Answers*, Memory> answers;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t n = values.extent(0), g = i / (n * n);
    const std::uint32_t a = values(i / n % n), b = values(i % n);
    const backends::WordGroup group(
        *reinterpret_cast<const backends::FourWords*>(words.data() + 4 * g));
    answers(i) = {group.match(a, b), group.match_upper(a),
                  backends::WordGroup::lowest(static_cast<std::uint32_t>(i % 15 + 1)),
                  group.word(static_cast<unsigned>(i % 4)), group.last_upper_is(b)};
  }
};

TEST(WordMatch, AnswersAsWordByWord) {
  constexpr std::size_t groups = 300, n = std::size(tricky);
  const auto words = tricky_words(4 * groups);
  const auto values = std::vector<std::uint32_t>(std::begin(tricky), std::end(tricky));
  const Kokkos::View<Answers*, Memory> answers("hashmill::test::answers", groups * n * n);
  Kokkos::parallel_for("hashmill::test::match", Kokkos::RangePolicy<Exec>(0, answers.extent(0)),
                       AskGroup{to_device(words), to_device(values), answers});
  const auto seen = to_host(answers);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const std::uint64_t* group = words.data() + 4 * (i / (n * n));
    const std::uint32_t a = tricky[i / n % n], b = tricky[i % n];
    std::uint32_t match = 0, upper = 0;
    for (unsigned w = 0; w < 4; ++w) {
      const auto low = static_cast<std::uint32_t>(group[w]), high = std::uint32_t(group[w] >> 32);
      match |= (low == a && high < b ? 1U : 0U) << w;
      upper |= (high == a ? 1U : 0U) << w;
    }
    ASSERT_EQ(seen[i].match, match) << "case " << i;
    ASSERT_EQ(seen[i].upper, upper) << "case " << i;
    ASSERT_EQ(seen[i].chosen, group[i % 4]) << "case " << i;
    ASSERT_EQ(seen[i].last, group[3] >> 32 == b) << "case " << i;
    ASSERT_EQ(seen[i].lowest, static_cast<unsigned>(__builtin_ctz(i % 15 + 1))) << "case " << i;
  }
}

}  // namespace
}  // namespace hashmill::test
