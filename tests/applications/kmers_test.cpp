#include "kmers.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <sstream>

namespace kmers {
namespace {

/// The reverse complement of a word of bases.
std::string reverse_complement(std::string word) {
  std::reverse(word.begin(), word.end());
  for (char& base : word) base = std::string("TGCA")[std::string("ACGT").find(base)];
  return word;
}

/// What a std::map of words counts.
std::map<std::string, std::uint64_t> expected_counts(const std::string& bases, unsigned k) {
  std::map<std::string, std::uint64_t> counts;
  for (std::size_t i = 0; i + k <= bases.size(); ++i) {
    std::string word = bases.substr(i, k);
    for (char& base : word) base = static_cast<char>(std::toupper(base));
    if (word.find_first_not_of("ACGT") != std::string::npos) continue;
    ++counts[std::min(word, reverse_complement(word))];
  }
  return counts;
}

std::map<std::string, std::uint64_t> actual_counts(const std::string& bases, unsigned k) {
  const Counts counted = count(Exec(), bases, k);
  const auto words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counted.kmers);
  const auto counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counted.counts);
  std::map<std::string, std::uint64_t> result;
  for (std::size_t g = 0; g < words.extent(0); ++g) {
    if (words(g) != none) result[letters(words(g), k)] = counts(g);
  }
  return result;
}

/// Bases, a few unknown ones, and repeats.
std::string random_bases(std::size_t size, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::string bases;
  while (bases.size() < size) {
    const std::uint64_t number = engine();
    if (bases.size() > 100 && number % 50 == 0) {
      bases += bases.substr(bases.size() - 90, 80);
    } else {
      bases += number % 97 == 0 ? 'N' : "ACGTacgt"[number >> 32 & 7];
    }
  }
  return bases;
}

TEST(Kmers, AreCountedAsAMapCountsThem) {
  const std::string bases = random_bases(20'000, 1);
  for (const unsigned k : {1U, 2U, 5U, 12U, 21U, 31U}) {
    ASSERT_EQ(actual_counts(bases, k), expected_counts(bases, k)) << "k = " << k;
  }
}

TEST(Kmers, OfFastaRecordsDoNotSpanThem) {
  std::istringstream file(">first record\nACGT\r\nAC\n>second\nGGT\n\n>empty\n");
  const std::string bases = read_fasta(file, "test");
  EXPECT_EQ(bases, "|ACGTAC|GGT|");
  EXPECT_EQ(actual_counts(bases, 3),
            (std::map<std::string, std::uint64_t>{{"ACG", 2}, {"ACC", 1}, {"GTA", 2}}));
}

TEST(Kmers, OfNothingAreNone) {
  EXPECT_TRUE(actual_counts("", 5).empty());
  EXPECT_TRUE(actual_counts("ACG", 4).empty());
  EXPECT_TRUE(actual_counts("NNNNN", 2).empty());
}

TEST(Kmers, RefuseWhatIsNoFastaAndWordsThatAreTooLong) {
  std::istringstream file("ACGT\n");
  EXPECT_THROW((void)read_fasta(file, "test"), hashmill::InvalidArgument);
  EXPECT_THROW((void)count(Exec(), "ACGT", 32), hashmill::InvalidArgument);
  EXPECT_THROW((void)count(Exec(), "ACGT", 0), hashmill::InvalidArgument);
}

TEST(Kmers, TakeALengthThatIsANumberAndNothingElse) {
  EXPECT_EQ(parse_length("1"), 1u);
  EXPECT_EQ(parse_length("31"), 31u);
  for (const char* const text : {"", "0", "32", "-1", "+2", " 2", "2x", "2.0", "4294967298",
                                 "18446744073709551618", "0x2"}) {
    EXPECT_THROW((void)parse_length(text), hashmill::InvalidArgument) << text;
  }
}

}  // namespace
}  // namespace kmers
