#include "mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "key_file_error.hpp"

namespace hashmill::perf {
namespace {

/// Closes a file descriptor at the end of a scope.
class FileDescriptor {
 public:
  explicit FileDescriptor(int descriptor) : descriptor_(descriptor) {}
  ~FileDescriptor() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

}  // namespace

MappedFile::MappedFile(std::string path) : path_(std::move(path)) {
  const FileDescriptor file(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0)
    throw KeyFileError(path_, std::string("cannot open: ") + std::strerror(errno));
  struct stat status {};
  if (::fstat(file.get(), &status) != 0)
    throw KeyFileError(path_, std::string("cannot stat: ") + std::strerror(errno));
  if (!S_ISREG(status.st_mode)) throw KeyFileError(path_, "not a regular file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;
  void* address = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED)
    throw KeyFileError(path_, std::string("cannot map: ") + std::strerror(errno));
  ::madvise(address, size_, MADV_SEQUENTIAL);
  data_ = static_cast<const char*>(address);
}

MappedFile::~MappedFile() { unmap(); }

MappedFile::MappedFile(MappedFile&& other) noexcept
    : path_(std::move(other.path_)),
      data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap();
    path_ = std::move(other.path_);
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void MappedFile::unmap() noexcept {
  if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
  data_ = nullptr;
}

}  // namespace hashmill::perf
