#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/detail/handed_over.hpp>
#include <memory>
#include <vector>

namespace hashmill {

/// Temporary memory that operations borrow, so that a repeated call allocates nothing.
///
/// It is a stack of bytes in `MemorySpace`. An operation opens a `Frame` and takes arrays from it;
/// all of them are returned when the frame closes. The memory is kept for the next call. If a frame
/// needed several blocks, they are merged into one when memory is next taken with no frame's memory
/// in use.
///
/// The caller owns it. It is move-only and not thread-safe. Use one workspace per execution-space
/// instance: the order of that instance then protects memory that a closed frame's kernels may
/// still be reading. A moved-from workspace is empty and can be used again. None may be moved while
/// a frame is open.
template <class MemorySpace>
class Workspace {
 public:
  /// An array in the workspace: an unmanaged view.
  template <class T>
  using Array = Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  Workspace() = default;
  Workspace(Workspace&&) noexcept = default;
  Workspace& operator=(Workspace&&) noexcept = default;

  /// The scope of an operation's temporary arrays. Frames nest.
  class Frame {
   public:
    /// Opens a frame in `workspace`, which must outlive it.
    explicit Frame(Workspace& workspace)
        : workspace_(workspace),
          used_(workspace.held_.used),
          open_block_(workspace.held_.open_block) {}
    ~Frame() {
      workspace_.held_.used = used_;
      workspace_.held_.open_block = open_block_;
    }
    Frame(const Frame&) = delete;
    Frame& operator=(const Frame&) = delete;

   private:
    Workspace& workspace_;
    std::uint64_t used_;
    std::size_t open_block_;
  };

  /// Takes an uninitialised array of `count` elements, aligned to 256 bytes, valid until the
  /// current frame closes. Allocates on `exec` only when the memory kept does not suffice, and
  /// fences `exec` before it replaces blocks. Throws CapacityError as `backends::allocate` does.
  template <class T, backends::ExecutionSpace Exec>
  [[nodiscard]] Array<T> take(const Exec& exec, std::uint64_t count) {
    const std::uint64_t bytes =
        checked_add(checked_bytes<T>(count, "workspace"), alignment - 1, "workspace") / alignment *
        alignment;
    make_room(exec, bytes);
    std::byte* start = held_.blocks[held_.open_block].data() + held_.used;
    held_.used += bytes;
    std::uint64_t in_use = held_.used;
    for (std::size_t b = 0; b < held_.open_block; ++b) in_use += held_.blocks[b].extent(0);
    held_.peak = std::max(held_.peak, in_use);
    return Array<T>(reinterpret_cast<T*>(start), count);
  }

  /// Ensures that the next frames find `bytes` bytes in one piece, so that an operation that knows
  /// its needs allocates once. Does nothing while a frame holds memory. Fences `exec` if it
  /// replaces blocks. Throws as `take` does.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t bytes) {
    if (held_.open_block != 0 || held_.used != 0) return;
    if (held_.blocks.size() == 1 && held_.blocks.front().extent(0) >= bytes) return;
    replace_blocks(exec, std::max(this->bytes(), bytes));
  }

  /// Holds the memory in which open frames have arrays, for what may still write there when they
  /// close.
  [[nodiscard]] std::shared_ptr<const void> hold() const {
    return std::make_shared<const std::vector<Block>>(held_.blocks);
  }
  /// Leaves all memory to those who hold it. Open frames must not be used any more.
  void give_up() { held_ = detail::HandedOver<Held>(); }

  /// Bytes of memory held now.
  [[nodiscard]] std::uint64_t bytes() const {
    std::uint64_t sum = 0;
    for (const auto& block : held_.blocks) sum += block.extent(0);
    return sum;
  }

  /// The most bytes that open frames ever held at the same time.
  [[nodiscard]] std::uint64_t peak_bytes() const { return held_.peak; }

 private:
  using Block = Kokkos::View<std::byte*, MemorySpace>;
  static constexpr std::uint64_t alignment = 256;

  struct Held {
    std::vector<Block> blocks;
    std::size_t open_block = 0;
    std::uint64_t used = 0;  // of the open block
    std::uint64_t peak = 0;
  };

  /// Blocks of the cache may be longer than what is asked for, so that calls of similar sizes share
  /// them.
  template <class Exec>
  [[nodiscard]] static Block new_block(const Exec& exec, std::uint64_t bytes) {
    return backends::allocate_roomy<Block>(exec, "hashmill::Workspace", bytes, 2 * bytes,
                                           backends::ArrayUsers::one_instance);
  }

  template <class Exec>
  void replace_blocks(const Exec& exec, std::uint64_t bytes) {
    if (!held_.blocks.empty()) {
      exec.fence("hashmill::Workspace: kernels may still use the blocks being replaced");
    }
    held_.blocks.clear();
    held_.blocks.push_back(new_block(exec, bytes));
  }

  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t bytes) {
    const bool idle = held_.open_block == 0 && held_.used == 0;
    if (idle && held_.blocks.size() > 1) replace_blocks(exec, std::max(this->bytes(), bytes));
    while (held_.open_block < held_.blocks.size() &&
           held_.blocks[held_.open_block].extent(0) - held_.used < bytes) {
      if (held_.open_block + 1 == held_.blocks.size()) break;
      ++held_.open_block;
      held_.used = 0;
    }
    if (held_.blocks.empty() || held_.blocks[held_.open_block].extent(0) - held_.used < bytes) {
      held_.blocks.push_back(new_block(exec, bytes));
      held_.open_block = held_.blocks.size() - 1;
      held_.used = 0;
    }
  }

  detail::HandedOver<Held> held_;
};

}  // namespace hashmill
