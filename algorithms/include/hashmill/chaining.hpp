#pragma once

#include <hashmill/chaining/detail/erase.hpp>
#include <hashmill/chaining/detail/statistics.hpp>
#include <hashmill/chaining/detail/storage.hpp>
#include <hashmill/chaining/options.hpp>
#include <hashmill/chaining/ref.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/primitives/detail/enter.hpp>

namespace hashmill {

/// Bucket chaining, the classical table of hash joins: it maps keys to row numbers through linked
/// lists. There is one node per row, in the order of the rows. As in PRO of Balkesen et al.,
/// "Main-memory hash joins on multi-core CPUs" (ICDE 2013), but with the key beside its link, so
/// that one random access gets both:
///
///     heads  | 2 | - | 1 | …              num_buckets of sizeof(Row): number of a node, or no_row
///              |       |
///     nodes  | key, next | key, next | …  node i holds the key of row row_base + i
///
/// Memory: a node takes sizeof(Key) + sizeof(Row) bytes, padded to 8 or 16 bytes, and a head
/// sizeof(Row) bytes. With 32-bit rows, one per chain:
///
///     | key     | node     | bytes per key |
///     |---------|----------|---------------|
///     | 4 bytes | 8 bytes  | 12            |
///     | 8 bytes | 16 bytes | 20            |
///
/// Keys are copied, so batches need not outlive the table. Any key value is legal. An erased node
/// is unlinked and is its own `next`. No row number is given twice until `clear`.
///
/// The highest bits of a function of the family of `Hash` choose the bucket. The number of buckets
/// selects that function (HashLevel::buckets), as in a HashGraph.
///
/// Choose it where batches arrive one after another, because nothing present moves or is read
/// again. Also choose it where a table is built and probed once: building is one pass without
/// temporary memory. HashGraph is faster to probe, most of all where keys repeat. Its duplicates
/// lie side by side, while each is a random access here. `compact` turns this table into a
/// HashGraph.
///
///     using Exec = Kokkos::DefaultExecutionSpace;
///     const Exec exec;
///     Kokkos::View<std::uint64_t*, Exec> batch("batch", 1000);  // the table copies it
///     hashmill::Chaining<std::uint64_t, Exec::memory_space> table(exec, batch);
///     table.append(exec, batch);  // rows 1000 to 1999
///     Kokkos::View<std::uint32_t*, Exec> rows("rows", batch.extent(0));
///     table.find(exec, batch, rows);                 // rows(q): a row of key q, or no_row
///     const auto all = table.retrieve(exec, batch);  // the rows of all queries, compressed
///     const auto graph = table.compact(exec);        // a HashGraph of the same rows
///
/// Concurrency: once what changed the table has finished, const members may overlap each other on
/// any instances. `append`, `reserve`, `erase`, `rehash`, `clear` and moving must not overlap
/// anything.
///
/// Moving leaves a table without chains, in which nothing is found. Its next batch makes some.
///
/// A change may end with an exception other than CapacityError and InvalidArgument, such as
/// std::bad_alloc for the bytes of a label. The table is then as before, or as one that was moved
/// from.
template <class Key, class MemorySpace, RowNumber Row = std::uint32_t, class Hash = Murmur3Hash,
          class Equal = KeyEqual>
class Chaining
    : public MultiMapLookups<Chaining<Key, MemorySpace, Row, Hash, Equal>, Row, MemorySpace> {
  static_assert(std::is_trivially_copyable_v<Key> && sizeof(Key) <= 16,
                "hashmill::Chaining: keys must be trivially copyable, of at most 16 bytes");
  static_assert(HashFor<Hash, Key>,
                "hashmill::Chaining: Hash must be callable with a key and return 64 bits");

 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = Row;
  using ref_type = ChainingRef<Key, Row, Hash, Equal>;
  using hash_graph_type = HashGraph<Key, MemorySpace, KeyRow<Row>, Hash, Equal>;
  /// Whether entries have row numbers.
  static constexpr bool has_rows = true;
  /// The name of the table in labels of regions and fences.
  static constexpr const char* label = "hashmill::Chaining";

  /// Builds the table of `keys`, a view of keys or another key source (see HashGraph), on `exec`,
  /// then fences `exec`. Row i has number `options.row_base + i`.
  ///
  /// Reads every key and writes every node once, in order, and exchanges one head per key, at
  /// random. Throws CapacityError in three cases: row numbers do not fit `Row`, memory is short, or
  /// `rows_per_bucket` asks for more than 2^40 heads.
  template <backends::ExecutionSpace Exec, class Keys>
  Chaining(const Exec& exec, const Keys& keys, const ChainingOptions& options = {}, Hash hash = {},
           Equal equal = {})
      : options_(options), hash_(hash), equal_(equal) {
    const auto region = detail::enter(exec, *this, "build");
    add(exec, keys);
    exec.fence("hashmill::Chaining: the keys may go and errors must surface here");
  }

  /// Moving hands the memory over and empties the source. Waits for nothing.
  Chaining(Chaining&&) noexcept = default;
  Chaining& operator=(Chaining&&) noexcept = default;

  /// Adds further keys, on `exec`, then fences `exec`. Returns the row number of the first key; the
  /// others follow. Refs taken before are invalid.
  ///
  /// The number of heads stays: call `rehash` when chains have become long. Only the first batch of
  /// an empty table chooses that number, as a build does. If there is no room, nodes are copied to
  /// an array half as large again (see `reserve`). Throws as the constructor; the table is then as
  /// before.
  template <backends::ExecutionSpace Exec, class Keys>
  std::uint64_t append(const Exec& exec, const Keys& keys) {
    const auto region = detail::enter(exec, *this, "append");
    return storage_.change([&] {
      const std::uint64_t first = add(exec, keys);
      exec.fence("hashmill::Chaining: the keys may go and errors must surface here");
      return first;
    });
  }
  /// `append` without the fence. Waits only if an array is replaced.
  template <backends::ExecutionSpace Exec, class Keys>
  std::uint64_t append_async(const Exec& exec, const Keys& keys) {
    const auto region = detail::enter(exec, *this, "append");
    return storage_.change([&] { return add(exec, keys); });
  }

  /// Makes room for `rows` rows in all, erased ones included. Appending up to them copies and
  /// allocates nothing. Fences `exec`. An empty table also gets as many heads as the options choose
  /// for so many rows. Throws CapacityError if memory is short; the table is then as before.
  template <backends::ExecutionSpace Exec>
  void reserve(const Exec& exec, std::uint64_t rows) {
    const auto region = detail::enter(exec, *this, "reserve");
    check_rows<Row>(options_.row_base, rows);
    make_room(exec, rows, rows);
    exec.fence("hashmill::Chaining: errors must surface here");
  }

  /// The table as kernels see it. Valid until the table is changed, moved or destroyed.
  [[nodiscard]] ref_type ref() const {
    return ref_type(storage_.heads.data(), num_buckets(), storage_.nodes.data(), storage_.num_nodes,
                    options_.row_base, own_hash(), equal_);
  }
  /// Number of live entries.
  [[nodiscard]] std::uint64_t size() const noexcept { return storage_.num_live; }
  /// Number of nodes: those of live entries, and those erased since the last `clear`.
  [[nodiscard]] std::uint64_t num_nodes() const noexcept { return storage_.num_nodes; }
  /// Number of rows that there is room for.
  [[nodiscard]] std::uint64_t capacity() const noexcept { return storage_.nodes.size(); }
  /// Number of chains, the hash range.
  [[nodiscard]] std::uint64_t num_buckets() const noexcept { return storage_.heads.size(); }
  /// Bytes of memory that the table holds.
  [[nodiscard]] std::uint64_t bytes() const { return storage_.bytes(); }
  /// The hash function that the constructor was given. `ref().hasher()` is the function of its
  /// family that the table uses.
  [[nodiscard]] const Hash& hash() const noexcept { return hash_; }

  /// Removes every entry whose key is among `queries`, on `exec`, and returns the number removed.
  /// Fences `exec`. Queries may be absent from the table and may repeat.
  ///
  /// Walks and relinks only the chains of the queries. Temporary memory: one bit per node and one
  /// per chain. On CapacityError the table is as before. The memory of the nodes is released by
  /// `compact`, which makes another table, and used again after `clear`.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    const auto region = detail::enter(exec, *this, "erase");
    detail::check_single_keys<Exec>(queries);
    if (size() == 0) return 0;
    Workspace<MemorySpace> workspace;
    return storage_.change([&] {
      const detail::ShrinkingChains<ref_type> chains{ref(), storage_.heads.data(),
                                                     storage_.nodes.data()};
      const std::uint64_t removed =
          detail::erase_matches(exec, chains, queries, storage_.num_nodes, workspace);
      storage_.num_live -= removed;
      return removed;
    });
  }

