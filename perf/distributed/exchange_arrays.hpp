#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>

namespace hashmill::perf {

/// Words of 8 bytes in each of `num_ranks` equal pieces of `bytes` bytes. Throws `InvalidArgument`
/// where there are none.
std::uint64_t words_of_piece(std::uint64_t bytes, int num_ranks);

/// What a rank sends to all ranks, in equal pieces, and room for what it receives from them, in the
/// memory of the default execution space. Each word follows from the seed, its sender, its receiver
/// and its place, so that both can compute it.
class ExchangeArrays {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Words = Kokkos::View<std::uint64_t*, Exec::memory_space>;

  /// The arrays of a rank, of at most `bytes` bytes each: pieces are whole words. Throws
  /// `InvalidArgument` where a piece would have none.
  ExchangeArrays(int rank, int num_ranks, std::uint64_t bytes, std::uint64_t seed);

  int rank() const { return rank_; }
  int num_ranks() const { return num_ranks_; }
  /// Words, of 8 bytes, of a piece.
  std::uint64_t piece_words() const { return piece_words_; }
  /// Bytes of a piece.
  std::uint64_t piece_bytes() const { return piece_words_ * sizeof(std::uint64_t); }
  /// Bytes that leave the rank.
  std::uint64_t bytes_sent() const {
    return piece_bytes() * static_cast<std::uint64_t>(num_ranks_ - 1);
  }
  /// The pieces for all ranks, by rank.
  const Words& out() const { return out_; }
  /// The pieces of all ranks, by rank.
  const Words& in() const { return in_; }
  /// The piece for a rank.
  const std::uint64_t* piece_to(int rank) const { return out_.data() + begin(rank); }
  /// The piece of a rank.
  std::uint64_t* piece_from(int rank) const { return in_.data() + begin(rank); }

  /// Makes every received word wrong.
  void clear();
  /// The number of received words that are not what their senders have for this rank.
  std::uint64_t num_wrong() const;

 private:
  std::size_t begin(int rank) const { return static_cast<std::size_t>(rank) * piece_words_; }

  int rank_, num_ranks_;
  std::uint64_t seed_, piece_words_;
  Words out_, in_;
};

}  // namespace hashmill::perf
