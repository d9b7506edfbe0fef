#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <hashmill/backends/temporary_file.hpp>
#include <mutex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace hashmill::detail {

/// Bytes on their way between pieces of memory and a file, where they lie one behind another.
struct FileTransfer {
  bool writes = false;
  std::uint64_t offset = 0;
  std::vector<iovec> pieces{};
  bool done = true;  // guarded by the mutex of FileTransfers
};

/// Two threads that read and write a file while the caller computes. For one calling thread. After
/// an error nothing is transferred any more, and every call throws that error.
class FileTransfers {
 public:
  /// Throws BackendError where threads cannot be made.
  explicit FileTransfers(const backends::TemporaryFile& file) : file_(file) {
    try {
      for (std::jthread& worker : workers_) worker = std::jthread([this] { work(); });
    } catch (const std::system_error& error) {
      end();
      throw BackendError(std::string("threads that read and write a file: ") + error.what());
    }
  }
  FileTransfers(const FileTransfers&) = delete;
  FileTransfers& operator=(const FileTransfers&) = delete;
  /// What has not begun never happens.
  ~FileTransfers() { end(); }

  /// Starts a transfer, which stays where it is until it is done.
  void start(FileTransfer& transfer) {
    {
      const std::lock_guard lock(mutex_);
      if (error_) std::rethrow_exception(error_);
      transfer.done = false;
      queue_.push_back(&transfer);
    }
    has_work_.notify_one();
  }
  /// Waits until a transfer is done. Throws where any has failed. A read that no thread has begun
  /// is carried out here: often that takes less time than waking one.
  void wait(const FileTransfer& transfer) {
    std::unique_lock lock(mutex_);
    const auto queued = std::find(queue_.begin(), queue_.end(), &transfer);
    if (queued != queue_.end() && !transfer.writes) {
      FileTransfer& read = **queued;
      queue_.erase(queued);
      carry_out(read, lock);
    }
    is_done_.wait(lock, [&] { return transfer.done; });
    if (error_) std::rethrow_exception(error_);
  }
  /// Whether a transfer is done.
  [[nodiscard]] bool is_done(const FileTransfer& transfer) {
    const std::lock_guard lock(mutex_);
    return transfer.done;
  }
  /// As `wait`, where an exception is under way.
  void settle(const FileTransfer& transfer) noexcept {
    std::unique_lock lock(mutex_);
    is_done_.wait(lock, [&] { return transfer.done; });
  }

 private:
  void end() {
    {
      const std::lock_guard lock(mutex_);
      queue_.clear();
      ends_ = true;
    }
    has_work_.notify_all();
  }
  void work() {
    // A write beyond a limit of file sizes then fails, in place of ending the process.
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    std::unique_lock lock(mutex_);
    while (true) {
      has_work_.wait(lock, [&] { return ends_ || !queue_.empty(); });
      if (queue_.empty()) return;
      FileTransfer& next = *queue_.front();
      queue_.pop_front();
      carry_out(next, lock);
      is_done_.notify_all();
    }
  }
  void carry_out(FileTransfer& transfer, std::unique_lock<std::mutex>& lock) {
    if (!error_) run(transfer, lock);
    transfer.done = true;
  }
  /// Carries out a transfer without the lock.
  void run(FileTransfer& transfer, std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    std::exception_ptr error;
    try {
      transfer.writes ? file_.write(transfer.offset, transfer.pieces)
                      : file_.read(transfer.offset, transfer.pieces);
    } catch (...) {
      error = std::current_exception();
    }
    lock.lock();
    if (error && !error_) error_ = error;
  }

  const backends::TemporaryFile& file_;
  std::mutex mutex_;
  std::condition_variable has_work_, is_done_;
  std::deque<FileTransfer*> queue_;  // guarded by the mutex, as are the next ones
  std::exception_ptr error_;
  bool ends_ = false;
  std::array<std::jthread, 2> workers_;  // last: they end first
};

}  // namespace hashmill::detail
