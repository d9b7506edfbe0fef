#pragma once

#include <cstdint>
#include <hashmill/error.hpp>
#include <string>

namespace hashmill::perf {

/// A key file that cannot be used. what() is one line: the file, the place and the reason.
class KeyFileError : public Error {
 public:
  /// The file as a whole is at fault.
  KeyFileError(const std::string& path, const std::string& reason) : Error(path + ": " + reason) {}

  /// Byte `offset` (from 0) is at fault.
  KeyFileError(const std::string& path, std::uint64_t offset, const std::string& reason)
      : Error(path + ": byte " + std::to_string(offset) + ": " + reason) {}

  /// Line `line` (from 1), at byte `offset` (from 0), is at fault.
  KeyFileError(const std::string& path, std::uint64_t line, std::uint64_t offset,
               const std::string& reason)
      : Error(path + ": line " + std::to_string(line) + " (byte " + std::to_string(offset) +
              "): " + reason) {}
};

}  // namespace hashmill::perf
