#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/hash_graph/options.hpp>

namespace hashmill::detail {

/// Number of elements of the histogram. Its last element counts all longer buckets too.
inline constexpr std::uint64_t histogram_lengths = 64;

/// Counts bucket lengths in blocks of buckets, so that memory is touched once per block and length.
template <class Ref>
struct CountBucketLengths {
  static constexpr std::uint64_t block = 4096;
  Ref ref;
  std::uint64_t* histogram;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& longest) const {
    const std::uint64_t first = static_cast<std::uint64_t>(i) * block;
    const std::uint64_t last =
        first + block < ref.num_buckets() ? first + block : ref.num_buckets();
    std::uint32_t counts[histogram_lengths] = {};
    for (std::uint64_t b = first; b < last; ++b) {
      const std::uint64_t length = ref.end(b) - ref.begin(b);
      ++counts[length < histogram_lengths ? length : histogram_lengths - 1];
      if (length > longest) longest = length;
    }
    for (std::uint64_t l = 0; l < histogram_lengths; ++l) {
      if (counts[l] != 0) Kokkos::atomic_add(&histogram[l], std::uint64_t{counts[l]});
    }
  }
};

/// Fills the members of HashGraphStatistics that need a pass over all buckets. Waits for `exec`.
template <class MemorySpace, class Exec, class Ref>
HashGraphStatistics bucket_statistics(const Exec& exec, const Ref& ref) {
  using Kernel = CountBucketLengths<Ref>;
  using Histogram = Kokkos::View<std::uint64_t*, MemorySpace>;
  const auto histogram = backends::allocate_zeroed<Histogram>(
      exec, "hashmill::hash_graph::histogram", histogram_lengths);
  HashGraphStatistics result;
  Kokkos::parallel_reduce(
      "hashmill::hash_graph::statistics",
      backends::range(exec, (ref.num_buckets() + Kernel::block - 1) / Kernel::block),
      Kernel{ref, histogram.data()}, Kokkos::Max<std::uint64_t>(result.longest_bucket));
  result.bucket_length_histogram.resize(histogram_lengths);
  const Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
      on_host(result.bucket_length_histogram.data(), histogram_lengths);
  Kokkos::deep_copy(exec, on_host, histogram);
  exec.fence("hashmill::hash_graph: statistics are read on the host");
  result.num_buckets = ref.num_buckets();
  result.empty_buckets = result.bucket_length_histogram.front();
  return result;
}

}  // namespace hashmill::detail
