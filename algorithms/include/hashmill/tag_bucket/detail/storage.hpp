#pragma once

#include <hashmill/hash_family.hpp>
#include <hashmill/primitives/detail/accessible.hpp>
#include <hashmill/primitives/detail/with_room.hpp>
#include <hashmill/tag_bucket/detail/bucket_array.hpp>
#include <hashmill/tag_bucket/detail/erase.hpp>
#include <hashmill/tag_bucket/detail/rehash.hpp>
#include <hashmill/tag_bucket/detail/statistics.hpp>
#include <hashmill/tag_bucket/options.hpp>

namespace hashmill::detail {

/// The arrays and counts of a TagBucket, and how the arrays are replaced. Their layout is explained
/// in tag_bucket.hpp. How rows are inserted is in insertion.hpp. `Choice`: the engine that inserts.
template <class Key, class MemorySpace, class Row, class Hash, class Equal, class KeySource,
          Engine Choice = Engine::automatic>
struct TagBucketStorage {
  using Buckets = TagBucketArray<MemorySpace>;
  using Links = Kokkos::View<Row*, MemorySpace>;
  using Keys = KeyAccess<KeySource>;
  using Writer = TagBucketWriter<Key, Row, Hash, Equal, Keys>;
  using Ref = typename Writer::Ref;
  using Rows = RowList<Row>;
  using row_type = Row;
  using memory_space = MemorySpace;
  static constexpr Engine engine = Choice;
  static constexpr std::uint64_t most_taken_slots = tag_bucket_slots * 7 / 8;
  static constexpr std::uint64_t row_limit = std::uint64_t{1} << 48;

  KeySource keys;
  TagBucketOptions options;
  Hash hash;
  Equal equal;
  TagHashBits bits{};
  Buckets buckets{};
  Links next_rows{};
  std::uint64_t num_rows = 0;    // rows in the table
  std::uint64_t num_keys = 0;    // slots taken by keys
  std::uint64_t tombstones = 0;  // slots taken by tombstones
  std::uint64_t num_linked = 0;  // rows whose links are initialised
  std::uint64_t uncounted = 0;   // rows that may have been inserted since the last count
  bool counted = true;           // whether num_rows and num_keys are exact

  /// What is left of a table that was moved from: its keys, no buckets (see `ensure_arrays`), and a
  /// hash function of its own.
  [[nodiscard]] TagBucketStorage emptied() const {
    return {keys, options, own_hash(hash, HashLevel::slots), equal};
  }

  /// The caller's keys as the kind of source that the table keeps.
  template <class Exec, class Keys>
  [[nodiscard]] static KeySource source_of(const Keys& keys) {
    require_keys<Keys>();
    check_single_keys<Exec>(keys);
    static_assert(becomes_source<KeySource, Keys>,
                  "hashmill::TagBucket: keys stay with the caller, so that views of another type, "
                  "such as those whose elements lie apart, must be named as KeySource");
    return KeySource(keys);
  }

  void check_row_numbers(std::uint64_t count) const {
    check_rows<Row>(options.row_base, count);
    if (options.row_base <= row_limit && count <= row_limit - options.row_base) return;
    throw CapacityError("TagBucket: base " + std::to_string(options.row_base) + " + count " +
                            std::to_string(count) + " exceeds the limit of " +
                            std::to_string(row_limit) + " row numbers",
                        options.row_base + count, row_limit);
  }
  void check_range(std::uint64_t first, std::uint64_t count) const {
    if (first <= keys.size() && count <= keys.size() - first) return;
    throw InvalidArgument("TagBucket: " + std::to_string(count) + " rows from " +
                          std::to_string(first) + " on are not among " +
                          std::to_string(keys.size()) + " keys");
  }
  /// A predicate with a length must have an element for every row number up to that of the last
  /// row.
  template <class Predicate>
  void check_predicate(const Predicate& predicate) const {
    require_one_dimension<Predicate>();
    if constexpr (has_length<Predicate>) {
      const std::uint64_t end = options.row_base + num_linked;
      if (num_linked == 0 || length_of(predicate) >= end) return;
      throw InvalidArgument("TagBucket::erase_if: rows are numbered up to " +
                            std::to_string(end - 1) + " but there are " +
                            std::to_string(length_of(predicate)) + " predicates");
    }
  }
  [[nodiscard]] BucketCount choose_buckets(std::uint64_t rows) const {
    const double load = options.load_factor.value();
    if (load > 0.875) {
      throw InvalidArgument("TagBucket: load factor " + shortest_decimal(load) +
                            " is not in (0, 0.875]");
    }
    if (options.buckets) return *options.buckets;
    return options.load_factor.buckets_for(rows, tag_bucket_slots);
  }
  [[nodiscard]] static std::uint64_t buckets_holding(std::uint64_t keys_held) {
    return buckets_for(keys_held, most_taken_slots).value();
  }
  [[nodiscard]] TagHashBits make_bits(BucketCount count) const {
    if (!options.velox_layout) return TagHashBits::own(count);
    return TagHashBits::velox(BucketCount(std::bit_ceil(count.value())));
  }

