#pragma once

#include <cstdint>
#include <hashmill/murmur.hpp>
#include <hashmill/partition.hpp>
#include <optional>
#include <string>

#include "answers/actual_results.hpp"
#include "case/operation.hpp"
#include "numbered_rows.hpp"
#include "run/workbench.hpp"

namespace hashmill::perf {

/// The part of a key: the highest bits of its hash.
template <unsigned Bits>
struct PartOfHash {
  template <class Key>
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return Murmur3Hash{}(key) >> (64 - Bits);
  }
};

/// Tallies the keys and rows of parts. One that lies elsewhere than in its part is a fault.
template <unsigned Bits, class Parts>
struct TallyParts {
  Parts parts;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const auto key = parts.keys(i);
    const std::uint64_t part = PartOfHash<Bits>{}(key);
    sum.add(entry_weight(key, parts.payloads(i)));
    if (i < parts.offsets(part) || i >= parts.offsets(part + 1)) ++sum.faults;
  }
};

/// Partitions the keys and their row numbers into 2^Bits parts by hash. The result is in memory of
/// its own in every run.
template <class Bench, unsigned Bits>
class PartitionOperation : public Operation {
  using Rows = Kokkos::View<std::uint32_t*, typename Bench::memory_space>;
  using Parts = Partitioned<typename Bench::Key, std::uint32_t, typename Bench::memory_space>;

 public:
  explicit PartitionOperation(Bench& bench) : bench_(bench) {
    const std::uint64_t n = bench.keys().size();
    Bench::require_memory(n * (3 * sizeof(typename Bench::Key) + 4 * sizeof(std::uint32_t)),
                          "parts");
    rows_ = numbered_rows(bench.exec(), n);
  }

  void prepare(RunMemory memory) override {
    parts_.reset();
    if (memory != RunMemory::kept) bench_.workspace() = {};
  }
  void run() override {
    parts_.emplace(partition(bench_.exec(), bench_.keys(), rows_, PartOfHash<Bits>{},
                             PartCount(std::uint64_t{1} << Bits), {}, bench_.workspace()));
    bench_.exec().fence("hashmill::perf::PartitionOperation: the clock stops");
  }
  std::string verify() override {
    const Tally actual =
        tally(bench_.exec(), bench_.keys().size(), TallyParts<Bits, Parts>{*parts_});
    return compare_tallies(bench_.expected_content().entries, actual);
  }
  std::uint64_t num_items() const override { return bench_.keys().size(); }
  ByteBudget traffic() const override { return partition_budget(bench_.traffic_sizes()); }

 private:
  Bench& bench_;
  Rows rows_;
  std::optional<Parts> parts_;
};

}  // namespace hashmill::perf
