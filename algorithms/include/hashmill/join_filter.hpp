#pragma once

#include <hashmill/detail/handed_over.hpp>
#include <hashmill/join_filter/detail/filter_blocks.hpp>
#include <hashmill/join_filter/detail/passing_rows.hpp>
#include <hashmill/primitives/detail/enter.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <memory>

namespace hashmill {

/// The keys of one side of a join, as a filter that drops rows of the other side before they are
/// moved, partitioned or looked up. A row that does not pass has no partner. A few rows without a
/// partner may pass. Databases call it a runtime filter, or sideways information passing.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> orders("orders", 1000), items("items", 8000);
///     const auto filter = hashmill::join_filter(exec, orders);
///     hashmill::Workspace<Exec::memory_space> workspace;
///     const auto rows = filter.select(exec, items, workspace);  // of items that may match orders
///
/// Keys may come in batches, and from several ranks. All of them must come before the first row of
/// the other side is asked. The options tell what is known beforehand, and decide the kind:
///
///     | keys                                              | kind   | bytes     | passes      |
///     |---------------------------------------------------|--------|-----------|-------------|
///     | integers of a known range, less than 2^26 apart   | bitmap | range / 8 | its keys    |
///     | all others                                        | bloom  | 1 per key | 3 % of rest |
///
/// Integers here are integers, enumerations, and columns of them alone. A filter of these also
/// keeps the least and the greatest key (`bounds`). What lies beyond these costs no access to
/// memory.
///
/// Filters of equal options and hash are merged by `merge`. Ranks that have one each combine them
/// by OR of their `words()`, and by the minimum and the maximum of their `bounds()`; then each
/// widens its bounds to these (`widen`). They must not decide the options by their own keys, which
/// would differ. They agree on a number of keys, and on a range, before they add any.
///
/// Nulls, NaNs and number types are as in `hash_join`. So rows with a null that matches nothing
/// never pass, and are not added.
///
/// - `Key`: what the sides' keys are compared as: a number, or the RowKey of `columns(...)`.
///   JoinFilterFor names the filter for the keys of a side. If one side is a column, the filter is
///   one of columns, which takes views too.
/// - `Hash`: hashes keys of a Bloom filter.
///
/// Concurrency: const members may overlap each other on any instances. Other members must not
/// overlap anything. For use inside kernels see JoinFilterRef.
///
/// Moving leaves a filter without keys, to which keys can be added.
///
/// Source: Bloom, "Space/Time Trade-offs in Hash Coding with Allowable Errors" (CACM 1970); see
/// BloomFilter for the blocks. Bitmaps of key ranges, and minimum and maximum of the build side:
/// DuckDB and Velox ("dynamic filters").
template <class Key, class MemorySpace, class Hash = detail::GroupHash<Key>>
class JoinFilter {
  using Numbers = detail::NumberKey<Key>;

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using ref_type = JoinFilterRef<Key, Hash>;
  /// The name of the filter in labels of regions and fences.
  static constexpr const char* label = "hashmill::JoinFilter";

  /// A filter without keys. Runs on `exec`, then fences `exec`. Throws InvalidArgument for options
  /// out of range, and for a key range of keys that are no integers. Throws CapacityError if memory
  /// is short.
  template <backends::ExecutionSpace Exec>
  explicit JoinFilter(const Exec& exec, const JoinFilterOptions& options, const Hash& hash = {})
      : options_(options), hash_(hash) {
    const auto region = detail::enter(exec, *this, "make");
    if (!Numbers::exists && options.key_range) {
      throw InvalidArgument("JoinFilter: a key range of keys that are not integers");
    }
    make_blocks(exec);
    exec.fence("hashmill::JoinFilter: errors must surface here");
  }

  /// Moving hands the memory over and empties the source. Waits for nothing.
  JoinFilter(JoinFilter&&) noexcept = default;
  JoinFilter& operator=(JoinFilter&&) noexcept = default;

