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
#include <set>
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
/// whatever their tags. What a rank sends to itself is copied beside them, on another stream. NCCL
/// would not end where the lengths of pieces differ between their ranks, so they are compared
/// beside it.
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
  [[nodiscard]] bool orders_after_events() const override { return true; }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    if (exchange.memory == MemoryKind::host) {
      auto transfer = std::make_unique<HostTransfer>(*this);
      transfer->inner = control_->start(exchange);
      return transfer;
    }
    auto group = std::make_unique<Group>(*this, exchange);
    if (exchange.after != nullptr) {
      exchange.after->precede(stream_.get());
      exchange.after->precede(own_copies_.get());
    }
    group->copy_own();
    waiting_.push_back(group.get());
    group->compare_lengths(exchange);
    advance();
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
    auto* const group = dynamic_cast<Group*>(transfer.get());
    const bool ended = (group == nullptr || group->contact_ends_within(NcclHandle::end_limit)) &&
                       stream_.ends_within(NcclHandle::end_limit) &&
                       own_copies_.ends_within(NcclHandle::end_limit);
    if (auto* const host = dynamic_cast<HostTransfer*>(transfer.get())) {
      control_->abandon(std::move(host->inner));
    } else {
      control_->abandon(group != nullptr ? group->release_lengths() : nullptr);
      if (!ended) static_cast<void>(transfer.release());
    }
  }

 private:
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

  /// Pieces that are given to NCCL together. They do not own the memory.
  struct Pieces {
    std::vector<Send> sends;
    std::vector<Receive> receives;

    [[nodiscard]] bool empty() const { return sends.empty() && receives.empty(); }
    /// Passes them to the GPU. Waits for ranks that this one has not yet exchanged anything with.
    ncclResult_t pass(ncclComm_t comm, cudaStream_t stream) const {
      ncclResult_t code = ncclGroupStart();
      if (code != ncclSuccess) return code;
      const auto pass_each = [&](const auto& pieces, const auto& pass_one) {
        for (const auto& piece : pieces) {
          if (code == ncclSuccess)
            code = pass_one(piece.data, piece.bytes, ncclUint8, piece.rank, comm, stream);
        }
      };
      pass_each(receives, ncclRecv);
      pass_each(sends, ncclSend);
      const ncclResult_t end = ncclGroupEnd();  // in any case
      return code != ncclSuccess ? code : end;
    }
  };

  /// An exchange of device memory. It is given to NCCL once NCCL has passed the one before it to
  /// the GPU. That takes long where pairs of ranks exchange something for the first time.
  class Group final : public Transfer {
   public:
    Group(NcclTransport& transport, const Exchange& exchange)
        : transport_(transport), owner_(exchange.owner) {
      const int rank = transport.rank();
      for_each_own_piece(exchange, rank, [&](const Receive& receive, const Send& send) {
        if (receive.bytes != 0) own_.emplace_back(send, receive);
      });
      const auto counts = [&](const auto& piece) { return piece.rank != rank && piece.bytes != 0; };
      std::ranges::copy_if(exchange.sends, std::back_inserter(pieces_.sends), counts);
      std::ranges::copy_if(exchange.receives, std::back_inserter(pieces_.receives), counts);
    }
    Group(const Group&) = delete;
    Group& operator=(const Group&) = delete;
    ~Group() override { std::erase(transport_.waiting_, this); }

    /// Begins to copy what the rank sends to itself.
    void copy_own() {
      if (own_.empty()) return;
      const cudaStream_t stream = transport_.own_copies_.get();
      require_cuda(cudaSetDevice(transport_.device_), "cudaSetDevice");
      for (const auto& [send, receive] : own_) {
        require_cuda(
            cudaMemcpyAsync(receive.data, send.data, send.bytes, cudaMemcpyDeviceToDevice, stream),
            "cudaMemcpyAsync");
      }
      own_copied_.record(stream);
    }
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
        return lengths_agree && passed_ && exchanged_.reached() && own_copied_.reached();
      } catch (const BackendError& error) {
        throw TransportFailure(-1, error.what());
      }
    }
    /// The ranks that have not started it or, as NCCL does not tell which pieces are done, all of
    /// them. An exchange without pieces waits for the connection.
    [[nodiscard]] std::vector<int> pending() const override {
      std::vector<int> ranks = lengths_->pending();
      if (!ranks.empty()) return ranks;
      for (const Receive& piece : pieces_.receives) ranks.push_back(piece.rank);
      for (const Send& piece : pieces_.sends) ranks.push_back(piece.rank);
      for (int r = 0; ranks.empty() && !passed_ && r < transport_.size(); ++r) {
        if (r != transport_.rank()) ranks.push_back(r);
      }
      return ranks;
    }

    /// Whether a first contact that is under way ends within a time limit.
    [[nodiscard]] bool contact_ends_within(std::chrono::seconds limit) const {
      return passed_ || !first_contact_ || first_contact_->ends_within(limit);
    }
    /// The comparison of lengths, if it is under way.
    [[nodiscard]] std::unique_ptr<Transfer> release_lengths() { return lengths_->release(); }
    /// Gives it to NCCL, and tells whether that has passed it to the GPU.
    [[nodiscard]] bool is_passed() {
      if (first_contact_) {
        if (!first_contact_->has_ended("ncclGroupEnd")) return false;
        transport_.meet(pieces_);
      } else if (transport_.has_met(pieces_)) {
        const ncclResult_t code =
            pieces_.empty() ? ncclSuccess
                            : pieces_.pass(transport_.handle_.get(), transport_.stream_.get());
        require_nccl(code, "ncclGroupEnd");
      } else {
        first_contact_.emplace([pieces = pieces_, device = transport_.device_,
                                comm = transport_.handle_.get(),
                                stream = transport_.stream_.get()] {
          if (cudaSetDevice(device) != cudaSuccess) return ncclUnhandledCudaError;
          return pieces.pass(comm, stream);
        });
        return false;
      }
      exchanged_.record(transport_.stream_.get());
      passed_ = true;
      return true;
    }

   private:
    NcclTransport& transport_;
    std::optional<LengthCheck> lengths_;
    std::vector<std::pair<Send, Receive>> own_;
    Pieces pieces_;
    std::optional<CallInThread> first_contact_;
    bool passed_ = false;
    Event<Kokkos::Cuda> exchanged_, own_copied_;
    std::shared_ptr<const void> owner_;
  };

  /// Whether it has sent something before to all ranks that these pieces go to, and received
  /// something from all that they come from. NCCL connects each direction by itself.
  [[nodiscard]] bool has_met(const Pieces& pieces) const {
    const auto among = [](const std::set<int>& met) {
      return [&met](const auto& piece) { return met.contains(piece.rank); };
    };
    return std::ranges::all_of(pieces.sends, among(sent_to_)) &&
           std::ranges::all_of(pieces.receives, among(received_from_));
  }
  void meet(const Pieces& pieces) {
    for (const Send& piece : pieces.sends) sent_to_.insert(piece.rank);
    for (const Receive& piece : pieces.receives) received_from_.insert(piece.rank);
  }
  /// Gives NCCL what it can take without waiting. Whoever tests a transfer of device memory sees
  /// what failed.
  void advance() noexcept {
    if (failure_) return;
    try {
      if (!handle_.is_ready()) return;
      if (!waiting_.empty()) require_cuda(cudaSetDevice(device_), "cudaSetDevice");
      while (!waiting_.empty() && waiting_.front()->is_passed()) waiting_.pop_front();
    } catch (const TransportFailure& failure) {
      failure_ = failure;
    } catch (const std::exception& error) {
      failure_ = TransportFailure(-1, error.what());
    }
  }

  std::unique_ptr<Transport> control_;
  int device_ = 0;
  CudaStream stream_, own_copies_;
  NcclHandle handle_;                      // ends before the stream
  std::set<int> sent_to_, received_from_;  // ranks that it is connected with
  std::deque<Group*> waiting_;
  std::optional<TransportFailure> failure_;
};

}  // namespace hashmill::backends
