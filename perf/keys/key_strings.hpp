#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/scan.hpp>

namespace hashmill::perf {

/// Strings as Arrow keeps them: the bytes of string i from offsets(i) to offsets(i + 1).
template <class MemorySpace>
struct KeyStrings {
  using Offsets = Kokkos::View<std::uint64_t*, MemorySpace>;
  using Bytes = Kokkos::View<char*, MemorySpace>;
  Offsets offsets;
  Bytes bytes;

  KeyStrings() = default;

  /// `count` strings, of which `texts.length(i)` tells the length, and `texts.write(i, to)` writes
  /// the bytes. Fences `exec`.
  template <class Exec, class Texts>
  KeyStrings(const Exec& exec, std::uint64_t count, const Texts& texts);

  std::uint64_t size() const { return offsets.size() == 0 ? 0 : offsets.size() - 1; }
  KOKKOS_FUNCTION const char* text(std::uint64_t i) const { return bytes.data() + offsets(i); }
  KOKKOS_FUNCTION std::uint64_t length(std::uint64_t i) const {
    return offsets(i + 1) - offsets(i);
  }
};

template <class Offsets, class Texts>
struct SetLengths {
  Offsets offsets;
  Texts texts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(i);
    offsets(row) = row + 1 == offsets.extent(0) ? 0 : texts.length(row);
  }
};

template <class Offsets, class Bytes, class Texts>
struct WriteTexts {
  Offsets offsets;
  Bytes bytes;
  Texts texts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto row = static_cast<std::uint64_t>(i);
    texts.write(row, bytes.data() + offsets(row));
  }
};

template <class MemorySpace>
template <class Exec, class Texts>
KeyStrings<MemorySpace>::KeyStrings(const Exec& exec, std::uint64_t count, const Texts& texts)
    : offsets(backends::allocate<Offsets>(exec, "hashmill::perf::string_offsets", count + 1)) {
  Kokkos::parallel_for("hashmill::perf::string_lengths", backends::range(exec, count + 1),
                       SetLengths<Offsets, Texts>{offsets, texts});
  Workspace<MemorySpace> workspace;
  backends::exclusive_scan(exec, offsets, workspace);
  std::uint64_t num_bytes = 0;
  Kokkos::deep_copy(exec, num_bytes, Kokkos::subview(offsets, count));
  exec.fence("hashmill::perf::KeyStrings: the bytes are allocated by their number");
  bytes = backends::allocate<Bytes>(exec, "hashmill::perf::string_bytes", num_bytes);
  Kokkos::parallel_for("hashmill::perf::write_strings", backends::range(exec, count),
                       WriteTexts<Offsets, Bytes, Texts>{offsets, bytes, texts});
  exec.fence("hashmill::perf::KeyStrings: the strings are there");
}

/// The texts of keys: their hexadecimal digits without zeros before them.
template <class Key, class MemorySpace>
struct DigitsOfKeys {
  Kokkos::View<Key*, MemorySpace> keys;

  KOKKOS_FUNCTION std::uint64_t length(std::uint64_t i) const {
    std::uint64_t digits = 1;
    for (Key rest = keys(i) >> 4; rest != 0; rest >>= 4) ++digits;
    return digits;
  }
  KOKKOS_FUNCTION void write(std::uint64_t i, char* to) const {
    Key rest = keys(i);
    for (std::uint64_t place = length(i); place-- > 0; rest >>= 4) {
      const auto digit = static_cast<unsigned>(rest & 15);
      to[place] = static_cast<char>(digit < 10 ? '0' + digit : 'A' + digit - 10);
    }
  }
};

/// The number that hexadecimal digits stand for.
template <class Key>
KOKKOS_FUNCTION Key number_of_digits(const char* text, std::uint64_t length) {
  Key number = 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    const char digit = text[i];
    number = static_cast<Key>(number << 4 | (digit <= '9' ? digit - '0' : digit - 'A' + 10));
  }
  return number;
}

/// The texts of some rows of others.
template <class Strings, class Rows>
struct StringsOfRows {
  Strings strings;
  Rows rows;
  KOKKOS_FUNCTION std::uint64_t length(std::uint64_t i) const { return strings.length(rows(i)); }
  KOKKOS_FUNCTION void write(std::uint64_t i, char* to) const {
    const char* const from = strings.text(rows(i));
    for (std::uint64_t b = 0; b < length(i); ++b) to[b] = from[b];
  }
};

}  // namespace hashmill::perf
