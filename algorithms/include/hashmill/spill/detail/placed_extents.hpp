#pragma once

#include <hashmill/spill/detail/file_blocks.hpp>
#include <hashmill/spill/detail/stored_batch.hpp>
#include <vector>

namespace hashmill::detail {

/// Bytes of a file, and where in memory they go.
struct PlacedExtent {
  FileExtent extent;
  std::byte* to;
};

/// Where the arrays of a batch lie.
[[nodiscard]] inline std::vector<std::byte*> places_of(const StoredBatch& batch) {
  std::vector<std::byte*> places;
  for (const ByteArray& array : batch.arrays) places.push_back(const_cast<std::byte*>(array.data));
  return places;
}
/// Adds the extents that hold arrays, one behind another, with the places of these.
inline void add_placed_extents(const std::vector<ByteArray>& arrays,
                               const std::vector<FileExtent>& extents,
                               const std::vector<std::byte*>& places,
                               std::vector<PlacedExtent>& result) {
  auto extent = extents.begin();
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    for (std::uint64_t done = 0; done < arrays[a].bytes; ++extent) {
      result.push_back({*extent, places[a] + done});
      done += extent->end - extent->begin;
    }
  }
}
/// The extents that hold the arrays of a batch, with the places of these.
[[nodiscard]] inline std::vector<PlacedExtent> placed_extents(
    const StoredBatch& batch, const std::vector<FileExtent>& extents) {
  std::vector<PlacedExtent> result;
  add_placed_extents(batch.arrays, extents, places_of(batch), result);
  return result;
}

}  // namespace hashmill::detail
