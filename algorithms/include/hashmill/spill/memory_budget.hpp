#pragma once

#include <algorithm>
#include <cstdint>
#include <hashmill/backends/memory_cache.hpp>
#include <hashmill/backends/temporary_file.hpp>
#include <hashmill/error.hpp>
#include <limits>
#include <string>

namespace hashmill {

/// How much memory a call may take, and where it keeps what does not fit.
///
///     | member    | of                                          | by default                    |
///     |-----------|---------------------------------------------|-------------------------------|
///     | device    | the execution space's memory: a GPU's, or   | three quarters of what is     |
///     |           | the host's                                  | free when the call begins     |
///     | host      | pinned host memory, beside a GPU's; unused  | half of what is free when the |
///     |           | where the execution space is a host's       | call begins                   |
///     | file      | one file without a name in `directory`      | what is free there            |
///     | directory |                                             | TMPDIR, else /var/tmp         |
///
/// Rows fill the device, then the host, then the file. The file is made when it is needed first,
/// and vanishes with the process. What leaves the device counts in whole blocks of a 64th of the
/// memory that they are made in, of 512 bytes to 8 MiB.
struct MemoryBudget {
  /// Stands for the default.
  static constexpr std::uint64_t automatic = std::numeric_limits<std::uint64_t>::max();

  std::uint64_t device = automatic;  ///< bytes, at least 1
  std::uint64_t host = automatic;    ///< bytes; 0 for none
  std::uint64_t file = automatic;    ///< bytes; 0 for none
  std::string directory{};           ///< where the file is made; empty: the default
};

/// A budget with numbers in place of defaults, for calls on memory of `MemorySpace`. Throws
/// InvalidArgument for 0 bytes of `device`, and for a directory that does not exist where `file`
/// is not 0.
template <class MemorySpace>
[[nodiscard]] MemoryBudget resolved(MemoryBudget budget) {
  constexpr bool has_device = !backends::is_host_memory<MemorySpace>;
  if (budget.device == 0) throw InvalidArgument("MemoryBudget: device is 0 bytes");
  if (budget.directory.empty()) budget.directory = backends::temporary_directory();
  const auto fill = [](std::uint64_t& bytes, const auto& otherwise) {
    if (bytes == MemoryBudget::automatic) bytes = otherwise();
  };
  fill(budget.device,
       [] { return std::max<std::uint64_t>(backends::free_bytes<MemorySpace>() / 4 * 3, 1); });
  if (!has_device) budget.host = 0;
  fill(budget.host, [] { return backends::host_memory().free / 2; });
  if (budget.file != 0 && !backends::is_directory(budget.directory)) {
    throw InvalidArgument("MemoryBudget: '" + budget.directory + "' is no directory");
  }
  fill(budget.file, [&] { return backends::free_file_bytes(budget.directory); });
  return budget;
}

}  // namespace hashmill