  /// Returns the HashGraph of the live entries, with the same rows, hash range and hash function.
  /// Made on `exec`, which is fenced. This table stays as it is. Throws CapacityError if memory is
  /// short.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] hash_graph_type compact(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "compact");
    Workspace<MemorySpace> workspace;
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const HashGraphOptions options{.buckets =
                                       BucketCount(std::max<std::uint64_t>(num_buckets(), 1))};
    return hash_graph_type(exec, storage_.entries(exec, options_.row_base, workspace), options,
                           workspace, hash_, equal_);
  }

  /// Gives the table another number of heads and links all live nodes again, on `exec`, then fences
  /// `exec`. Later batches of an emptied table keep that number too. Refs taken before are invalid.
  /// Throws CapacityError if memory is short; the table is then as before.
  template <backends::ExecutionSpace Exec>
  void rehash(const Exec& exec, BucketCount buckets) {
    const auto region = detail::enter(exec, *this, "rehash");
    const auto heads = storage_.empty_heads(exec, buckets.value());
    options_.buckets = buckets;
    storage_.change([&] {
      storage_.heads = heads;
      detail::link_nodes(exec, chains(), detail::OldNodes<Key, Row>{storage_.nodes.data()},
                         storage_.num_nodes);
      exec.fence("hashmill::Chaining: the old heads may go");
    });
  }

  /// Removes all entries, on `exec`, then fences `exec`. Memory and heads stay for the next batch,
  /// whose rows are numbered from `row_base` again.
  template <backends::ExecutionSpace Exec>
  void clear(const Exec& exec) {
    const auto region = detail::enter(exec, *this, "clear");
    storage_.change([&] {
      Kokkos::deep_copy(exec, storage_.heads, no_row<Row>);
      storage_.num_nodes = storage_.num_live = 0;
      exec.fence("hashmill::Chaining: errors must surface here");
    });
  }

  /// Returns chain lengths and memory. Walks all chains once, on `exec`, then fences `exec`.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] ChainingStatistics statistics(const Exec& exec) const {
    const auto region = detail::enter(exec, *this, "statistics");
    ChainingStatistics result =
        detail::bucket_statistics<MemorySpace>(exec, detail::ChainLengths<ref_type>{ref()});
    result.num_entries = size();
    result.bytes = bytes();
    return result;
  }

 private:
  using Storage = detail::ChainingStorage<Key, Row, MemorySpace>;

  template <class, class, class>
  friend class MultiMapLookups;
  [[nodiscard]] detail::NodeEntries<ref_type> entry_parts() const {
    return {ref(), options_.row_base};
  }

  [[nodiscard]] Hash own_hash() const { return hash_at(hash_, HashLevel::buckets, num_buckets()); }
  [[nodiscard]] detail::Chains<Key, Row, Hash> chains() const {
    return {storage_.heads.data(), num_buckets(), storage_.nodes.data(), own_hash()};
  }

  /// Makes room for `rows` rows, in an array of `capacity` nodes if a new one is needed. Allocates
  /// the heads for them if none are in use. Changes nothing if memory is short.
  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t rows, std::uint64_t capacity) {
    auto heads = storage_.heads;
    if (storage_.num_nodes == 0) {
      const BucketCount buckets =
          options_.buckets ? *options_.buckets : options_.rows_per_bucket.buckets_for(rows);
      if (buckets.value() > num_buckets()) heads = Storage::empty_heads(exec, buckets.value());
    }
    storage_.nodes = storage_.with_room(exec, capacity);
    storage_.heads = heads;
  }

  template <class Exec, class Keys>
  std::uint64_t add(const Exec& exec, const Keys& keys) {
    detail::require_keys<Keys>();
    detail::check_single_keys<Exec>(keys);
    const std::uint64_t first = storage_.num_nodes, count = keys.size();
    const std::uint64_t rows = checked_add(first, count, "rows");
    check_rows<Row>(options_.row_base, rows);
    make_room(exec, rows, storage_.grown_capacity(rows, options_.row_base));
    const auto stored = detail::stored_keys<Key>(keys);
    using Stored = std::decay_t<decltype(stored)>;
    detail::link_nodes(exec, chains(), detail::NewNodes<Stored, Row>{stored, first}, count);
    storage_.num_nodes = rows;
    storage_.num_live += count;
    return options_.row_base + first;
  }

  ChainingOptions options_;
  Hash hash_;
  Equal equal_;
  detail::HandedOver<Storage> storage_;
};

}  // namespace hashmill
