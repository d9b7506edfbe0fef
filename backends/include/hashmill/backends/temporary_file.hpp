#pragma once

#include <fcntl.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <hashmill/error.hpp>
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

  /// Writes bytes at an offset, and waits for the system to take them.
  void write(std::uint64_t offset, const std::byte* data, std::uint64_t bytes) const {
    while (bytes > 0) {
      const ssize_t done = pwrite(descriptor_, data, bytes, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) throw_failure("write", done == 0 ? ENOSPC : errno, bytes);
      advance(static_cast<std::uint64_t>(done), offset, data, bytes);
    }
  }
  /// Reads bytes that were written.
  void read(std::uint64_t offset, std::byte* data, std::uint64_t bytes) const {
    while (bytes > 0) {
      const ssize_t done = pread(descriptor_, data, bytes, static_cast<off_t>(offset));
      if (done < 0 && errno == EINTR) continue;
      if (done <= 0) throw_failure("read", done == 0 ? EIO : errno, bytes);
      advance(static_cast<std::uint64_t>(done), offset, data, bytes);
    }
  }

 private:
  void make_named() {
    std::string name = directory_ + "/hashmill-XXXXXX";
    descriptor_ = mkstemp(name.data());
    if (descriptor_ >= 0) unlink(name.c_str());
  }
  template <class Byte>
  static void advance(std::uint64_t done, std::uint64_t& offset, Byte*& data,
                      std::uint64_t& bytes) {
    offset += done;
    data += done;
    bytes -= done;
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
