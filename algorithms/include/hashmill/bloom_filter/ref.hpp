#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstring>
#include <hashmill/backends/publish.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/bloom_filter/options.hpp>
#include <hashmill/hash_bits.hpp>
#include <hashmill/multi_map/hashed_key.hpp>
#include <hashmill/murmur.hpp>

namespace hashmill {

/// One block of a BloomFilter, which has all bits of a key: a sector of GPU memory, half a cache
/// line of a CPU. Of each pair of 32-bit words, the even one is the lower half.
struct alignas(32) BloomBlock {
  std::uint64_t pairs[detail::bloom_words / 2];
};

/// A BloomFilter as kernels see it: trivially copyable, owns nothing. Valid until its filter is
/// moved or destroyed.
///
/// Any number of threads may call `contains` and `add` at once. A `contains` that overlaps the
/// `add` of its key may answer either way. Each reads one block, at random.
template <class Key, class Hash>
class BloomFilterRef {
 public:
  using key_type = Key;

  /// A vacant ref, which contains nothing. BloomFilter::ref() makes the others.
  BloomFilterRef() = default;
  /// Used by its filter, whose `ref()` makes one.
  BloomFilterRef(BloomBlock* blocks, std::uint64_t num_blocks, Hash hash)
      : blocks_(blocks), num_blocks_(num_blocks), hash_(hash) {}

  /// Returns false only for keys that were never added. A `SearchKey` is a Key, or a key with its
  /// hash (HashedKey).
  template <class SearchKey = Key>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool contains(const SearchKey& key) const {
    if (detail::is_nowhere(*this, key)) return false;
    const std::uint64_t bits = mixed(detail::hashed(*this, key).hash);
    const BloomBlock block = backends::load_words_relaxed(blocks_ + bucket_of(bits, num_blocks_));
    std::uint64_t missing = 0;
    std::uint64_t wanted[pairs_of_words];
    mask_of(bits, wanted);
    for (unsigned p = 0; p < pairs_of_words; ++p) missing |= wanted[p] & ~block.pairs[p];
    return missing == 0;
  }

  /// Sets the bits of a key. Writes a pair of words only if one of its bits is not set yet. Returns
  /// false, and adds nothing, for a number of another type that `Key` cannot hold, or if the filter
  /// was moved from.
  template <class SearchKey = Key>
  KOKKOS_FORCEINLINE_FUNCTION bool add(const SearchKey& key) const {
    if (detail::is_nowhere(*this, key)) return false;
    const std::uint64_t bits = mixed(detail::hashed(*this, key).hash);
    BloomBlock& block = blocks_[bucket_of(bits, num_blocks_)];
    std::uint64_t wanted[pairs_of_words];
    mask_of(bits, wanted);
    for (unsigned p = 0; p < pairs_of_words; ++p) {
      const std::uint64_t pair = wanted[p];
      if ((backends::load_relaxed(&block.pairs[p]) & pair) != pair) {
        Kokkos::atomic_or(&block.pairs[p], pair);
      }
    }
    return true;
  }

  /// Whether the filter has no blocks, because it was moved from.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_vacant() const { return num_blocks_ == 0; }
  /// The block of a hash by `hasher()`.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t home_of_hash(std::uint64_t hash) const {
    return bucket_of(mixed(hash), num_blocks_);
  }
  /// Prefetches a block. On hosts only.
  void prefetch_home(std::uint64_t block) const { backends::prefetch_far(blocks_ + block); }
  /// The function that hashes keys in this filter.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Hash& hasher() const { return hash_; }
  /// Number of blocks of 32 bytes.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t num_blocks() const { return num_blocks_; }

 private:
  static constexpr unsigned pairs_of_words = detail::bloom_words / 2;

  /// Tables use bits of the hash itself. The bits of the filter depend on all of them and equal no
  /// run of them. The function is one to one, so nothing is lost.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static std::uint64_t mixed(std::uint64_t hash) {
    return murmur3_fmix64(hash + 0x9e3779b97f4a7c15);
  }
  /// The bits of a key in its block, from the lower half of `bits`. The upper half chooses the
  /// block; only filters of more than 2^37 bytes use further bits for that. The multipliers are
  /// those of the split block filter of the Parquet format. Compilers turn the loop into a few
  /// vector instructions.
  KOKKOS_FORCEINLINE_FUNCTION static void mask_of(std::uint64_t bits, std::uint64_t* wanted) {
    constexpr std::uint32_t odd[] = {0x47b6137bU, 0x44974d91U, 0x8824ad5bU, 0xa2b7289dU,
                                     0x705495c7U, 0x2df1424bU, 0x9efc4947U, 0x5c6bfb31U};
    const auto low = static_cast<std::uint32_t>(bits);
    alignas(32) std::uint32_t words[detail::bloom_words];
    for (unsigned w = 0; w < detail::bloom_words; ++w) {
      words[w] = std::uint32_t{1} << (low * odd[w] >> 27);
    }
    memcpy(wanted, words, sizeof(words));
  }

  BloomBlock* blocks_ = nullptr;
  std::uint64_t num_blocks_ = 0;
  Hash hash_;
};

}  // namespace hashmill
