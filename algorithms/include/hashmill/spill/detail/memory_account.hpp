#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/spill/memory_budget.hpp>
#include <string>
#include <utility>

namespace hashmill::detail {

/// Where bytes of a call lie. Earlier ones are faster.
enum class MemoryTier : std::uint8_t { device, host, file };

/// Memory that is allocated and granted to nobody.
class KeptMemory {
 public:
  /// Frees some, so that at most so many bytes are left.
  virtual void fit(std::uint64_t most) = 0;

 protected:
  ~KeptMemory() = default;
};

/// The memory of one call. Whatever takes some asks here first. For one host thread.
class MemoryAccount {
 public:
  /// `budget` has been resolved.
  explicit MemoryAccount(const MemoryBudget& budget)
      : tiers_{{{budget.device}, {budget.host}, {budget.file}}} {}
  MemoryAccount(const MemoryAccount&) = delete;
  MemoryAccount& operator=(const MemoryAccount&) = delete;

  /// Bytes that were granted, and go back where this ends. The account outlives it.
  class Grant {
   public:
    Grant() = default;
    Grant(Grant&& other) noexcept
        : account_(std::exchange(other.account_, nullptr)),
          tier_(other.tier_),
          bytes_(std::exchange(other.bytes_, 0)) {}
    Grant& operator=(Grant&& other) noexcept {
      std::swap(account_, other.account_);
      std::swap(tier_, other.tier_);
      std::swap(bytes_, other.bytes_);
      return *this;
    }
    ~Grant() {
      if (account_ != nullptr) account_->tier(tier_).used -= bytes_;
    }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

   private:
    friend class MemoryAccount;
    Grant(MemoryAccount& account, MemoryTier tier, std::uint64_t bytes)
        : account_(&account), tier_(tier), bytes_(bytes) {}
    MemoryAccount* account_ = nullptr;
    MemoryTier tier_ = MemoryTier::device;
    std::uint64_t bytes_ = 0;
  };

  /// Grants bytes. Throws CapacityError, which names `what`, where fewer are left.
  [[nodiscard]] Grant take(MemoryTier of, std::uint64_t bytes, const char* what) {
    Tier& from = tier(of);
    if (bytes > available(of)) {
      static constexpr const char* names[] = {"device", "host", "file"};
      throw CapacityError(std::string("memory budget: ") + what + " takes " +
                              std::to_string(bytes) + " bytes, but " +
                              std::to_string(available(of)) + " of " + std::to_string(from.limit) +
                              " are left (" + names[static_cast<std::size_t>(of)] + ")",
                          bytes, available(of));
    }
    from.used += bytes;
    from.peak = std::max(from.peak, from.used);
    if (from.kept != nullptr) from.kept->fit(available(of));
    return {*this, of, bytes};
  }
  /// What keeps memory of a tier beyond what is granted; null: nobody.
  void set_kept(MemoryTier of, KeptMemory* kept) { tier(of).kept = kept; }
  /// All bytes of a tier, those left, and the most that were ever granted at the same time.
  [[nodiscard]] std::uint64_t limit(MemoryTier of) const { return tier(of).limit; }
  [[nodiscard]] std::uint64_t available(MemoryTier of) const {
    return tier(of).limit - tier(of).used;
  }
  [[nodiscard]] std::uint64_t peak(MemoryTier of) const { return tier(of).peak; }

 private:
  struct Tier {
    std::uint64_t limit;
    std::uint64_t used = 0, peak = 0;
    KeptMemory* kept = nullptr;
  };
  [[nodiscard]] Tier& tier(MemoryTier of) { return tiers_[static_cast<std::size_t>(of)]; }
  [[nodiscard]] const Tier& tier(MemoryTier of) const {
    return tiers_[static_cast<std::size_t>(of)];
  }

  std::array<Tier, 3> tiers_;
};

}  // namespace hashmill::detail
