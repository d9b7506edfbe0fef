#pragma once

#include <hashmill/primitives/detail/row_keys.hpp>
#include <hashmill/row_container.hpp>
#include <hashmill/tag_bucket.hpp>
#include <utility>

namespace hashmill::detail {

/// The elements of a column in listed rows, as a column.
template <class Column, class Row>
struct ListedColumn {
  using memory_space = typename Column::memory_space;
  using value_type = typename Column::value_type;
  Column column;
  const Row* rows;
  std::uint64_t count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t i) const {
    return column.is_null(rows[i]);
  }
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return column(rows[i]);
  }
};

/// A column without nulls: only its values are copied or sent.
template <class Column>
struct ValuesOnly {
  using memory_space = typename Column::memory_space;
  Column column;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return column.size(); }
  KOKKOS_FORCEINLINE_FUNCTION typename Column::value_type operator()(std::uint64_t i) const {
    return column(i);
  }
};

/// Appends rows of groups to a container: the keys in listed rows of columns, and states beside
/// them. Asynchronous, but for strings. `sources` are the columns that are in the list already.
template <class Exec, class MemorySpace, class Rows, class Row, class States, class... Sources>
void append_listed(const Exec& exec, Workspace<MemorySpace>& workspace, Rows& rows,
                   const ValueList<>&, const Row*, std::uint64_t, const States& states,
                   const Sources&... sources) {
  rows.append_async(exec, workspace, sources..., states);
}
template <class Exec, class MemorySpace, class Rows, class First, class... Rest, class Row,
          class States, class... Sources>
void append_listed(const Exec& exec, Workspace<MemorySpace>& workspace, Rows& rows,
                   const ValueList<First, Rest...>& columns, const Row* listed, std::uint64_t count,
                   const States& states, const Sources&... sources) {
  append_listed(exec, workspace, rows, columns.rest, listed, count, states, sources...,
                ListedColumn<First, Row>{columns.first, listed, count});
}

/// The keys of all rows for which memory is reserved, whether they exist yet or not. A table then
/// allocates its links as seldom as the container allocates rows.
template <class Keys>
struct ReservedKeys {
  using key_type = typename Keys::key_type;
  using memory_space = typename Keys::memory_space;
  Keys keys;
  std::uint64_t count;

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FORCEINLINE_FUNCTION key_type operator()(std::uint64_t i) const { return keys(i); }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const std::byte* address(std::uint64_t i) const {
    return keys.address(i);
  }
};

/// Whether a row's number is at least `first`.
struct IsRowFrom {
  std::uint64_t first;
  KOKKOS_FORCEINLINE_FUNCTION bool operator()(std::uint64_t row) const { return row >= first; }
};

/// The type of the first columns of a container as keys.
template <class Ref, class Numbers>
struct FirstColumns;
template <class Ref, unsigned... Cs>
struct FirstColumns<Ref, std::integer_sequence<unsigned, Cs...>> {
  using type = StoredKeys<Ref, Cs...>;
};

/// The place of a group's accumulators: column C of its row.
template <class Ref, unsigned C>
struct GroupInRow {
  Ref rows;
  KOKKOS_FORCEINLINE_FUNCTION typename Ref::template value_type<C>& operator()(
      std::uint64_t g) const {
    return *rows.template address<C>(g);
  }
};

/// Groups and a table over them. Row g of a container holds the keys of group g and, beside them,
/// its accumulators. A TagBucket finds the row by its keys.
template <class Row, class Hash, class Group, class MemorySpace, class... Values>
class GroupTable {
 public:
  using Rows = RowContainer<MemorySpace, Values..., Group>;
  using memory_space = MemorySpace;
  static constexpr unsigned num_keys = sizeof...(Values);
  using Ref = typename Rows::ref_type;
  using Place = GroupInRow<Ref, num_keys>;
  /// What a group takes: its row and the link of its key, and a share of a bucket.
  static constexpr std::uint64_t row_bytes = Rows::layout_type::row_bytes + sizeof(Row);
  static constexpr std::uint64_t groups_per_bucket = tag_bucket_slots * 7 / 8;
  static constexpr std::uint64_t bucket_bytes = sizeof(TagBucketSlots);

  template <class Exec>
  GroupTable(const Exec& exec, const Hash& hash)
      : table_(exec, keys(0), {.buckets = BucketCount(first_buckets), .initial_rows = 0}, hash) {}

