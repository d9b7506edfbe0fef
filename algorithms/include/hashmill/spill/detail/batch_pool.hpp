#pragma once

#include <bit>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/spill/detail/memory_account.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// The bytes that a batch takes: at most an eighth more than it has. So batches of about one length
/// can use each other's memory.
[[nodiscard]] constexpr std::uint64_t pooled_bytes(std::uint64_t bytes) {
  const std::uint64_t unit = std::max<std::uint64_t>(std::bit_floor(bytes) / 8, 32);
  return (bytes + unit - 1) / unit * unit;
}

/// Memory for batches, which is kept once they go, and used again. New memory costs a fault for
/// each page on hosts, and on GPUs a call of the driver for each piece.
///
/// What is kept is not granted to anybody. The account has it freed where others need it.
template <class MemorySpace>
class BatchPool {
 public:
  /// Keeps memory of a tier of an account.
  BatchPool(MemoryAccount& account, MemoryTier tier)
      : kept_(std::make_shared<Kept>(account, tier)) {
    account.set_kept(tier, kept_.get());
  }
  BatchPool(const BatchPool&) = delete;
  BatchPool& operator=(const BatchPool&) = delete;
  /// Batches can outlive it.
  ~BatchPool() { kept_->close(); }

  /// Memory of `pooled_bytes(bytes)` bytes, which have been granted. Throws as
  /// `backends::allocate`.
  template <class Exec>
  [[nodiscard]] std::shared_ptr<std::byte> take(const Exec& exec, std::uint64_t bytes) {
    const std::uint64_t size = pooled_bytes(bytes);
    auto taken = std::make_shared<Taken>();
    taken->bytes = kept_->take(size);
    if (taken->bytes.data() == nullptr) {
      taken->bytes = backends::allocate<Bytes>(exec, "hashmill::spill::batch", size);
    }
    taken->kept = kept_;
    return {taken, taken->bytes.data()};
  }

 private:
  using Bytes = Kokkos::View<std::byte*, MemorySpace>;

  /// What is kept, by length.
  class Kept final : public KeptMemory {
   public:
    Kept(MemoryAccount& account, MemoryTier tier) : account_(&account), tier_(tier) {}

    void fit(std::uint64_t most) override {
      for (auto longest = free_.rbegin(); bytes_ > most; ++longest) {
        while (bytes_ > most && !longest->second.empty()) {
          static_cast<void>(pop(longest->second));
        }
      }
    }
    /// Memory of that length, or none.
    [[nodiscard]] Bytes take(std::uint64_t size) {
      const auto found = free_.find(size);
      return found == free_.end() || found->second.empty() ? Bytes() : pop(found->second);
    }
    /// Keeps memory where the account has room for it.
    void give(Bytes bytes) noexcept {
      const std::uint64_t size = bytes.extent(0);
      if (account_ == nullptr || account_->available(tier_) < bytes_ + size) return;
      try {
        free_.try_emplace(size).first->second.push_back(bytes);
        bytes_ += size;
      } catch (const std::bad_alloc&) {  // it is freed
      }
    }
    void close() {
      account_->set_kept(tier_, nullptr);
      account_ = nullptr;
      free_.clear();
      bytes_ = 0;
    }

   private:
    [[nodiscard]] Bytes pop(std::vector<Bytes>& same) {
      Bytes bytes = std::move(same.back());
      same.pop_back();
      bytes_ -= bytes.extent(0);
      return bytes;
    }
    MemoryAccount* account_;
    MemoryTier tier_;
    std::map<std::uint64_t, std::vector<Bytes>> free_;
    std::uint64_t bytes_ = 0;
  };
  /// Memory that a batch has.
  struct Taken {
    Taken() = default;
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() {
      if (kept) kept->give(std::move(bytes));
    }
    Bytes bytes;
    std::shared_ptr<Kept> kept;
  };

  std::shared_ptr<Kept> kept_;
};

}  // namespace hashmill::detail
