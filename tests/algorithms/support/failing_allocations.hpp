#pragma once

#include <Kokkos_Core.hpp>
#include <atomic>
#include <cstdint>
#include <hashmill/error.hpp>
#include <new>
#include <string_view>
#include <thread>

#include "kokkos_recorder.hpp"
#include "views.hpp"

namespace hashmill::test {

/// Lets one of the library's allocations fail, counted from 0 as this begins to live, through
/// Kokkos Tools: the memory is given back and the allocation told to be impossible. Only those of
/// one thread count. Only one of this class may live at a time, and no KokkosRecorder beside it.
class FailingAllocations {
 public:
  explicit FailingAllocations(std::uint64_t failing,
                              std::thread::id thread = std::this_thread::get_id())
      : left_(failing), thread_(thread) {
    current() = this;
    Kokkos::Tools::Experimental::set_allocate_data_callback(on_allocate);
  }
  ~FailingAllocations() {
    Kokkos::Tools::Experimental::set_allocate_data_callback(nullptr);
    current() = nullptr;
  }
  FailingAllocations(const FailingAllocations&) = delete;
  FailingAllocations& operator=(const FailingAllocations&) = delete;

  /// Counts those of another thread from now on.
  void count_in(std::thread::id thread) { thread_ = thread; }
  /// Whether the allocation was reached.
  [[nodiscard]] bool failed() const { return failed_; }

 private:
  static FailingAllocations*& current() {
    static FailingAllocations* instance = nullptr;
    return instance;
  }
  /// Frees memory if it is of that space: no other may.
  template <class Space>
  static bool free_in(const Kokkos_Profiling_SpaceHandle& space, const void* address,
                      std::uint64_t bytes) {
    if (std::string_view(space.name) != Space::name()) return false;
    Space().deallocate(const_cast<void*>(address), bytes);
    return true;
  }
  static void on_allocate(Kokkos_Profiling_SpaceHandle space, const char* label,
                          const void* address, std::uint64_t bytes) {
    FailingAllocations& self = *current();
    if (self.thread_.load() != std::this_thread::get_id()) return;
    if (self.failed_ || !is_library_label(label) || self.left_-- != 0) return;
    self.failed_ = true;
    const bool is_freed = free_in<Kokkos::HostSpace>(space, address, bytes) ||
                          free_in<Kokkos::SharedHostPinnedSpace>(space, address, bytes) ||
                          free_in<Memory>(space, address, bytes);
    if (!is_freed) Kokkos::abort("FailingAllocations: memory of an unknown space");
    throw std::bad_alloc();
  }

  MemoryCacheLimit no_cache_;  // an allocation that fails is not tried again
  std::uint64_t left_;
  std::atomic<std::thread::id> thread_;
  bool failed_ = false;
};

/// Calls `run` with one allocation after the other failing, until none does; returns how many times
/// it threw CapacityError.
template <class Run>
[[nodiscard]] std::uint64_t count_failures(const Run& run) {
  for (std::uint64_t k = 0;; ++k) {
    const FailingAllocations failing(k);
    try {
      run();
      return k;
    } catch (const CapacityError&) {
    }
  }
}

}  // namespace hashmill::test
