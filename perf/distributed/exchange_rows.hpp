#pragma once

#include <utility>

#include "exchange_arrays.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

/// A way to exchange the arrays of a rank: `exchange(arrays)`.
template <class Exchange>
class ExchangeRun final : public RankRun {
 public:
  ExchangeRun(std::shared_ptr<ExchangeArrays> arrays, Exchange exchange)
      : arrays_(std::move(arrays)), exchange_(std::move(exchange)) {}

  void clear() override { arrays_->clear(); }
  void run() override { exchange_(*arrays_); }
  std::uint64_t num_wrong() const override { return arrays_->num_wrong(); }
  std::optional<std::uint64_t> bytes_sent() const override { return arrays_->bytes_sent(); }

 private:
  std::shared_ptr<ExchangeArrays> arrays_;
  Exchange exchange_;
};

/// The row of a way to exchange the arrays.
template <class Exchange>
RankRow exchange_row(std::string name, bool is_standard, std::shared_ptr<ExchangeArrays> arrays,
                     Exchange exchange) {
  return {std::move(name), is_standard,
          std::make_unique<ExchangeRun<Exchange>>(std::move(arrays), std::move(exchange))};
}

/// Every rank sends equal pieces to all ranks: ours, and beside it the transport's own.
std::vector<RankRow> exchange_rows(const Ranks& ranks, const RankCase& input);

}  // namespace hashmill::perf
