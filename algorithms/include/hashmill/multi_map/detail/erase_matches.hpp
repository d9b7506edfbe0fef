#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>

namespace hashmill::detail {

// Erasing from a table of buckets. `Buckets` is the table as an erase changes it:
//
//     ref                           the table as kernels see it
//     visit_matches(key, visit)     calls visit(position) for each entry with that HomedKey, until
//                                   it returns true
//     close(bucket, erased)         removes the entries of a bucket that a bitmap marks, and
//     returns
//                                   their number

/// First step of an erase, one thread per query: marks the entries with its key, and their bucket.
/// If several queries have one key, the first to mark the first match also marks the rest.
template <class Buckets, class Queries>
struct MarkErased {
  Buckets buckets;
  Queries queries;
  Bitmap erased;   // one bit per position
  Bitmap touched;  // one bit per bucket

  KOKKOS_FUNCTION void operator()(std::int64_t q) const {
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<typename decltype(buckets.ref)::key_type>(query)) return;
    const auto key = homed(buckets.ref, query);
    bool first = true;
    buckets.visit_matches(key, [&](std::uint64_t position) {
      if (erased.test_and_set(position) && first) return true;
      if (first) touched.test_and_set(key.home);
      first = false;
      return false;
    });
  }
};

/// Second step: the first query to reach a touched bucket closes it.
template <class Buckets, class Queries>
struct CloseTouched {
  Buckets buckets;
  Queries queries;
  Bitmap erased;
  Bitmap touched;

  KOKKOS_FUNCTION void operator()(std::int64_t q, std::uint64_t& removed) const {
    const auto& query = queries(static_cast<std::uint64_t>(q));
    if (!can_be_key<typename decltype(buckets.ref)::key_type>(query)) return;
    const std::uint64_t bucket = homed(buckets.ref, query).home;
    if (touched.test_and_clear(bucket)) removed += buckets.close(bucket, erased);
  }
};

/// Removes the entries whose key is among `queries`, and returns their number. Waits for `exec`.
///
/// Makes two passes over the queries, with one bitmap of the positions and one of the buckets. The
/// bitmaps are allocated before anything is changed. Reads and writes nothing else of the table
/// than the buckets of the queries.
template <class Exec, class Buckets, class Queries, class MemorySpace>
std::uint64_t erase_matches(const Exec& exec, const Buckets& buckets, const Queries& queries,
                            std::uint64_t positions, Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto erased = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(positions));
  const auto touched =
      workspace.template take<std::uint32_t>(exec, Bitmap::words_for(buckets.ref.num_buckets()));
  Kokkos::deep_copy(exec, erased, 0U);
  Kokkos::deep_copy(exec, touched, 0U);
  const Bitmap erased_bits{erased.data()}, touched_bits{touched.data()};
  backends::for_each_index(
      "hashmill::erase::mark", exec, queries.size(),
      MarkErased<Buckets, Queries>{buckets, queries, erased_bits, touched_bits});
  std::uint64_t removed = 0;
  Kokkos::parallel_reduce(
      "hashmill::erase::close", backends::range(exec, queries.size()),
      CloseTouched<Buckets, Queries>{buckets, queries, erased_bits, touched_bits}, removed);
  return removed;
}

}  // namespace hashmill::detail
