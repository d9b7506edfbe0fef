#pragma once

#include <cstdint>
#include <hashmill/key.hpp>
#include <hashmill/murmur.hpp>
#include <type_traits>

#include "inputs.hpp"
#include "views.hpp"

namespace hashmill::test {

/// A key of 40 bytes whose parts the caller keeps in columns. It has no operator==.
struct WideKey {
  std::uint64_t year;
  std::uint32_t city;
  std::uint32_t street;
  std::uint64_t name[3];
};
static_assert(sizeof(WideKey) == 40);

/// The caller's own hash of wide keys.
struct WideHash {
  KOKKOS_FUNCTION std::uint64_t operator()(const WideKey& key) const {
    std::uint64_t hash = murmur3_fmix64(key.year + 1);
    hash = murmur3_fmix64(hash ^ (std::uint64_t{key.city} << 32 | key.street));
    for (const std::uint64_t part : key.name) hash = murmur3_fmix64(hash + part);
    return hash;
  }
  friend constexpr bool operator==(const WideHash&, const WideHash&) = default;
};

/// The caller's own equality of wide keys.
struct WideEqual {
  KOKKOS_FUNCTION bool operator()(const WideKey& a, const WideKey& b) const {
    return a.year == b.year && a.city == b.city && a.street == b.street && a.name[0] == b.name[0] &&
           a.name[1] == b.name[1] && a.name[2] == b.name[2];
  }
};

/// The key that a number stands for. Keys of several words share all but one of them with others.
template <class Key>
Key key_of(std::uint64_t number) {
  if constexpr (std::is_same_v<Key, Key128>) {
    if (number == ~std::uint64_t{0}) return {number, number};
    return {number >> 3, number & 7};
  } else if constexpr (std::is_same_v<Key, WideKey>) {
    return {number >> 8,
            static_cast<std::uint32_t>(number & 3),
            static_cast<std::uint32_t>(number >> 2 & 3),
            {7, 8, number >> 4 & 15}};
  } else {
    return static_cast<Key>(number);
  }
}

/// The smallest number that stands for a key.
template <class Key>
std::uint64_t number_of(const Key& key) {
  if constexpr (std::is_same_v<Key, Key128>) {
    if (key.high == ~std::uint64_t{0}) return key.high;
    return key.low << 3 | key.high;
  } else if constexpr (std::is_same_v<Key, WideKey>) {
    return key.year << 8 | key.name[2] << 4 | key.street << 2 | key.city;
  } else {
    return static_cast<std::make_unsigned_t<Key>>(key);
  }
}

/// The smallest number that stands for the same key.
template <class Key>
std::uint64_t normal_number(std::uint64_t number) {
  return sizeof(Key) == 4 ? number & 0xFFFFFFFF : number;
}

/// Keys in one view.
template <class Key>
class KeyColumns {
 public:
  using Source = Kokkos::View<const Key*, Memory>;

  explicit KeyColumns(const Numbers& numbers) {
    std::vector<Key> keys(numbers.size());
    for (std::size_t i = 0; i < keys.size(); ++i) keys[i] = key_of<Key>(numbers[i]);
    keys_ = to_device(keys);
  }
  [[nodiscard]] Source source() const { return keys_; }

 private:
  Kokkos::View<Key*, Memory> keys_;
};

/// Wide keys as tables read them: put together from columns.
struct WideSource {
  const std::uint64_t* years = nullptr;
  const std::uint32_t* places = nullptr;  // city and street of each key
  const std::uint64_t* names = nullptr;   // three of each key
  std::uint64_t count = 0;

  [[nodiscard]] KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FUNCTION WideKey operator()(std::uint64_t i) const {
    return {years[i],
            places[2 * i],
            places[2 * i + 1],
            {names[3 * i], names[3 * i + 1], names[3 * i + 2]}};
  }
};

/// The columns of wide keys.
template <>
class KeyColumns<WideKey> {
 public:
  using Source = WideSource;

  explicit KeyColumns(const Numbers& numbers) {
    std::vector<std::uint64_t> years, names;
    std::vector<std::uint32_t> places;
    for (const std::uint64_t number : numbers) {
      const auto key = key_of<WideKey>(number);
      years.push_back(key.year);
      places.insert(places.end(), {key.city, key.street});
      names.insert(names.end(), {key.name[0], key.name[1], key.name[2]});
    }
    years_ = to_device(years);
    places_ = to_device(places);
    names_ = to_device(names);
  }
  [[nodiscard]] Source source() const {
    return {years_.data(), places_.data(), names_.data(), years_.extent(0)};
  }

 private:
  Kokkos::View<std::uint64_t*, Memory> years_;
  Kokkos::View<std::uint32_t*, Memory> places_;
  Kokkos::View<std::uint64_t*, Memory> names_;
};

}  // namespace hashmill::test
