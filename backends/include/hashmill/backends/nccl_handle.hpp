#pragma once

#include <nccl.h>

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
  /// Whether it has ended. Throws `TransportFailure` where it failed.
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
/// which only connects the ranks.
class NcclHandle {
 public:
  /// The longest time that the end of a communicator may take.
  static constexpr std::chrono::seconds end_limit{10};

  /// Begins to connect `size` ranks. All give the same id.
  NcclHandle(int size, const ncclUniqueId& id, int rank) : rank_(rank) {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    require_nccl(ncclCommInitRankConfig(comms_->own_parent(), size, id, rank, &config),
                 "ncclCommInitRankConfig");
  }
  /// Begins to connect the ranks of a communicator, which must stay until that is done, in the
  /// order of `rank`. They share nothing with it.
  NcclHandle(ncclComm_t parent, int rank) : rank_(rank), their_parent_(parent) {}
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;
  /// Ends the communicator, for which other ranks should do so too. Gives it up after `end_limit`.
  ~NcclHandle() {
    if (!aborted_) finish();
  }

  /// The communicator, once it can be given work.
  [[nodiscard]] ncclComm_t get() const { return comms_->comm; }
  /// Whether it can be given work. Throws `TransportFailure` where something failed.
  [[nodiscard]] bool is_ready() {
    if (!split_) {
      const ncclComm_t parent = their_parent_ != nullptr ? their_parent_ : comms_->parent();
      if (parent == nullptr || state(parent) == ncclInProgress) return false;
      begin_split(parent);
    }
    if (!is_connected_) is_connected_ = split_->has_ended("ncclCommSplit");
    return is_connected_ && state(comms_->comm) == ncclSuccess;
  }
  /// Stops what it does. It cannot be used any more. Waits for `end_limit` at most.
  void abort() noexcept {
    if (aborted_) return;
    aborted_ = true;
    end_by([comms = comms_, is_connected = is_connected_] {
      if (is_connected) static_cast<void>(ncclCommAbort(comms->comm));
      return comms->abort_parent();
    });
  }

 private:
  /// What threads may still use when the handle has gone.
  class Comms {
   public:
    /// NCCL writes it from a thread of its own.
    [[nodiscard]] ncclComm_t* own_parent() { return &parent_; }
    [[nodiscard]] ncclComm_t parent() const { return __atomic_load_n(&parent_, __ATOMIC_ACQUIRE); }
    ncclResult_t abort_parent() const {
      return parent() != nullptr ? ncclCommAbort(parent()) : ncclSuccess;
    }

    ncclComm_t comm = nullptr;

   private:
    ncclComm_t parent_ = nullptr;
  };

  [[nodiscard]] static ncclResult_t state(ncclComm_t comm) {
    ncclResult_t result = ncclSuccess;
    require_nccl(ncclCommGetAsyncError(comm, &result), "ncclCommGetAsyncError");
    if (result != ncclSuccess && result != ncclInProgress) {
      const char* const more = ncclGetLastError(comm);
      throw TransportFailure(-1, std::string("nccl: ") + ncclGetErrorString(result) +
                                     (more != nullptr && *more != 0 ? ": " : "") +
                                     (more != nullptr ? more : ""));
    }
    return result;
  }
  /// Splits all ranks off, in a thread. A parent that does not wait is asked until it is done.
  void begin_split(ncclComm_t parent) {
    int device = 0;
    require_cuda(cudaGetDevice(&device), "cudaGetDevice");
    split_.emplace([comms = comms_, parent, device, rank = rank_] {
      if (cudaSetDevice(device) != cudaSuccess) return ncclUnhandledCudaError;
      ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
      config.blocking = 1;
      config.splitShare = 0;
      ncclResult_t code = ncclCommSplit(parent, 0, rank, &comms->comm, &config);
      while (code == ncclInProgress) {
        std::this_thread::sleep_for(std::chrono::microseconds(50));
        if (ncclCommGetAsyncError(parent, &code) != ncclSuccess) return ncclInternalError;
      }
      return code;
    });
  }
  void finish() noexcept {
    try {
      const auto began = std::chrono::steady_clock::now();
      while (std::chrono::steady_clock::now() - began < end_limit) {
        if (is_ready()) {
          end_by([comms = comms_] {
            static_cast<void>(ncclCommDestroy(comms->comm));
            return comms->abort_parent();  // it was given nothing but the split
          });
          return;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
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
  int rank_;
  ncclComm_t their_parent_ = nullptr;
  std::optional<CallInThread> split_;
  bool is_connected_ = false;
  bool aborted_ = false;
};

}  // namespace hashmill::backends
