#pragma once

#include <cstdint>
#include <hashmill/backends/transport.hpp>
#include <hashmill/murmur.hpp>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// Compares the lengths of the pieces of an exchange between its ranks, for a transport that does
/// not do so. It also tells which ranks have started the exchange.
class LengthCheck {
 public:
  /// Sends the lengths through a transport of host memory.
  LengthCheck(Transport& transport, const Exchange& exchange) {
    std::map<int, Lengths> out, in;
    for (const Send& piece : exchange.sends) out[piece.rank].add(piece.bytes);
    for (const Receive& piece : exchange.receives) in[piece.rank].add(piece.bytes);
    out.erase(transport.rank());
    in.erase(transport.rank());
    for (const auto& [rank, lengths] : out) mail_->out.push_back(lengths);
    mail_->in.resize(in.size());
    std::vector<Send> sends;
    std::vector<Receive> receives;
    sends.reserve(out.size());
    for (const auto& [rank, lengths] : out) {
      sends.push_back(
          {rank, reinterpret_cast<const std::byte*>(&mail_->out[sends.size()]), sizeof(Lengths)});
    }
    for (const auto& [rank, lengths] : in) {
      expected_.emplace_back(rank, lengths);
      receives.push_back(
          {rank, reinterpret_cast<std::byte*>(&mail_->in[receives.size()]), sizeof(Lengths)});
    }
    transfer_ = transport.start({sends, receives, exchange.tag, MemoryKind::host, mail_});
  }

  /// Whether all ranks that send to this one have started the exchange, and have the lengths sent
  /// to them. Throws `TransportFailure` where lengths differ.
  [[nodiscard]] bool test() {
    if (transfer_ == nullptr) return true;
    if (!transfer_->test()) return false;
    transfer_ = nullptr;
    for (std::size_t i = 0; i < expected_.size(); ++i) {
      const auto& [rank, mine] = expected_[i];
      const Lengths& theirs = mail_->in[i];
      if (mine == theirs) continue;
      const bool same_sum = mine.bytes == theirs.bytes;
      throw TransportFailure(rank, "it sends " + std::to_string(theirs.bytes) + " bytes where " +
                                       std::to_string(mine.bytes) + " are expected" +
                                       (same_sum ? ", in other pieces" : ""));
    }
    return true;
  }
  /// The ranks that are not known to have started it.
  [[nodiscard]] std::vector<int> pending() const {
    return transfer_ != nullptr ? transfer_->pending() : std::vector<int>{};
  }
  /// What is still under way; null if nothing is.
  [[nodiscard]] std::unique_ptr<Transfer> release() { return std::move(transfer_); }

 private:
  struct Lengths {
    std::uint64_t bytes = 0, digest = 0;

    void add(std::uint64_t length) {
      bytes += length;
      digest = murmur3_fmix64(digest + length + 1);
    }
    friend bool operator==(const Lengths&, const Lengths&) = default;
  };
  struct Mail {
    std::vector<Lengths> out, in;
  };

  std::shared_ptr<Mail> mail_ = std::make_shared<Mail>();
  std::vector<std::pair<int, Lengths>> expected_;  // of each rank that sends, in the order of `in`
  std::unique_ptr<Transfer> transfer_;
};

}  // namespace hashmill::backends
