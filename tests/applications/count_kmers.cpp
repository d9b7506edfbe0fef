// count_kmers [FILE.fa K]: the number of different k-mers in a FASTA file and the most frequent
// ones. Without arguments: the 21-mers of made-up bases.

#include <fstream>

#include "kmers.hpp"
#include "program.hpp"

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
  const std::string mers = std::to_string(k) + "-mers";
  program::print_row(mers, total);
  program::print_row("different " + mers, by_count.size());
  std::printf("most frequent:\n");
  for (auto entry = by_count.begin(); entry != middle; ++entry) {
    program::print_row(kmers::letters(entry->second, k), entry->first);
  }
}

std::string read(const std::string& name) {
  std::ifstream file(name);
  if (!file) throw hashmill::InvalidArgument(name + ": cannot be read");
  return kmers::read_fasta(file, name);
}

void run(const program::Arguments& arguments) {
  const bool has_file = !arguments.empty();
  const unsigned k = has_file ? kmers::parse_length(arguments[1]) : 21;
  const std::string bases = program::timed(has_file ? "read bases" : "make up bases", [&] {
    return has_file ? read(arguments[0]) : kmers::made_up_bases(4'000'000);
  });
  const auto marks = std::count(bases.begin(), bases.end(), '|');  // one before each record
  program::print_row("bases", bases.size() - static_cast<std::uint64_t>(marks));
  const kmers::Counts counted =
      program::timed("count k-mers", [&] { return kmers::count(kmers::Exec(), bases, k); });
  print(counted, k);
}

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, 2, "count_kmers [FILE.fa K]", run);
}
