#pragma once

#include <hashmill/backends/allocate.hpp>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

namespace hashmill::backends {

/// Waits until nothing uses memory of `MemorySpace`. On devices that is what freeing it does. The
/// kernels of hosts have ended when their calls return.
template <class MemorySpace>
void wait_for_users() {
  if constexpr (!std::is_same_v<MemorySpace, Kokkos::HostSpace>) {
    Kokkos::fence("hashmill: memory goes back to its cache");
  }
}

/// A block of at least `bytes` bytes and at most `most_bytes`: one that was kept, or a new one.
/// Throws as `allocate` and `memory_cache_setting` do.
template <class MemorySpace, ExecutionSpace Exec>
[[nodiscard]] auto cached_block(const Exec& exec, std::string_view label, std::uint64_t bytes,
                                std::uint64_t most_bytes) {
  using Cache = MemoryCache<MemorySpace>;
  auto block = Cache::instance().take(device_of(exec), bytes, most_bytes);
  if (block.data() != nullptr) return block;
  return allocate<typename Cache::Block>(exec, label, bytes);
}

/// Hands blocks of `device` to the cache once nothing uses them. What is not kept is freed.
template <class MemorySpace>
void return_to_cache(std::span<typename MemoryCache<MemorySpace>::Block> blocks,
                     int device) noexcept {
  if (blocks.empty() || Kokkos::is_finalized()) return;
  try {
    wait_for_users<MemorySpace>();
  } catch (...) {  // the device has failed
    return;
  }
  for (auto& block : blocks) MemoryCache<MemorySpace>::instance().keep(std::move(block), device);
}

/// An array whose memory comes from the cache of its memory space, and goes back to it with the
/// last copy. Copies share it, as those of a view do.
///
/// It is for arrays that last as long as a table. They may take 1/8 more memory than their
/// elements.
template <class T, class MemorySpace>
class CachedArray {
 public:
  using View = Kokkos::View<T*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  using memory_space = MemorySpace;
  using value_type = T;

  CachedArray() = default;
  /// `count` elements, not initialised. Throws as `cached_block` does.
  template <ExecutionSpace Exec>
  CachedArray(const Exec& exec, std::string_view label, std::uint64_t count) {
    const std::uint64_t bytes = require_array_bytes<MemorySpace>(label, count, sizeof(T));
    owner_ = std::make_shared<Owner>();
    owner_->device = device_of(exec);
    owner_->block = cached_block<MemorySpace>(exec, label, bytes, bytes + bytes / 8);
    view_ = View(reinterpret_cast<T*>(owner_->block.data()), count);
  }
  /// Elements in memory that belongs to others and outlives this.
  explicit CachedArray(View elements) : view_(elements) {}

  /// The first element, or null where there is none.
  [[nodiscard]] T* data() const { return view_.data(); }
  /// The number of elements.
  [[nodiscard]] std::uint64_t size() const { return view_.extent(0); }
  /// The elements, valid as long as a copy of this array.
  [[nodiscard]] const View& view() const { return view_; }

 private:
  struct Owner {
    typename MemoryCache<MemorySpace>::Block block;
    int device = 0;

    Owner() = default;
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { return_to_cache<MemorySpace>({&block, 1}, device); }
  };

  View view_;
  std::shared_ptr<Owner> owner_;
};

}  // namespace hashmill::backends
