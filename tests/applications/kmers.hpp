#pragma once

#include <charconv>
#include <hashmill/hashmill.hpp>
#include <istream>
#include <string>
#include <string_view>

/// Counting k-mers: how often each word of k bases occurs in DNA sequences, a word and its reverse
/// complement counted as one (the smaller of the two, the canonical k-mer).
namespace kmers {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// The bases of a FASTA stream, records apart by a letter that is no base. Throws InvalidArgument
/// when it does not begin with a record.
inline std::string read_fasta(std::istream& in, const std::string& name) {
  std::string bases, line;
  bool has_record = false;
  while (std::getline(in, line)) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.starts_with('>')) {
      has_record = true;
      bases += '|';
    } else if (has_record) {
      bases += line;
    } else if (!line.empty()) {
      throw hashmill::InvalidArgument(name + ": not FASTA: the first line does not begin with '>'");
    }
  }
  return bases;
}

/// Bases without a file: drawn by a hash, and one in 64 of them begins a copy of 100 of the first
/// 10,000, so that some words are frequent.
inline std::string made_up_bases(std::size_t size) {
  std::string bases;
  while (bases.size() < size) {
    const std::uint64_t hash = hashmill::murmur3_fmix64(bases.size() + 1);
    if (bases.size() > 10'000 && hash % 64 == 0) {
      bases += bases.substr((hash >> 32) % 10'000, 100);
    } else {
      bases += "ACGT"[hash >> 62];
    }
  }
  bases.resize(size);
  return bases;
}

/// A base as two bits, A C G T in the order of 0 to 3; 4 for any other letter.
KOKKOS_FUNCTION inline std::uint64_t code_of(char base) {
  switch (base) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
      return 3;
    default:
      return 4;
  }
}

/// No k-mer: those of 31 bases and fewer are below 2^62.
inline constexpr std::uint64_t none = ~std::uint64_t{0};

/// The canonical k-mer that begins at each base, or `none`.
struct FindKmer {
  const char* bases;
  unsigned k;
  std::uint64_t* found;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t forward = 0, backward = 0;
    for (unsigned j = 0; j < k; ++j) {
      const std::uint64_t code = code_of(bases[i + j]);
      if (code == 4) {
        found[i] = none;
        return;
      }
      forward = forward << 2 | code;
      backward |= (3 - code) << (2 * j);
    }
    found[i] = forward < backward ? forward : backward;
  }
};

/// Different k-mers and how often each occurs; `none`, perhaps, among them.
struct Counts {
  Kokkos::View<std::uint64_t*, Memory> kmers;
  Kokkos::View<std::uint64_t*, Memory> counts;
};

/// The bases of a word, from text. Throws InvalidArgument unless all of it is one of 1 to 31.
inline unsigned parse_length(std::string_view text) {
  unsigned k = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, k);
  if (error != std::errc{} || stop != end || k < 1 || k > 31)
    throw hashmill::InvalidArgument("K is '" + std::string(text) + "', not one of 1 to 31");
  return k;
}

/// Counts the k-mers of `bases`, on the device. 12 bytes a base and what `group_by` takes. Throws
/// InvalidArgument unless k is 1 to 31.
inline Counts count(const Exec& exec, const std::string& bases, unsigned k) {
  if (k < 1 || k > 31) {
    throw hashmill::InvalidArgument("k is " + std::to_string(k) + ", not 1 to 31");
  }
  const std::uint64_t words = bases.size() < k ? 0 : bases.size() - k + 1;
  using Text =
      Kokkos::View<const char*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  const Kokkos::View<char*, Memory> text("kmers::bases", bases.size());
  Kokkos::deep_copy(exec, text, Text(bases.data(), bases.size()));
  const Kokkos::View<std::uint64_t*, Memory> found("kmers::found", words);
  Kokkos::parallel_for("kmers::find", hashmill::backends::range(exec, words),
                       FindKmer{text.data(), k, found.data()});
  const auto grouped = hashmill::group_by(exec, found, hashmill::agg::count());
  const Kokkos::View<std::uint64_t*, Memory> kinds("kmers::kinds", grouped.size());
  hashmill::gather(exec, found, grouped.representatives, kinds);
  return {kinds, std::get<0>(grouped.results).values};
}

/// A k-mer as letters.
inline std::string letters(std::uint64_t kmer, unsigned k) {
  std::string word(k, ' ');
  for (unsigned j = 0; j < k; ++j) word[k - 1 - j] = "ACGT"[kmer >> (2 * j) & 3];
  return word;
}

}  // namespace kmers
