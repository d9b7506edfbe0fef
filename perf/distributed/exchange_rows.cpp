#include "exchange_rows.hpp"

#include <span>

namespace hashmill::perf {
namespace {

/// Exchanges the arrays through a communicator.
void exchange(const Communicator& ranks, ExchangeArrays& arrays) {
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  const std::uint64_t words = arrays.piece_words();
  for (int k = 1; k <= ranks.size(); ++k) {  // not all ranks begin with the same one
    const int other = (ranks.rank() + k) % ranks.size();
    const std::span out(arrays.piece_to(other), words);
    const std::span in(arrays.piece_from(other), words);
    sends.push_back({other, std::as_bytes(out).data(), out.size_bytes()});
    receives.push_back({other, std::as_writable_bytes(in).data(), in.size_bytes()});
  }
  constexpr auto memory = backends::memory_kind<ExchangeArrays::Exec::memory_space>;
  ranks.exchange({sends, receives, 0, memory}, "exchange");
}

}  // namespace

std::vector<RankRow> exchange_rows(const Ranks& ranks, const RankCase& input) {
  const Communicator& timed = ranks.timed;
  const auto arrays = std::make_shared<ExchangeArrays>(timed.rank(), timed.size(),
                                                       input.bytes_per_rank, input.seed);
  std::vector<RankRow> rows;
  rows.push_back(exchange_row("Communicator::exchange", false, arrays,
                              [timed](ExchangeArrays& all) { exchange(timed, all); }));
  if (!ranks.own_exchanges) return rows;
  for (RankRow& row : ranks.own_exchanges(arrays)) rows.push_back(std::move(row));
  return rows;
}

}  // namespace hashmill::perf
