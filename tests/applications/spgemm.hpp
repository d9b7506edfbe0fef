#pragma once

#include <hashmill/hashmill.hpp>

/// The symbolic phase of a product of sparse matrices C = A B: how many entries each row of C has,
/// which is what its memory is allocated by. Every product a(i,k) b(k,j) is a pair of the join of
/// A's columns with B's rows, and each different (i, j) among them an entry.
namespace spgemm {

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;
using Indices = Kokkos::View<std::uint32_t*, Memory>;

/// Where a matrix has entries, as coordinates in any order.
struct Pattern {
  Indices rows, columns;
};

/// Draws the entries of a square matrix by a hash of their numbers. A place can be drawn twice.
struct DrawEntry {
  std::uint32_t num_rows;
  Pattern matrix;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::uint64_t hash = hashmill::murmur3_fmix64(static_cast<std::uint64_t>(i) + 1);
    matrix.rows(i) = static_cast<std::uint32_t>((hash >> 32) * num_rows >> 32);
    matrix.columns(i) = static_cast<std::uint32_t>((hash & 0xFFFFFFFF) * num_rows >> 32);
  }
};

struct CountRow {
  Indices rows;
  Indices of_entry;
  Indices counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    Kokkos::atomic_inc(&counts(rows(of_entry(i))));
  }
};

/// Entries of each row of the product, which has `num_rows` of them. 24 bytes a product of entries
/// and the tables.
inline Indices entries_of_rows(const Exec& exec, const Pattern& a, const Pattern& b,
                               std::uint32_t num_rows) {
  const hashmill::HashGraph<std::uint32_t, Memory> rows_of_b(exec, b.rows);
  const auto products = hashmill::join(exec, hashmill::JoinKind::inner, a.columns, rows_of_b);
  const Indices i("spgemm::i", products.size()), j("spgemm::j", products.size());
  hashmill::gather(exec, a.rows, products.left, i);
  hashmill::gather(exec, b.columns, products.right, j);

  const auto entries = hashmill::group_rows(exec, hashmill::columns(i, j));
  const Indices counts("spgemm::counts", num_rows);
  Kokkos::parallel_for("spgemm::count", hashmill::backends::range(exec, entries.size()),
                       CountRow{i, entries.representatives, counts});
  exec.fence("spgemm: counts are handed to the caller");
  return counts;
}

}  // namespace spgemm
