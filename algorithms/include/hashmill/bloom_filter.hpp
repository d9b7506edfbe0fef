#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/bloom_filter/detail/add.hpp>
#include <hashmill/detail/handed_over.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/primitives/detail/enter.hpp>

namespace hashmill {

/// A blocked Bloom filter: a set of keys that says yes to all its keys, and to a few keys that were
/// never added. Source: Putze, Sanders, Singler, "Cache-, Hash- and Space-Efficient Bloom Filters"
/// (WEA 2007). Blocks are split as in Apache Impala and Parquet, which Lang et al. found best
/// ("Performance-Optimal Filtering", VLDB 2019).
///
/// A key belongs to one block and has one bit in each of its eight words. So a test is one access
/// to a sector, and the same few instructions for every key:
///
///     blocks  | 8 words of 32 bits | 8 words of 32 bits | …        32 bytes each, at least 1
///
///     bits per key     6     8     10     12     16     24
///     false positives  9.9%  3.3%  1.3%   0.54%  0.13%  0.016%
///
/// Use it to skip look-ups or rows of a join side that would find nothing:
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> keys("keys", 1000), queries("queries", 5000);
///     const hashmill::BloomFilter<std::uint64_t, Exec::memory_space> filter(exec, keys);
///     Kokkos::View<bool*, Exec> maybe("maybe", queries.extent(0));
///     filter.contains(exec, queries, maybe);  // false: query q is certainly not among the keys
///
/// Any key value is legal. Blocks and bits come from a function of the family of `Hash` that tables
/// do not use (HashLevel::filter), mixed once more. A bad hash lets more keys through, but never
/// gives a wrong no.
///
/// Filters that were made with the same options and hash can be merged. Ranks or devices that have
/// a filter each combine them by OR of their `words()`.
///
/// Concurrency: const members may overlap each other on any instances. `add`, `merge`, `clear` and
/// moving must not overlap anything. For use inside kernels see BloomFilterRef.
///
/// Moving leaves a filter without blocks, which contains nothing. The next `add` makes blocks for
/// the keys that it gets. An `add` that throws, such as std::bad_alloc for the bytes of a label,
/// may have added keys. The earlier keys stay.
template <class Key, class MemorySpace, class Hash = Murmur3Hash>
class BloomFilter {
  static_assert(HashFor<Hash, Key>,
                "hashmill::BloomFilter: Hash must be callable with a key and return 64 bits");

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using ref_type = BloomFilterRef<Key, Hash>;
  /// The name of the filter in labels of regions and fences.
  static constexpr const char* label = "hashmill::BloomFilter";

  /// Makes a filter of the size that the options ask for and adds `keys`, a view of keys or another
  /// key source (see HashGraph). Runs on `exec`, then fences `exec`. Reads every key once. Reads
  /// and writes one block of 32 bytes per key, at random.
  ///
  /// Throws InvalidArgument for options out of range, CapacityError if memory is short or more than
  /// 2^40 blocks are needed.
  template <backends::ExecutionSpace Exec, class Keys>
  explicit BloomFilter(const Exec& exec, const Keys& keys, const BloomFilterOptions& options = {},
                       Hash hash = {})
      : options_(options), hash_(hash) {
    const auto region = detail::enter(exec, *this, "build");
    make_blocks(exec, keys.size());
    add_async(exec, keys);
    exec.fence("hashmill::BloomFilter: the keys may go and errors must surface here");
  }

  /// Makes an empty filter for `options.keys` keys, without which it has one block. Runs on `exec`,
  /// then fences `exec`. Throws as above.
  template <backends::ExecutionSpace Exec>
  BloomFilter(const Exec& exec, const BloomFilterOptions& options, Hash hash = {})
      : options_(options), hash_(hash) {
    const auto region = detail::enter(exec, *this, "build");
    make_blocks(exec, 0);
    exec.fence("hashmill::BloomFilter: errors must surface here");
  }

  /// Moving hands the memory over and empties the source. Waits for nothing.
  BloomFilter(BloomFilter&&) noexcept = default;
  BloomFilter& operator=(BloomFilter&&) noexcept = default;