  /// Adds the keys of a batch: a view, key source, column or `columns(...)`. Runs on `exec`, then
  /// fences `exec`; the batch may go then. Integers are read twice, other keys once. Reads, and
  /// mostly writes, one word or one block of 32 bytes per key, at random.
  ///
  /// Throws InvalidArgument if keys of a bitmap are outside its range; none is added then.
  template <backends::ExecutionSpace Exec, class Keys>
  void add(const Exec& exec, const Keys& keys) {
    const auto region = detail::enter(exec, *this, "add");
    detail::require_keys<Keys>();
    detail::require_accessible_queries<Exec, Keys>();
    const auto side = keys_of(keys);
    KeyBounds bounds;
    if constexpr (Numbers::exists) {
      bounds = detail::bounds_of<Key>(detail::found_range(exec, detail::stored_keys<Key>(side)));
      if (kind() == JoinFilterKind::bitmap) require_within(bounds);
    }
    if (held_.blocks.extent(0) == 0) make_blocks(exec);  // moved from
    detail::add_to_filter(exec, ref(), side);
    exec.fence("hashmill::JoinFilter: the keys may go and errors must surface here");
    widen(bounds);
  }

  /// Adds the keys of another filter, which stays as it is. Runs on `exec`, then fences `exec`.
  /// Reads the words of both and writes those of this one. Throws InvalidArgument if the filters
  /// differ in kind, range, size, or in hashes that can be compared.
  template <backends::ExecutionSpace Exec>
  void merge(const Exec& exec, const JoinFilter& other) {
    const auto region = detail::enter(exec, *this, "merge");
    require_same_options(other);
    detail::or_words("hashmill::join_filter::merge", exec, words(), other.words());
    exec.fence("hashmill::JoinFilter: the other filter may go and errors must surface here");
    widen(other.bounds());
  }

  /// out(i) = false only if row i of `keys` has no partner among the keys of the filter. `out` is a
  /// view of bool as long as `keys`, or InvalidArgument is thrown. Runs on `exec`, then fences
  /// `exec`. Reads each key once, and one word or block at random for it.
  template <backends::ExecutionSpace Exec, class Keys, class Out>
  void may_contain(const Exec& exec, const Keys& keys, const Out& out) const {
    const auto region = detail::enter(exec, *this, "may_contain");
    const auto side = keys_of(keys);
    detail::check_results<Exec>(side, out, "JoinFilter::may_contain", "keys");
    detail::mark_passing(exec, ref(), side, out);
    exec.fence("hashmill::JoinFilter: results are handed to the caller");
  }

  /// Returns the numbers of the rows of `keys` that may have a partner, in ascending order, in
  /// newly allocated memory. Runs on `exec`, then fences `exec`. Takes one byte per row from
  /// `workspace`. Throws CapacityError if memory is short or `Row` cannot number the rows.
  template <RowNumber Row = std::uint32_t, backends::ExecutionSpace Exec, class Keys>
  [[nodiscard]] Kokkos::View<Row*, MemorySpace> select(const Exec& exec, const Keys& keys,
                                                       Workspace<MemorySpace>& workspace) const {
    const auto region = detail::enter(exec, *this, "select");
    detail::require_accessible_queries<Exec, Keys>();
    check_rows<Row>(0, keys.size());
    const typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto marked = detail::count_passing<Row>(exec, ref(), keys_of(keys), workspace);
    const auto rows = backends::allocate<Kokkos::View<Row*, MemorySpace>>(
        exec, "hashmill::join_filter::rows", marked.placed.total);
    detail::list_passing(exec, marked, rows.data());
    exec.fence("hashmill::JoinFilter: results are handed to the caller");
    return rows;
  }

  /// Removes all keys, on `exec`, then fences `exec`. Keeps the memory.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto region = detail::enter(exec, *this, "clear");
    detail::clear_blocks<MemorySpace>(exec, held_.blocks.data(), num_blocks());
    exec.fence("hashmill::JoinFilter: errors must surface here");
    held_.bounds = {};
  }

  /// How the filter tells its keys. The options alone decide it.
  [[nodiscard]] JoinFilterKind kind() const noexcept { return detail::filter_kind<Key>(options_); }
  /// The bits of the filter. Filters of equal options have equally many words, and bits that mean
  /// the same. Valid until the filter is moved or destroyed.
  [[nodiscard]] Kokkos::View<std::uint64_t*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>
  words() const {
    return detail::words_of<MemorySpace>(held_.blocks.data(), num_blocks());
  }
  /// Holds the memory of the words, for what may still use them when the filter is gone.
  [[nodiscard]] std::shared_ptr<const void> hold() const {
    return std::make_shared<const Kokkos::View<BloomBlock*, MemorySpace>>(held_.blocks);
  }
  /// Number of blocks of 32 bytes.
  [[nodiscard]] std::uint64_t num_blocks() const noexcept { return held_.blocks.extent(0); }
  /// The least and the greatest key that were added; for keys that are no integers, and for none,
  /// those of no key.
  [[nodiscard]] const KeyBounds& bounds() const noexcept { return held_.bounds; }
  /// Widens the bounds, so that keys of another filter may pass, whose words were combined with
  /// these.
  void widen(const KeyBounds& other) noexcept {
    held_.bounds.least = std::min(held_.bounds.least, other.least);
    held_.bounds.greatest = std::max(held_.bounds.greatest, other.greatest);
  }

