#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/tag_bucket/detail/slots.hpp>

namespace hashmill::detail {

/// Half a bucket. Kernels' types must not be private.
struct alignas(64) TagBucketLine {
  std::byte bytes[64];
};

/// The memory of a TagBucket's buckets. Copies share it, as those of a view do.
///
/// On hosts each bucket begins 64 bytes behind a multiple of 128. Most look-ups read its first line
/// only, after a prefetch into the second cache. Zen 4 serves lines at multiples of 128 bytes late
/// from there: a look-up among 2^20 keys takes 27 ns, and 6 ns in this place. The place that an
/// allocation has by itself is either.
template <class MemorySpace>
class TagBucketArray {
  static constexpr bool is_placed = backends::is_host_memory<MemorySpace>;
  static_assert(sizeof(TagBucketSlots) == 2 * sizeof(TagBucketLine));

 public:
  TagBucketArray() = default;
  /// Allocates `count` buckets, not initialised, and a line more on hosts. Throws CapacityError if
  /// memory is short.
  template <class Exec>
  TagBucketArray(const Exec& exec, std::uint64_t count)
      : lines_(backends::allocate<Lines>(exec, "hashmill::tag_bucket::buckets",
                                         2 * count + (is_placed ? 1 : 0))),
        size_(count) {}

  /// The first bucket, or null where none were allocated.
  [[nodiscard]] TagBucketSlots* data() const {
    TagBucketLine* first = lines_.data();
    const bool even = reinterpret_cast<std::uintptr_t>(first) % sizeof(TagBucketSlots) == 0;
    if (is_placed && first != nullptr && even) ++first;
    return reinterpret_cast<TagBucketSlots*>(first);
  }
  [[nodiscard]] std::uint64_t size() const noexcept { return size_; }

  /// Empties all buckets. Asynchronous.
  template <class Exec>
  void clear(const Exec& exec) const {
    using Buckets =
        Kokkos::View<TagBucketSlots*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Kokkos::deep_copy(exec, Buckets(data(), size_), TagBucketSlots{});
  }

 private:
  using Lines = Kokkos::View<TagBucketLine*, MemorySpace>;
  Lines lines_;
  std::uint64_t size_ = 0;
};

}  // namespace hashmill::detail
