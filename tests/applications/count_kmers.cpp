// count_kmers FILE.fa K: the number of different k-mers in a FASTA file and the most frequent ones.

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <vector>

#include "kmers.hpp"

namespace {

void print(const kmers::Counts& counted, unsigned k) {
  const auto words = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counted.kmers);
  const auto counts = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counted.counts);
  std::vector<std::pair<std::uint64_t, std::uint64_t>> by_count;
  std::uint64_t total = 0;
  for (std::size_t g = 0; g < words.extent(0); ++g) {
    if (words(g) == kmers::none) continue;
    by_count.emplace_back(counts(g), words(g));
    total += counts(g);
  }
  const std::size_t shown = std::min<std::size_t>(by_count.size(), 10);
  const auto middle = by_count.begin() + static_cast<std::ptrdiff_t>(shown);
  std::partial_sort(by_count.begin(), middle, by_count.end(), [](const auto& a, const auto& b) {
    return a.first > b.first || (a.first == b.first && a.second < b.second);
  });
  std::printf("%zu different %u-mers, %llu in all\n", by_count.size(), k,
              static_cast<unsigned long long>(total));
  for (auto entry = by_count.begin(); entry != middle; ++entry) {
    std::printf("%s %llu\n", kmers::letters(entry->second, k).c_str(),
                static_cast<unsigned long long>(entry->first));
  }
}

int run(const std::string& name, const std::string& k) {
  const unsigned length = kmers::parse_length(k);
  std::ifstream file(name);
  if (!file) throw hashmill::InvalidArgument(name + ": cannot be read");
  const kmers::Exec exec;
  print(kmers::count(exec, kmers::read_fasta(file, name), length), length);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: count_kmers FILE.fa K\n";
    return 2;
  }
  const Kokkos::ScopeGuard kokkos(argc, argv);
  try {
    return run(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::cerr << "count_kmers: " << error.what() << '\n';
    return 1;
  }
}
