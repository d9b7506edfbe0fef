#pragma once

#include <Kokkos_Macros.hpp>
#include <atomic>
#include <concepts>
#include <cstdint>
#include <hashmill/error.hpp>
#include <hashmill/murmur.hpp>
#include <hashmill/options.hpp>
#include <string>

/// The functions of one family: which user hashes by which function, and how a seed selects among
/// them.

namespace hashmill {

/// Who hashes. Keys that were chosen by some bits of a hash agree in those bits. Examples are keys
/// that a caller partitioned by `hash(key) >> 60`, or keys in the order of another table. A table
/// that takes its buckets from the same bits fills only a fraction of them, and its slowdown has no
/// bound. So each level has a function of its own:
///
///     level       user                                another function for each
///     published   the caller's `hash(key)`
///     buckets     HashGraph, Chaining                 number of buckets
///     slots       LinearProbing, TagBucket            table
///     groups      parts and tables of group-bys       group-by
///     parts       parts and tables of joins           join
///     filter      BloomFilter
///     sample      estimates of the number of distinct keys
///
/// Two HashGraphs with the same number of buckets have the same function, so that they can be
/// merged and intersected. Within a level, bits are disjoint (hash_bits.hpp).
///
/// Tables, group-bys and joins are numbered in the order in which a process makes them. Two
/// processes that make them in the same order get the same functions. Otherwise the order of
/// results and the times can differ, but never the results.
enum class HashLevel : std::uint8_t { published, buckets, slots, groups, parts, filter, sample };

/// A hash function that knows its family. `hash.at(level, number)` is the function of a level;
/// `hash.with(seed)` is the function of another seed on top of its own. Both must return equal
/// functions for equal arguments.
///
/// Every level uses other functors as they are. With those, do not partition keys by bits that a
/// table then takes.
template <class Hash>
concept HashFamily = requires(const Hash& hash, HashLevel level, std::uint64_t number, Seed seed) {
  { hash.at(level, number) } -> std::same_as<Hash>;
  { hash.with(seed) } -> std::same_as<Hash>;
};

/// The function of a level, or the hash itself where it is no HashFamily.
template <class Hash>
[[nodiscard]] constexpr Hash hash_at(const Hash& hash, HashLevel level, std::uint64_t number = 0) {
  if constexpr (HashFamily<Hash>) {
    return hash.at(level, number);
  } else {
    return hash;
  }
}

namespace detail {

/// What a level adds to the seed of its function; different for different levels and numbers. The
/// constant, the fractional part of the square root of 2, keeps them apart from seeds that callers
/// are likely to choose.
[[nodiscard]] KOKKOS_INLINE_FUNCTION constexpr std::uint64_t seed_of_level(
    HashLevel level, std::uint64_t number) noexcept {
  if (level == HashLevel::published) return 0;
  return murmur3_fmix64(0x6a09e667f3bcc908 + (number << 8) + static_cast<std::uint64_t>(level));
}

inline std::atomic<std::uint64_t> hash_numbers{0};

/// A function of a level that no other table, group-by or join of the process has.
template <class Hash>
[[nodiscard]] Hash own_hash(const Hash& hash, HashLevel level) {
  return hash_at(hash, level, hash_numbers.fetch_add(1, std::memory_order_relaxed));
}

/// A hash function with the seed of the options on top of its own. Throws InvalidArgument where a
/// seed other than 0 is asked of a function without `with(Seed)`.
template <class Hash>
[[nodiscard]] Hash seeded_hash(const char* operation, const Hash& hash, Seed seed) {
  if constexpr (HashFamily<Hash>) {
    return hash.with(seed);
  } else {
    if (seed != Seed(0)) {
      throw InvalidArgument(std::string(operation) + ": the seed " + std::to_string(seed.value()) +
                            " is asked of a hash function without with(Seed)");
    }
    return hash;
  }
}

}  // namespace detail

}  // namespace hashmill
