#pragma once

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <hashmill/error.hpp>
#include <span>
#include <string>
#include <utility>

namespace hashmill::backends {

/// The directory of temporary files where the caller names none: TMPDIR, else /var/tmp. It is not
/// /tmp, which is memory on many machines.
[[nodiscard]] inline std::string temporary_directory() {
  const char* const named = std::getenv("TMPDIR");
  return named != nullptr && *named != '\0' ? named : "/var/tmp";
}

/// Whether that directory exists.
[[nodiscard]] inline bool is_directory(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_directory(name, ignored);
}

/// Bytes that a file in `directory` could still take; 0 where that is no directory.
[[nodiscard]] inline std::uint64_t free_file_bytes(const std::string& directory) {
  struct statvfs disk {};
  if (statvfs(directory.c_str(), &disk) != 0) return 0;
  return static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
}

/// A file without a name: nobody else sees it, and it vanishes with the process, however that ends.
/// Several threads may read and write it at once, in different places.
///
/// Errors: CapacityError where a disk or a limit is full, else BackendError. What was written then
/// is lost. A thread that writes must block SIGXFSZ, which would end the process at a limit.
class TemporaryFile {
 public:
  /// Throws InvalidArgument where `directory` takes no files.
  explicit TemporaryFile(std::string directory) : directory_(std::move(directory)) {
#ifdef O_TMPFILE
    descriptor_ = open(directory_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC | O_EXCL, 0600);
#endif
    if (descriptor_ < 0) make_named();  // some file systems cannot make a file without a name
    if (descriptor_ < 0) {
      throw InvalidArgument("no file can be made in directory '" + directory_ +
                            "': " + std::strerror(errno));
    }
  }
  TemporaryFile(TemporaryFile&& other) noexcept
      : directory_(std::move(other.directory_)),
        descriptor_(std::exchange(other.descriptor_, -1)) {}
  TemporaryFile& operator=(TemporaryFile&&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  /// Writes pieces of memory one behind another, from an offset on, and waits for the system to
  /// take them. The pieces are empty then.
  void write(std::uint64_t offset, std::span<iovec> pieces) const {
    transfer("write", pwritev, ENOSPC, offset, pieces);
  }
  /// Reads bytes that were written, likewise.
  void read(std::uint64_t offset, std::span<iovec> pieces) const {
    transfer("read", preadv, EIO, offset, pieces);
  }

 private:
  void make_named() {
    std::string name = directory_ + "/hashmill-XXXXXX";
    descriptor_ = mkstemp(name.data());
    if (descriptor_ >= 0) unlink(name.c_str());
  }
  /// Calls the system until it has taken all pieces. `none`: the error where it takes nothing.
  template <class Call>
  void transfer(const char* name, const Call& call, int none, std::uint64_t offset,
                std::span<iovec> pieces) const {
    constexpr std::size_t most = 1024;  // pieces that every system takes
    for (pieces = skip(pieces, 0); !pieces.empty();) {
      const auto count = static_cast<int>(std::min(pieces.size(), most));
      const ssize_t done = call(descriptor_, pieces.data(), count, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) throw_failure(name, done == 0 ? none : errno, bytes_of(pieces));
      offset += static_cast<std::uint64_t>(done);
      pieces = skip(pieces, static_cast<std::size_t>(done));
    }
  }
  /// What is left of pieces behind their first `bytes` bytes: none that is empty comes first.
  [[nodiscard]] static std::span<iovec> skip(std::span<iovec> pieces, std::size_t bytes) {
    while (!pieces.empty()) {
      iovec& first = pieces.front();
      const std::size_t some = std::min(bytes, first.iov_len);
      first.iov_base = static_cast<std::byte*>(first.iov_base) + some;
      first.iov_len -= some;
      bytes -= some;
      if (first.iov_len > 0) break;
      pieces = pieces.subspan(1);
    }
    return pieces;
  }
  [[nodiscard]] static std::uint64_t bytes_of(std::span<const iovec> pieces) {
    std::uint64_t bytes = 0;
    for (const iovec& piece : pieces) bytes += piece.iov_len;
    return bytes;
  }
  [[noreturn]] void throw_failure(const char* call, int error, std::uint64_t bytes) const {
    const std::string text = std::string("temporary file in '") + directory_ + "': cannot " + call +
                             " " + std::to_string(bytes) + " bytes: " + std::strerror(error);
    if (error == ENOSPC || error == EFBIG || error == EDQUOT) {
      throw CapacityError(text, bytes, free_file_bytes(directory_));
    }
    throw BackendError(text);
  }

  std::string directory_;
  int descriptor_ = -1;
};

}  // namespace hashmill::backends
