#pragma once

#include <mpi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <hashmill/backends/mpi_call.hpp>
#include <hashmill/backends/mpi_messages.hpp>
#include <hashmill/backends/mpi_staged_messages.hpp>
#include <hashmill/backends/transport.hpp>
#include <hashmill/communication_options.hpp>
#include <hashmill/error.hpp>
#include <memory>
#include <string>
#include <utility>

namespace hashmill::backends {

/// Ranks of MPI. The caller's communicator stays the caller's: this one talks through a duplicate,
/// whose errors are returned and never end the program.
///
/// Device memory is given to MPI where that can reach it, else staged by `MpiStagedMessages`. Ranks
/// of both kinds may talk to each other, and with arrays in host memory: all cut pieces at the same
/// bytes, which they agree on.
class MpiTransport final : public Transport {
 public:
  /// Throws InvalidArgument where MPI cannot be used, or not by programs with threads, or where the
  /// options of a rank are wrong. Collective.
  explicit MpiTransport(MPI_Comm communicator, const CommunicationOptions& options = {}) {
    require_usable(communicator);
    require_mpi(MPI_Comm_dup(communicator, &communicator_), "MPI_Comm_dup");
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(communicator_, &rank_);
    MPI_Comm_size(communicator_, &size_);
    try {
      agree_on_messages(options);
    } catch (...) {
      MPI_Comm_free(&communicator_);
      throw;
    }
  }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;
  ~MpiTransport() override {
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (finalized == 0 && !abandoned_) MPI_Comm_free(&communicator_);
  }

  [[nodiscard]] int rank() const override { return rank_; }
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    if (staging_ == nullptr) {
      return std::make_unique<MpiMessages>(communicator_, rank_, exchange, most_bytes_, nullptr);
    }
    if (exchange.memory == MemoryKind::host && !staging_->has_waiting()) {
      return std::make_unique<MpiMessages>(communicator_, rank_, exchange, most_bytes_,
                                           [staging = staging_] { staging->advance(); });
    }
    return std::make_unique<MpiStagedMessages>(communicator_, rank_, size_, exchange, most_bytes_,
                                               staging_);
  }
  [[noreturn]] void abort(int code) override {
    MPI_Abort(communicator_, code);
    std::abort();
  }
  /// MPI may still touch the arrays of a transfer that failed, so they are never freed.
  void abandon(std::unique_ptr<Transfer> transfer) noexcept override {
    abandoned_ = true;
    static_cast<void>(transfer.release());
  }

 private:
  // The end of a message tells that something arrives. Open MPI on one machine also moves 128 MiB
  // as several messages in two thirds of the time of one.
  static constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 22;
  static constexpr std::uint64_t min_staging_bytes = 1024;

  static void require_usable(MPI_Comm communicator) {
    int initialized = 0, finalized = 0, threads = MPI_THREAD_SINGLE;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0) throw InvalidArgument("mpi: call MPI_Init_thread first");
    if (finalized != 0) throw InvalidArgument("mpi: MPI_Finalize was called before");
    if (communicator == MPI_COMM_NULL) throw InvalidArgument("mpi: MPI_COMM_NULL has no ranks");
    MPI_Query_thread(&threads);
    if (threads < MPI_THREAD_FUNNELED) {
      throw InvalidArgument(
          "mpi: it was initialized for programs without threads; call MPI_Init_thread and ask for "
          "MPI_THREAD_FUNNELED or more");
    }
    int between_groups = 0;
    require_mpi(MPI_Comm_test_inter(communicator, &between_groups), "MPI_Comm_test_inter");
    if (between_groups != 0) throw InvalidArgument("mpi: an intercommunicator is not supported");
  }

  /// The bytes of the longest message, which is the least that any rank wants. A rank with wrong
  /// options wants none, so that all throw.
  void agree_on_messages(const CommunicationOptions& options) {
    std::exception_ptr fault;
    try {
      if (!mpi_is_gpu_aware(options.gpu_aware)) {
        if (options.staging_bytes < min_staging_bytes) {
          throw InvalidArgument("staging_bytes is " + std::to_string(options.staging_bytes) +
                                ", but at least " + std::to_string(min_staging_bytes));
        }
        staging_ = std::make_shared<MpiStaging>(options.staging_bytes);
        most_bytes_ = std::min(most_bytes_, MpiStaging::most_message_bytes(options.staging_bytes));
      }
    } catch (const InvalidArgument&) {
      fault = std::current_exception();
      most_bytes_ = 0;
    }
    require_mpi(MPI_Allreduce(MPI_IN_PLACE, &most_bytes_, 1, MPI_UINT64_T, MPI_MIN, communicator_),
                "MPI_Allreduce");
    if (fault) std::rethrow_exception(fault);
    if (most_bytes_ == 0) throw InvalidArgument("mpi: another rank has wrong options");
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::uint64_t most_bytes_ = max_message_bytes;
  std::shared_ptr<MpiStaging> staging_;  // null: MPI reaches device memory
  bool abandoned_ = false;
};

}  // namespace hashmill::backends
