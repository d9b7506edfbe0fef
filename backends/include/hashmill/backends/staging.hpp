#pragma once

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/event.hpp>
#include <hashmill/backends/execution.hpp>
#include <vector>

namespace hashmill::backends {

/// A ring of pinned host memory. It hands out stretches one behind another, and again those that
/// came back, in the order in which they were handed out.
class StagingRing {
 public:
  /// Of at most `bytes` bytes. Throws CapacityError.
  explicit StagingRing(std::uint64_t bytes)
      : memory_(allocate<Memory>(Kokkos::DefaultExecutionSpace(), "hashmill::staging",
                                 bytes / unit * unit)) {}

  /// The length of the longest stretch.
  [[nodiscard]] std::uint64_t size() const { return memory_.extent(0); }
  /// A stretch of `bytes` bytes, not 0; null where there is no room now.
  [[nodiscard]] std::byte* take(std::uint64_t bytes) {
    const std::uint64_t length = (bytes + unit - 1) / unit * unit;
    std::uint64_t begin = taken_.empty() ? 0 : taken_.back().end;
    const std::uint64_t oldest = taken_.empty() ? size() : taken_.front().begin;
    const bool wrapped = begin <= oldest;  // or empty
    if (!wrapped && length > size() - begin) begin = 0;
    const std::uint64_t limit = wrapped || begin == 0 ? oldest : size();
    if (length > limit - begin) return nullptr;
    taken_.push_back({begin, begin + length, false});
    return memory_.data() + begin;
  }
  /// Takes a stretch back.
  void give_back(const std::byte* stretch) {
    const auto begin = static_cast<std::uint64_t>(stretch - memory_.data());
    for (Stretch& taken : taken_) {
      if (taken.begin != begin || taken.is_back) continue;
      taken.is_back = true;
      break;
    }
    while (!taken_.empty() && taken_.front().is_back) taken_.pop_front();
  }

 private:
  using Memory = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace>;
  struct Stretch {
    std::uint64_t begin, end;
    bool is_back;
  };
  static constexpr std::uint64_t unit = 256;  // keeps copies aligned

  Memory memory_;
  std::deque<Stretch> taken_;
};

/// Copies bytes of device memory on an instance of its own, without waiting for them.
class DeviceCopies {
 public:
  /// The space whose memory is copied.
  using Space = Kokkos::DefaultExecutionSpace;

  /// Starts a copy; both sides are device memory or pinned.
  void start(std::byte* to, const std::byte* from, std::uint64_t bytes) {
    using Device = Kokkos::View<std::byte*, Space::memory_space, Unmanaged>;
    using ConstDevice = Kokkos::View<const std::byte*, Space::memory_space, Unmanaged>;
    if (bytes != 0) Kokkos::deep_copy(exec_, Device(to, bytes), ConstDevice(from, bytes));
  }
  /// Starts a copy from device memory to a stretch of a ring.
  void to_ring(std::byte* stretch, const std::byte* from, std::uint64_t bytes) {
    using ConstDevice = Kokkos::View<const std::byte*, Space::memory_space, Unmanaged>;
    Kokkos::deep_copy(exec_, Pinned(stretch, bytes), ConstDevice(from, bytes));
  }
  /// Starts a copy from a stretch of a ring to device memory.
  void from_ring(std::byte* to, const std::byte* stretch, std::uint64_t bytes) {
    using Device = Kokkos::View<std::byte*, Space::memory_space, Unmanaged>;
    Kokkos::deep_copy(exec_, Device(to, bytes), ConstPinned(stretch, bytes));
  }
  /// Marks the end of the copies that were started.
  void record(Event<Space>& event) { event.record(exec_); }

 private:
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  using Pinned = Kokkos::View<std::byte*, Kokkos::SharedHostPinnedSpace, Unmanaged>;
  using ConstPinned = Kokkos::View<const std::byte*, Kokkos::SharedHostPinnedSpace, Unmanaged>;

  /// GPUs copy beside kernels only on an instance of its own.
  [[nodiscard]] static Space own_instance() {
    if constexpr (has_wide_teams<Space>) {
      return Kokkos::Experimental::partition_space(Space(), 1)[0];
    } else {
      return {};
    }
  }

  Space exec_ = own_instance();
};

/// What an exchange needs to move device memory through the host. The directions do not wait for
/// each other.
struct StagingBuffers {
  /// Of `bytes` bytes in all.
  explicit StagingBuffers(std::uint64_t bytes) : out(bytes / 2), in(bytes / 2) {}

  StagingRing out, in;
  DeviceCopies out_copies, in_copies;
};

}  // namespace hashmill::backends
