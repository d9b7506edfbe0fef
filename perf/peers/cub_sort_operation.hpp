#pragma once

#include <cub/device/device_radix_sort.cuh>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/error.hpp>
#include <string>

#include "answers/actual_results.hpp"
#include "case/operation.hpp"
#include "run/workbench.hpp"
#include "tables/numbered_rows.hpp"

namespace hashmill::perf {

/// Tallies the keys and rows of sorted pairs. A key whose lowest bits are above those of the next
/// one is a fault.
template <class Keys, class Rows>
struct TallySorted {
  Keys keys;
  Rows rows;
  typename Keys::non_const_value_type mask;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    sum.add(entry_weight(keys(i), rows(i)));
    if (i + 1 < keys.extent(0) && (keys(i) & mask) > (keys(i + 1) & mask)) ++sum.faults;
  }
};

/// Peer: CUB's radix sort of keys with their row numbers, by the lowest `Bits` bits of the keys. It
/// sorts by the keys themselves, not by their hashes.
template <class Bench, unsigned Bits>
class CubSortOperation : public Operation {
  using Key = typename Bench::Key;
  using Keys = typename Bench::Keys;
  using Rows = Kokkos::View<std::uint32_t*, typename Bench::memory_space>;
  static constexpr unsigned bits = Bits < 8 * sizeof(Key) ? Bits : 8 * sizeof(Key);

 public:
  explicit CubSortOperation(Bench& bench) : bench_(bench) {
    const std::uint64_t n = bench.keys().size();
    Bench::require_memory(n * 3 * (sizeof(Key) + sizeof(std::uint32_t)), "sorted pairs");
    rows_ = numbered_rows(bench.exec(), n);
  }

  void prepare(RunMemory memory) override {
    if (memory == RunMemory::kept) return;
    keys_out_ = {};
    rows_out_ = {};
    temporary_ = {};
  }
  void run() override {
    const auto& exec = bench_.exec();
    const std::uint64_t n = bench_.keys().size();
    if (keys_out_.extent(0) != n) {
      keys_out_ = backends::allocate<Keys>(exec, "hashmill::perf::sorted_keys", n);
      rows_out_ = backends::allocate<Rows>(exec, "hashmill::perf::sorted_rows", n);
    }
    std::size_t bytes = 0;
    sort(nullptr, bytes);
    if (temporary_.extent(0) < bytes) {
      temporary_ = backends::allocate<Temporary>(exec, "hashmill::perf::cub", bytes);
    }
    sort(temporary_.data(), bytes);
    exec.fence("hashmill::perf::CubSortOperation: the clock stops");
  }
  std::string verify() override {
    constexpr Key all = ~Key{0};
    const Key mask =
        bits == 8 * sizeof(Key) ? all : static_cast<Key>(~(all << bits % (8 * sizeof(Key))));
    const Tally actual = tally(bench_.exec(), bench_.keys().size(),
                               TallySorted<Keys, Rows>{keys_out_, rows_out_, mask});
    return compare_tallies(bench_.expected_content().entries, actual);
  }
  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override { return partition_budget(bench_.traffic_sizes()); }

 private:
  using Temporary = Kokkos::View<std::byte*, typename Bench::memory_space>;

  /// Sorts, or tells how much temporary memory that takes where there is none.
  void sort(void* temporary, std::size_t& bytes) {
    const cudaError_t code = cub::DeviceRadixSort::SortPairs(
        temporary, bytes, bench_.keys().data(), keys_out_.data(), rows_.data(), rows_out_.data(),
        bench_.keys().size(), 0, static_cast<int>(bits), bench_.exec().cuda_stream());
    if (code != cudaSuccess) {
      throw BackendError(std::string("cub::DeviceRadixSort: ") + cudaGetErrorString(code));
    }
  }

  Bench& bench_;
  Rows rows_;
  Keys keys_out_;
  Rows rows_out_;
  Temporary temporary_;
};

}  // namespace hashmill::perf
