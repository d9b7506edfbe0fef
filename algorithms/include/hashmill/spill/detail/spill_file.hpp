#pragma once

#include <hashmill/spill/detail/direct_spill_file.hpp>
#include <hashmill/spill/detail/staged_spill_file.hpp>
#include <type_traits>

namespace hashmill::detail {

/// The file of a store in memory of `Exec`.
template <class Exec>
using SpillFile = std::conditional_t<backends::is_host_memory<typename Exec::memory_space>,
                                     DirectSpillFile<Exec>, StagedSpillFile<Exec>>;

/// The bytes through which batches pass on their way to a file and back: a 64th of a tier in each
/// of six blocks.
template <class File>
[[nodiscard]] std::uint64_t spill_way_bytes(const MemoryAccount& account) {
  return File::ring_blocks * FileBlocks::bytes_within(account, File::way_tier);
}

}  // namespace hashmill::detail
