#include <gtest/gtest.h>

#include <cmath>
#include <hashmill/bloom_filter.hpp>
#include <limits>

#include "algorithms/support/hashes.hpp"
#include "algorithms/support/keys.hpp"
#include "sampled_types.hpp"

namespace hashmill::test {
namespace {

template <class Filter, class Queries>
std::vector<bool> answers(const Filter& filter, const Queries& queries) {
  const Kokkos::View<bool*, Memory> out("hashmill::test::out", queries.size());
  filter.contains(Exec(), queries, out);
  return to_host(out);
}

std::uint64_t count_true(const std::vector<bool>& flags) {
  return static_cast<std::uint64_t>(std::count(flags.begin(), flags.end(), true));
}

template <class Types>
class BloomFilters : public testing::Test {
 protected:
  using Key = typename Types::Key;
  using Filter = BloomFilter<Key, Memory, typename Types::Hash>;

  static void expect_all_there(const Numbers& numbers) {
    const KeyColumns<Key> keys(numbers);
    const Filter filter(Exec(), keys.source());
    EXPECT_EQ(count_true(answers(filter, keys.source())), numbers.size());
  }
};

using Types =
    SampledTypes<KeyAndHash<std::uint32_t, Murmur3Hash>, KeyAndHash<std::uint64_t, Murmur3Hash>,
                 KeyAndHash<std::uint64_t, FourBitHash>, KeyAndHash<Key128, Murmur3Hash>,
                 KeyAndHash<std::int32_t, ConstantHash>, KeyAndHash<WideKey, WideHash>>;
TYPED_TEST_SUITE(BloomFilters, Types);

TYPED_TEST(BloomFilters, NeverMissAKeyOfAnyShape) {
  for (const std::uint64_t size : {0, 1, 2, 255, 256, 257, 4097, 30'000}) {
    for (const auto& shape : every_shape(size, 3)) {
      SCOPED_TRACE(shape.name + ", " + std::to_string(size));
      this->expect_all_there(shape.numbers);
    }
  }
}

TYPED_TEST(BloomFilters, KeepWhatWasThereWhenKeysAreAdded) {
  const KeyColumns<typename TypeParam::Key> few(random_numbers(500, 1)),
      more(random_numbers(20'000, 2));
  typename TestFixture::Filter filter(Exec(), few.source());
  const std::uint64_t bytes = filter.bytes();
  filter.add(Exec(), more.source());
  EXPECT_EQ(count_true(answers(filter, few.source())), 500U);
  EXPECT_EQ(count_true(answers(filter, more.source())), 20'000U);
  EXPECT_EQ(filter.bytes(), bytes);
  filter.clear(Exec());
  EXPECT_EQ(count_true(answers(filter, few.source())), 0U);
}

template <class View>
std::vector<std::uint64_t> words_on_host(const View& words) {
  const Kokkos::View<std::uint64_t*, Memory> copy("hashmill::test::words", words.extent(0));
  Kokkos::deep_copy(copy, words);
  return to_host(copy);
}

/// The filter of two batches is the one into which both were added, bit by bit.
TYPED_TEST(BloomFilters, MergeToTheFilterOfAllKeys) {
  using Filter = typename TestFixture::Filter;
  const KeyColumns<typename TypeParam::Key> few(repeated_numbers(500, 90, 3)),
      more(random_numbers(20'000, 4)), none(Numbers{});
  BloomFilterOptions options;
  options.keys = 20'500;
  Filter first(Exec(), few.source(), options), all(Exec(), options);
  const Filter second(Exec(), more.source(), options), nothing(Exec(), none.source(), options);
  all.add(Exec(), more.source());
  all.add(Exec(), few.source());
  first.merge(Exec(), second);
  first.merge(Exec(), nothing);
  first.merge(Exec(), first);
  EXPECT_EQ(words_on_host(first.words()), words_on_host(all.words()));
  EXPECT_EQ(first.words().extent(0), 4 * first.num_blocks());
  EXPECT_EQ(count_true(answers(first, few.source())), 500U);
  EXPECT_EQ(count_true(answers(first, more.source())), 20'000U);
}

TEST(BloomFilter, RefusesToMergeWhatWasMadeOtherwise) {
  using Filter = BloomFilter<std::uint32_t, Memory>;
  BloomFilterOptions options;
  options.keys = 1000;
  Filter filter(Exec(), options);
  const Filter seeded(Exec(), options, Murmur3Hash(Seed{5}));
  EXPECT_THROW(filter.merge(Exec(), seeded), InvalidArgument);
  options.keys = 2000;
  const Filter larger(Exec(), options);
  try {
    filter.merge(Exec(), larger);
    FAIL() << "filters of different sizes";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find(std::to_string(larger.num_blocks())),
              std::string::npos);
  }
  Filter source(Exec(), options);
  const Filter taken(std::move(source));
  EXPECT_EQ(source.words().extent(0), 0U);
  EXPECT_THROW(filter.merge(Exec(), source), InvalidArgument);
}

/// Keys through the ref, in a caller's kernel.
template <class Ref>
struct AddAndTest {
  Ref ref;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& wrong) const {
    const auto key = static_cast<std::uint32_t>(i);
    const bool before = ref.contains(key);
    ref.add(HashedKey<std::uint32_t>{key, ref.hasher()(key)});
    if (before || !ref.contains(key)) ++wrong;
  }
};

TEST(BloomFilter, TakesKeysInsideKernels) {
  const Kokkos::View<const std::uint32_t*, Memory> none;
  BloomFilterOptions options;
  options.keys = 100;
  options.bits_per_key = 1024;
  const BloomFilter<std::uint32_t, Memory> filter(Exec(), none, options);
  std::uint64_t wrong = 0;
  Kokkos::parallel_reduce(
      "hashmill::test::add",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(Exec(), 0, 100),
      AddAndTest<BloomFilterRef<std::uint32_t, Murmur3Hash>>{filter.ref()}, wrong);
  EXPECT_EQ(wrong, 0U);
}

/// Of 2^20 absent keys as many pass as theory says, within six standard deviations; so a worse
/// filter, or a larger one than was asked for, would fail.
void expect_rate(std::uint64_t num_keys, const BloomFilterOptions& options, double most) {
  constexpr std::uint64_t tries = 1 << 20;
  const KeyColumns<std::uint64_t> keys(sequential_numbers(num_keys)),
      absent(sequential_numbers(tries, num_keys));
  const BloomFilter<std::uint64_t, Memory> filter(Exec(), keys.source(), options);
  const double rate = filter.false_positive_rate(num_keys), n = static_cast<double>(tries);
  const auto passed = static_cast<double>(count_true(answers(filter, absent.source())));
  // Absent keys of one block pass together: blocks are a sample too, of fewer than the tries.
  const double samples = std::min(n, static_cast<double>(filter.num_blocks()));
  EXPECT_LE(rate, most);
  EXPECT_NEAR(passed / n, rate, 6 * std::sqrt(rate / n) + 6 * rate / std::sqrt(samples))
      << num_keys << " keys, " << options.bits_per_key << " bits";
}

TEST(BloomFilter, LetsAsManyAbsentKeysThroughAsTheoryExpects) {
  for (const std::uint64_t seed_keys : {100'000, 123'457}) {
    for (const auto& [bits, rate] : {std::pair{4.0, 0.33},
                                     {6.0, 0.1},
                                     {8.0, 0.034},
                                     {12.0, 0.0055},
                                     {16.0, 0.00135},
                                     {24.0, 0.00017}}) {
      BloomFilterOptions options;
      options.bits_per_key = bits;
      expect_rate(seed_keys, options, rate);
    }
  }
}

TEST(BloomFilter, IsSizedForTheRateAskedFor) {
  for (const double rate : {0.5, 0.1, 0.01, 0.001, 0.0001}) {
    BloomFilterOptions options;
    options.false_positive_rate = rate;
    expect_rate(100'000, options, rate);
  }
  const KeyColumns<std::uint32_t> keys(sequential_numbers(1000));
  BloomFilterOptions options;
  options.false_positive_rate = 1e-8;
  const BloomFilter<std::uint32_t, Memory> filter(Exec(), keys.source(), options);
  EXPECT_LE(filter.false_positive_rate(1000), 1e-8);
  EXPECT_GT(filter.false_positive_rate(1200), 1e-8);
}

TEST(BloomFilter, TakesTheMemoryThatItsOptionsSay) {
  const KeyColumns<std::uint32_t> keys(equal_numbers(5000, 9));
  BloomFilterOptions options;
  options.bits_per_key = 16;
  EXPECT_EQ((BloomFilter<std::uint32_t, Memory>(Exec(), keys.source(), options).bytes()),
            (5000 / 16 + 1) * 32);
  options.keys = 1;
  EXPECT_EQ((BloomFilter<std::uint32_t, Memory>(Exec(), keys.source(), options).bytes()), 32U);
  options.keys = 0;
  EXPECT_EQ((BloomFilter<std::uint32_t, Memory>(Exec(), keys.source(), options).num_blocks()), 1U);
}

/// Tables and parts take bits of the hash itself: within one of their buckets the filter is as good
/// as elsewhere.
TEST(BloomFilter, HasNothingToDoWithTheBitsThatTablesUse) {
  std::vector<std::uint64_t> there, absent;
  for (std::uint64_t i = 0; there.size() < 2000 || absent.size() < 20'000; ++i) {
    const std::uint64_t hash = Murmur3Hash{}(i);
    if (hash >> 56 != 7 && (hash & 0xFF) != 7) continue;
    (there.size() < 2000 ? there : absent).push_back(i);
  }
  const BloomFilter<std::uint64_t, Memory, IdentityHash> filter(Exec(), to_device(there), {},
                                                                IdentityHash(20));
  const auto passed = static_cast<double>(count_true(answers(filter, to_device(absent))));
  EXPECT_LT(passed / 20'000, 2 * filter.false_positive_rate(2000));
}

TEST(BloomFilter, RefusesOptionsOutOfRange) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(10));
  const auto try_it = [&](double bits, std::optional<double> rate) {
    BloomFilterOptions options;
    options.bits_per_key = bits;
    options.false_positive_rate = rate;
    const BloomFilter<std::uint32_t, Memory> filter(Exec(), keys.source(), options);
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bits : {0.0, -1.0, 0.99, 1024.5, nan}) {
    EXPECT_THROW(try_it(bits, {}), InvalidArgument);
  }
  for (const double rate : {0.0, -0.1, 0.9e-8, 0.51, 1.0, nan}) {
    EXPECT_THROW(try_it(8, rate), InvalidArgument);
  }
  try {
    try_it(2000, {});
    FAIL() << "2000 bits a key";
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("2000"), std::string::npos);
    EXPECT_NE(std::string(error.what()).find("1024"), std::string::npos);
  }
  BloomFilterOptions huge;
  huge.keys = ~std::uint64_t{0};
  EXPECT_THROW((BloomFilter<std::uint32_t, Memory>(Exec(), keys.source(), huge)), CapacityError);
  huge.keys = std::uint64_t{1} << 44;
  EXPECT_THROW((BloomFilter<std::uint32_t, Memory>(Exec(), keys.source(), huge)), CapacityError);
}

TEST(BloomFilter, RefusesResultsOfAnotherLength) {
  const KeyColumns<std::uint32_t> keys(sequential_numbers(10));
  const BloomFilter<std::uint32_t, Memory> filter(Exec(), keys.source());
  const Kokkos::View<bool*, Memory> out("hashmill::test::out", 9);
  EXPECT_THROW(filter.contains(Exec(), keys.source(), out), InvalidArgument);
}

/// The sum over all k of the chance of k keys in a block and the share that it lets through.
long double summed_rate(long double load) {
  long double rate = 0;
  for (long double k = 0; k <= load + 20 * std::sqrt(load) + 64; ++k) {
    rate += std::exp(k * std::log(load) - load - std::lgamma(k + 1)) *
            std::pow(1 - std::pow(31.0L / 32, k), 8.0L);
  }
  return rate;
}
TEST(BloomFilterRate, IsThatOfAnyLoad) {
  for (const double load : {0.1, 1.0, 9.5, 31.9, 32.0, 32.1, 57.0, 256.0, 4000.0}) {
    const auto expected = static_cast<double>(summed_rate(load));
    EXPECT_NEAR(detail::bloom_false_positive_rate(load), expected, 1e-11 * expected) << load;
  }
  EXPECT_EQ(detail::bloom_false_positive_rate(0), 0.0);
}
/// A loop over the keys of a block would take years here.
TEST(BloomFilterRate, TakesNoTimeForManyKeys) {
  const BloomFilter<std::uint32_t, Memory> filter(Exec(), to_device(std::vector<std::uint32_t>{1}));
  EXPECT_EQ(filter.false_positive_rate(std::uint64_t{1} << 40), 1.0);
  EXPECT_EQ(filter.false_positive_rate(~std::uint64_t{0}), 1.0);
}

}  // namespace
}  // namespace hashmill::test
