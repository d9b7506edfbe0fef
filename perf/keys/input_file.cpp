#include "input_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "key_file_error.hpp"

namespace hashmill::perf {
namespace {

/// The size of an open regular file.
std::uint64_t size_of(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    throw KeyFileError(path, std::string("cannot stat: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw KeyFileError(path, "not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  // Without O_NONBLOCK opening a pipe waits for its writer, for ever if there is none.
  descriptor_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (descriptor_ < 0)
    throw KeyFileError(path_, std::string("cannot open: ") + std::strerror(errno));
  try {
    size_ = size_of(descriptor_, path_);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

InputFile::~InputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

InputFile::InputFile(InputFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      size_(std::exchange(other.size_, 0)) {}

InputFile& InputFile::operator=(InputFile&& other) noexcept {
  std::swap(path_, other.path_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

void InputFile::read(std::uint64_t offset, std::uint64_t count, void* out) const {
  constexpr std::uint64_t most_at_once = std::uint64_t{1} << 30;  // the system reads less than 2^31
  auto* bytes = static_cast<char*>(out);
  for (const std::uint64_t end = offset + count; offset < end;) {
    const ::ssize_t done = ::pread(descriptor_, bytes, std::min(end - offset, most_at_once),
                                   static_cast<::off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) throw KeyFileError(path_, std::string("cannot read: ") + std::strerror(errno));
    if (done == 0) {
      throw KeyFileError(path_, offset,
                         "the file ends here: it was cut short after it was opened, when it had " +
                             std::to_string(size_) + " bytes");
    }
    offset += static_cast<std::uint64_t>(done);
    bytes += done;
  }
}

}  // namespace hashmill::perf
