#pragma once

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <functional>
#include <string>
#include <utility>

namespace hashmill::backends {

/// Tells where a process runs. Processes can watch each other where all but `id` is equal.
struct ProcessPlace {
  std::uint64_t machine;  ///< of its kernel: equal in all containers of one machine
  std::uint64_t names;    ///< the PID namespace, in which process ids are unique
  std::int64_t id;
};

/// The place of this process.
[[nodiscard]] inline ProcessPlace this_process() {
  std::string machine;
  if (!(std::ifstream("/proc/sys/kernel/random/boot_id") >> machine)) {
    std::array<char, 256> name{};
    if (gethostname(name.data(), name.size() - 1) == 0) machine = name.data();
  }
  struct stat names {};
  if (stat("/proc/self/ns/pid", &names) != 0) names.st_ino = 0;
  return {std::hash<std::string>{}(machine), names.st_ino, getpid()};
}

/// Watches another process of this machine, and this PID namespace, from its construction on.
class WatchedProcess {
 public:
  /// Watches the process with that id.
  explicit WatchedProcess(std::int64_t id) : id_(static_cast<pid_t>(id)) {
#ifdef SYS_pidfd_open
    handle_ = static_cast<int>(syscall(SYS_pidfd_open, id_, 0));
#endif
  }
  WatchedProcess(WatchedProcess&& other) noexcept
      : id_(other.id_), handle_(std::exchange(other.handle_, -1)) {}
  WatchedProcess& operator=(WatchedProcess&&) = delete;
  ~WatchedProcess() {
    if (handle_ >= 0) close(handle_);
  }

  /// Whether it ended. Without Linux's process handles a process counts as running until its parent
  /// knows of its end.
  [[nodiscard]] bool has_ended() const {
    if (handle_ < 0) return kill(id_, 0) != 0 && errno == ESRCH;
    pollfd end{handle_, POLLIN, 0};
    return poll(&end, 1, 0) > 0;
  }

 private:
  pid_t id_;
  int handle_ = -1;
};

}  // namespace hashmill::backends
