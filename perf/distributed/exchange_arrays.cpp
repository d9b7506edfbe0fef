#include "exchange_arrays.hpp"

#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/error.hpp>
#include <string>

#include "answers/tally.hpp"

namespace hashmill::perf {

/// The words of one side: pieces that a rank sends to all, or receives from them. They are random,
/// in closed form.
struct PieceWords {
  std::uint64_t seed, rank, piece_words;
  bool are_sent;

  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const std::uint64_t other = i / piece_words;
    const std::uint64_t from = are_sent ? rank : other, to = are_sent ? other : rank;
    const std::uint64_t start = splitmix64(splitmix64(seed + from) + to);
    return splitmix64(start + i % piece_words);
  }
};

/// Writes the words, or their complements: one constant for all could be right somewhere.
struct WritePieceWords {
  PieceWords words;
  ExchangeArrays::Words out;
  std::uint64_t flipped;  // bits
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out(i) = words(static_cast<std::uint64_t>(i)) ^ flipped;
  }
};

/// Tallies the words that are wrong.
struct TallyWrongWords {
  PieceWords words;
  ExchangeArrays::Words in;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    if (in(i) != words(i)) ++sum.faults;
  }
};

namespace {

void write(const PieceWords& words, const ExchangeArrays::Words& out, std::uint64_t flipped) {
  const ExchangeArrays::Exec exec;
  Kokkos::parallel_for("hashmill::perf::write_pieces", backends::range(exec, out.extent(0)),
                       WritePieceWords{words, out, flipped});
  exec.fence("hashmill::perf::ExchangeArrays: pieces are exchanged");
}

}  // namespace

std::uint64_t words_of_piece(std::uint64_t bytes, int num_ranks) {
  const std::uint64_t words = bytes / sizeof(std::uint64_t) / static_cast<std::uint64_t>(num_ranks);
  if (words != 0) return words;
  throw InvalidArgument("--bytes-per-rank: " + std::to_string(bytes) +
                        " bytes are less than a word of 8 bytes for each rank, of " +
                        std::to_string(num_ranks));
}

ExchangeArrays::ExchangeArrays(int rank, int num_ranks, std::uint64_t bytes, std::uint64_t seed)
    : rank_(rank),
      num_ranks_(num_ranks),
      seed_(seed),
      piece_words_(words_of_piece(bytes, num_ranks)) {
  const Exec exec;
  out_ = backends::allocate<Words>(exec, "hashmill::perf::sent", begin(num_ranks));
  in_ = backends::allocate<Words>(exec, "hashmill::perf::received", begin(num_ranks));
  write({seed_, static_cast<std::uint64_t>(rank_), piece_words_, true}, out_, 0);
  clear();
}

void ExchangeArrays::clear() {
  write({seed_, static_cast<std::uint64_t>(rank_), piece_words_, false}, in_, ~std::uint64_t{0});
}

std::uint64_t ExchangeArrays::num_wrong() const {
  const PieceWords words{seed_, static_cast<std::uint64_t>(rank_), piece_words_, false};
  return tally(Exec(), in_.extent(0), TallyWrongWords{words, in_}).faults;
}

}  // namespace hashmill::perf
