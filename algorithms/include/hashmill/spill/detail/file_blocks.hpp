#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/spill/detail/memory_account.hpp>
#include <vector>

namespace hashmill::detail {

/// Bytes of one block of a file.
struct FileExtent {
  std::uint64_t block, begin, end;
};

/// The blocks of a file. One is used again once nobody needs bytes in it. The file takes its bytes
/// from the account block by block.
class FileBlocks {
 public:
  /// `tier`: what pays for memory through which blocks pass. A block has a 64th of its bytes.
  FileBlocks(MemoryAccount& account, MemoryTier tier)
      : account_(account), bytes_(bytes_within(account, tier)) {}

  /// The bytes of a block within a budget.
  [[nodiscard]] static std::uint64_t bytes_within(const MemoryAccount& account, MemoryTier tier) {
    constexpr std::uint64_t least = 512, most = std::uint64_t{8} << 20;
    return std::clamp(account.limit(tier) / 64 / least * least, least, most);
  }
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

  /// A block that nobody else uses. Throws CapacityError where the file would be too large.
  [[nodiscard]] std::uint64_t take() {
    if (free_.empty()) {
      grants_.push_back(account_.take(MemoryTier::file, bytes_, "a block of a file"));
      users_.push_back(1);
      return users_.size() - 1;
    }
    const std::uint64_t block = free_.back();
    free_.pop_back();
    users_[block] = 1;
    return block;
  }
  /// One more uses a block, or one does not any more.
  void use(std::uint64_t block) { ++users_[block]; }
  void release(std::uint64_t block) {
    if (--users_[block] == 0) free_.push_back(block);
  }
  void release(const std::vector<FileExtent>& extents) {
    for (const FileExtent& extent : extents) release(extent.block);
  }

 private:
  MemoryAccount& account_;
  std::uint64_t bytes_;
  std::vector<std::uint64_t> users_;  // of each block
  std::vector<std::uint64_t> free_;
  std::vector<MemoryAccount::Grant> grants_;
};

}  // namespace hashmill::detail
