#pragma once

#include <cstdint>
#include <hashmill/error.hpp>
#include <string>
#include <string_view>

namespace hashmill::perf {

/// Text of a file or a command line as a message may hold it: control characters, which would end
/// the message or break its line, as \xNN.
inline std::string printable(std::string_view text) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string shown;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      shown += c;
    } else {
      shown.append("\\x").append(1, digits[byte >> 4]).append(1, digits[byte & 15]);
    }
  }
  return shown;
}

/// A key file that cannot be used. what() is one line: the file, the place and the reason, whatever
/// bytes the file and its name hold.
class KeyFileError : public Error {
 public:
  /// The file as a whole is at fault.
  KeyFileError(const std::string& path, const std::string& reason)
      : Error(printable(path + ": " + reason)) {}

  /// Byte `offset` (from 0) is at fault.
  KeyFileError(const std::string& path, std::uint64_t offset, const std::string& reason)
      : KeyFileError(path, "byte " + std::to_string(offset) + ": " + reason) {}

  /// Line `line` (from 1), at byte `offset` (from 0), is at fault.
  KeyFileError(const std::string& path, std::uint64_t line, std::uint64_t offset,
               const std::string& reason)
      : KeyFileError(path, "line " + std::to_string(line) + " (byte " + std::to_string(offset) +
                               "): " + reason) {}
};

}  // namespace hashmill::perf
