#pragma once

#include <hashmill/hashmill.hpp>

/// Counts the triangles of an undirected graph by a self-join of its edges. Every path a-b-c of two
/// edges is a pair of the join. A set of all edges tells whether c-a is an edge, too. Edges point
/// to the end with more neighbours, so no vertex begins more than sqrt(2 edges) of them.
namespace triangles {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
using Vertices = Kokkos::View<std::uint32_t*, Memory>;
using Edges = Kokkos::View<std::uint64_t*, Memory>;

/// An edge as one number: `from` in the upper half.
KOKKOS_FUNCTION inline std::uint64_t edge(std::uint32_t from, std::uint32_t to) {
  return std::uint64_t{from} << 32 | to;
}
KOKKOS_FUNCTION inline std::uint32_t from_of(std::uint64_t edge) {
  return static_cast<std::uint32_t>(edge >> 32);
}
KOKKOS_FUNCTION inline std::uint32_t to_of(std::uint64_t edge) {
  return static_cast<std::uint32_t>(edge);
}

/// Draws edges by a hash of their numbers. Vertices with low numbers have more neighbours.
struct DrawEdge {
  std::uint32_t num_vertices;
  Vertices a, b;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t hash = hashmill::murmur3_fmix64(static_cast<std::uint64_t>(i) + 1);
    a(i) = static_cast<std::uint32_t>((hash >> 32) * num_vertices >> 32);
    b(i) = static_cast<std::uint32_t>((hash & 0xFFFFFFFF) * (a(i) + std::uint64_t{1}) >> 32);
  }
};

/// Both directions of an edge are the same number.
struct PackEdge {
  Vertices a, b;
  Edges packed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    packed(i) = a(i) < b(i) ? edge(a(i), b(i)) : edge(b(i), a(i));
  }
};

struct CountNeighbours {
  Edges edges;
  Vertices degrees;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (from_of(edges(i)) == to_of(edges(i))) return;
    Kokkos::atomic_inc(&degrees(from_of(edges(i))));
    Kokkos::atomic_inc(&degrees(to_of(edges(i))));
  }
};

/// Lets edges begin at the end with fewer neighbours.
struct PointUpwards {
  Vertices degrees;
  Edges edges;
  Vertices from, to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint32_t a = from_of(edges(i)), b = to_of(edges(i));
    const bool swap = degrees(a) > degrees(b) || (degrees(a) == degrees(b) && a > b);
    if (swap) Kokkos::kokkos_swap(a, b);
    edges(i) = edge(a, b);
    from(i) = a;
    to(i) = b;
  }
};

/// The path left-right, of which `left` ends where `right` begins, closes.
template <class EdgeSet>
struct Closes {
  EdgeSet all;
  Vertices from, to;
  KOKKOS_FUNCTION bool operator()(std::uint64_t left, std::uint64_t right) const {
    const bool has_loop = from(left) == to(left) || from(right) == to(right);
    return !has_loop && all.contains(edge(from(left), to(right)));
  }
};

/// The number of triangles of the graph with edges a(i)-b(i) between vertices below `num_vertices`;
/// loops and repeated edges do not count. 16 bytes an edge and the two tables.
inline std::uint64_t count(const Exec& exec, const Vertices& a, const Vertices& b,
                           std::uint32_t num_vertices) {
  using hashmill::backends::range;
  const Edges packed("triangles::packed", a.extent(0));
  Kokkos::parallel_for("triangles::pack", range(exec, a.extent(0)), PackEdge{a, b, packed});
  const auto different = hashmill::group_rows(exec, packed);
  const std::uint64_t n = different.size();
  const Edges edges("triangles::edges", n);
  hashmill::gather(exec, packed, different.representatives, edges);

  const Vertices degrees("triangles::degrees", num_vertices), from("triangles::from", n),
      to("triangles::to", n);
  Kokkos::parallel_for("triangles::degrees", range(exec, n), CountNeighbours{edges, degrees});
  Kokkos::parallel_for("triangles::point", range(exec, n), PointUpwards{degrees, edges, from, to});

  const hashmill::LinearProbingSet<std::uint64_t, Memory> all(exec, edges);
  const hashmill::HashGraph<std::uint32_t, Memory> beginning(exec, from);
  const Closes<decltype(all.ref())> closes{all.ref(), from, to};
  return hashmill::join_size(exec, hashmill::JoinKind::inner, to, beginning, closes);
}

}  // namespace triangles
