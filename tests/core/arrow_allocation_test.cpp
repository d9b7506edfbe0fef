#include <gtest/gtest.h>

#include <cstdlib>
#include <hashmill/arrow/export.hpp>
#include <new>

#include "arrow_producer.hpp"

namespace {

/// Allocations of this thread until one fails; negative where none shall.
thread_local int allocations_left = -1;

[[maybe_unused]] void* allocate(std::size_t bytes) {
  if (allocations_left == 0) throw std::bad_alloc();
  if (allocations_left > 0) --allocations_left;
  void* const memory = std::malloc(bytes == 0 ? 1 : bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// Of the whole program, which they serve as the usual ones would. nvcc takes them for functions of
// the device, too.
void* operator new(std::size_t bytes) {
  KOKKOS_IF_ON_HOST((return allocate(bytes);))
  KOKKOS_IF_ON_DEVICE((return std::malloc(bytes);))
}
void* operator new[](std::size_t bytes) {
  KOKKOS_IF_ON_HOST((return allocate(bytes);))
  KOKKOS_IF_ON_DEVICE((return std::malloc(bytes);))
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }

namespace hashmill::test {
namespace {

/// Lets every allocation fail in turn: each time, foreign columns are released once and no view is
/// kept. The sanitizers look for memory that is left.
TEST(ToArrowBatch, LeaksNothingWhenMemoryIsShort) {
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> codes("hashmill::test::codes", 2);
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> offsets("hashmill::test::offsets", 3);
  const Kokkos::View<std::uint8_t*, Kokkos::HostSpace> bits("hashmill::test::bits", 1);
  const Kokkos::View<char*, Kokkos::HostSpace> bytes("hashmill::test::bytes", 1);
  const ArrowField long_name(std::string(100, 'x'));
  const Produced foreign = produced_strings("u", {"a", "b"});
  int failed = 0;
  for (bool done = false; !done; ++failed) {
    Releases releases;
    ArrowOwner first = produce(foreign, releases), second = produce(foreign, releases);
    allocations_left = failed;
    try {
      const ArrowOwner batch = to_arrow_batch(
          to_arrow_dictionary(long_name, codes, std::move(first), bits), std::move(second),
          to_arrow(long_name, codes, bits), to_arrow_strings(long_name, offsets, bytes, bits));
      done = true;
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
    first.release();
    second.release();
    ASSERT_EQ(releases.schemas, 2) << failed;
    ASSERT_EQ(releases.arrays, 2) << failed;
    ASSERT_EQ(codes.use_count(), 1) << failed;
    ASSERT_EQ(bits.use_count(), 1) << failed;
  }
  EXPECT_GT(failed, 20);
}

}  // namespace
}  // namespace hashmill::test
