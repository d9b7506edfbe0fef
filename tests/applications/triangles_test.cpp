#include "triangles.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "algorithms/support/views.hpp"

namespace triangles {
namespace {

using Graph = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

std::uint64_t actual(const Graph& graph, std::uint32_t num_vertices) {
  std::vector<std::uint32_t> a, b;
  for (const auto& [from, to] : graph) {
    a.push_back(from);
    b.push_back(to);
  }
  return count(Exec(), hashmill::test::to_device(a), hashmill::test::to_device(b), num_vertices);
}

/// Looks at every three vertices.
std::uint64_t expected(const Graph& graph, std::uint32_t num_vertices) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const auto& [a, b] : graph) edges.insert({std::min(a, b), std::max(a, b)});
  std::uint64_t found = 0;
  for (std::uint32_t a = 0; a < num_vertices; ++a) {
    for (std::uint32_t b = a + 1; b < num_vertices; ++b) {
      if (!edges.contains({a, b})) continue;
      for (std::uint32_t c = b + 1; c < num_vertices; ++c) {
        found += edges.contains({a, c}) && edges.contains({b, c}) ? 1 : 0;
      }
    }
  }
  return found;
}

TEST(Triangles, OfRandomGraphsAreThoseOfEveryThreeVertices) {
  for (const std::uint32_t vertices : {3U, 20U, 90U}) {
    for (const std::size_t edges : {0U, 5U, 300U, 2000U}) {
      std::mt19937_64 engine(vertices + edges);
      Graph graph(edges);  // with loops and repetitions
      for (auto& [a, b] : graph) {
        a = static_cast<std::uint32_t>(engine() % vertices);
        b = static_cast<std::uint32_t>(engine() % (engine() % vertices + 1));
      }
      ASSERT_EQ(actual(graph, vertices), expected(graph, vertices)) << vertices << ", " << edges;
    }
  }
}

TEST(Triangles, OfACompleteGraphAreAllThrees) {
  constexpr std::uint32_t n = 120;
  Graph graph;
  for (std::uint32_t a = 0; a < n; ++a) {
    for (std::uint32_t b = 0; b < a; ++b) graph.emplace_back(a, b);
  }
  EXPECT_EQ(actual(graph, n), n * (n - 1) * (n - 2) / 6);
}

TEST(Triangles, OfAWheelAreItsSpokes) {
  constexpr std::uint32_t rim = 10'000;
  Graph graph;  // vertex `rim` is the hub
  for (std::uint32_t i = 0; i < rim; ++i) {
    graph.emplace_back(rim, i);
    graph.emplace_back(i, (i + 1) % rim);
  }
  EXPECT_EQ(actual(graph, rim + 1), rim);
}

}  // namespace
}  // namespace triangles
