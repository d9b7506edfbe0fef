#include "key_file.hpp"

#include <bit>
#include <cstring>
#include <filesystem>
#include <hashmill/error.hpp>
#include <limits>

#include "csv_column.hpp"
#include "key_file_error.hpp"

namespace hashmill::perf {
namespace {

static_assert(std::endian::native == std::endian::little, "key files are little-endian");

constexpr std::uint64_t sosd_header_bytes = 8;

KeyFileFormat format_of(const KeyFileRequest& request) {
  if (request.format != KeyFileFormat::automatic) return request.format;
  if (!request.column.empty()) return KeyFileFormat::csv;
  const bool is_raw = request.path.ends_with(".raw") || request.path.ends_with(".bin");
  if (request.path.ends_with(".csv"))
    throw KeyFileError(request.path, "name the column: " + request.path + ":COLUMN");
  return is_raw ? KeyFileFormat::raw : KeyFileFormat::sosd;
}

const char* name_of(KeyFileFormat format) {
  switch (format) {
    case KeyFileFormat::sosd:
      return "SOSD";
    case KeyFileFormat::raw:
      return "raw";
    default:
      return "CSV";
  }
}

/// Key bits of a SOSD file: those asked for if the sizes agree, else those the sizes give; 0 if
/// none do.
unsigned sosd_key_bits(std::uint64_t count, std::uint64_t payload, unsigned asked) {
  for (const unsigned bits : {32u, 64u}) {
    const std::uint64_t key_bytes = bits / 8;
    if ((asked == 0 || asked == bits) && payload % key_bytes == 0 && payload / key_bytes == count)
      return bits;
  }
  return 0;
}

/// Why the sizes of a SOSD file do not agree.
std::string sosd_mismatch(std::uint64_t count, std::uint64_t payload, unsigned asked) {
  const std::string follow = "the header announces " + std::to_string(count) + " keys, but " +
                             std::to_string(payload) + " bytes follow";
  if (asked != 0 && sosd_key_bits(count, payload, 0) != 0) {
    return follow + ": those are " + std::to_string(96 - asked) + "-bit keys, and " +
           std::to_string(asked) + "-bit keys were asked for";
  }
  const std::string asked_bytes = asked == 0 ? "4 or 8" : std::to_string(asked / 8);
  return follow + ", which is not " + asked_bytes +
         " a key (keys without a header: --key-format raw)";
}

}  // namespace

KeyFileRequest KeyFileRequest::parse(const std::string& argument) {
  KeyFileRequest request;
  request.path = argument;
  const auto last_colon = argument.rfind(':');
  std::error_code ignored;
  if (last_colon == std::string::npos || std::filesystem::exists(argument, ignored)) return request;
  auto colon = last_colon;
  while (colon != std::string::npos && colon > 0 &&
         !std::filesystem::exists(argument.substr(0, colon), ignored)) {
    colon = argument.rfind(':', colon - 1);
  }
  if (colon == std::string::npos || colon == 0) colon = last_colon;
  if (colon == 0) return request;
  request.path = argument.substr(0, colon);
  request.column = argument.substr(colon + 1);
  return request;
}

KeyFile::KeyFile(const KeyFileRequest& request)
    : file_(request.path), format_(format_of(request)), column_(request.column) {
  if (format_ == KeyFileFormat::sosd) {
    open_sosd(request);
  } else if (format_ == KeyFileFormat::raw) {
    open_raw(request);
  } else {
    open_csv(request);
  }
}

void KeyFile::open_sosd(const KeyFileRequest& request) {
  if (request.key_bits == 128)
    throw KeyFileError(request.path, "SOSD files hold 32- or 64-bit keys, not 128-bit ones");
  if (file_.size() < sosd_header_bytes) {
    throw KeyFileError(request.path, file_.size(),
                       "the file ends inside the 8-byte count of a SOSD file");
  }
  file_.read(0, sizeof(size_), &size_);
  if (size_ == 0) throw KeyFileError(request.path, 0, "the header announces 0 keys");
  const std::uint64_t payload = file_.size() - sosd_header_bytes;
  key_bits_ = sosd_key_bits(size_, payload, request.key_bits);
  if (key_bits_ == 0)
    throw KeyFileError(request.path, 0, sosd_mismatch(size_, payload, request.key_bits));
  first_byte_ = sosd_header_bytes;
}

void KeyFile::open_raw(const KeyFileRequest& request) {
  if (request.key_bits == 0)
    throw KeyFileError(request.path, "a raw file does not tell its key size: add --key-bits");
  key_bits_ = request.key_bits;
  const std::uint64_t key_bytes = key_bits_ / 8;
  const std::uint64_t num_bytes = file_.size();
  size_ = num_bytes / key_bytes;
  if (num_bytes == 0) throw KeyFileError(request.path, 0, "the file is empty");
  if (num_bytes % key_bytes != 0) {
    throw KeyFileError(request.path, size_ * key_bytes,
                       "the last key is cut short: " + std::to_string(num_bytes) +
                           " bytes are no multiple of " + std::to_string(key_bytes));
  }
}

void KeyFile::open_csv(const KeyFileRequest& request) {
  key_bits_ = request.key_bits == 0 ? 64 : request.key_bits;
  if (key_bits_ == 128)
    throw KeyFileError(request.path, "CSV columns give 32- or 64-bit keys, not 128-bit ones");
  const std::uint64_t largest = key_bits_ == 32 ? std::numeric_limits<std::uint32_t>::max()
                                                : std::numeric_limits<std::uint64_t>::max();
  parsed_ = read_csv_column(file_, column_, largest);
  size_ = parsed_.size();
}

std::string KeyFile::description() const {
  return file_.path() + (column_.empty() ? "" : ":" + column_) + " (" + name_of(format_) + ", " +
         std::to_string(size_) + " keys of " + std::to_string(key_bits_) + " bits)";
}

void KeyFile::copy_bytes(void* out, std::uint64_t count, std::uint64_t key_bytes) const {
  if (key_bytes * 8 != key_bits_ || count > size_) {
    throw InvalidArgument(description() + ": asked for " + std::to_string(count) + " keys of " +
                          std::to_string(8 * key_bytes) + " bits");
  }
  if (format_ != KeyFileFormat::csv) {
    file_.read(first_byte_, count * key_bytes, out);
  } else if (key_bytes == sizeof(std::uint64_t)) {
    std::memcpy(out, parsed_.data(), count * key_bytes);
  } else {
    auto* narrow = static_cast<std::uint32_t*>(out);
    for (std::uint64_t i = 0; i < count; ++i) narrow[i] = static_cast<std::uint32_t>(parsed_[i]);
  }
}

}  // namespace hashmill::perf
