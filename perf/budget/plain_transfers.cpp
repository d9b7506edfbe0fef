#include "plain_transfers.hpp"

#include <algorithm>
#include <hashmill/backends/temporary_file.hpp>
#include <vector>

namespace hashmill::perf {
namespace {

/// Calls `use(offset, bytes)` for each block of so many bytes.
template <class Use>
void for_each_block(std::uint64_t bytes, std::uint64_t block, const Use& use) {
  for (std::uint64_t at = 0; at < bytes; at += block) use(at, std::min(block, bytes - at));
}

}  // namespace

double plain_file_seconds(const std::string& directory, std::uint64_t bytes) {
  const backends::TemporaryFile file(directory);
  std::vector<std::byte> block(std::uint64_t{8} << 20, std::byte{1});
  return seconds_of([&] {
    for_each_block(bytes, block.size(), [&](std::uint64_t at, std::uint64_t count) {
      iovec piece{block.data(), count};
      file.write(at, {&piece, 1});
    });
    for_each_block(bytes, block.size(), [&](std::uint64_t at, std::uint64_t count) {
      iovec piece{block.data(), count};
      file.read(at, {&piece, 1});
    });
  });
}

}  // namespace hashmill::perf
