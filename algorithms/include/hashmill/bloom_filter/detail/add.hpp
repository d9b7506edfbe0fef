#pragma once

#include <hashmill/bloom_filter/ref.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/or_words.hpp>

namespace hashmill::detail {

/// Adds one key to a filter.
template <class Ref>
struct AddToFilter {
  Ref ref;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t, const Key& key) const {
    ref.add(key);
  }
};

/// Adds every key of a source to a filter. Asynchronous.
template <class Exec, class Ref, class Keys>
void bloom_add(const Exec& exec, const Ref& ref, const Keys& keys) {
  const auto stored = stored_keys<typename Ref::key_type>(keys);
  for_each_key("hashmill::bloom_filter::add", exec, ref, key_access(stored), AddToFilter<Ref>{ref});
}

/// The bits of blocks, as words.
template <class MemorySpace>
[[nodiscard]] BitWords<MemorySpace> words_of(BloomBlock* blocks, std::uint64_t num_blocks) {
  constexpr std::uint64_t words = sizeof(BloomBlock) / sizeof(std::uint64_t);
  if (num_blocks == 0) return {};
  return BitWords<MemorySpace>(&blocks->pairs[0], num_blocks * words);
}

/// Empties blocks. Asynchronous.
template <class MemorySpace, class Exec>
void clear_blocks(const Exec& exec, BloomBlock* blocks, std::uint64_t num_blocks) {
  if (num_blocks == 0) return;
  Kokkos::deep_copy(exec, words_of<MemorySpace>(blocks, num_blocks), std::uint64_t{0});
}

/// Throws InvalidArgument unless the bits of two filters mean the same.
template <class Filter>
void check_same_bits(const char* operation, const Filter& a, const Filter& b) {
  if (a.num_blocks() != b.num_blocks()) {
    throw InvalidArgument(
        std::string(operation) + ": the filters have " + std::to_string(a.num_blocks()) + " and " +
        std::to_string(b.num_blocks()) + " blocks; make both with the same options");
  }
  if constexpr (requires { a.hash() == b.hash(); }) {
    if (a.hash() == b.hash()) return;
    throw InvalidArgument(std::string(operation) +
                          ": the filters have different hash functions or seeds");
  }
}

}  // namespace hashmill::detail
