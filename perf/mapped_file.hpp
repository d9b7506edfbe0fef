#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace hashmill::perf {

/// Read-only memory mapping of a regular file; move-only.
class MappedFile {
 public:
  /// Maps the file at `path`. Throws `KeyFileError` with the system's reason if it cannot be read.
  explicit MappedFile(std::string path);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Path as it was given.
  const std::string& path() const { return path_; }

  /// The file's bytes, valid while this object lives.
  std::span<const char> bytes() const { return {data_, size_}; }

 private:
  void unmap() noexcept;

  std::string path_;
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace hashmill::perf
