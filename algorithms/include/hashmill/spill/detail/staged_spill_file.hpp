#pragma once

#include <array>
#include <deque>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/spill/detail/copy_bytes.hpp>
#include <hashmill/spill/detail/file_transfers.hpp>
#include <hashmill/spill/detail/placed_extents.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// A file for batches in memory that the system cannot write from, such as a GPU's. They pass
/// through blocks of pinned memory:
///
///     batches  -> 3 blocks of memory to write -> file      each full block is written while the
///     next batches <- 3 blocks of memory to read  <- file      one is filled, and read ahead
///     likewise
///
/// The six blocks of memory have been granted by the host's tier.
template <class Exec>
class StagedSpillFile {
 public:
  using Memory = typename Exec::memory_space;
  using HostMemory = Kokkos::SharedHostPinnedSpace;
  static constexpr MemoryTier way_tier = MemoryTier::host;  ///< what pays for those blocks
  static constexpr std::uint64_t ring_blocks = 6;           ///< how many they are
  static constexpr bool is_direct = false;

  /// Throws CapacityError where memory is short, else as TemporaryFile.
  StagedSpillFile(MemoryAccount& account, const std::string& directory)
      : blocks_(account, way_tier),
        memory_(backends::allocate<decltype(memory_)>(Kokkos::DefaultExecutionSpace(),
                                                      "hashmill::spill::blocks",
                                                      ring_blocks * blocks_.bytes())),
        file_(directory),
        transfers_(file_) {
    for (std::size_t b = 0; b < writing_.size(); ++b) {
      writing_[b].data = memory_.data() + b * blocks_.bytes();
      reading_[b].data = memory_.data() + (writing_.size() + b) * blocks_.bytes();
    }
  }
  StagedSpillFile(const StagedSpillFile&) = delete;
  StagedSpillFile& operator=(const StagedSpillFile&) = delete;

  /// Writes the arrays of a batch, and adds where they lie to `extents`. Waits for `exec`.
  void write(const Exec& exec, StoredBatch batch, std::vector<FileExtent>& extents) {
    for (const ByteArray& array : batch.arrays) write(exec, array, extents);
    exec.fence("hashmill::spill: the memory of rows is freed");
  }
  /// Bytes that were written are not needed any more.
  void release(const std::vector<FileExtent>& extents) { blocks_.release(extents); }

  /// Reads extents in their order, ahead of who takes them. There is one at a time.
  class Reader {
   public:
    explicit Reader(StagedSpillFile& file) : file_(file) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() {
      for (Block& block : file_.reading_) file_.transfers_.settle(block.transfer);
    }

    /// Extents that will be taken after those asked for before. `exec` has written them.
    void ask(const Exec& exec, const std::vector<PlacedExtent>& placed) {
      for (const auto& [extent, to] : placed) {
        file_.settle_written(exec, extent.block);
        asked_.push_back(extent);
      }
      read_ahead();
    }
    /// Copies the extents asked for next to their places. Waits for `exec`.
    void take(const Exec& exec, const std::vector<PlacedExtent>& placed) {
      for (const auto& [extent, to] : placed) take(exec, extent, to);
      exec.fence("hashmill::spill: rows that were read are handed over");
    }

   private:
    void take(const Exec& exec, const FileExtent& extent, std::byte* to) {
      Block& block = file_.reading_[next_taken_ % file_.reading_.size()];
      file_.transfers_.wait(block.transfer);
      copy_bytes<Memory, HostMemory>(exec, to, block.data + (extent.begin - block.begin),
                                     extent.end - extent.begin);
      if (extent.end != block.begin + block.bytes) return;
      exec.fence("hashmill::spill: a block of memory is used again");
      ++next_taken_;
      read_ahead();
    }
    void read_ahead() {
      while (!asked_.empty() && next_read_ - next_taken_ < file_.reading_.size()) {
        FileExtent whole = asked_.front();
        asked_.pop_front();
        while (!asked_.empty() && is_near(whole, asked_.front())) {
          whole.end = asked_.front().end;
          asked_.pop_front();
        }
        file_.start(file_.reading_[next_read_++ % file_.reading_.size()], whole, false);
      }
    }
    /// Whether it costs as much to read both as to read one: a disk reads whole pages.
    [[nodiscard]] static bool is_near(const FileExtent& first, const FileExtent& next) {
      constexpr std::uint64_t page = 4096;
      return next.block == first.block && next.begin >= first.end && next.begin - first.end <= page;
    }
    StagedSpillFile& file_;
    std::deque<FileExtent> asked_;
    std::uint64_t next_read_ = 0, next_taken_ = 0;
  };

 private:
  /// A block of memory, and what of the file it holds.
  struct Block {
    std::byte* data = nullptr;
    std::uint64_t block = none, begin = 0, bytes = 0;
    FileTransfer transfer{};
  };
  static constexpr std::uint64_t none = ~std::uint64_t{0};

  void write(const Exec& exec, ByteArray array, std::vector<FileExtent>& extents) {
    while (array.bytes > 0) {
      if (open_ == nullptr) open_block();
      const std::uint64_t count = std::min(array.bytes, blocks_.bytes() - open_->bytes);
      copy_bytes<HostMemory, Memory>(exec, open_->data + open_->bytes, array.data, count);
      extents.push_back({open_->block, open_->bytes, open_->bytes + count});
      blocks_.use(open_->block);
      open_->bytes += count;
      if (open_->bytes == blocks_.bytes()) close_block(exec);
      array = {array.data + count, array.bytes - count};
    }
  }
  void start(Block& block, const FileExtent& extent, bool writes) {
    block.block = extent.block;
    block.begin = extent.begin;
    block.bytes = extent.end - extent.begin;
    block.transfer = {
        writes, extent.block * blocks_.bytes() + extent.begin, {{block.data, block.bytes}}};
    transfers_.start(block.transfer);
  }
  void open_block() {
    Block& next = writing_[next_written_ % writing_.size()];
    transfers_.wait(next.transfer);
    next.block = blocks_.take();
    next.bytes = 0;
    for (const Block& written : writing_) {
      if (written.block == next.block) transfers_.wait(written.transfer);
    }
    ++next_written_;
    open_ = &next;
  }
  void close_block(const Exec& exec) {
    exec.fence("hashmill::spill: a block is written to a file");
    Block& full = *std::exchange(open_, nullptr);
    start(full, {full.block, 0, full.bytes}, true);
    blocks_.release(full.block);
  }
  /// Waits until a block is in the file.
  void settle_written(const Exec& exec, std::uint64_t block) {
    if (open_ != nullptr && open_->block == block) close_block(exec);
    for (const Block& written : writing_) {
      if (written.block == block) transfers_.wait(written.transfer);
    }
  }

  FileBlocks blocks_;
  Kokkos::View<std::byte*, HostMemory> memory_;
  std::array<Block, ring_blocks / 2> writing_, reading_;
  Block* open_ = nullptr;  // the block that is being filled
  std::uint64_t next_written_ = 0;
  backends::TemporaryFile file_;
  FileTransfers transfers_;  // last: it ends before the memory
};

}  // namespace hashmill::detail
