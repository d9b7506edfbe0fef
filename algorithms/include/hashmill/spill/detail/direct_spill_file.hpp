#pragma once

#include <deque>
#include <hashmill/spill/detail/file_transfers.hpp>
#include <hashmill/spill/detail/placed_extents.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// A file for batches in memory of the host. The system writes and reads their arrays where they
/// lie, and nothing is copied by this program. The memory of batches stays until they are in the
/// file. Those on their way there have at most half of the bytes that were granted for six blocks,
/// and batches that are read ahead have the other half.
template <class Exec>
class DirectSpillFile {
 public:
  using HostMemory = typename Exec::memory_space;
  static constexpr MemoryTier way_tier =
      MemoryTier::device;                          ///< what pays for batches on their way
  static constexpr std::uint64_t ring_blocks = 6;  ///< of how many blocks
  static constexpr bool is_direct = true;

  /// Throws as TemporaryFile.
  DirectSpillFile(MemoryAccount& account, const std::string& directory)
      : blocks_(account, way_tier), file_(directory), transfers_(file_) {}
  DirectSpillFile(const DirectSpillFile&) = delete;
  DirectSpillFile& operator=(const DirectSpillFile&) = delete;

  /// Writes the arrays of a batch, and adds where they lie to `extents`. Waits for `exec`.
  void write(const Exec& exec, StoredBatch batch, std::vector<FileExtent>& extents) {
    exec.fence("hashmill::spill: rows are written to a file");
    const auto held = std::make_shared<const StoredBatch>(std::move(batch));
    for (const ByteArray& array : held->arrays) write(array, held, extents);
    while (bytes_under_way_ > ring_blocks / 2 * blocks_.bytes()) let_first_go();
    while (!under_way_.empty() && transfers_.is_done(under_way_.front()->transfer)) let_first_go();
  }
  /// Bytes that were written are not needed any more.
  void release(const std::vector<FileExtent>& extents) { blocks_.release(extents); }

  /// Reads extents to their places, in the order asked for. There is one at a time.
  class Reader {
   public:
    explicit Reader(DirectSpillFile& file) : file_(file) {}
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;
    ~Reader() {
      for (const Request& request : requests_) {
        for (const FileTransfer& transfer : request) file_.transfers_.settle(transfer);
      }
    }

    /// Extents that will be taken after those asked for before.
    void ask(const Exec&, const std::vector<PlacedExtent>& placed) {
      Request& request = requests_.emplace_back();
      const FileExtent* last = nullptr;
      for (const auto& [extent, to] : placed) {
        file_.settle_written(extent.block);
        if (last == nullptr || last->block != extent.block || last->end != extent.begin) {
          request.push_back({false, file_.offset_of(extent.block, extent.begin)});
        }
        request.back().pieces.push_back({to, extent.end - extent.begin});
        last = &extent;
      }
      for (FileTransfer& transfer : request) file_.transfers_.start(transfer);
    }
    /// Waits until the extents asked for next are at their places.
    void take(const Exec&, const std::vector<PlacedExtent>&) {
      for (const FileTransfer& transfer : requests_.front()) file_.transfers_.wait(transfer);
      requests_.pop_front();
    }

   private:
    using Request = std::deque<FileTransfer>;
    DirectSpillFile& file_;
    std::deque<Request> requests_;
  };

 private:
  /// Bytes on their way to a block, and the batches that they are of.
  struct Write {
    FileTransfer transfer;
    std::uint64_t block, bytes = 0;
    std::vector<std::shared_ptr<const StoredBatch>> batches{};
  };

  void write(ByteArray array, const std::shared_ptr<const StoredBatch>& batch,
             std::vector<FileExtent>& extents) {
    while (array.bytes > 0) {
      if (!open_) open_write();
      const std::uint64_t count = std::min(array.bytes, blocks_.bytes() - filled_);
      open_->transfer.pieces.push_back({const_cast<std::byte*>(array.data), count});
      if (open_->batches.empty() || open_->batches.back() != batch) {
        open_->batches.push_back(batch);
      }
      extents.push_back({open_->block, filled_, filled_ + count});
      blocks_.use(open_->block);
      open_->bytes += count;
      bytes_under_way_ += count;
      filled_ += count;
      if (filled_ == blocks_.bytes()) start_write();
      array = {array.data + count, array.bytes - count};
    }
  }
  [[nodiscard]] std::uint64_t offset_of(std::uint64_t block, std::uint64_t begin) const {
    return block * blocks_.bytes() + begin;
  }
  /// Begins a block.
  void open_write() {
    const std::uint64_t block = blocks_.take();
    settle_written(block);
    open_ = std::make_unique<Write>(Write{{true, offset_of(block, 0)}, block});
    filled_ = 0;
  }
  /// Starts to write what is open. The rest of its block stays empty.
  void start_write() {
    blocks_.release(open_->block);
    under_way_.push_back(std::move(open_));
    transfers_.start(under_way_.back()->transfer);
  }
  /// Waits for what was started first, or is open, and frees its batches.
  void let_first_go() {
    if (under_way_.empty()) start_write();
    transfers_.wait(under_way_.front()->transfer);
    bytes_under_way_ -= under_way_.front()->bytes;
    under_way_.pop_front();
  }
  /// Waits until a block is in the file.
  void settle_written(std::uint64_t block) {
    if (open_ && open_->block == block) start_write();
    for (const auto& write : under_way_) {
      if (write->block == block) transfers_.wait(write->transfer);
    }
  }

  FileBlocks blocks_;
  std::unique_ptr<Write> open_;  // what is being gathered
  std::uint64_t filled_ = 0;     // bytes of its block
  std::deque<std::unique_ptr<Write>> under_way_;
  std::uint64_t bytes_under_way_ = 0;  // with what is open
  backends::TemporaryFile file_;
  FileTransfers transfers_;  // last: it ends before what it reads
};

}  // namespace hashmill::detail
