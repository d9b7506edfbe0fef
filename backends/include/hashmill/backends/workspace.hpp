#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <vector>

namespace hashmill {

/// Temporary memory that operations borrow, so that repeating a call allocates nothing.
///
/// A stack of bytes in `MemorySpace`: an operation opens a `Frame`, takes arrays from it, and all
/// of them are given back when the frame closes. The memory is kept for the next call; when a frame
/// had to be served from several blocks they are merged into one as the outermost frame opens.
/// Owned by the caller, move-only, not thread-safe: use one workspace per execution-space instance,
/// whose order then protects memory that a closed frame's kernels may still be reading.
template <class MemorySpace>
class Workspace {
 public:
  template <class T>
  using Array = Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Workspace() = default;
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&&) noexcept = default;

  /// The scope of an operation's temporaries; frames nest.
  class Frame {
   public:
    explicit Frame(Workspace& workspace)
        : workspace_(workspace), used_(workspace.used_), open_block_(workspace.open_block_) {}
    ~Frame() {
      workspace_.used_ = used_;
      workspace_.open_block_ = open_block_;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Workspace& workspace_;
    std::uint64_t used_;
    std::size_t open_block_;
  };

  /// Takes an uninitialised array of `count` elements, aligned to 256 bytes, valid until the
  /// current frame closes. Allocates on `exec` only when the memory kept is not enough; throws
  /// CapacityError as `backends::allocate` does.
  template <class T, backends::ExecutionSpace Exec>
  [[nodiscard]] Array<T> take(const Exec& exec, std::uint64_t count) {
    const std::uint64_t bytes =
        checked_add(checked_bytes<T>(count, "workspace"), alignment - 1, "workspace") / alignment *
        alignment;
    make_room(exec, bytes);
    std::byte* start = blocks_[open_block_].data() + used_;
    used_ += bytes;
    std::uint64_t in_use = used_;
    for (std::size_t b = 0; b < open_block_; ++b) in_use += blocks_[b].extent(0);
    peak_ = std::max(peak_, in_use);
    return Array<T>(reinterpret_cast<T*>(start), count);
  }

  /// Makes sure that the next frames find `bytes` bytes in one piece, so that an operation which
  /// knows its needs allocates once. Does nothing while a frame has taken memory. Throws as `take`
  /// does.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t bytes) {
    if (open_block_ != 0 || used_ != 0) return;
    if (blocks_.size() == 1 && blocks_.front().extent(0) >= bytes) return;
    replace_blocks(exec, std::max(this->bytes(), bytes));
  }

  /// Bytes of memory held now.
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& block : blocks_) sum += block.extent(0);
    return sum;
  }

  /// The most bytes that open frames ever held at once.
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_; }

 private:
  using Block = Kokkos::View<std::byte*, MemorySpace>;
  static constexpr std::uint64_t alignment = 256;

  template <class Exec>
  void replace_blocks(const Exec& exec, std::uint64_t bytes) {
    if (!blocks_.empty()) {
      exec.fence("hashmill::Workspace: kernels may still use the blocks being replaced");
    }
    blocks_.clear();
    blocks_.push_back(backends::allocate<Block>(exec, "hashmill::Workspace", bytes));
  }

  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t bytes) {
    const bool idle = open_block_ == 0 && used_ == 0;
    if (idle && blocks_.size() > 1) replace_blocks(exec, std::max(this->bytes(), bytes));
    while (open_block_ < blocks_.size() && blocks_[open_block_].extent(0) - used_ < bytes) {
      if (open_block_ + 1 == blocks_.size()) break;
      ++open_block_;
      used_ = 0;
    }
    if (blocks_.empty() || blocks_[open_block_].extent(0) - used_ < bytes) {
      blocks_.push_back(backends::allocate<Block>(exec, "hashmill::Workspace", bytes));
      open_block_ = blocks_.size() - 1;
      used_ = 0;
    }
  }

  std::vector<Block> blocks_;
  std::size_t open_block_ = 0;
  std::uint64_t used_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace hashmill