  /// The filter as kernels see it. Valid until the filter is changed, moved or destroyed.
  [[nodiscard]] ref_type ref() const {
    const KeyBounds& within = Numbers::exists ? held_.bounds : detail::all_keys;
    return detail::filter_in<Key>(held_.blocks.data(), num_blocks(), options_, within,
                                  hash_at(hash_, HashLevel::filter));
  }
  /// Bytes of memory that the filter holds.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return num_blocks() * sizeof(BloomBlock); }
  /// What the filter was made with.
  [[nodiscard]] const JoinFilterOptions& options() const noexcept { return options_; }
  /// The hash function that the constructor was given.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

 private:
  struct Held {
    Kokkos::View<BloomBlock*, MemorySpace> blocks;
    KeyBounds bounds{};
  };

  /// The keys of a side, as they are compared.
  template <class Keys>
  [[nodiscard]] static auto keys_of(const Keys& keys) {
    if constexpr (detail::IsRowKey<Key>::value && Kokkos::is_view_v<Keys>) {
      return columns(keys);
    } else {
      return detail::keys_of_side<Keys>(keys);
    }
  }
  template <class Exec>
  void make_blocks(const Exec& exec) {
    const auto blocks = backends::allocate<decltype(Held::blocks)>(
        exec, "hashmill::join_filter::blocks", detail::filter_blocks<Key>(options_));
    detail::clear_blocks<MemorySpace>(exec, blocks.data(), blocks.extent(0));
    held_.blocks = blocks;
  }
  /// Throws InvalidArgument if keys within these bounds can be outside of a bitmap.
  void require_within([[maybe_unused]] const KeyBounds& bounds) const {
    if constexpr (Numbers::exists) {
      const KeyBounds all = detail::bounds_of<Key>(options_.key_range);
      if (bounds.least > bounds.greatest) return;  // no keys
      if (all.least <= bounds.least && bounds.greatest <= all.greatest) return;
      const auto name = [](std::uint64_t ordered) {
        return std::to_string(detail::from_ordered_bits<typename Numbers::Number>(ordered));
      };
      throw InvalidArgument("JoinFilter: keys from " + name(bounds.least) + " to " +
                            name(bounds.greatest) + " are outside the key range " +
                            name(all.least) + " to " + name(all.greatest));
    }
  }
  /// Throws InvalidArgument unless the bits of another filter mean the same.
  void require_same_options(const JoinFilter& other) const {
    const auto range = detail::bounds_of<Key>(options_.key_range);
    if (kind() != other.kind() || (kind() == JoinFilterKind::bitmap &&
                                   range != detail::bounds_of<Key>(other.options_.key_range))) {
      throw InvalidArgument("JoinFilter::merge: the filters have different key ranges");
    }
    detail::check_same_bits("JoinFilter::merge", *this, other);
  }

  JoinFilterOptions options_;
  Hash hash_;
  detail::HandedOver<Held> held_;
};

/// The filter for keys of the type that a side has: a view, key source, column or `columns(...)`.
template <class Keys>
using JoinFilterFor =
    JoinFilter<detail::KeyOf<decltype(detail::keys_of_side<Keys>(std::declval<const Keys&>()))>,
               typename Keys::memory_space>;

/// A filter of the keys of a whole side, with as many keys as the side has rows. Reads integers
/// once more, for their range. Otherwise as the constructor and `add`.
template <backends::ExecutionSpace Exec, class Keys>
[[nodiscard]] JoinFilterFor<Keys> join_filter(const Exec& exec, const Keys& keys) {
  detail::require_keys<Keys>();
  const auto side = detail::keys_of_side<Keys>(keys);
  JoinFilterOptions options;
  options.keys = keys.size();
  if constexpr (detail::NumberKey<detail::KeyOf<decltype(side)>>::exists) {
    options.key_range = key_range_below(exec, side, detail::filter_span_limit);
  }
  JoinFilterFor<Keys> filter(exec, options);
  filter.add(exec, keys);
  return filter;
}

}  // namespace hashmill
