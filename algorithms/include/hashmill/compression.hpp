#pragma once

#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <hashmill/column.hpp>
#include <hashmill/compression/compressed_column.hpp>
#include <hashmill/compression/detail/check_frames.hpp>
#include <hashmill/compression/detail/choose_scheme.hpp>
#include <hashmill/compression/detail/decode_frames.hpp>
#include <hashmill/compression/detail/encode_frames.hpp>
#include <hashmill/compression/detail/frame_ends.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/on_device.hpp>

namespace hashmill {

/// Compresses the values of a column of numbers. See CompressionScheme for how.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> keys("keys", 1000), again("again", 1000);
///     hashmill::Workspace<Exec::memory_space> workspace;
///     const auto compressed = hashmill::compress(exec, keys, workspace);
///     hashmill::decompress(exec, compressed, again);
///
/// - values: a view or column of integers, enumerations, float or double. What is stored is their
///   bits, so that every value comes back as it was, NaNs included.
/// - scheme: `automatic` measures all schemes on 64 tiles at even distances, and takes the simplest
///   whose bytes are within 1 % of the fewest.
///
/// Returns a column in newly allocated memory of exactly its size. Runs on `exec`, then fences
/// `exec`. Reads the values twice and writes the frame once. Takes 40 bytes per 2048 values from
/// `workspace`. Throws InvalidArgument for a column that can have nulls, whose bits are compressed
/// apart, and for a scheme that does not exist. Throws CapacityError where memory is short.
///
/// Source: Gao & Sakharnykh, "Scaling Joins to a Thousand GPUs", section 4 (cascades in one kernel,
/// the sampling selector). The layout of lanes: Lemire & Boytsov, "Decoding billions of integers
/// per second through vectorization" (2015), and Afroozeh & Boncz, "The FastLanes compression
/// layout" (VLDB 2023).
template <backends::ExecutionSpace Exec, class Values>
[[nodiscard]] auto compress(const Exec& exec, const Values& values,
                            Workspace<typename Exec::memory_space>& workspace,
                            CompressionScheme scheme = CompressionScheme::automatic) {
  using Value = detail::KeyOf<Values>;
  using Memory = typename Exec::memory_space;
  static_assert(ScalarKey<Value>, "hashmill::compress: values are numbers of at most 64 bits");
  static_assert(detail::is_accessible<Exec, Values>(),
                "hashmill::compress: the execution space cannot access the values' memory space");
  Kokkos::Profiling::ScopedRegion region("hashmill::compress");
  if (detail::may_have_nulls(values)) {
    throw InvalidArgument("compress: a column with nulls; compress its values and bits apart");
  }
  if (scheme > CompressionScheme::automatic) {
    throw InvalidArgument("compress: no scheme has number " +
                          std::to_string(static_cast<unsigned>(scheme)));
  }
  constexpr bool team = backends::has_wide_teams<Exec>;
  const auto source = detail::key_access(values);
  const typename Workspace<Memory>::Frame frame(workspace);
  const detail::FrameTable<Memory> frames(source.size());
  if (scheme == CompressionScheme::automatic) {
    scheme = detail::smallest_scheme(detail::sample_schemes<team, Value>(exec, source, frames));
  }
  const auto measured =
      detail::measure_frames<team, Value>(exec, source, frames, scheme, workspace);
  const auto bytes = backends::allocate<Kokkos::View<std::byte*, Memory>>(
      exec, "hashmill::compress::frame", measured.begins.back());
  detail::write_frames<team, Value>(exec, source, frames, measured, detail::one_frame_alone,
                                    bytes.data());
  return CompressedColumn<Value, Memory>(bytes, detail::fetch_header(exec, bytes));
}

/// out(i) = value `first` + i of a compressed column, for as many values as `out` has. Any tile can
/// be read alone, so that this decodes at most two tiles of 2048 values more than are asked for.
///
/// - out: a view of the column's value type.
///
/// Runs on `exec`, then fences `exec`. Reads the bytes of those tiles and writes the values once.
/// Throws InvalidArgument where `first` + the length of `out` is more than the column has.
template <backends::ExecutionSpace Exec, class Value, class MemorySpace, class Out>
void decompress(const Exec& exec, const CompressedColumn<Value, MemorySpace>& column,
                const Out& out, std::uint64_t first = 0) {
  static_assert(std::is_same_v<typename Out::non_const_value_type, Value>,
                "hashmill::decompress: results have the type of the column's values");
  static_assert(
      detail::is_accessible<Exec, Out>() &&
          Kokkos::SpaceAccessibility<Exec, MemorySpace>::accessible,
      "hashmill::decompress: the execution space cannot access the column or the results");
  detail::require_one_dimension<Out>();
  Kokkos::Profiling::ScopedRegion region("hashmill::decompress");
  const std::uint64_t count = out.extent(0);
  if (first > column.size() || count > column.size() - first) {
    throw InvalidArgument("decompress: " + std::to_string(count) + " values from " +
                          std::to_string(first) + " of " + std::to_string(column.size()));
  }
  if (count == 0) return;
  const detail::FrameTable<MemorySpace> frames(column.size());
  detail::read_frames<backends::has_wide_teams<Exec>, Value>(
      exec, frames, detail::one_frame_alone, column.frame().data(), {first, first + count},
      {first / detail::compression_tile, detail::tiles_for(first + count)},
      detail::StoreValue<Out>{out});
  exec.fence("hashmill::decompress: results are handed to the caller");
}

/// The column of a frame that came from elsewhere: a file, or another process.
///
/// - frame: a contiguous view of std::byte that begins at a multiple of 8 bytes. The column shares
///   it where it is managed, and refers to it where it is not.
///
/// All of it is checked before this returns: a column that was made can be decoded. Runs on `exec`,
/// then fences `exec`. Reads the frame once. Throws InvalidArgument, which names the tile and what
/// is wrong, for bytes that are no frame of `Value`, or that have changed, or that are too few or
/// too many.
template <ScalarKey Value, backends::ExecutionSpace Exec, class Bytes>
[[nodiscard]] auto compressed_from_frame(const Exec& exec, const Bytes& frame) {
  using Memory = typename Bytes::memory_space;
  static_assert(std::is_same_v<typename Bytes::non_const_value_type, std::byte>,
                "hashmill::compressed_from_frame: a view of std::byte");
  static_assert(detail::is_accessible<Exec, Bytes>(),
                "hashmill::compressed_from_frame: the execution space cannot access the frame");
  detail::require_contiguous<Bytes>();
  Kokkos::Profiling::ScopedRegion region("hashmill::compressed_from_frame");
  const std::uint64_t bytes = frame.extent(0);
  if (bytes < sizeof(detail::FrameHeader)) {
    detail::throw_bad_frame(0, std::to_string(bytes) + " bytes, fewer than the header's 40");
  }
  if (reinterpret_cast<std::uintptr_t>(frame.data()) % 8 != 0) {
    detail::throw_bad_frame(0, "does not begin at a multiple of 8 bytes");
  }
  const auto header = detail::fetch_header(exec, frame);
  detail::check_header(header, 0, bytes, sizeof(Value));
  const detail::FrameTable<Memory> frames(header.count);
  const auto begins = detail::on_device<Memory>(exec, std::vector<std::uint64_t>{0, bytes});
  detail::check_frames<backends::has_wide_teams<Exec>, Value>(exec, frames, {header}, begins.data(),
                                                              frame.data());
  return CompressedColumn<Value, Memory>(frame, header);
}

}  // namespace hashmill