  [[nodiscard]] Ref ref_to(const Buckets& held, const TagHashBits& held_bits) const {
    return Ref(held.data(), held_bits, next_rows.data(), key_access(keys), options.row_base,
               typename Ref::Words(hash, held_bits.num_buckets(), !options.velox_layout), equal);
  }
  [[nodiscard]] Ref ref() const { return ref_to(buckets, bits); }
  [[nodiscard]] Writer writer(const Representatives<Row>& there = {}) const {
    return {ref(), buckets.data(), next_rows.data(), tombstones != 0, there};
  }
  /// The number of keys that can still be inserted, whatever they are.
  [[nodiscard]] std::uint64_t room() const noexcept {
    const std::uint64_t most = most_taken_slots * bits.num_buckets();
    const std::uint64_t taken = num_keys + tombstones + uncounted;
    return taken < most ? most - taken : 0;
  }
  [[nodiscard]] std::uint64_t num_slots() const noexcept {
    return bits.num_buckets() * tag_bucket_slots;
  }

  /// Allocates `count` buckets, not initialised, and links for all keys.
  template <class Exec>
  void allocate(const Exec& exec, BucketCount count) {
    const TagHashBits new_bits = make_bits(count);
    next_rows = backends::allocate<Links>(exec, "hashmill::tag_bucket::next_rows", keys.size());
    buckets = Buckets(exec, new_bits.num_buckets());
    bits = new_bits;
  }
  /// Gives a table that was moved from new arrays before it changes.
  template <class Exec>
  void ensure_arrays(const Exec& exec) {
    if (bits.num_buckets() != 0) return;
    allocate(exec, choose_buckets(0));
    buckets.clear(exec);
  }

  /// Replaces the key source by one that begins with the keys so far.
  template <class Exec>
  void replace_keys(const Exec& exec, const KeySource& others) {
    if (others.size() < num_linked) {
      throw InvalidArgument("TagBucket::set_keys: " + std::to_string(others.size()) +
                            " keys cannot replace " + std::to_string(num_linked));
    }
    check_row_numbers(others.size());
    if (others.size() > next_rows.size()) {
      next_rows =
          with_room(exec, "hashmill::tag_bucket::next_rows", next_rows, num_linked, others.size());
    }
    keys = others;
  }

  /// Moves all keys to `count` new buckets. Waits for `exec`.
  template <class Exec>
  void rehash_to(const Exec& exec, std::uint64_t count, Workspace<MemorySpace>& workspace) {
    const TagHashBits new_bits = make_bits(BucketCount(count));
    const Buckets fresh(exec, new_bits.num_buckets());
    if (num_keys == 0) {
      fresh.clear(exec);
    } else {
      const Writer to{ref_to(fresh, new_bits), fresh.data(), next_rows.data(), false};
      reinsert_keys<Choice>(exec, ref(), to, num_keys, workspace);
    }
    exec.fence("hashmill::TagBucket: the old buckets go");
    buckets = fresh;
    bits = new_bits;
    tombstones = 0;
  }

  /// Records that the table is changing asynchronously, by at most `rows` further rows.
  void leave_uncounted(std::uint64_t rows) {
    uncounted += rows;
    counted = false;
  }
  /// Records that the table is empty.
  void count_nothing() {
    num_rows = num_keys = tombstones = num_linked = uncounted = 0;
    counted = true;
  }
  /// Counts rows and slots, unless the counts are exact. Asynchronous operations leave that to do.
  template <class Exec>
  void settle(const Exec& exec) {
    ensure_arrays(exec);
    if (counted) return;
    TagSlotCounts counts;
    Kokkos::parallel_reduce("hashmill::tag_bucket::count_slots",
                            backends::range(exec, bits.num_buckets()),
                            CountTagSlots{buckets.data()}, counts);
    num_keys = counts.keys;
    tombstones = counts.tombstones;
    num_rows = count_present(exec, 0, num_linked, next_rows.data());
    uncounted = 0;
    counted = true;
  }

  /// Initialises the links of all rows before `end`.
  template <class Exec>
  void extend_links(const Exec& exec, std::uint64_t end) {
    if (end <= num_linked) return;
    mark_absent(exec, Rows{nullptr, num_linked, end - num_linked}, next_rows.data());
    num_linked = end;
  }

  /// Subtracts what was erased from the counts. Returns the number of rows erased.
  std::uint64_t forget(const ErasedKeys& erased) {
    num_rows -= erased.rows;
    num_keys -= erased.keys;
    tombstones += erased.tombstones;
    return erased.rows;
  }

  /// Makes room: drops tombstones if they take more than 1/4 of the slots or the table may not
  /// grow, else doubles the table.
  template <class Exec>
  void make_room(const Exec& exec, Workspace<MemorySpace>& workspace) {
    const bool purge = !options.growth || tombstones > num_slots() / 4;
    rehash_to(exec, purge ? bits.num_buckets() : 2 * bits.num_buckets(), workspace);
  }
};

}  // namespace hashmill::detail
