#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <array>
#include <cstring>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/spill/detail/file_transfers.hpp>
#include <hashmill/spill/detail/memory_account.hpp>
#include <string>
#include <vector>

namespace hashmill::detail {

/// Copies bytes between memory of the execution space and of the host. Asynchronous. Within the
/// host one thread copies faster than files are written, and needs no other thread to be awake.
template <class To, class From, class Exec>
void copy_bytes(const Exec& exec, std::byte* to, const std::byte* from, std::uint64_t bytes) {
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  if (bytes == 0) return;
  if constexpr (backends::is_host_memory<To> && backends::is_host_memory<From>) {
    exec.fence("hashmill::spill: bytes have been written before they are copied");
    std::memcpy(to, from, bytes);
  } else {
    Kokkos::deep_copy(exec, Kokkos::View<std::byte*, To, Unmanaged>(to, bytes),
                      Kokkos::View<const std::byte*, From, Unmanaged>(from, bytes));
  }
}

/// Bytes of one block of a file.
struct FileExtent {
  std::uint64_t block, begin, end;
};

/// A file of blocks to which bytes are written one behind another, and read again in any order.
///
///     bytes   -> 3 blocks of memory to write -> file      each full block is written while the
///     next bytes   <- 3 blocks of memory to read  <- file      one is filled, and read ahead
///     likewise
///
/// A block holds bytes of several writers, and is used again once none of them needs it. The six
/// blocks of memory have been granted. The file takes bytes from the account block by block.
template <class Exec>
class SpillFile {
 public:
  using Memory = typename Exec::memory_space;
  using HostMemory = Kokkos::SharedHostPinnedSpace;  // that of the host where there is no GPU
  /// What pays for memory of the host.
  static constexpr MemoryTier ring_tier =
      backends::is_host_memory<Memory> ? MemoryTier::device : MemoryTier::host;

  /// The bytes of a block within a budget: a 64th of the memory that pays for the blocks.
  [[nodiscard]] static std::uint64_t block_bytes(const MemoryAccount& account) {
    constexpr std::uint64_t least = 512, most = std::uint64_t{8} << 20;
    return std::clamp(account.limit(ring_tier) / 64 / least * least, least, most);
  }

  /// The bytes of a file's blocks of memory.
  [[nodiscard]] static std::uint64_t ring_bytes(const MemoryAccount& account) {
    return ring_blocks * block_bytes(account);
  }
  /// Throws CapacityError where memory is short, else as TemporaryFile.
  SpillFile(MemoryAccount& account, const std::string& directory)
      : account_(account),
        block_bytes_(block_bytes(account)),
        memory_(backends::allocate<decltype(memory_)>(Kokkos::DefaultExecutionSpace(),
                                                      "hashmill::spill::blocks",
                                                      ring_blocks * block_bytes_)),
        file_(directory),
        transfers_(file_) {
    for (std::size_t b = 0; b < writing_.size(); ++b) {
      writing_[b].data = memory_.data() + b * block_bytes_;
      reading_[b].data = memory_.data() + (writing_.size() + b) * block_bytes_;
    }
  }
  SpillFile(const SpillFile&) = delete;
  SpillFile& operator=(const SpillFile&) = delete;

  /// Appends bytes, and adds where they lie to `extents`. They may be freed once `exec` is fenced.
  void write(const Exec& exec, const std::byte* data, std::uint64_t bytes,
             std::vector<FileExtent>& extents) {
    while (bytes > 0) {
      if (open_ == nullptr) open_block();
      const std::uint64_t count = std::min(bytes, block_bytes_ - open_->bytes);
      copy_bytes<HostMemory, Memory>(exec, open_->data + open_->bytes, data, count);
      extents.push_back({open_->block, open_->bytes, open_->bytes + count});
      ++users_[open_->block];
      open_->bytes += count;
      if (open_->bytes == block_bytes_) close_block(exec);
      data += count;
      bytes -= count;
    }
  }
  /// Bytes that were written are not needed any more.
  void release(const std::vector<FileExtent>& extents) {
    for (const FileExtent& extent : extents) {
      const bool is_open = open_ != nullptr && open_->block == extent.block;
      if (--users_[extent.block] == 0 && !is_open) free_.push_back(extent.block);
    }
  }

  /// Reads extents in their order, ahead of who takes them. There is one at a time.
  class Reader {
   public:
    explicit Reader(SpillFile& file) : file_(file) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() {
      for (Block& block : file_.reading_) file_.transfers_.settle(block.transfer);
    }

    /// Extents that will be taken after those asked for before. `exec` has written them.
    void ask(const Exec& exec, const std::vector<FileExtent>& extents) {
      for (const FileExtent& extent : extents) file_.settle_written(exec, extent.block);
      asked_.insert(asked_.end(), extents.begin(), extents.end());
      read_ahead();
    }
    /// Whether it has something to do until the next extent is taken.
    [[nodiscard]] bool is_busy() const { return !asked_.empty(); }
    /// Copies the next extent to `to`. Waits for both.
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

   private:
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
    SpillFile& file_;
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
  static constexpr std::uint64_t none = ~std::uint64_t{0}, ring_blocks = 6;

  void start(Block& block, const FileExtent& extent, bool writes) {
    block.block = extent.block;
    block.begin = extent.begin;
    block.bytes = extent.end - extent.begin;
    block.transfer = {writes, block.data, extent.block * block_bytes_ + extent.begin, block.bytes};
    transfers_.start(block.transfer);
  }
  void open_block() {
    Block& next = writing_[next_written_ % writing_.size()];
    transfers_.wait(next.transfer);
    next.block = new_block();
    next.bytes = 0;
    ++next_written_;
    open_ = &next;
  }
  void close_block(const Exec& exec) {
    exec.fence("hashmill::spill: a block is written to a file");
    Block& full = *std::exchange(open_, nullptr);
    start(full, {full.block, 0, full.bytes}, true);
    if (users_[full.block] == 0) free_.push_back(full.block);
  }
  [[nodiscard]] std::uint64_t new_block() {
    if (free_.empty()) {
      grants_.push_back(account_.take(MemoryTier::file, block_bytes_, "a block of a file"));
      users_.push_back(0);
      return users_.size() - 1;
    }
    const std::uint64_t block = free_.back();
    for (const Block& written : writing_) {
      if (written.block == block) transfers_.wait(written.transfer);
    }
    free_.pop_back();
    return block;
  }
  /// Waits until a block is in the file.
  void settle_written(const Exec& exec, std::uint64_t block) {
    if (open_ != nullptr && open_->block == block) close_block(exec);
    for (const Block& written : writing_) {
      if (written.block == block) transfers_.wait(written.transfer);
    }
  }

  MemoryAccount& account_;
  std::uint64_t block_bytes_;
  Kokkos::View<std::byte*, HostMemory> memory_;
  std::array<Block, ring_blocks / 2> writing_, reading_;
  Block* open_ = nullptr;  // the block that is being filled
  std::uint64_t next_written_ = 0;
  std::vector<std::uint64_t> users_;  // of each block of the file, extents that are needed
  std::vector<std::uint64_t> free_;
  std::vector<MemoryAccount::Grant> grants_;
  backends::TemporaryFile file_;
  FileTransfers transfers_;  // last: it ends before the memory
};

}  // namespace hashmill::detail
