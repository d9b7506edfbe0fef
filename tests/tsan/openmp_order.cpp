#include <dlfcn.h>
#include <sched.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <cstring>

// What the thread sanitizer does not see by itself of an OpenMP Kokkos: the compiler's OpenMP
// library and Kokkos's own are not compiled with it, and it does not know fences. Programs that
// link this file call these functions in place of theirs.

extern "C" {
void __tsan_acquire(void* address);
void __tsan_release(void* address);
int __tsan_get_report_data(void* report, const char** what, int* count, int* stacks, int* accesses,
                           int* locations, int* mutexes, int* threads, int* unique_threads,
                           void** sleep, unsigned long size);
int __tsan_get_report_mop(void* report, unsigned long index, int* thread, void** address, int* size,
                          int* write, int* atomic, void** trace, unsigned long trace_size);
void __sanitizer_symbolize_pc(void* pc, const char* format, char* text, std::size_t size);
}

namespace {

/// A function of the OpenMP library.
template <class Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What the threads of a parallel region do: after all that was before the region, and before all
/// that follows it.
class Region {
 public:
  Region(void (*body)(void*), void* data) : body_(body), data_(data) { __tsan_release(&begin_); }
  ~Region() { __tsan_acquire(&end_); }

  static void run(void* address) {
    auto* const region = static_cast<Region*>(address);
    __tsan_acquire(&region->begin_);
    region->body_(region->data_);
    __tsan_release(&region->end_);
  }

 private:
  void (*body_)(void*);
  void* data_;
  char begin_ = 0, end_ = 0;  // their addresses name what is ordered
};

/// Whether the instruction at `pc` is Kokkos's: by its file, or, of a function whose lines the
/// sanitizer does not find, by the name.
bool is_of_kokkos(void* pc) {
  if (pc == nullptr) return false;
  char text[4096] = {};
  __sanitizer_symbolize_pc(pc, "%s", text, sizeof(text));
  if (std::strcmp(text, "<null>") != 0)
    return std::strstr(text, HASHMILL_KOKKOS_HEADERS) != nullptr;
  __sanitizer_symbolize_pc(pc, "%f", text, sizeof(text));
  return std::strstr(text, " Kokkos::atomic_") != nullptr ||
         std::strstr(text, " desul::") != nullptr;
}

}  // namespace

extern "C" {

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  static auto* const real = next<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  Region region(body, data);
  real(&Region::run, &region, threads, flags);
}

void GOMP_parallel_loop_nonmonotonic_dynamic(void (*body)(void*), void* data, unsigned threads,
                                             long start, long end, long step, long chunk,
                                             unsigned flags) {
  static auto* const real =
      next<void(void (*)(void*), void*, unsigned, long, long, long, long, unsigned)>(
          "GOMP_parallel_loop_nonmonotonic_dynamic");
  Region region(body, data);
  real(&Region::run, &region, threads, start, end, step, chunk, flags);
}

/// A fence orders with every other fence: Kokkos's barriers are fences between relaxed atomics.
void __wrap___tsan_atomic_thread_fence(int) {
  static char all;
  __tsan_acquire(&all);
  __tsan_release(&all);
}

}  // extern "C"

namespace __tsan {

class ReportDesc;

/// Asked of each report whether to drop it: where all that races is code of Kokkos, such as a plain
/// read before an exchange. What races with an atomic of Kokkos's in code that is not stays.
bool OnReport(const ReportDesc* report, bool suppressed) {
  auto* const races = const_cast<ReportDesc*>(report);
  const char* what = nullptr;
  int counts[7] = {};
  void* sleep[1] = {};
  __tsan_get_report_data(races, &what, &counts[0], &counts[1], &counts[2], &counts[3], &counts[4],
                         &counts[5], &counts[6], sleep, 1);
  const int accesses = counts[2];
  for (int i = 0; i < accesses; ++i) {
    int thread = 0, size = 0, write = 0, atomic = 0;
    void *address = nullptr, *trace[1] = {};
    __tsan_get_report_mop(races, static_cast<unsigned long>(i), &thread, &address, &size, &write,
                          &atomic, trace, 1);
    if (!is_of_kokkos(trace[0])) return suppressed;
  }
  return accesses != 0 || suppressed;
}

}  // namespace __tsan

namespace Kokkos::Impl {

/// The end of a barrier's wait, which Kokkos's library has.
void HostBarrier::impl_backoff_wait_until_equal(int* at, const int value, const bool) noexcept {
  while (!test_equal(at, value)) sched_yield();
}

}  // namespace Kokkos::Impl
