#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/distributed_hash_graph/detail/bin_rows.hpp>
#include <hashmill/hash_graph/detail/known_bins.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>
#include <optional>

namespace hashmill::detail {

/// Adds up the counts that each rank has sent. Bins that the rank does not have are empty.
struct AddRankCounts {
  const std::uint32_t* received;  // those of each rank side by side
  std::uint64_t bins, ranks;
  std::uint32_t* sums;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto bin = static_cast<std::uint64_t>(i);
    std::uint32_t sum = 0;
    for (std::uint64_t r = 0; bin < bins && r < ranks; ++r) sum += received[r * bins + bin];
    sums[bin] = sum;
  }
};

/// Counts of the fine bins of a table, which each rank makes of its own rows and sends to the ranks
/// that own the bins. So the owner knows how many rows its bins get before they come. Part of a
/// collective call.
template <class Exec>
class SharedCounts {
  using MemorySpace = typename Exec::memory_space;
  using Counts = Kokkos::View<std::uint32_t*, MemorySpace>;

 public:
  /// `counts`, of all work that `exec` has, are those of this rank.
  SharedCounts(const Exec& exec, const Communicator& ranks, const Splits& splits,
               const BinCounts<MemorySpace>& counts)
      : exec_(exec),
        ranks_(ranks),
        splits_(splits),
        counts_(counts),
        are_counted_(backends::end_of_work(exec)) {}

  /// Makes room for all that is received, and for the sums of the fine bins of so many parts of
  /// this rank.
  void allocate(std::uint64_t parts, unsigned part_bucket_bits) {
    if (!counts_.are_shared) return;
    const std::uint64_t size = parts << (part_bucket_bits - bucket_bits());
    received_ = backends::allocate<Counts>(exec_, "hashmill::bins::received",
                                           own_bins() * static_cast<std::uint64_t>(ranks_.size()));
    sums_ = backends::allocate<Counts>(exec_, "hashmill::bins::sums", size + 1);
  }
  /// Starts to send, if all ranks do.
  void start() {
    if (!counts_.are_shared) return;
    const std::uint64_t own = own_bins();
    started_.emplace(start_pieces(
        ranks_, are_counted_, counts_.fine, received_,
        [&](int rank, const auto& use) { use(begin_of(rank), begin_of(rank + 1)); },
        [&](int rank, const auto& use) {
          const auto r = static_cast<std::uint64_t>(rank);
          use(r * own, (r + 1) * own);
        }));
  }
  /// Waits for the counts of all ranks, if they have started to send.
  void finish() {
    if (started_) started_->finish();
  }
  /// The sums of those of this rank's bins, or nothing where ranks have not started to send.
  /// Asynchronous.
  [[nodiscard]] KnownBins<std::uint32_t> sum_up(Workspace<MemorySpace>& workspace) const {
    if (!started_) return {};
    const auto ranks = static_cast<std::uint64_t>(ranks_.size());
    backends::for_each_index("hashmill::distributed_hash_graph::add_counts", exec_, sums_.extent(0),
                             AddRankCounts{received_.data(), own_bins(), ranks, sums_.data()});
    backends::exclusive_scan(exec_, sums_, workspace);
    return {sums_.data(), bucket_bits()};
  }

 private:
  /// log2 of the buckets of a fine bin.
  [[nodiscard]] unsigned bucket_bits() const { return splits_.bucket_bits() - counts_.fine_bits; }
  [[nodiscard]] std::uint64_t begin_of(int rank) const {
    return splits_.first_bins()[static_cast<std::size_t>(rank)] << counts_.fine_bits;
  }
  [[nodiscard]] std::uint64_t own_bins() const {
    return begin_of(ranks_.rank() + 1) - begin_of(ranks_.rank());
  }

  Exec exec_;
  const Communicator& ranks_;
  const Splits& splits_;
  const BinCounts<MemorySpace>& counts_;
  backends::DeviceEvent are_counted_;
  Counts received_, sums_;
  std::optional<StartedExchange> started_;
};

}  // namespace hashmill::detail
