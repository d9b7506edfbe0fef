#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>

namespace hashmill::detail {

/// Erases from buckets in two passes over the queries, and returns the number of entries erased.
/// Waits for `exec`. The bitmaps are allocated before anything is changed.
///
/// 1. `make_mark(erased, touched)` marks entries, one bit per position, and their buckets.
/// 2. `make_close(erased, touched)` is a reduction that closes the gaps of each touched bucket.
template <class Exec, class MakeMark, class MakeClose, class MemorySpace>
std::uint64_t mark_and_close(const Exec& exec, std::uint64_t num_queries, std::uint64_t positions,
                             std::uint64_t num_buckets, const MakeMark& make_mark,
                             const MakeClose& make_close, Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto erased = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(positions));
  const auto touched = workspace.template take<std::uint32_t>(exec, Bitmap::words_for(num_buckets));
  Kokkos::deep_copy(exec, erased, 0U);
  Kokkos::deep_copy(exec, touched, 0U);
  const Bitmap erased_bits{erased.data()}, touched_bits{touched.data()};
  backends::for_each_index("hashmill::erase::mark", exec, num_queries,
                           make_mark(erased_bits, touched_bits));
  std::uint64_t removed = 0;
  Kokkos::parallel_reduce("hashmill::erase::close", backends::range(exec, num_queries),
                          make_close(erased_bits, touched_bits), removed);
  return removed;
}

}  // namespace hashmill::detail
