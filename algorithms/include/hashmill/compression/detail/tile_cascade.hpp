#pragma once

#include <hashmill/compression/detail/lanes.hpp>

/// One tile through its cascade, and back. `Tile`: HostTile or TeamTile, whose threads all call
/// these together.

namespace hashmill::detail {

/// Runs the layers of `header.scheme` over `values` loaded values, and notes in `header` how many
/// entries each stream has.
template <class Tile>
KOKKOS_FUNCTION void apply_layers(const Tile& tile, std::uint32_t values, TileHeader& header) {
  auto& arrays = tile.arrays();
  std::uint32_t stored = values;
  if (has_runs(header.scheme)) stored = tile.find_runs(stored, arrays.run_lengths);
  header.runs = static_cast<std::uint16_t>(stored);
  if (has_delta(header.scheme)) {
    header.first = arrays.values[0];
    tile.differences(stored);
    --stored;
  }
  if (has_delta_runs(header.scheme)) stored = tile.find_runs(stored, arrays.delta_run_lengths);
  header.stored = static_cast<std::uint16_t>(stored);
}

/// The least of `count` numbers, and the bits that their distances from it take. Numbers are
/// compared as signed ones where `flip` is their highest bit.
template <class Tile, class Number>
KOKKOS_FUNCTION void measure_stream(const Tile& tile, const Number* numbers, std::uint32_t count,
                                    Number flip, Number& reference, std::uint8_t& width) {
  if (count == 0) return;
  const auto found = tile.bounds(numbers, count, flip);
  reference = static_cast<Number>(found.least ^ flip);
  width = bits_for(static_cast<Number>(found.greatest - found.least));
}

/// How a tile is stored: by `scheme`, or raw where that takes no more bytes. The checksum is
/// missing. `source(i)`: word i of the tile.
template <class Value, class Tile, class Source>
[[nodiscard]] KOKKOS_FUNCTION TileHeader measure_tile(const Tile& tile, std::uint32_t values,
                                                      CompressionScheme scheme,
                                                      const Source& source) {
  using Word = TileWord<Value>;
  TileHeader raw{};
  raw.runs = raw.stored = static_cast<std::uint16_t>(values);
  if (scheme == CompressionScheme::raw) return raw;
  TileHeader header{};
  header.scheme = static_cast<std::uint8_t>(scheme);
  tile.load(values, source);
  apply_layers(tile, values, header);
  auto& arrays = tile.arrays();
  constexpr auto sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
  const Word flip = has_sign<Value>() || has_delta(header.scheme) ? sign : Word{0};
  Word reference = 0;
  measure_stream(tile, arrays.values, header.stored, flip, reference, header.width);
  header.reference = reference;
  constexpr std::uint16_t unsigned_lengths = 0;
  if (has_runs(header.scheme)) {
    measure_stream(tile, arrays.run_lengths, header.runs, unsigned_lengths, header.run_reference,
                   header.run_width);
  }
  if (has_delta_runs(header.scheme)) {
    measure_stream(tile, arrays.delta_run_lengths, header.stored, unsigned_lengths,
                   header.delta_run_reference, header.delta_run_width);
  }
  const auto end = [&](const TileHeader& tile_header) {
    return tile_streams(tile_header, values, sizeof(Value)).end;
  };
  return end(header) < end(raw) ? header : raw;
}

/// Writes a tile as `measure_tile` found it, at `out`, a multiple of 8 bytes.
template <class Value, class Tile, class Source>
KOKKOS_FUNCTION void write_tile(const Tile& tile, std::uint32_t values, const TileHeader& measured,
                                const Source& source, std::byte* out) {
  using Word = TileWord<Value>;
  TileHeader header = measured;
  auto& arrays = tile.arrays();
  std::byte* const streams = out + sizeof(TileHeader);
  const TileStreams places = tile_streams(header, values, sizeof(Value));
  tile.load(values, source);
  if (is_raw(header.scheme)) {
    auto* const bits = reinterpret_cast<ValueBits<Value>*>(streams);
    tile.store(0, values,
               [=](std::uint32_t i, Word word) { bits[i] = static_cast<ValueBits<Value>>(word); });
    tile.once([=] {
      for (std::uint32_t i = values * sizeof(Value); i < places.end; ++i) streams[i] = std::byte{0};
    });
  } else {
    apply_layers(tile, values, header);
    tile.pack(arrays.values, header.stored, static_cast<Word>(header.reference), header.width,
              streams);
    if (has_runs(header.scheme)) {
      tile.pack(arrays.run_lengths, header.runs, header.run_reference, header.run_width,
                streams + places.runs);
    }
    if (has_delta_runs(header.scheme)) {
      tile.pack(arrays.delta_run_lengths, header.stored, header.delta_run_reference,
                header.delta_run_width, streams + places.delta_runs);
    }
  }
  auto* const stored = reinterpret_cast<TileHeader*>(out);
  tile.once([&] { *stored = header; });
  const std::uint32_t checksum = tile.checksum(out, sizeof(TileHeader) + places.end);
  tile.once([=] { stored->checksum = checksum; });
}

/// Some values of a tile, from `first` up, below `end`.
struct TileSlice {
  std::uint32_t first;
  std::uint32_t end;
};

/// Reads a tile that `check_tile` accepts. `sink(i, word)` gets word i of the slice.
template <class Value, class Tile, class Sink>
KOKKOS_FUNCTION void read_tile(const Tile& tile, std::uint32_t values, const std::byte* in,
                               const TileSlice& slice, const Sink& sink) {
  using Word = TileWord<Value>;
  const TileHeader header = *reinterpret_cast<const TileHeader*>(in);
  const std::byte* const streams = in + sizeof(TileHeader);
  if (is_raw(header.scheme)) {
    const auto* const bits = reinterpret_cast<const ValueBits<Value>*>(streams);
    tile.each(slice.first, slice.end,
              [=](std::uint32_t i) { sink(i, static_cast<Word>(bits[i])); });
    return;
  }
  auto& arrays = tile.arrays();
  const TileStreams places = tile_streams(header, values, sizeof(Value));
  tile.unpack(streams, header.stored, static_cast<Word>(header.reference), header.width,
              arrays.values);
  if (has_delta_runs(header.scheme)) {
    tile.unpack(streams + places.delta_runs, header.stored, header.delta_run_reference,
                header.delta_run_width, arrays.delta_run_lengths);
    tile.expand(header.stored, arrays.delta_run_lengths, header.runs - 1U);
  }
  if (has_delta(header.scheme)) tile.sums(static_cast<Word>(header.first), header.runs);
  if (has_runs(header.scheme)) {
    tile.unpack(streams + places.runs, header.runs, header.run_reference, header.run_width,
                arrays.run_lengths);
    tile.expand(header.runs, arrays.run_lengths, values);
  }
  tile.store(slice.first, slice.end, sink);
}

}  // namespace hashmill::detail
