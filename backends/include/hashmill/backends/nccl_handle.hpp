#pragma once

#include <nccl.h>

#include <chrono>
#include <future>
#include <hashmill/backends/transport.hpp>
#include <memory>
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

/// A communicator of NCCL of which no call waits for another rank. It begins unconnected.
class NcclHandle {
 public:
  /// The longest time that the end of a communicator may take.
  static constexpr std::chrono::seconds end_limit{10};

  /// Begins to connect `size` ranks. All give the same id.
  NcclHandle(int size, const ncclUniqueId& id, int rank) {
    ncclConfig_t config = non_blocking();
    require_nccl(ncclCommInitRankConfig(comm_.get(), size, id, rank, &config),
                 "ncclCommInitRankConfig");
  }
  /// Begins to connect the ranks of a communicator, which must stay until that is done, in the
  /// order of `rank`. They share nothing with it.
  NcclHandle(ncclComm_t parent, int rank) : parent_(parent) {
    ncclConfig_t config = non_blocking();
    config.splitShare = 0;
    require_nccl(ncclCommSplit(parent, 0, rank, comm_.get(), &config), "ncclCommSplit");
  }
  NcclHandle(const NcclHandle&) = delete;
  NcclHandle& operator=(const NcclHandle&) = delete;
  /// Ends the communicator, for which other ranks should do so too. Gives it up after `end_limit`.
  ~NcclHandle() {
    if (!aborted_) finish();
    // NCCL may still write to it.
    if (get() == nullptr) static_cast<void>(comm_.release());
  }

  /// The communicator; null for some time while it connects.
  [[nodiscard]] ncclComm_t get() const { return __atomic_load_n(comm_.get(), __ATOMIC_ACQUIRE); }
  /// Whether it can be given work: it is connected, and the last work was passed to the GPU. Throws
  /// `TransportFailure` where something failed.
  [[nodiscard]] bool is_ready() {
    if (parent_ != nullptr && state(parent_) == ncclInProgress) return false;
    if (get() == nullptr || state(get()) == ncclInProgress) return false;
    parent_ = nullptr;
    return true;
  }
  /// Stops what it does. It cannot be used any more. Waits for `end_limit` at most.
  void abort() noexcept {
    if (aborted_) return;
    aborted_ = true;
    const ncclComm_t comm = get();
    if (comm == nullptr) return;
    try {
      // In a thread, which is left alone where NCCL waits for what cannot come.
      std::packaged_task<void()> task([comm] { static_cast<void>(ncclCommAbort(comm)); });
      const std::future<void> done = task.get_future();
      std::thread(std::move(task)).detach();
      static_cast<void>(done.wait_for(end_limit));
    } catch (const std::exception&) {
      return;  // no thread: it stays as it is
    }
  }

 private:
  [[nodiscard]] static ncclConfig_t non_blocking() {
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    return config;
  }
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
  void finish() noexcept {
    try {
      const auto began = std::chrono::steady_clock::now();
      bool asked = false;
      while (std::chrono::steady_clock::now() - began < end_limit) {
        if (is_ready()) {
          if (asked) {
            static_cast<void>(ncclCommDestroy(get()));
            return;
          }
          require_nccl(ncclCommFinalize(get()), "ncclCommFinalize");
          asked = true;
        }
        std::this_thread::sleep_for(std::chrono::microseconds(50));
      }
    } catch (const std::exception&) {
      // It failed, so it is stopped.
    }
    abort();
  }

  std::unique_ptr<ncclComm_t> comm_ = std::make_unique<ncclComm_t>(nullptr);
  ncclComm_t parent_ = nullptr;  // until it is connected
  bool aborted_ = false;
};

}  // namespace hashmill::backends
