#include "exchange_arrays.hpp"

#include <hashmill/error.hpp>
#include <string>

#include "keys/bit_permutation.hpp"

namespace hashmill::perf {
namespace {

/// The words that one rank has for another: random, in closed form.
class PieceWords {
 public:
  PieceWords(std::uint64_t seed, int from, int to)
      : start_(splitmix64(splitmix64(seed + static_cast<std::uint64_t>(from)) +
                          static_cast<std::uint64_t>(to))) {}
  std::uint64_t operator()(std::uint64_t i) const { return splitmix64(start_ + i); }

 private:
  std::uint64_t start_;
};

}  // namespace

ExchangeArrays::ExchangeArrays(int rank, int num_ranks, std::uint64_t bytes, std::uint64_t seed)
    : rank_(rank),
      num_ranks_(num_ranks),
      seed_(seed),
      piece_words_(bytes / sizeof(std::uint64_t) / static_cast<std::uint64_t>(num_ranks)) {
  if (piece_words_ == 0) {
    throw InvalidArgument("--bytes-per-rank: " + std::to_string(bytes) +
                          " bytes are less than a word of 8 bytes for each rank, of " +
                          std::to_string(num_ranks));
  }
  out_.reserve(begin(num_ranks));
  for (int to = 0; to < num_ranks; ++to) {
    const PieceWords words(seed, rank, to);
    for (std::uint64_t i = 0; i < piece_words_; ++i) out_.push_back(words(i));
  }
  in_.resize(out_.size());
}

void ExchangeArrays::clear() {
  // Complements of what is right: one constant for all could be right somewhere.
  for (int from = 0; from < num_ranks_; ++from) {
    const PieceWords words(seed_, from, rank_);
    std::uint64_t* const piece = piece_from(from);
    for (std::uint64_t i = 0; i < piece_words_; ++i) piece[i] = ~words(i);
  }
}

std::uint64_t ExchangeArrays::num_wrong() const {
  std::uint64_t wrong = 0;
  for (int from = 0; from < num_ranks_; ++from) {
    const PieceWords words(seed_, from, rank_);
    const std::uint64_t* const piece = in_.data() + begin(from);
    for (std::uint64_t i = 0; i < piece_words_; ++i) wrong += piece[i] != words(i) ? 1 : 0;
  }
  return wrong;
}

}  // namespace hashmill::perf
