#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <hashmill/backends/device_memory.hpp>
#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/huge_pages.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <typeindex>
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

/// Whose kernels use an array.
enum class ArrayUsers {
  /// Those of the instance it is allocated on, whose order protects it from the next user.
  one_instance,
  /// Those of any instance.
  any_instance
};

/// An array of any type.
struct AnyArray {
  virtual ~AnyArray() = default;
  /// Whether this is the only view of the array.
  [[nodiscard]] virtual bool is_alone() const = 0;
};
/// A view of an array.
template <class View>
struct ArrayOf final : AnyArray {
  /// Shares the array of a view.
  explicit ArrayOf(const View& of) : view(of) {}
  [[nodiscard]] bool is_alone() const override { return view.use_count() == 1; }

  View view;  ///< of the whole array
};

/// The arrays of `MemorySpace` that were allocated last. One that nobody else holds any more is
/// handed out again, whatever it was before: a table's, a result, temporary memory. There is one
/// cache for each memory space of a process, and it may be used by several threads.
///
/// Getting memory from the system and giving it back costs more than many operations on it. CUDA
/// waits for the whole device and takes about 2 ms for a GiB. Hosts fault in every page again.
///
/// | it keeps | at most |
/// |---|---|
/// | bytes, in use or not | `limit()`: 1/8 of what is free at its first use, or as set |
/// | arrays | 256 |
/// | on hosts, arrays of | at least 32 MiB; malloc keeps shorter ones (`newly_mapped_bytes`) |
///
/// It has a view of each array, and an array that has no other view is unused. So nothing has to be
/// done where an array ends. A device's kernels may still use an array that nobody holds; it waits
/// for the device before it hands such an array out.
///
/// Beyond the limit it forgets arrays, first those taken longest ago. They are freed with their
/// last views. An allocation that fails for want of memory frees all unused arrays and is tried
/// again (`backends::allocate`), and `free_bytes` counts them as free. Nothing is kept once Kokkos
/// is finalized.
template <class MemorySpace>
class MemoryCache {
 public:
  /// Shorter arrays are not kept.
  static constexpr std::uint64_t least_bytes = is_host_memory<MemorySpace> ? newly_mapped_bytes : 1;

  /// The cache of this process.
  [[nodiscard]] static MemoryCache& instance() {
    static auto* const cache = new MemoryCache;  // outlives all static objects that own memory
    return *cache;
  }

  /// The shortest array of `count` to `most` elements that nobody uses, and that no kernel will
  /// have used when those of `exec` begin which are launched from now on. Takes one that is so
  /// already before a shorter one for which it would have to wait for all work. Returns an empty
  /// view where there is none. Throws as `memory_cache_setting` does.
  template <class View, ExecutionSpace Exec>
  [[nodiscard]] View take(const Exec& exec, std::uint64_t count, std::uint64_t most,
                          ArrayUsers users = ArrayUsers::any_instance) {
    if (WithoutMemoryCache::is_active() || count * sizeof(Element<View>) < least_bytes) return {};
    std::unique_lock lock(mutex_);
    if (held_limit() == 0) return {};  // a wrong setting is told here, where one can throw
    const auto best = best_for({typeid(View), device_of(exec), count * sizeof(Element<View>),
                                most * sizeof(Element<View>), users, id_of(exec)});
    if (best == kept_.end()) return {};
    const bool must_wait = needs_wait(*best, users, id_of(exec));
    std::rotate(best, best + 1, kept_.end());
    Kept& taken = kept_.back();
    taken.mark(++takings_, users, id_of(exec));
    const View array = static_cast<const ArrayOf<View>&>(*taken.array).view;
    Kokkos::memory_fence();  // what its last user did comes first
    if (!must_wait) return array;
    wait_and_settle(lock);
    return array;
  }

  /// Remembers a new array, unless it is too short or too long to be kept.
  template <class View, ExecutionSpace Exec>
  void keep(const Exec& exec, const View& array,
            ArrayUsers users = ArrayUsers::any_instance) noexcept {
    const std::uint64_t bytes = array.size() * sizeof(Element<View>);
    if (bytes < least_bytes || WithoutMemoryCache::is_active() || Kokkos::is_finalized()) return;
    try {
      const std::lock_guard lock(mutex_);
      if (bytes > held_limit()) return;
      forget_at_the_end();
      Kept kept{std::make_unique<ArrayOf<View>>(array), typeid(View), bytes, device_of(exec)};
      kept.mark(++takings_, users, id_of(exec));
      kept_.push_back(std::move(kept));
      bytes_ += bytes;
      forget_beyond(limit_);
    } catch (...) {  // it is freed, as without a cache
    }
  }

  /// Lets what nobody uses now be handed out without waiting: waits for all work at once, where it
  /// must. Called before transfers begin that are to overlap with operations, since to wait then
  /// would be to wait for them, too.
  void settle_unused() {
    std::unique_lock lock(mutex_);
    const bool must_wait = kernels_go_on && std::ranges::any_of(kept_, [](const Kept& kept) {
                             return !kept.is_settled && kept.array->is_alone();
                           });
    if (must_wait) wait_and_settle(lock);
  }

  /// Frees what nobody uses. Returns whether there was anything.
  bool trim() {
    const std::lock_guard lock(mutex_);
    return std::erase_if(kept_, [this](const Kept& kept) {
             const bool unused = kept.array->is_alone();
             if (unused) bytes_ -= kept.bytes;
             return unused;
           }) != 0;
  }

