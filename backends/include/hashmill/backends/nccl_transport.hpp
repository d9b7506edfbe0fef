#pragma once

#include <nccl.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <hashmill/backends/event.hpp>
#include <hashmill/backends/length_check.hpp>
#include <hashmill/backends/nccl_handle.hpp>
#include <hashmill/backends/transport.hpp>
#include <iterator>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// A CUDA stream that waits for no other one. Its kernels go before those of others.
class CudaStream {
 public:
  /// Of the current device.
  CudaStream() {
    int least = 0, greatest = 0;
    require_cuda(cudaDeviceGetStreamPriorityRange(&least, &greatest),
                 "cudaDeviceGetStreamPriorityRange");
    require_cuda(cudaStreamCreateWithPriority(&stream_, cudaStreamNonBlocking, greatest),
                 "cudaStreamCreateWithPriority");
  }
  CudaStream(const CudaStream&) = delete;
  CudaStream& operator=(const CudaStream&) = delete;
  ~CudaStream() { static_cast<void>(cudaStreamDestroy(stream_)); }

  /// The stream.
  [[nodiscard]] cudaStream_t get() const { return stream_; }
  /// Whether all work given to it ends, without an error, within a time limit.
  [[nodiscard]] bool ends_within(std::chrono::seconds limit) const noexcept {
    const auto began = std::chrono::steady_clock::now();
    cudaError_t code = cudaStreamQuery(stream_);
    while (code == cudaErrorNotReady && std::chrono::steady_clock::now() - began < limit) {
      std::this_thread::yield();
      code = cudaStreamQuery(stream_);
    }
    return code == cudaSuccess;
  }

 private:
  cudaStream_t stream_ = nullptr;
};

/// GPUs that talk through NCCL, each rank with one of its own. Host memory goes through another
/// transport of the same ranks.
///
/// Exchanges of device memory, of all groups of ranks, run one after another on one stream, each as
/// one group of NCCL's sends and receives. So ranks must start those that they share in one order,
/// whatever their tags. NCCL would not end where the lengths of pieces differ between their ranks,
/// so they are compared beside it.
class NcclTransport final : public Transport {
 public:
  /// `control` moves host memory. `make_handle()` begins to connect the GPUs, on the current
  /// device.
  template <class MakeHandle>
  NcclTransport(std::unique_ptr<Transport> control, const MakeHandle& make_handle)
      : control_(std::move(control)), handle_(make_handle()) {
    require_cuda(cudaGetDevice(&device_), "cudaGetDevice");
  }
  NcclTransport(const NcclTransport&) = delete;
  NcclTransport& operator=(const NcclTransport&) = delete;

