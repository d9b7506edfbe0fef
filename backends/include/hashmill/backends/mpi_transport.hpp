#pragma once

#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <hashmill/backends/mpi_call.hpp>
#include <hashmill/backends/mpi_messages.hpp>
#include <hashmill/backends/mpi_staged_messages.hpp>
#include <hashmill/backends/transport.hpp>
#include <hashmill/communication_options.hpp>
#include <hashmill/error.hpp>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::backends {

/// Ranks of MPI. The caller's communicator stays the caller's: this one talks through a duplicate,
/// whose errors are returned and never end the program.
///
/// Device memory is given to MPI where that can reach it, else staged by `MpiStagedMessages`. Ranks
/// of both kinds may talk to each other, and with arrays in host memory: all cut pieces at the same
/// bytes, which they agree on.
class MpiTransport final : public Transport {
 public:
  /// Collective. Throws InvalidArgument where MPI cannot be used, or where it is not initialized
  /// for programs with threads, or the options are wrong, on any rank. Throws CommunicationError
  /// where not all ranks call it.
  explicit MpiTransport(MPI_Comm communicator, const CommunicationOptions& options = {}) {
    require_usable(communicator);
    MPI_Comm_rank(communicator, &rank_);
    MPI_Comm_size(communicator, &size_);
    duplicate(communicator, options.timeout);
    try {
      agree_on_messages(options);
    } catch (const InvalidArgument&) {
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
  /// Throws InvalidArgument where MPI cannot be called, or not by this thread.
  [[nodiscard]] std::unique_ptr<Transfer> start(const Exchange& exchange) override {
    if (const char* const why = why_not_callable()) throw InvalidArgument(why);
    if (staging_ == nullptr) return begin(exchange, nullptr);
    if (exchange.memory == MemoryKind::host && !staging_->has_waiting()) {
      return begin(exchange, [staging = staging_] { staging->advance(); });
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
  /// Notices are so short that MPI sends them without their receivers.
  void notify(const FailureNotice& notice) noexcept override {
    abandoned_ = true;
    if (why_not_callable() != nullptr) return;
    auto* const kept = new (std::nothrow) FailureNotice(notice);  // MPI may read it at any time
    for (int r = 0; kept != nullptr && r < size_; ++r) {
      MPI_Request request = MPI_REQUEST_NULL;
      if (r == rank_) continue;
      MPI_Isend(kept, sizeof(*kept), MPI_BYTE, r, notice_tag, communicator_, &request);
    }
  }
  [[nodiscard]] std::optional<FailureNotice> notice() noexcept override {
    int has_come = 0;
    MPI_Status status;
    const int code = MPI_Iprobe(MPI_ANY_SOURCE, notice_tag, communicator_, &has_come, &status);
    if (code != MPI_SUCCESS || has_come == 0) return {};
    FailureNotice notice{};
    const bool received = MPI_Recv(&notice, sizeof(notice), MPI_BYTE, status.MPI_SOURCE, notice_tag,
                                   communicator_, MPI_STATUS_IGNORE) == MPI_SUCCESS;
    return received ? std::optional(notice) : std::nullopt;
  }

 private:
  // The end of a message tells that something arrives. Open MPI on one machine also moves 128 MiB
  // as several messages in two thirds of the time of one.
  static constexpr std::uint64_t max_message_bytes = std::uint64_t{1} << 22;
  static constexpr std::uint64_t min_staging_bytes = 1024;

  static void require_usable(MPI_Comm communicator) {
    int initialized = 0, finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized == 0) throw InvalidArgument("mpi: call MPI_Init_thread first");
    if (finalized != 0) throw InvalidArgument("mpi: MPI_Finalize was called before");
    if (communicator == MPI_COMM_NULL) throw InvalidArgument("mpi: MPI_COMM_NULL has no ranks");
    int between_groups = 0;
    require_mpi(MPI_Comm_test_inter(communicator, &between_groups), "MPI_Comm_test_inter");
    if (between_groups != 0) throw InvalidArgument("mpi: an intercommunicator is not supported");
  }

  [[nodiscard]] std::unique_ptr<Transfer> begin(const Exchange& exchange,
                                                std::function<void()> others) {
    auto messages = std::make_unique<MpiMessages>(exchange.owner, std::move(others));
    try {
      messages->begin(communicator_, rank_, exchange, most_bytes_);
    } catch (...) {
      abandon(std::move(messages));
      throw;
    }
    return messages;
  }

  /// MPI_Comm_dup would wait for ever for a rank that does not call it.
  void duplicate(MPI_Comm communicator, std::chrono::milliseconds limit) {
    auto duplicate = std::make_unique<MPI_Comm>(MPI_COMM_NULL);
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Comm_idup(communicator, duplicate.get(), &request), "MPI_Comm_idup");
    try {
      wait_for(request, limit, rank_, "duplicate a communicator of MPI");
    } catch (...) {
      static_cast<void>(duplicate.release());  // MPI may still write to it
      throw;
    }
    communicator_ = *duplicate;
    MPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN);
  }
  void require_threads() {
    int threads = MPI_THREAD_SINGLE;
    MPI_Query_thread(&threads);
    only_main_thread_ = threads == MPI_THREAD_FUNNELED;
    if (threads >= MPI_THREAD_FUNNELED) return;
    throw InvalidArgument(
        "mpi: it was initialized for programs without threads; call MPI_Init_thread and ask for "
        "MPI_THREAD_FUNNELED or more");
  }
  /// Null where MPI can be called.
  [[nodiscard]] const char* why_not_callable() const noexcept {
    int finalized = 0, is_main = 1;
    MPI_Finalized(&finalized);
    if (finalized != 0) return "mpi: MPI_Finalize was called before";
    if (only_main_thread_) MPI_Is_thread_main(&is_main);
    if (is_main != 0) return nullptr;
    return "mpi: with MPI_THREAD_FUNNELED only the thread that initialized it may communicate; ask "
           "for MPI_THREAD_SERIALIZED";
  }

  /// The bytes of the longest message, which is the least that any rank wants. A rank with wrong
  /// options wants none, so that all throw.
  void agree_on_messages(const CommunicationOptions& options) {
    std::exception_ptr fault;
    try {
      require_threads();
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
    const std::vector<std::uint64_t> wanted = gather_words(most_bytes_, options.timeout);
    if (fault) std::rethrow_exception(fault);
    const auto least = std::ranges::min_element(wanted);
    most_bytes_ = *least;
    if (most_bytes_ != 0) return;
    throw InvalidArgument("mpi: rank " + std::to_string(least - wanted.begin()) +
                          " has wrong options, or an MPI without threads");
  }
  [[nodiscard]] std::vector<std::uint64_t> gather_words(std::uint64_t mine,
                                                        std::chrono::milliseconds limit) {
    auto words =
        std::make_unique<std::vector<std::uint64_t>>(static_cast<std::size_t>(size_), mine);
    MPI_Request request = MPI_REQUEST_NULL;
    require_mpi(MPI_Iallgather(MPI_IN_PLACE, 1, MPI_UINT64_T, words->data(), 1, MPI_UINT64_T,
                               communicator_, &request),
                "MPI_Iallgather");
    try {
      wait_for(request, limit, rank_, "gather options");
    } catch (...) {
      static_cast<void>(words.release());  // MPI may still write to it
      throw;
    }
    return *words;
  }

  MPI_Comm communicator_ = MPI_COMM_NULL;
  int rank_ = 0, size_ = 0;
  std::uint64_t most_bytes_ = max_message_bytes;
  std::shared_ptr<MpiStaging> staging_;  // null: MPI reaches device memory
  bool abandoned_ = false;
  bool only_main_thread_ = false;  // may call MPI
};

}  // namespace hashmill::backends
