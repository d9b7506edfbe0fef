#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "input_file.hpp"

namespace hashmill::perf {

/// How keys lie in a file.
enum class KeyFileFormat {
  automatic,  ///< csv if a column is named, raw if the path ends in .raw or .bin, else sosd
  sosd,       ///< u64 count, then that many u32 or u64 keys, little-endian (learnedsystems/SOSD)
  raw,        ///< keys only, little-endian
  csv         ///< one named column of a comma-separated file with a header row
};

/// What to read.
struct KeyFileRequest {
  std::string path = {};
  std::string column = {};  ///< csv only
  KeyFileFormat format = KeyFileFormat::automatic;
  unsigned key_bits = 0;  ///< 32, 64 or 128; 0: what the file says (raw cannot say)

  /// Splits "FILE" or "FILE:COLUMN", both of which may contain colons. FILE is the longest prefix
  /// that exists, so a path that exists as given names no column. If none exists, COLUMN is what
  /// follows the last colon.
  static KeyFileRequest parse(const std::string& argument);
};

/// The keys of a file. Binary files stay open and are read when they are copied; a CSV column is
/// parsed on opening.
class KeyFile {
 public:
  /// Opens and checks the file. Throws `KeyFileError`: one line with the file, the place and the
  /// reason.
  explicit KeyFile(const KeyFileRequest& request);

  /// Number of keys, at least 1.
  std::uint64_t size() const { return size_; }

  /// Bits of a key: 32, 64 or 128.
  unsigned key_bits() const { return key_bits_; }

  /// Path, column and format in a few words.
  std::string description() const;

  /// Copies the first `count` keys to `out`. Throws `InvalidArgument` unless `Key` has key_bits()
  /// bits and `count` is at most size(), `KeyFileError` if the file has been cut short.
  template <class Key>
  void copy_to(Key* out, std::uint64_t count) const {
    copy_bytes(out, count, sizeof(Key));
  }

 private:
  void open_sosd(const KeyFileRequest& request);
  void open_raw(const KeyFileRequest& request);
  void open_csv(const KeyFileRequest& request);
  void copy_bytes(void* out, std::uint64_t count, std::uint64_t key_bytes) const;

  InputFile file_;
  KeyFileFormat format_;
  std::string column_;
  unsigned key_bits_ = 0;
  std::uint64_t size_ = 0;
  std::uint64_t first_byte_ = 0;
  std::vector<std::uint64_t> parsed_;
};

}  // namespace hashmill::perf
