#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "memory_cache_limit.hpp"

namespace hashmill::test {

/// What one callback of Kokkos Tools reported.
struct KokkosEvent {
  enum class Kind { kernel, region, allocation, deallocation, fence, copy };
  Kind kind;
  std::string label;
  std::uint32_t device = 0;     ///< id of the execution-space instance, of kernels and fences
  std::uint64_t bytes = 0;      ///< of allocations and copies
  bool between_spaces = false;  ///< of copies
};

/// Whether the library, and not Kokkos or a test, chose a label.
inline bool is_library_label(const std::string& label) {
  return label.starts_with("hashmill::") && !label.starts_with("hashmill::test");
}

/// Records, through Kokkos Tools, what Kokkos does while it lives, with memory caches that keep
/// nothing. Only one may live at a time.
class KokkosRecorder {
 public:
  KokkosRecorder() {
    current() = this;
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(on_kernel);
    set_begin_parallel_reduce_callback(on_kernel);
    set_begin_parallel_scan_callback(on_kernel);
    set_begin_fence_callback(on_fence);
    set_push_region_callback(on_region);
    set_allocate_data_callback(on_allocate);
    set_deallocate_data_callback(on_deallocate);
    set_begin_deep_copy_callback(on_copy);
  }
  ~KokkosRecorder() {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(nullptr);
    set_begin_parallel_reduce_callback(nullptr);
    set_begin_parallel_scan_callback(nullptr);
    set_begin_fence_callback(nullptr);
    set_push_region_callback(nullptr);
    set_allocate_data_callback(nullptr);
    set_deallocate_data_callback(nullptr);
    set_begin_deep_copy_callback(nullptr);
    current() = nullptr;
  }
  KokkosRecorder(const KokkosRecorder&) = delete;
  KokkosRecorder& operator=(const KokkosRecorder&) = delete;

  [[nodiscard]] const std::vector<KokkosEvent>& events() const { return events_; }
  /// The most bytes that the library's allocations since the start held at once.
  [[nodiscard]] std::uint64_t peak_bytes() const { return peak_; }
  [[nodiscard]] std::uint64_t count(KokkosEvent::Kind kind) const {
    return static_cast<std::uint64_t>(std::count_if(
        events_.begin(), events_.end(), [&](const auto& event) { return event.kind == kind; }));
  }

 private:
  using Kind = KokkosEvent::Kind;
  using Space = Kokkos_Profiling_SpaceHandle;

  static KokkosRecorder*& current() {
    static KokkosRecorder* recorder = nullptr;
    return recorder;
  }
  static void add(const KokkosEvent& event) {
    const std::lock_guard lock(current()->mutex_);
    current()->events_.push_back(event);
  }

  static void on_kernel(const char* label, std::uint32_t device, std::uint64_t*) {
    add({Kind::kernel, label, device});
  }
  static void on_fence(const char* label, std::uint32_t device, std::uint64_t*) {
    add({Kind::fence, label, device});
  }
  static void on_region(const char* label) { add({Kind::region, label}); }
  static void on_copy(Space to_space, const char* to, const void*, Space from_space,
                      const char* from, const void*, std::uint64_t bytes) {
    const bool is_fill = std::string_view(from) == "(none)";  // Kokkos reports memset as a copy
    add({Kind::copy, std::string(to) + " from " + from, 0, bytes,
         !is_fill && std::string_view(to_space.name) != from_space.name});
  }
  static void on_allocate(Space, const char* label, const void* address, std::uint64_t bytes) {
    KokkosRecorder& recorder = *current();
    add({Kind::allocation, label, 0, bytes});
    if (!is_library_label(label)) return;
    const std::lock_guard lock(recorder.mutex_);
    recorder.live_[address] = bytes;
    recorder.held_ += bytes;
    recorder.peak_ = std::max(recorder.peak_, recorder.held_);
  }
  static void on_deallocate(Space, const char* label, const void* address, std::uint64_t bytes) {
    KokkosRecorder& recorder = *current();
    add({Kind::deallocation, label, 0, bytes});
    const std::lock_guard lock(recorder.mutex_);
    if (recorder.live_.erase(address) != 0) recorder.held_ -= bytes;
  }

  MemoryCacheLimit no_cache_;
  std::mutex mutex_;  // for ranks that are threads
  std::vector<KokkosEvent> events_;
  std::map<const void*, std::uint64_t> live_;
  std::uint64_t held_ = 0;
  std::uint64_t peak_ = 0;
};

}  // namespace hashmill::test