  [[nodiscard]] const Rows& rows() const { return rows_; }
  [[nodiscard]] std::uint64_t size() const { return rows_.size(); }
  [[nodiscard]] std::uint64_t bytes() const { return rows_.bytes() + table_.bytes(); }
  [[nodiscard]] Place place() const { return {rows_.ref()}; }
  /// The keys of all groups, as `columns(...)`.
  [[nodiscard]] auto keys() const {
    return [&]<unsigned... Cs>(std::integer_sequence<unsigned, Cs...>) {
      return columns(rows_.template column<Cs>()...);
    }
    (std::make_integer_sequence<unsigned, num_keys>());
  }
  /// The hash function of the TagBucket.
  [[nodiscard]] Hash hash() const { return table_.ref().hasher().function(); }

  /// Writes the group of query i, or `no_row`, to found(i); asynchronous.
  template <class Exec, class Queries, class Found>
  void find_async(const Exec& exec, const Queries& queries, const Found& found) const {
    if (rows_.size() == 0) {
      Kokkos::deep_copy(exec, found, no_row<Row>);
    } else {
      table_.find_async(exec, queries, found);
    }
  }

  /// Appends groups with the keys of `count` listed rows of columns. The keys must be new and
  /// differ from each other. Doubles the memory for rows and the table as often as needed. If it
  /// throws, `undo` restores the state before.
  template <class Exec, class... Cols>
  void append(const Exec& exec, const ValueList<Cols...>& columns, const Row* listed,
              std::uint64_t count, const Group& empty, Workspace<MemorySpace>& workspace) {
    static_assert(std::is_same_v<ValueList<typename Cols::value_type...>, ValueList<Values...>>,
                  "hashmill::HashAggregation: keys of the same types for each batch");
    if (count == 0) return;
    const std::uint64_t first = rows_.size();
    check_rows<Row>(first, count);
    make_room(exec, first + count);
    append_listed(exec, workspace, rows_, columns, listed, count,
                  constant_column<MemorySpace>(empty, count));
    table_.set_keys(exec, keys(room_));
    table_.insert(exec, first, count, workspace);
  }
  /// Makes room for that many groups in all, so that appending up to them allocates nothing but
  /// memory for strings. Throws CapacityError if memory is short; all is as before then.
  template <class Exec>
  void reserve(const Exec& exec, std::uint64_t groups) {
    if (groups > room_) make_room(exec, groups);
  }
  /// Removes the groups from number `first` on. If that fails, removes all groups.
  template <class Exec>
  void undo(const Exec& exec, std::uint64_t first) noexcept {
    try {
      if (rows_.size() != 0) table_.set_keys(exec, keys(room_));
      if (rows_.size() == first) return;
      table_.erase_if(exec, IsRowFrom{first});
      rows_.truncate(first);
    } catch (...) {
      reset();
    }
  }
  /// Removes all groups and keeps the memory.
  template <class Exec>
  void clear(const Exec& exec) {
    try {
      table_.clear(exec);
      rows_.clear();
    } catch (...) {  // rows and table must agree
      reset();
      throw;
    }
  }
  /// Removes all groups and frees their memory.
  void reset() noexcept {
    [[maybe_unused]] const Rows rows(std::move(rows_));
    [[maybe_unused]] const Table table(std::move(table_));
    room_ = 0;
  }

 private:
  static constexpr std::uint64_t first_buckets = 64;
  using Stored =
      typename FirstColumns<Ref, std::make_integer_sequence<unsigned, sizeof...(Values)>>::type;
  using Keys = ReservedKeys<Stored>;
  using Table = TagBucket<typename Keys::key_type, MemorySpace, Row, Hash, RowEqual, Keys>;

  [[nodiscard]] Keys keys(std::uint64_t room) const {
    return {Stored(rows_.ref()).nulls_equal(), room};
  }
  /// Reserves rows, keys and buckets for `groups` groups.
  template <class Exec>
  void make_room(const Exec& exec, std::uint64_t groups) {
    rows_.reserve(exec, groups);
    const std::uint64_t room = std::min<std::uint64_t>(
        rows_.capacity(), std::min<std::uint64_t>(no_row<Row>, Table::row_limit));
    table_.set_keys(exec, keys(room));
    room_ = room;
    const std::uint64_t most = Table::most_taken_slots * table_.num_buckets();
    if (groups > most) table_.reserve(exec, std::max(groups, 2 * most));
  }
  Rows rows_;
  std::uint64_t room_ = 0;  // number of keys in the table's key source
  Table table_;
};

}  // namespace hashmill::detail