  [[nodiscard]] int rank() const override { return control_->rank(); }
  [[nodiscard]] int size() const override { return control_->size(); }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    if (exchange.memory == MemoryKind::host) {
      auto transfer = std::make_unique<HostTransfer>(*this);
      transfer->inner = control_->start(exchange);
      return transfer;
    }
    auto group = std::make_unique<Group>(*this, exchange);
    waiting_.push_back(group.get());
    group->compare_lengths(exchange);
    advance_for_a_moment();
    return group;
  }
  [[nodiscard]] bool has_left(int rank) const override { return control_->has_left(rank); }
  void notify(const FailureNotice& notice) noexcept override { control_->notify(notice); }
  [[nodiscard]] std::optional<FailureNotice> notice() noexcept override {
    return control_->notice();
  }
  [[noreturn]] void abort(int code) override {
    control_->abort(code);
    std::abort();  // nvcc forgets that a virtual function does not return
  }
  /// Stops NCCL. Arrays of a transfer are freed only where the GPU is known to be done with them.
  void abandon(std::unique_ptr<Transfer> transfer) noexcept override {
    waiting_.clear();
    handle_.abort();
    const bool ended = stream_.ends_within(NcclHandle::end_limit);
    if (auto* const host = dynamic_cast<HostTransfer*>(transfer.get())) {
      control_->abandon(std::move(host->inner));
    } else {
      auto* const group = dynamic_cast<Group*>(transfer.get());
      control_->abandon(group != nullptr ? group->release_lengths() : nullptr);
      if (!ended) static_cast<void>(transfer.release());
    }
  }

 private:
  /// NCCL is up to an eighth slower with longer messages (NCCL issue 2169).
  static constexpr std::uint64_t most_bytes = std::uint64_t{256} << 20;

  /// A transfer of host memory. Who waits for it keeps those of device memory going too, since
  /// another rank may wait for them.
  struct HostTransfer final : Transfer {
    explicit HostTransfer(NcclTransport& its_transport) : transport(its_transport) {}
    bool test() override {
      transport.advance();
      return inner->test();
    }
    [[nodiscard]] std::vector<int> pending() const override { return inner->pending(); }

    NcclTransport& transport;
    std::unique_ptr<Transfer> inner{};
  };

  /// An exchange of device memory. It is given to NCCL once NCCL has passed the one before it to
  /// the GPU, which may take long: pairs of ranks connect when they first exchange something.
  class Group final : public Transfer {
   public:
    Group(NcclTransport& transport, const Exchange& exchange)
        : transport_(transport), rank_(transport.rank()), owner_(exchange.owner) {
      for_each_own_piece(exchange, rank_, [&](const Receive& receive, const Send& send) {
        if (receive.bytes != 0) own_.emplace_back(send, receive);
      });
      const auto counts = [&](const auto& piece) {
        return piece.rank != rank_ && piece.bytes != 0;
      };
      std::copy_if(exchange.sends.begin(), exchange.sends.end(), std::back_inserter(sends_),
                   counts);
      std::copy_if(exchange.receives.begin(), exchange.receives.end(),
                   std::back_inserter(receives_), counts);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() override { std::erase(transport_.waiting_, this); }

    /// Begins to compare the lengths of its pieces with those of other ranks. Nothing that can
    /// throw may follow: other ranks use the memory of a comparison under way.
    void compare_lengths(const Exchange& exchange) {
      lengths_.emplace(*transport_.control_, exchange);
    }
    bool test() override {
      transport_.advance();
      if (transport_.failure_) throw TransportFailure(*transport_.failure_);
      const bool lengths_agree = lengths_->test();
      try {
        return lengths_agree && passed_ && event_.reached();
      } catch (const BackendError& error) {
        throw TransportFailure(-1, error.what());
      }
    }
    /// The ranks that have not started it or, as NCCL does not tell which pieces are done, all of
    /// them. An exchange without pieces waits for the connection.
    [[nodiscard]] std::vector<int> pending() const override {
      std::vector<int> ranks = lengths_->pending();
      if (!ranks.empty()) return ranks;
      for (const Receive& piece : receives_) ranks.push_back(piece.rank);
      for (const Send& piece : sends_) ranks.push_back(piece.rank);
      for (int r = 0; ranks.empty() && !passed_ && r < transport_.size(); ++r) {
        if (r != rank_) ranks.push_back(r);
      }
      return ranks;
    }

    /// The comparison of lengths, if it is under way.
    [[nodiscard]] std::unique_ptr<Transfer> release_lengths() { return lengths_->release(); }
    /// Whether it was given to NCCL.
    [[nodiscard]] bool is_given() const { return given_; }
    /// Gives it to NCCL.
    void give(ncclComm_t comm, cudaStream_t stream) {
      given_ = true;
      for (const auto& [send, receive] : own_) {
        require_cuda(
            cudaMemcpyAsync(receive.data, send.data, send.bytes, cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync");
      }
      if (sends_.empty() && receives_.empty()) return;
      require_nccl(ncclGroupStart(), "ncclGroupStart");
      ncclResult_t result = ncclSuccess;  // the group must end in any case
      for (const Receive& piece : receives_) {
        for (std::uint64_t at = 0; at < piece.bytes && is_fine(result); at += most_bytes) {
          result = ncclRecv(piece.data + at, std::min(most_bytes, piece.bytes - at), ncclUint8,
                            piece.rank, comm, stream);
        }
      }
      for (const Send& piece : sends_) {
        for (std::uint64_t at = 0; at < piece.bytes && is_fine(result); at += most_bytes) {
          result = ncclSend(piece.data + at, std::min(most_bytes, piece.bytes - at), ncclUint8,
                            piece.rank, comm, stream);
        }
      }
      const ncclResult_t end = ncclGroupEnd();
      require_nccl(result, "ncclSend or ncclRecv");
      require_nccl(end, "ncclGroupEnd");
    }
    /// Notes that NCCL passed it to the GPU.
    void pass(cudaStream_t stream) {
      event_.record(stream);
      passed_ = true;
    }

   private:
    [[nodiscard]] static bool is_fine(ncclResult_t result) {
      return result == ncclSuccess || result == ncclInProgress;
    }

    NcclTransport& transport_;
    int rank_;
    std::optional<LengthCheck> lengths_;
    std::vector<std::pair<Send, Receive>> own_;
    std::vector<Send> sends_;
    std::vector<Receive> receives_;
    bool given_ = false, passed_ = false;
    Event<Kokkos::Cuda> event_;
    std::shared_ptr<const void> owner_;
  };

  /// NCCL passes a group to the GPU in a thread of its own, in 0.05 to 0.3 ms. To wait for that
  /// lets the GPU go on from one group to the next while this rank does other things.
  void advance_for_a_moment() noexcept {
    constexpr std::chrono::milliseconds moment{1};
    const auto began = std::chrono::steady_clock::now();
    do {
      advance();
    } while (!waiting_.empty() && !failure_ && std::chrono::steady_clock::now() - began < moment);
  }
  /// Gives NCCL what it can take without waiting. Whoever tests a transfer of device memory sees
  /// what failed.
  void advance() noexcept {
    if (failure_) return;
    try {
      if (!handle_.is_ready()) return;
      if (!waiting_.empty()) require_cuda(cudaSetDevice(device_), "cudaSetDevice");
      while (!waiting_.empty()) {
        Group& group = *waiting_.front();
        if (!group.is_given()) group.give(handle_.get(), stream_.get());
        if (!handle_.is_ready()) return;
        group.pass(stream_.get());
        waiting_.pop_front();
      }
    } catch (const TransportFailure& failure) {
      failure_ = failure;
    } catch (const std::exception& error) {
      failure_ = TransportFailure(-1, error.what());
    }
  }

  std::unique_ptr<Transport> control_;
  int device_ = 0;
  CudaStream stream_;
  NcclHandle handle_;  // ends before the stream
  std::deque<Group*> waiting_;
  std::optional<TransportFailure> failure_;
};

}  // namespace hashmill::backends
