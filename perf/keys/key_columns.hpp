#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/columns.hpp>
#include <hashmill/gather.hpp>

#include "case/compare_case.hpp"
#include "key_strings.hpp"
#include "null_keys.hpp"

namespace hashmill::perf {

/// The columns that keys are spread over, see KeyColumns. `split` makes those of keys, `gathered`
/// those of some rows; both fence. `source()` is what joins and group-bys take, `operator()` the
/// key that the columns of a row stand for, one of all null ones.
template <KeyColumns Kind, class Key, class MemorySpace>
class KeyColumnsOf;

/// A view as it is.
template <class Key, class MemorySpace>
class KeyColumnsOf<KeyColumns::one, Key, MemorySpace> {
 public:
  using Keys = Kokkos::View<Key*, MemorySpace>;

  KeyColumnsOf() = default;
  explicit KeyColumnsOf(const Keys& keys) : keys_(keys) {}

  template <class Exec>
  static KeyColumnsOf split(const Exec&, const Keys& keys) {
    return KeyColumnsOf(keys);
  }
  template <class Exec, class Rows>
  KeyColumnsOf gathered(const Exec& exec, const Rows& rows) const {
    const auto keys = backends::allocate<Keys>(exec, "hashmill::perf::group_keys", rows.size());
    gather(exec, keys_, rows, keys);
    return KeyColumnsOf(keys);
  }
  const Keys& source() const { return keys_; }
  double bytes_a_key() const { return sizeof(Key); }
  std::uint64_t size() const { return keys_.size(); }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const { return keys_(row); }

 private:
  Keys keys_;
};

template <class Keys>
struct SplitKeys {
  Keys keys, upper, lower;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Key = typename Keys::non_const_value_type;
    constexpr unsigned half = 4 * sizeof(Key);
    upper(i) = keys(i) >> half;
    lower(i) = keys(i) & ((Key{1} << half) - 1);
  }
};

/// The upper and the lower half of each key, in columns as wide as the key.
template <class Key, class MemorySpace>
class KeyColumnsOf<KeyColumns::two, Key, MemorySpace> {
 public:
  using Keys = Kokkos::View<Key*, MemorySpace>;

  template <class Exec>
  static KeyColumnsOf split(const Exec& exec, const Keys& keys) {
    const KeyColumnsOf columns(exec, keys.size());
    Kokkos::parallel_for("hashmill::perf::split_keys", backends::range(exec, keys.size()),
                         SplitKeys<Keys>{keys, columns.upper_, columns.lower_});
    exec.fence("hashmill::perf::KeyColumnsOf: the columns are there");
    return columns;
  }
  template <class Exec, class Rows>
  KeyColumnsOf gathered(const Exec& exec, const Rows& rows) const {
    const KeyColumnsOf columns(exec, rows.size());
    gather(exec, upper_, rows, columns.upper_);
    gather(exec, lower_, rows, columns.lower_);
    return columns;
  }
  auto source() const { return columns(upper_, lower_); }
  double bytes_a_key() const { return 2 * sizeof(Key); }
  std::uint64_t size() const { return upper_.size(); }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    return static_cast<Key>(upper_(row) << half | lower_(row));
  }

  KeyColumnsOf() = default;

 private:
  static constexpr unsigned half = 4 * sizeof(Key);

  template <class Exec>
  KeyColumnsOf(const Exec& exec, std::uint64_t size)
      : upper_(backends::allocate<Keys>(exec, "hashmill::perf::upper_halves", size)),
        lower_(backends::allocate<Keys>(exec, "hashmill::perf::lower_halves", size)) {}

  Keys upper_, lower_;
};

/// The text of each key, its hexadecimal digits.
template <class Key, class MemorySpace>
class KeyColumnsOf<KeyColumns::strings, Key, MemorySpace> {
  using Strings = KeyStrings<MemorySpace>;

 public:
  KeyColumnsOf() = default;
  explicit KeyColumnsOf(const Strings& strings) : strings_(strings) {}

  template <class Exec>
  static KeyColumnsOf split(const Exec& exec, const Kokkos::View<Key*, MemorySpace>& keys) {
    return KeyColumnsOf(Strings(exec, keys.size(), DigitsOfKeys<Key, MemorySpace>{keys}));
  }
  template <class Exec, class Rows>
  KeyColumnsOf gathered(const Exec& exec, const Rows& rows) const {
    return KeyColumnsOf(Strings(exec, rows.size(), StringsOfRows<Strings, Rows>{strings_, rows}));
  }
  auto source() const { return columns(string_column(strings_.offsets, strings_.bytes)); }
  double bytes_a_key() const {
    return sizeof(std::uint64_t) + static_cast<double>(strings_.bytes.size()) /
                                       static_cast<double>(std::max<std::uint64_t>(1, size()));
  }
  std::uint64_t size() const { return strings_.size(); }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    return number_of_digits<Key>(strings_.text(row), strings_.length(row));
  }

 private:
  Strings strings_;
};

/// Sets the bits of rows whose key is not null.
template <class Keys, class Bits>
struct SetValidBits {
  Keys keys;
  Bits bits;
  KOKKOS_FUNCTION void operator()(std::int64_t byte) const {
    unsigned set = 0;
    for (unsigned bit = 0; bit < 8; ++bit) {
      const std::uint64_t row = 8 * static_cast<std::uint64_t>(byte) + bit;
      if (row < keys.extent(0) && !is_null_key(keys(row))) set |= 1U << bit;
    }
    bits(byte) = static_cast<std::uint8_t>(set);
  }
};

/// Keys, of which one in 16 is null.
template <class Key, class MemorySpace>
class KeyColumnsOf<KeyColumns::nulls, Key, MemorySpace> {
 public:
  using Keys = Kokkos::View<Key*, MemorySpace>;
  using Bits = Kokkos::View<std::uint8_t*, MemorySpace>;

  KeyColumnsOf() = default;

  template <class Exec>
  static KeyColumnsOf split(const Exec& exec, const Keys& keys) {
    const KeyColumnsOf columns(exec, keys);
    exec.fence("hashmill::perf::KeyColumnsOf: the columns are there");
    return columns;
  }
  /// Keys that are null keep the number that they would have, so that the bits follow from them.
  template <class Exec, class Rows>
  KeyColumnsOf gathered(const Exec& exec, const Rows& rows) const {
    const auto keys = backends::allocate<Keys>(exec, "hashmill::perf::group_keys", rows.size());
    gather(exec, keys_, rows, keys);
    return split(exec, keys);
  }
  auto source() const { return columns(column(keys_, validity(bits_, keys_.size()))); }
  double bytes_a_key() const { return sizeof(Key) + 0.125; }
  std::uint64_t size() const { return keys_.size(); }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    const bool has_value = (bits_(row / 8) >> (row % 8) & 1) != 0;
    return has_value ? keys_(row) : null_key<Key>();
  }

 private:
  template <class Exec>
  KeyColumnsOf(const Exec& exec, const Keys& keys)
      : keys_(keys),
        bits_(backends::allocate<Bits>(exec, "hashmill::perf::valid_bits", (keys.size() + 7) / 8)) {
    Kokkos::parallel_for("hashmill::perf::set_valid_bits", backends::range(exec, bits_.size()),
                         SetValidBits<Keys, Bits>{keys_, bits_});
  }

  Keys keys_;
  Bits bits_;
};

}  // namespace hashmill::perf
