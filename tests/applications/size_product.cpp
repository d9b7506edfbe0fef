// size_product [ROWS ENTRIES]: how many entries the square of a random matrix has.

#include "program.hpp"
#include "spgemm.hpp"

namespace {

void run(const program::Arguments& arguments) {
  constexpr std::uint64_t most = std::uint64_t{1} << 31;
  const bool is_given = !arguments.empty();
  const std::uint64_t rows = is_given ? program::number("ROWS", arguments[0], most) : 100'000;
  const std::uint64_t entries = is_given ? program::number("ENTRIES", arguments[1], most) : 500'000;
  const spgemm::Exec exec;
  const spgemm::Pattern a{spgemm::Indices("spgemm::rows", entries),
                          spgemm::Indices("spgemm::columns", entries)};
  const auto num_rows = static_cast<std::uint32_t>(rows);
  Kokkos::parallel_for("spgemm::draw", hashmill::backends::range(exec, entries),
                       spgemm::DrawEntry{num_rows, a});
  const spgemm::Indices counts = program::timed(
      "size the product", [&] { return spgemm::entries_of_rows(exec, a, a, num_rows); });
  const auto of_row = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), counts);
  std::uint64_t total = 0, longest = 0;
  for (std::uint64_t i = 0; i < rows; ++i) {
    total += of_row(i);
    longest = std::max<std::uint64_t>(longest, of_row(i));
  }
  program::print_row("rows of A", rows);
  program::print_row("entries of A", entries);
  program::print_row("entries of A A", total);
  program::print_row("entries of its longest row", longest);
}

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, 2, "size_product [ROWS ENTRIES]", run);
}
