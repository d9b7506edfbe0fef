#include "failing_new.hpp"

#include <dlfcn.h>
#include <execinfo.h>

#include <Kokkos_Core.hpp>
#include <cstdlib>
#include <cstring>
#include <new>
#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace {

constexpr std::int64_t never = -1;
thread_local std::int64_t left_to_failure = never;  // calls
thread_local bool fails_for_good = false;
thread_local bool failed = false;
thread_local bool looks_for_destructor = false;
thread_local bool saw_destructor = false;

/// Whether Kokkos is freeing an array: its destructor copies the label, and a failure there ends
/// the program, whoever wrote it.
bool is_in_kokkos_destructor() {
  void* callers[16];
  const int count = backtrace(callers, 16);
  for (int c = 0; c < count; ++c) {
    Dl_info caller;
    if (dladdr(callers[c], &caller) == 0 || caller.dli_sname == nullptr) continue;
    if (std::strstr(caller.dli_sname, "SharedAllocationRecordCommon") != nullptr &&
        std::strstr(caller.dli_sname, "EED") != nullptr) {
      return true;
    }
  }
  return false;
}

void* allocate_or_fail(std::size_t bytes) {
  if (looks_for_destructor && is_in_kokkos_destructor()) saw_destructor = true;
  if (left_to_failure == 0 && !is_in_kokkos_destructor()) {
    failed = true;
    if (!fails_for_good) left_to_failure = never;
    throw std::bad_alloc();
  }
  if (left_to_failure > 0) --left_to_failure;
  if (void* const memory = std::malloc(bytes == 0 ? 1 : bytes)) return memory;
  throw std::bad_alloc();
}

void* allocate_or_null(std::size_t bytes) noexcept {
  try {
    return allocate_or_fail(bytes);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

}  // namespace

#if defined(__NVCC__)
#pragma nv_diag_suppress 20011  // these are for hosts only
#endif
// All of them but the aligned ones: sanitizers have their own in place of what is left out, whose
// memory `delete` here may not free.
void* operator new(std::size_t bytes) { return allocate_or_fail(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_fail(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return allocate_or_null(bytes);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { std::free(memory); }

namespace hashmill::test {

// Kokkos leaks an array where the bytes of its label are not to be had.
FailingNew::FailingNew(std::int64_t call, bool for_good) {
#if defined(__SANITIZE_ADDRESS__)
  __lsan_disable();
#endif
  failed = false;
  fails_for_good = for_good;
  left_to_failure = call;
}
FailingNew::~FailingNew() {
  left_to_failure = never;
#if defined(__SANITIZE_ADDRESS__)
  __lsan_enable();
#endif
}
bool FailingNew::has_failed() { return failed; }
bool FailingNew::can_spare_kokkos() {
  Kokkos::View<int*, Kokkos::HostSpace> array("hashmill::test::a label of some length", 1);
  looks_for_destructor = true;
  array = {};
  looks_for_destructor = false;
  return saw_destructor;
}

}  // namespace hashmill::test
