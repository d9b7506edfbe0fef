#pragma once

#include <hashmill/bloom_filter/ref.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/key_access.hpp>

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

/// Empties blocks. Asynchronous.
template <class MemorySpace, class Exec>
void clear_blocks(const Exec& exec, BloomBlock* blocks, std::uint64_t num_blocks) {
  using Words = Kokkos::View<std::uint64_t*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  constexpr std::uint64_t words = sizeof(BloomBlock) / sizeof(std::uint64_t);
  if (num_blocks == 0) return;
  Kokkos::deep_copy(exec, Words(&blocks->pairs[0], num_blocks * words), std::uint64_t{0});
}

}  // namespace hashmill::detail