  /// Adds further keys, on `exec`, then fences `exec`. The filter does not grow. With more keys
  /// than it was made for, it lets more absent ones through (see `false_positive_rate`).
  template <backends::ExecutionSpace Exec, class Keys>
  void add(const Exec& exec, const Keys& keys) {
    add_async(exec, keys);
    exec.fence("hashmill::BloomFilter: the keys may go and errors must surface here");
  }
  /// `add` without the fence.
  template <backends::ExecutionSpace Exec, class Keys>
  void add_async(const Exec& exec, const Keys& keys) {
    const auto region = detail::enter(exec, *this, "add");
    detail::require_keys<Keys>();
    detail::check_single_keys<Exec>(keys);
    if (num_blocks() == 0) make_blocks(exec, keys.size());  // moved from
    detail::bloom_add(exec, ref(), keys);
  }

  /// Adds the keys of another filter, which stays as it is, on `exec`, then fences `exec`. Reads
  /// the blocks of both and writes those of this one. Throws InvalidArgument if the filters differ
  /// in their number of blocks, or in hashes that can be compared.
  template <backends::ExecutionSpace Exec>
  void merge(const Exec& exec, const BloomFilter& other) {
    merge_async(exec, other);
    exec.fence("hashmill::BloomFilter: the other filter may go and errors must surface here");
  }
  /// `merge` without the fence.
  template <backends::ExecutionSpace Exec>
  void merge_async(const Exec& exec, const BloomFilter& other) {
    const auto region = detail::enter(exec, *this, "merge");
    detail::check_same_bits("BloomFilter::merge", *this, other);
    detail::or_words("hashmill::bloom_filter::merge", exec, words(), other.words());
  }

  /// out(i) = false only if key i of the queries was never added. Runs on `exec`, then fences
  /// `exec`. `out` is a view of bool as long as the queries, or InvalidArgument is thrown. Reads
  /// every query once, and one block of 32 bytes per query, at random.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void contains(const Exec& exec, const Queries& queries, const Out& out) const {
    contains_async(exec, queries, out);
    exec.fence("hashmill::BloomFilter: results are handed to the caller");
  }
  /// `contains` without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void contains_async(const Exec& exec, const Queries& queries, const Out& out) const {
    const auto region = detail::enter(exec, *this, "contains");
    detail::bulk_contains(exec, ref(), queries, out);
  }

  /// Removes all keys, on `exec`, then fences `exec`. Keeps the memory.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    clear_async(exec);
    exec.fence("hashmill::BloomFilter: errors must surface here");
  }
  /// `clear` without the fence.
  template <backends::ExecutionSpace Exec>
  void clear_async(const Exec& exec) {
    const auto region = detail::enter(exec, *this, "clear");
    detail::clear_blocks<MemorySpace>(exec, held_.blocks.data(), num_blocks());
  }

  /// The filter as kernels see it, for `add` and `contains` of one key. Valid until the filter is
  /// moved or destroyed.
  [[nodiscard]] ref_type ref() const {
    return {held_.blocks.data(), num_blocks(), hash_at(hash_, HashLevel::filter)};
  }
  /// The bits of the filter, four words per block, for callers that combine filters themselves.
  /// Valid as `ref()` is.
  [[nodiscard]] Kokkos::View<std::uint64_t*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  words() const {
    return detail::words_of<MemorySpace>(held_.blocks.data(), num_blocks());
  }
  /// Number of blocks of 32 bytes.
  [[nodiscard]] std::uint64_t num_blocks() const noexcept { return held_.blocks.extent(0); }
  /// Bytes of memory that the filter holds.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return num_blocks() * sizeof(BloomBlock); }
  /// The hash function that the constructor was given. `ref().hasher()` is the function of its
  /// family that the filter uses.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }
  /// The share of absent keys, 0 to 1, that `contains` is expected to let through once `keys`
  /// distinct keys were added, with a good hash.
  [[nodiscard]] double false_positive_rate(std::uint64_t keys) const {
    if (num_blocks() == 0) return 0;
    return detail::bloom_false_positive_rate(static_cast<double>(keys) /
                                             static_cast<double>(num_blocks()));
  }

 private:
  struct Held {
    Kokkos::View<BloomBlock*, MemorySpace> blocks;
  };

  /// Makes empty blocks for so many keys.
  template <class Exec>
  void make_blocks(const Exec& exec, std::uint64_t keys) {
    const auto blocks = backends::allocate<decltype(Held::blocks)>(
        exec, "hashmill::bloom_filter::blocks", detail::bloom_blocks(options_, keys));
    detail::clear_blocks<MemorySpace>(exec, blocks.data(), blocks.extent(0));
    held_.blocks = blocks;
  }

  BloomFilterOptions options_;
  Hash hash_;
  detail::HandedOver<Held> held_;
};

}  // namespace hashmill
