#pragma once

#include <Kokkos_Core.hpp>
#include <hashmill/error.hpp>
#include <string>
#include <type_traits>
#include <utility>

namespace hashmill::backends {

/// A point in the work of an execution space instance. Backends without events wait for it.
template <class ExecutionSpace>
class Event {
 public:
  /// Marks the end of the work that the instance was given so far.
  void record(const ExecutionSpace& exec) { exec.fence("hashmill: an event is reached"); }
  /// Whether all work before the mark ended; true if nothing was marked. Never waits on GPUs.
  [[nodiscard]] bool reached() const { return true; }
  /// Waits until the mark is reached.
  void wait() const {}
};

#ifdef KOKKOS_ENABLE_CUDA
/// Throws BackendError where a call of CUDA failed.
inline void require_cuda(cudaError_t code, const char* call) {
  if (code == cudaSuccess) return;
  throw BackendError(std::string("cuda: ") + call + " failed: " + cudaGetErrorString(code));
}

template <>
class Event<Kokkos::Cuda> {
 public:
  Event() = default;
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) static_cast<void>(cudaEventDestroy(event_));
  }

  void record(const Kokkos::Cuda& exec) { record(exec.cuda_stream()); }
  /// As above, for a stream of the current device.
  void record(cudaStream_t stream) {
    if (event_ == nullptr) {
      require_cuda(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "cudaEventCreate");
    }
    require_cuda(cudaEventRecord(event_, stream), "cudaEventRecord");
  }
  [[nodiscard]] bool reached() const {
    if (event_ == nullptr) return true;
    const cudaError_t code = cudaEventQuery(event_);
    if (code == cudaErrorNotReady) return false;
    require_cuda(code, "cudaEventQuery");
    return true;
  }
  void wait() const {
    if (event_ != nullptr) require_cuda(cudaEventSynchronize(event_), "cudaEventSynchronize");
  }
  /// Further work of a stream comes after the mark. Does not wait.
  void precede(cudaStream_t stream) const {
    if (event_ != nullptr) require_cuda(cudaStreamWaitEvent(stream, event_), "cudaStreamWaitEvent");
  }

 private:
  cudaEvent_t event_ = nullptr;
};
#endif

#ifdef KOKKOS_ENABLE_HIP
/// Throws BackendError where a call of HIP failed.
inline void require_hip(hipError_t code, const char* call) {
  if (code == hipSuccess) return;
  throw BackendError(std::string("hip: ") + call + " failed: " + hipGetErrorString(code));
}

template <>
class Event<Kokkos::HIP> {
 public:
  Event() = default;
  Event(Event&& other) noexcept : event_(std::exchange(other.event_, nullptr)) {}
  Event& operator=(Event&& other) noexcept {
    std::swap(event_, other.event_);
    return *this;
  }
  ~Event() {
    if (event_ != nullptr) static_cast<void>(hipEventDestroy(event_));
  }

  void record(const Kokkos::HIP& exec) {
    if (event_ == nullptr) {
      require_hip(hipEventCreateWithFlags(&event_, hipEventDisableTiming), "hipEventCreate");
    }
    require_hip(hipEventRecord(event_, exec.hip_stream()), "hipEventRecord");
  }
  [[nodiscard]] bool reached() const {
    if (event_ == nullptr) return true;
    const hipError_t code = hipEventQuery(event_);
    if (code == hipErrorNotReady) return false;
    require_hip(code, "hipEventQuery");
    return true;
  }
  void wait() const {
    if (event_ != nullptr) require_hip(hipEventSynchronize(event_), "hipEventSynchronize");
  }

 private:
  hipEvent_t event_ = nullptr;
};
#endif

/// A point in the work of the device on which exchanges of device memory wait.
using DeviceEvent = Event<Kokkos::DefaultExecutionSpace>;

/// The end of the work that `exec` was given so far. Waits for it if `exec` is of another space.
template <class Exec>
[[nodiscard]] DeviceEvent end_of_work(const Exec& exec) {
  DeviceEvent event;
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultExecutionSpace>) {
    event.record(exec);
  } else {
    exec.fence("hashmill: an event is reached");
  }
  return event;
}

}  // namespace hashmill::backends
