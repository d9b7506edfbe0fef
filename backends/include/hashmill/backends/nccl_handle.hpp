#pragma once

#include <nccl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <hashmill/backends/event.hpp>
#include <hashmill/backends/transport.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

static_assert(NCCL_VERSION_CODE >= NCCL_VERSION(2, 18, 1),
              "hashmill::nccl needs NCCL 2.18, in which communicators can be split");

namespace hashmill::backends {

/// Throws `TransportFailure` where a call of NCCL failed. One that goes on by itself did not.
inline void require_nccl(ncclResult_t code, const char* call) {
  if (code == ncclSuccess || code == ncclInProgress) return;
  throw TransportFailure(-1, std::string("nccl: ") + call + " failed: " + ncclGetErrorString(code));
}

/// A call that may wait for other ranks. It runs in a thread, which is left alone where it waits
/// for what cannot come; so the call owns what it uses.
class CallInThread {
 public:
  /// `call()` returns a code of NCCL.
  template <class Call>
  explicit CallInThread(Call call) {
    std::packaged_task<ncclResult_t()> task(std::move(call));
    code_ = task.get_future();
    std::thread(std::move(task)).detach();
  }
  /// Whether it has ended. Throws `TransportFailure` where it failed, and what it threw.
  [[nodiscard]] bool has_ended(const char* call) {
    if (!ends_within(std::chrono::seconds(0))) return false;
    if (code_.valid()) require_nccl(code_.get(), call);
    return true;
  }
  /// Whether it ends within a time limit.
  [[nodiscard]] bool ends_within(std::chrono::seconds limit) const {
    return !code_.valid() || code_.wait_for(limit) == std::future_status::ready;
  }

 private:
  std::future<ncclResult_t> code_;
};

/// A communicator of NCCL. It begins unconnected, and connects without waiting for another rank.
///
/// NCCL passes work to the GPU in a thread, which it makes each time, where its calls are not to
/// wait for other ranks; that takes 0.05 to 0.3 ms. Only the first pieces of a pair of ranks have
/// to wait. So this communicator is of the other kind, and is split off one that does not wait,
/// which only connects the ranks. A thread does both, so that a rank that does something else holds
/// up nobody.
class NcclHandle {
 public:
  /// The longest time that the end of a communicator may take.
  static constexpr std::chrono::seconds end_limit{10};

  /// Begins to connect `size` ranks on the current device. All give the same id.
  NcclHandle(int size, const ncclUniqueId& id, int rank) {
    connect([size, id, rank](Comms& comms) {
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 0;
      require_nccl(ncclCommInitRankConfig(&comms.own_parent, size, id, rank, &config),
                   "ncclCommInitRankConfig");
      if (comms.wait_for(comms.own_parent)) comms.split_off(comms.own_parent, rank);
    });
  }
  /// Begins to connect the ranks of a communicator, which must stay until that is done, in the
  /// order of `rank`. They share nothing with it.
  NcclHandle(ncclComm_t parent, int rank) {
    connect([parent, rank](Comms& comms) { comms.split_off(parent, rank); });
  }
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;
  /// Ends the communicator, for which other ranks should do so too. Gives it up after `end_limit`.
  ~NcclHandle() {
    if (!aborted_) finish();
  }

  /// The communicator, once it can be given work.
  [[nodiscard]] ncclComm_t get() const { return comms_->split; }
  /// Whether it can be given work. Throws `TransportFailure` where something failed.
  [[nodiscard]] bool is_ready() {
    if (!connected_->has_ended("ncclCommSplit")) return false;
    return is_idle(get());
  }
  /// Stops what it does. It cannot be used any more. Waits for `end_limit` at most.
  void abort() noexcept {
    if (aborted_) return;
    aborted_ = true;
    comms_->are_given_up = true;
    if (!connected_->ends_within(end_limit)) return;
    end_by([comms = comms_] {
      comms->abort();
      return ncclSuccess;
    });
  }

 private:
  /// Whether it has done what it was asked for.
  [[nodiscard]] static bool is_idle(ncclComm_t comm) {
    ncclResult_t result = ncclSuccess;
    require_nccl(ncclCommGetAsyncError(comm, &result), "ncclCommGetAsyncError");
    if (result == ncclSuccess || result == ncclInProgress) return result == ncclSuccess;
    const char* const more = ncclGetLastError(comm);
    throw TransportFailure(-1, std::string("nccl: ") + ncclGetErrorString(result) +
                                   (more != nullptr && *more != 0 ? ": " : "") +
                                   (more != nullptr ? more : ""));
  }

  [[nodiscard]] static bool is_there(const ncclComm_t& comm) {
    return __atomic_load_n(&comm, __ATOMIC_ACQUIRE) != nullptr;
  }

  /// What belongs to the thread that connects, until that ends. Threads may use it when the handle
  /// has gone.
  struct Comms {
    ncclComm_t own_parent = nullptr, split = nullptr;
    std::atomic<bool> are_given_up = false;

    /// Waits until a communicator is there and idle; false where all are given up before. NCCL
    /// writes it from a thread of its own.
    [[nodiscard]] bool wait_for(const ncclComm_t& comm) const {
      while (!are_given_up) {
        if (is_there(comm) && is_idle(comm)) return true;
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      return false;
    }
    /// Splits all ranks off.
    void split_off(ncclComm_t parent, int rank) {
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 1;
      config.splitShare = 0;
      require_nccl(ncclCommSplit(parent, 0, rank, &split, &config), "ncclCommSplit");
      // A parent that does not wait goes on after the call, and may tell its end by this alone.
      while (wait_for(parent) && !is_there(split)) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
      static_cast<void>(wait_for(split));
    }
    void abort() noexcept {
      if (split != nullptr) static_cast<void>(ncclCommAbort(split));
      if (own_parent != nullptr) static_cast<void>(ncclCommAbort(own_parent));
      split = own_parent = nullptr;
    }
  };

  /// Connects in a thread, by `make(comms)`.
  template <class Make>
  void connect(Make make) {
    int device = 0;
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    connected_.emplace([comms = comms_, device, make = std::move(make)] {
      if (cudaSetDevice(device) != cudaSuccess) return ncclUnhandledCudaError;
      make(*comms);
      return ncclSuccess;
    });
  }
  void finish() noexcept {
    try {
      if (connected_->ends_within(end_limit) && is_ready()) {
        end_by([comms = comms_] {
          const ncclResult_t code = ncclCommDestroy(std::exchange(comms->split, nullptr));
          comms->abort();  // the parent was given nothing but the split
          return code;
        });
        return;
      }
    } catch (const std::exception&) {
      // It failed, so it is stopped.
    }
    abort();
  }
  /// Runs the last call, for `end_limit` at most.
  template <class Call>
  static void end_by(Call call) noexcept {
    try {
      static_cast<void>(CallInThread(std::move(call)).ends_within(end_limit));
    } catch (const std::exception&) {
      // no thread: it stays as it is
    }
  }

  std::shared_ptr<Comms> comms_ = std::make_shared<Comms>();
  std::optional<CallInThread> connected_;
  bool aborted_ = false;
};

}  // namespace hashmill::backends
