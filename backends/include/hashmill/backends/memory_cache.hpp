#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <hashmill/backends/device_memory.hpp>
#include <hashmill/backends/huge_pages.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// The bytes that HASHMILL_MEMORY_CACHE names, or `otherwise` where it is not set. Throws
/// InvalidArgument where it is no number.
[[nodiscard]] inline std::uint64_t memory_cache_setting(std::uint64_t otherwise) {
  const char* const text = std::getenv("HASHMILL_MEMORY_CACHE");
  if (text == nullptr) return otherwise;
  const std::string_view digits = text;
  const bool is_number = !digits.empty() &&
                         digits.size() < std::numeric_limits<std::uint64_t>::digits10 &&
                         digits.find_first_not_of("0123456789") == std::string_view::npos;
  if (is_number) return std::strtoull(text, nullptr, 10);
  throw InvalidArgument("HASHMILL_MEMORY_CACHE is \"" + std::string(text) +
                        "\"; it must be a number of bytes, 0 for none");
}

/// While one lives, its thread takes no memory from a cache and leaves none there: for operations
/// that hold a budget of memory.
class WithoutMemoryCache {
 public:
  WithoutMemoryCache() { ++depth(); }
  ~WithoutMemoryCache() { --depth(); }
  WithoutMemoryCache(const WithoutMemoryCache&) = delete;
  WithoutMemoryCache& operator=(const WithoutMemoryCache&) = delete;

  /// Whether one lives in this thread.
  [[nodiscard]] static bool is_active() { return depth() != 0; }

 private:
  static int& depth() {
    thread_local int count = 0;
    return count;
  }
};

/// Blocks of `MemorySpace` that nobody uses, kept for those who need one next. There is one cache
/// for each memory space of a process, and it may be used by several threads.
///
/// Getting memory from the system and giving it back costs more than many operations on it. CUDA
/// waits for the whole device and takes about 2 ms for a GiB. Hosts fault in every page again.
///
/// | it keeps | at most |
/// |---|---|
/// | bytes | `limit()`: 1/8 of what is free at its first use, or HASHMILL_MEMORY_CACHE bytes |
/// | blocks | 256 |
/// | on hosts, blocks of | at least 32 MiB: malloc keeps shorter ones (`newly_mapped_bytes`) |
///
/// Those kept longest are freed first. An allocation that fails for want of memory frees all and is
/// tried again (`backends::allocate`), and `free_bytes` counts them as free. All are freed when
/// Kokkos is finalized.
template <class MemorySpace>
class MemoryCache {
 public:
  using Block = Kokkos::View<std::byte*, MemorySpace>;
  /// Shorter blocks are not kept.
  static constexpr std::uint64_t least_bytes = is_host_memory<MemorySpace> ? newly_mapped_bytes : 1;

  /// The cache of this process.
  [[nodiscard]] static MemoryCache& instance() {
    static auto* const cache = new MemoryCache;  // outlives all static objects that own memory
    return *cache;
  }

  /// Takes the smallest block of `device` with `bytes` to `most_bytes` bytes. Returns an empty view
  /// where there is none. Throws as `memory_cache_setting` does.
  [[nodiscard]] Block take(int device, std::uint64_t bytes, std::uint64_t most_bytes) {
    if (WithoutMemoryCache::is_active()) return Block();
    const std::lock_guard lock(mutex_);
    if (held_limit() == 0) return Block();  // a wrong setting is told here, where one can throw
    auto best = kept_.end();
    for (auto block = kept_.begin(); block != kept_.end(); ++block) {
      const std::uint64_t size = block->memory.size();
      const bool fits = block->device == device && size >= bytes && size <= most_bytes;
      if (fits && (best == kept_.end() || size < best->memory.size())) best = block;
    }
    return best == kept_.end() ? Block() : remove(best);
  }

  /// Keeps a block of `device` that nothing uses any more, or frees it: where others share it, and
  /// where it is too short or too long to be kept.
  void keep(Block&& block, int device) noexcept {
    const Block own = std::exchange(block, Block());
    if (own.size() < least_bytes || own.use_count() != 1) return;
    if (WithoutMemoryCache::is_active() || Kokkos::is_finalized()) return;
    try {
      const std::lock_guard lock(mutex_);
      if (own.size() > held_limit()) return;
      free_at_the_end();
      kept_.push_back({own, device});
      bytes_ += own.size();
      shrink(limit_);
    } catch (...) {  // it is freed, as without a cache
    }
  }

  /// Frees all blocks. Returns whether there were any.
  bool trim() {
    const std::lock_guard lock(mutex_);
    const bool any = !kept_.empty();
    shrink(0);
    return any;
  }

  /// Bytes of the blocks kept.
  [[nodiscard]] std::uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

  /// Bytes kept at most. Throws as `memory_cache_setting` does.
  [[nodiscard]] std::uint64_t limit() {
    const std::lock_guard lock(mutex_);
    return held_limit();
  }
  /// Sets the bytes kept at most, and frees what is more. 0: nothing is kept.
  void set_limit(std::uint64_t most) {
    const std::lock_guard lock(mutex_);
    limit_ = most;
    has_limit_ = true;
    shrink(most);
  }

 private:
  struct Kept {
    Block memory;
    int device;
  };
  using Place = typename std::vector<Kept>::iterator;
  static constexpr std::size_t most_blocks = 256;

  MemoryCache() = default;

  std::uint64_t held_limit() {
    if (!has_limit_) limit_ = memory_cache_setting(memory_of<MemorySpace>().free / 8);
    has_limit_ = true;
    return limit_;
  }
  Block remove(Place place) {
    Block block = place->memory;
    bytes_ -= block.size();
    kept_.erase(place);
    return block;
  }
  void shrink(std::uint64_t most) {
    while (!kept_.empty() && (bytes_ > most || kept_.size() > most_blocks)) remove(kept_.begin());
  }
  void free_at_the_end() {
    if (!std::exchange(hooked_, true)) Kokkos::push_finalize_hook([this] { trim(); });
  }

  mutable std::mutex mutex_;
  std::vector<Kept> kept_;  // those kept longest first
  std::uint64_t bytes_ = 0;
  std::uint64_t limit_ = 0;
  bool has_limit_ = false;
  bool hooked_ = false;
};

/// Bytes that an allocation in `MemorySpace` could get now, with those that the cache would free
/// for it; on hosts as `host_memory` reports them.
template <class MemorySpace>
[[nodiscard]] std::uint64_t free_bytes() {
  return memory_of<MemorySpace>().free + MemoryCache<MemorySpace>::instance().bytes();
}

}  // namespace hashmill::backends

namespace hashmill {

/// Frees the memory of `MemorySpace` that finished calls and tables left for the next ones. See
/// backends::MemoryCache.
template <class MemorySpace>
void trim_memory() {
  static_cast<void>(backends::MemoryCache<MemorySpace>::instance().trim());
}

/// The bytes of `MemorySpace` that are kept for the next calls at most. Throws InvalidArgument
/// where HASHMILL_MEMORY_CACHE is no number.
template <class MemorySpace>
[[nodiscard]] std::uint64_t memory_cache_limit() {
  return backends::MemoryCache<MemorySpace>::instance().limit();
}

/// Sets the bytes of `MemorySpace` that are kept for the next calls at most, and frees what is
/// more. 0: nothing is kept, and each call takes its memory from the system and gives it back.
template <class MemorySpace>
void set_memory_cache_limit(std::uint64_t bytes) {
  backends::MemoryCache<MemorySpace>::instance().set_limit(bytes);
}

}  // namespace hashmill
