#pragma once

#include <algorithm>
#include <array>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/join/detail/order_pairs.hpp>
#include <hashmill/join/detail/plan.hpp>

namespace hashmill::detail {

/// The offsets of a range of queries, shifted to begin at 0.
struct ShiftOffsets {
  const std::uint64_t* offsets;
  std::uint64_t first;
  std::uint64_t* shifted;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    shifted[i] = offsets[first + static_cast<std::uint64_t>(i)] - offsets[first];
  }
};

/// The largest number of pairs of one query.
struct LargestSize {
  const std::uint64_t* offsets;
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::uint64_t& largest) const {
    const std::uint64_t size = offsets[i + 1] - offsets[i];
    if (size > largest) largest = size;
  }
};

/// Finds where the chunk that begins at query `first` ends. `end[0]` becomes the query after its
/// last one, `end[1]` the number of its pairs.
struct FindChunkEnd {
  const std::uint64_t* offsets;
  std::uint64_t num_queries;
  std::uint64_t first;
  std::uint64_t most_pairs;
  std::uint64_t* end;
  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    std::uint64_t low = first, high = num_queries + 1;
    while (high - low > 1) {  // invariant: [first, low) fits, [first, high) does not
      const std::uint64_t middle = low + (high - low) / 2;
      (offsets[middle] - offsets[first] <= most_pairs ? low : high) = middle;
    }
    end[0] = low;
    end[1] = offsets[low] - offsets[first];
  }
};

/// Writes the pairs of a counted join in chunks of at most `most_pairs`. Each chunk overwrites the
/// one before it, in `left` and `right`.
template <class Plan, class MemorySpace>
class JoinChunks {
  using Row = typename Plan::Row;

 public:
  JoinChunks(const Plan& plan, std::uint64_t most_pairs, bool ordered, Row* left, Row* right,
             Workspace<MemorySpace>& workspace)
      : plan_(plan),
        most_pairs_(most_pairs),
        ordered_(ordered),
        left_(left),
        right_(right),
        workspace_(workspace) {}

  /// Calls `use(number of pairs)` for each chunk, once the plan's instance has written it. Throws
  /// CapacityError before the first chunk if one query alone has more pairs than a chunk.
  template <class Use>
  void for_each(const Use& use) const {
    if (plan_.size() == 0) return;
    check_largest();
    for_each_found(use);
    for_each_unmatched(use);
  }

 private:
  using Frame = typename Workspace<MemorySpace>::Frame;

  template <class Use>
  void for_each_found(const Use& use) const {
    const std::uint64_t n = plan_.num_queries();
    const Frame frame(workspace_);
    const auto shifted = workspace_.template take<std::uint64_t>(plan_.exec(), n + 1);
    for (std::uint64_t first = 0; first < n;) {
      const auto [end, pairs] = chunk_end(first);
      backends::for_each_index("hashmill::join::shift_offsets", plan_.exec(), end - first + 1,
                               ShiftOffsets{plan_.offsets(), first, shifted.data()});
      plan_.write_found({first, end - first}, shifted.data(), pairs, left_, right_);
      if (ordered_) order_pairs(plan_.exec(), left_, right_, pairs, true, workspace_);
      hand_over(pairs, use);
      first = end;
    }
  }

  template <class Use>
  void for_each_unmatched(const Use& use) const {
    const std::uint64_t n = plan_.num_candidates();
    for (std::uint64_t first = 0; first < n;) {
      const RowRange range{first, std::min(most_pairs_, n - first)};
      const Frame frame(workspace_);
      const auto placed = plan_.place_unmatched(range, workspace_);
      plan_.write_unmatched(range, placed, left_, right_);
      hand_over(placed.total, use);
      first += range.count;
    }
  }

  /// Returns the query after the last one of the chunk that begins at `first`, and its pairs.
  [[nodiscard]] std::array<std::uint64_t, 2> chunk_end(std::uint64_t first) const {
    const Frame frame(workspace_);
    const auto found = workspace_.template take<std::uint64_t>(plan_.exec(), 2);
    backends::for_each_index(
        "hashmill::join::chunk_end", plan_.exec(), 1,
        FindChunkEnd{plan_.offsets(), plan_.num_queries(), first, most_pairs_, found.data()});
    std::array<std::uint64_t, 2> end{};
    using End =
        Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(plan_.exec(), End(end.data(), 2), found);
    plan_.exec().fence("hashmill::join: the end of a chunk");
    return end;
  }

  /// Refuses a budget with no room for one pair, or for the pairs of one query.
  void check_largest() const {
    std::uint64_t largest = 1;
    if (plan_.num_found() != 0) {
      Kokkos::parallel_reduce("hashmill::join::largest",
                              backends::range(plan_.exec(), plan_.num_queries()),
                              LargestSize{plan_.offsets()}, Kokkos::Max<std::uint64_t>(largest));
    }
    if (largest <= most_pairs_) return;
    throw CapacityError("join in chunks: one query has " + std::to_string(largest) +
                            " pairs, the memory budget holds " + std::to_string(most_pairs_),
                        largest, most_pairs_);
  }

  template <class Use>
  void hand_over(std::uint64_t count, const Use& use) const {
    plan_.exec().fence("hashmill::join: a chunk is handed to the caller");
    if (count != 0) use(count);
  }

  const Plan& plan_;
  std::uint64_t most_pairs_;
  bool ordered_;
  Row* left_;
  Row* right_;
  Workspace<MemorySpace>& workspace_;
};

}  // namespace hashmill::detail
