#pragma once

#include <cstdint>
#include <string>

namespace hashmill::perf {

/// A regular file that is open for reading; move-only. Its bytes are read and not mapped: a file
/// that another program cuts short meanwhile is an error here, where a mapping would end the
/// program.
class InputFile {
 public:
  /// Opens the file at `path`, without waiting for anybody: a pipe is refused. Throws
  /// `KeyFileError` with the system's reason if it cannot be opened or is no regular file.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  /// Path as it was given.
  const std::string& path() const { return path_; }

  /// Bytes that the file had when it was opened.
  std::uint64_t size() const { return size_; }

  /// Reads `count` bytes from byte `offset` on to `out`. Throws `KeyFileError` if the file no
  /// longer has them, naming the byte at which it ends, or cannot be read.
  void read(std::uint64_t offset, std::uint64_t count, void* out) const;

 private:
  std::string path_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace hashmill::perf