  /// Bytes that nobody uses.
  [[nodiscard]] std::uint64_t unused_bytes() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const Kept& kept : kept_) sum += kept.array->is_alone() ? kept.bytes : 0;
    return sum;
  }

  /// Bytes kept at most. Throws as `memory_cache_setting` does.
  [[nodiscard]] std::uint64_t limit() {
    const std::lock_guard lock(mutex_);
    return held_limit();
  }
  /// Sets the bytes kept at most, and forgets what is more. 0: nothing is kept.
  void set_limit(std::uint64_t most) {
    const std::lock_guard lock(mutex_);
    limit_ = most;
    has_limit_ = true;
    forget_beyond(most);
  }

 private:
  template <class View>
  using Element = typename View::value_type;

  struct Kept {
    std::unique_ptr<AnyArray> array;
    std::type_index type;
    std::uint64_t bytes;
    int device;
    std::uint64_t taking = 0;  // the number of times arrays had been handed out then
    std::optional<std::uint32_t> instance = std::nullopt;  // the only one whose kernels use it
    bool is_settled = false;  // no kernel uses it since its last user left

    void mark(std::uint64_t now, ArrayUsers users, std::uint32_t id) {
      taking = now;
      instance = users == ArrayUsers::one_instance ? std::optional(id) : std::nullopt;
      is_settled = false;
    }
  };
  using Place = typename std::vector<Kept>::iterator;
  static constexpr std::size_t most_arrays = 256;
  /// The kernels of hosts have ended when their calls return.
  static constexpr bool kernels_go_on = !std::is_same_v<MemorySpace, Kokkos::HostSpace>;

  MemoryCache() = default;

  template <class Exec>
  [[nodiscard]] static std::uint32_t id_of(const Exec& exec) {
    return exec.impl_instance_id();
  }

  struct Wish {
    std::type_index type;
    int device;
    std::uint64_t least_bytes, most_bytes;
    ArrayUsers users;
    std::uint32_t instance;
  };
  /// Whether kernels may still use an array that nobody holds, when the next user's begin.
  [[nodiscard]] static bool needs_wait(const Kept& kept, ArrayUsers users, std::uint32_t instance) {
    const bool is_ordered = users == ArrayUsers::one_instance && kept.instance == instance;
    return kernels_go_on && !kept.is_settled && !is_ordered;
  }
  /// The unused array that is best for a wish: the shortest for which nobody has to wait, else the
  /// shortest.
  [[nodiscard]] Place best_for(const Wish& wish) {
    const auto rank = [&](const Kept& kept) {
      return std::pair(needs_wait(kept, wish.users, wish.instance), kept.bytes);
    };
    Place best = kept_.end();
    for (Place kept = kept_.begin(); kept != kept_.end(); ++kept) {
      const bool fits = kept->bytes >= wish.least_bytes && kept->bytes <= wish.most_bytes &&
                        kept->device == wish.device && kept->type == wish.type;
      const bool is_better = best == kept_.end() || rank(*kept) < rank(*best);
      if (fits && is_better && kept->array->is_alone()) best = kept;
    }
    return best;
  }

  /// Waits for all work, unlocked: what is waited for might wait for other threads.
  void wait_and_settle(std::unique_lock<std::mutex>& lock) {
    const auto unused = unused_arrays();
    lock.unlock();
    Kokkos::fence("hashmill: memory that is no longer used is used again");
    lock.lock();
    settle(unused);
  }
  /// By the numbers of their last takings.
  [[nodiscard]] std::vector<std::uint64_t> unused_arrays() const {
    std::vector<std::uint64_t> takings;
    for (const Kept& kept : kept_) {
      if (kept.array->is_alone()) takings.push_back(kept.taking);
    }
    return takings;
  }
  void settle(const std::vector<std::uint64_t>& takings) {
    for (Kept& kept : kept_) {
      if (std::ranges::binary_search(takings, kept.taking)) kept.is_settled = true;
    }
  }

  std::uint64_t held_limit() {
    if (!has_limit_) limit_ = memory_cache_setting(memory_of<MemorySpace>().free / 8);
    has_limit_ = true;
    return limit_;
  }
  void forget_beyond(std::uint64_t most) {
    std::size_t count = 0;
    while (count < kept_.size() && (bytes_ > most || kept_.size() - count > most_arrays)) {
      bytes_ -= kept_[count++].bytes;
    }
    kept_.erase(kept_.begin(), kept_.begin() + static_cast<std::ptrdiff_t>(count));
  }
  void forget_at_the_end() {
    if (!std::exchange(hooked_, true)) {
      Kokkos::push_finalize_hook([this] {
        const std::lock_guard lock(mutex_);
        forget_beyond(0);
      });
    }
  }

  mutable std::mutex mutex_;
  std::vector<Kept> kept_;  // those taken longest ago first
  std::uint64_t bytes_ = 0;
  std::uint64_t takings_ = 0;
  std::uint64_t limit_ = 0;
  bool has_limit_ = false;
  bool hooked_ = false;
};

/// Bytes that an allocation in `MemorySpace` could get now, with those that the cache would free
/// for it; on hosts as `host_memory` reports them.
template <class MemorySpace>
[[nodiscard]] std::uint64_t free_bytes() {
  return memory_of<MemorySpace>().free + MemoryCache<MemorySpace>::instance().unused_bytes();
}

}  // namespace hashmill::backends

namespace hashmill {

/// Frees the memory of `MemorySpace` that calls, tables and results left for the next ones. See
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
