// count_triangles [VERTICES EDGES]: the triangles of a random graph.

#include "program.hpp"
#include "triangles.hpp"

namespace {

void run(const program::Arguments& arguments) {
  constexpr std::uint64_t most = ~std::uint32_t{0};
  const bool is_given = !arguments.empty();
  const std::uint64_t vertices =
      is_given ? program::number("VERTICES", arguments[0], most) : 50'000;
  const std::uint64_t edges = is_given ? program::number("EDGES", arguments[1], most) : 500'000;
  const triangles::Exec exec;
  const triangles::Vertices a("triangles::a", edges), b("triangles::b", edges);
  Kokkos::parallel_for("triangles::draw", hashmill::backends::range(exec, edges),
                       triangles::DrawEdge{static_cast<std::uint32_t>(vertices), a, b});
  const std::uint64_t found = program::timed("count triangles", [&] {
    return triangles::count(exec, a, b, static_cast<std::uint32_t>(vertices));
  });
  program::print_row("vertices", vertices);
  program::print_row("edges drawn", edges);
  program::print_row("triangles", found);
}

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, 2, "count_triangles [VERTICES EDGES]", run);
}
