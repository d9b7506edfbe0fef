#pragma once

#include <hashmill/join/detail/rows_in_parts.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <span>
#include <vector>

namespace hashmill::detail {

/// Where the cuts of a round lie among the rows that a rank has received in it: each has a piece
/// from every rank.
template <class MemorySpace>
class CutRows {
 public:
  CutRows() = default;
  /// `begins`: where the rows of each rank begin. `sizes`: the rows of each cut, rank by rank.
  /// Asynchronous: this stays where it is until `exec` is fenced.
  template <class Exec>
  CutRows(const Exec& exec, std::span<const std::uint64_t> begins,
          std::span<const std::uint64_t> sizes, std::uint64_t ranks)
      : cuts_(sizes.size() / ranks), ranks_(ranks), words_(cuts_ + 1 + 2 * sizes.size()) {
    std::uint32_t* const offsets = words_.data();
    std::uint32_t* const piece_begins = offsets + cuts_ + 1;
    std::uint32_t* const piece_sizes = piece_begins + sizes.size();
    std::vector<std::uint64_t> next(begins.begin(), begins.end());
    for (std::uint64_t cut = 0; cut < cuts_; ++cut) {
      offsets[cut + 1] = offsets[cut];
      for (std::uint64_t rank = 0; rank < ranks; ++rank) {
        const std::uint64_t size = sizes[rank * cuts_ + cut], piece = cut * ranks + rank;
        piece_begins[piece] = static_cast<std::uint32_t>(next[rank]);
        piece_sizes[piece] = static_cast<std::uint32_t>(size);
        next[rank] += size;
        offsets[cut + 1] += static_cast<std::uint32_t>(size);
      }
    }
    on_device_ = to_device<MemorySpace>(exec, words_);
  }

  /// The cuts, as a join reads them.
  [[nodiscard]] RowsInParts<std::uint32_t> parts() const {
    const std::uint32_t* const pieces = on_device_.data() + cuts_ + 1;
    return {cuts_, on_device_.data(), {pieces, pieces + cuts_ * ranks_, ranks_}};
  }

 private:
  std::uint64_t cuts_ = 0, ranks_ = 0;
  std::vector<std::uint32_t> words_;  // where cuts begin; where their pieces do; their rows
  Kokkos::View<std::uint32_t*, MemorySpace> on_device_;
};

}  // namespace hashmill::detail
