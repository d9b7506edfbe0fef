#pragma once

#include <hashmill/distributed_join/detail/concatenate.hpp>
#include <hashmill/distributed_join/detail/held_batches.hpp>
#include <hashmill/distributed_join/detail/movement_plan.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/spill/detail/part_store.hpp>
#include <hashmill/spill/detail/round_of_row.hpp>

namespace hashmill::detail {

// Columns as arrays of bytes, which a store moves, and as columns again.

template <class Value>
[[nodiscard]] ByteArray array_of(const Value* values, std::uint64_t count) {
  return {reinterpret_cast<const std::byte*>(values), count * sizeof(Value)};
}
/// Appends the arrays of a column.
template <class Value, class Memory>
void add_arrays(const Kokkos::View<Value*, Memory>& values, std::vector<ByteArray>& arrays) {
  arrays.push_back(array_of(values.data(), values.extent(0)));
}
template <class Value, class Memory>
void add_arrays(const OwnedColumn<Value, Memory>& column, std::vector<ByteArray>& arrays) {
  add_arrays(column.values, arrays);
  add_arrays(column.valid_bits, arrays);
}
template <class Memory>
void add_arrays(const OwnedStrings<Memory>& strings, std::vector<ByteArray>& arrays) {
  add_arrays(strings.offsets, arrays);
  add_arrays(strings.bytes, arrays);
  add_arrays(strings.valid_bits, arrays);
}

/// Takes the next arrays of a batch as columns of these types.
template <class Memory>
class ArrayReader {
 public:
  explicit ArrayReader(const StoredBatch& batch) : next_(batch.arrays.data()), rows_(batch.rows) {}

  template <class Value, class... Traits>
  [[nodiscard]] auto read(std::type_identity<Kokkos::View<Value*, Traits...>>) {
    return Kokkos::View<Value*, Traits...>(values<Value>(), rows_);
  }
  template <class Value>
  [[nodiscard]] auto read(std::type_identity<ValueColumn<Value, Memory>>) {
    const Value* const first = values<Value>();
    return ValueColumn<Value, Memory>(first, rows_, bits());
  }
  [[nodiscard]] auto read(std::type_identity<StringColumn<std::uint64_t, Memory>>) {
    const auto* const offsets = values<std::uint64_t>();
    const char* const bytes = values<char>();
    return StringColumn<std::uint64_t, Memory>(offsets, bytes, rows_, bits());
  }

 private:
  template <class Value>
  [[nodiscard]] Value* values() {
    return reinterpret_cast<Value*>(const_cast<std::byte*>((next_++)->data));
  }
  [[nodiscard]] Validity bits() {
    const std::uint64_t bytes = next_->bytes;
    const auto* const first = values<const std::uint8_t>();
    using Bits = Kokkos::View<const std::uint8_t*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return bytes == 0 ? Validity() : validity(Bits(first, bytes), rows_);
  }
  const ByteArray* next_;
  std::uint64_t rows_;
};

/// Writes the values of listed rows: those of list l to `to[l]`.
template <class Column, class Value>
struct WriteLists {
  Column column;
  const std::uint64_t* rows;    // of all lists, one behind another
  const std::uint64_t* begins;  // of each list, and the end
  Value* const* to;
  void operator()(std::int64_t l) const {
    const std::uint64_t* const listed = rows + begins[l];
    const std::uint64_t count = begins[l + 1] - begins[l];
    Value* const out = to[l];
    for (std::uint64_t i = 0; i < count; ++i) out[i] = column(listed[i]);
  }
};

/// Writes the value of a listed row, as above.
template <class Column, class Value>
struct WriteListedRow {
  Column column;
  const std::uint64_t* rows;
  const std::uint64_t* begins;
  std::uint64_t lists;
  const std::uint64_t* to;  // addresses
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    const auto i = static_cast<std::uint64_t>(index);
    const std::uint64_t list = owner_of(begins, i, 0, lists);
    reinterpret_cast<Value*>(to[list])[i - begins[list]] = column(rows[i]);
  }
};

/// Writes the values of listed rows: those of list l, from row `begins`[l] of all on, to `to[l]`.
/// On hosts each list is one thread's. Waits for `exec`.
template <class Exec, class Column, class Value, class Memory>
void write_lists(const Exec& exec, const Column& column, const std::uint64_t* rows,
                 const std::vector<std::uint64_t>& begins, const std::vector<Value*>& to,
                 [[maybe_unused]] Workspace<Memory>& workspace) {
  constexpr const char* label = "hashmill::spill::write_lists";
  if constexpr (backends::has_wide_teams<Exec>) {
    const typename Workspace<Memory>::Frame frame(workspace);
    std::vector<std::uint64_t> places;
    for (Value* const place : to) places.push_back(reinterpret_cast<std::uintptr_t>(place));
    using Write = WriteListedRow<Column, Value>;
    backends::for_each_index(label, exec, begins.back(),
                             Write{column, rows, device_words(exec, begins, workspace).data(),
                                   to.size(), device_words(exec, places, workspace).data()});
    exec.fence("hashmill::spill: the addresses of batches are freed");
  } else {
    using Write = WriteLists<Column, Value>;
    backends::for_each_index(label, exec, to.size(), Write{column, rows, begins.data(), to.data()});
    exec.fence("hashmill::spill: the addresses of batches are freed");
  }
}

/// Whether all columns of a tuple are values alone, without nulls.
template <class Columns>
inline constexpr bool has_values_only = false;
template <class... Column>
inline constexpr bool has_values_only<std::tuple<Column...>> =
    ((column_kind<Column> == ColumnKind::values) && ...);

/// How rows of columns are stored, such as those of a side of a join.
template <class Exec, class Side>
class StoredSide {
 public:
  using Memory = typename Exec::memory_space;
  using Held = HeldBatches<Exec, Side>;
  using Copies = typename Held::Copies;
  using Batch = typename Held::Batch;  ///< a side as joins read it
  using Columns = decltype(Batch::columns);
  /// About the bytes of a row. Strings count as 16.
  static constexpr std::uint64_t bytes_of_row = row_bytes<Columns> + 1;

  /// Copies rows in a list, with memory of the account. Makes room for them in the store first.
  template <class Given>
  [[nodiscard]] static StoredBatch copy(const Exec& exec, const Given& columns,
                                        const std::uint64_t* rows, std::uint64_t count,
                                        MemoryAccount& account, PartStore<Exec>& store,
                                        Workspace<Memory>& workspace) {
    return copied(exec, count, account, store,
                  [&] { return copy_columns<Copies>(exec, columns, rows, count, workspace); });
  }
  /// So many rows that `copies()` makes, likewise.
  template <class MakeCopies>
  [[nodiscard]] static StoredBatch copied(const Exec& exec, std::uint64_t count,
                                          MemoryAccount& account, PartStore<Exec>& store,
                                          const MakeCopies& copies) {
    store.make_room(exec, count * bytes_of_row);
    StoredBatch batch = batch_of(copies(), count);
    store.make_room(exec, batch.bytes());
    batch.grant = account.take(MemoryTier::device, batch.bytes(), "a batch of rows");
    return batch;
  }
  /// Copies the rows of the lists `first` to `last` - 1, and calls `use(list, batch)` for those
  /// that have any. One kernel copies a view: one for each list would take longer.
  template <class Given, class Use>
  static void copy_lists(const Exec& exec, const Given& columns, const RowLists<Exec>& lists,
                         std::size_t first, std::size_t last, MemoryAccount& account,
                         PartStore<Exec>& store, Workspace<Memory>& workspace, const Use& use) {
    if constexpr (has_values_only<Given> && has_values_only<Copies>) {
      std::vector<StoredBatch> batches = new_batches(exec, lists, first, last, account, store);
      write_lists(exec, columns, lists.rows(first), lists.begins(first, last), batches, workspace);
      for (std::size_t l = first; l < last; ++l) {
        if (lists.count(l) > 0) use(l, std::move(batches[l - first]));
      }
    } else {
      for (std::size_t l = first; l < last; ++l) {
        if (lists.count(l) == 0) continue;
        use(l, copy(exec, columns, lists.rows(l), lists.count(l), account, store, workspace));
      }
    }
  }
  /// The rows of a batch, which they own from now on.
  [[nodiscard]] static RowsHere<Columns> rows_of(StoredBatch batch) {
    const auto owner = std::make_shared<const StoredBatch>(std::move(batch));
    ArrayReader<Memory> reader(*owner);
    return {read_all(reader, std::type_identity<Columns>()), {}, owner};
  }
  /// No rows.
  [[nodiscard]] static RowsHere<Columns> no_rows(const Exec& exec) {
    const auto owner = std::make_shared<const Copies>(Held::no_rows(exec));
    return {local_columns<Memory>(*owner), {}, owner};
  }
  /// All rows of a part, which is empty then.
  [[nodiscard]] static RowsHere<Columns> take_all(const Exec& exec, std::size_t part,
                                                  MemoryAccount& account, PartStore<Exec>& store,
                                                  Workspace<Memory>& workspace) {
    if constexpr (has_values_only<Copies>) {
      if (store.batches(part) > 1) return rows_of(store.take_as_one(exec, part));
    }
    std::vector<StoredBatch> batches;
    store.take_batches(exec, part, batches);
    return concatenated(exec, std::move(batches), account, store, workspace);
  }
  /// Several batches as one.
  [[nodiscard]] static RowsHere<Columns> concatenated(const Exec& exec,
                                                      std::vector<StoredBatch> batches,
                                                      MemoryAccount& account,
                                                      PartStore<Exec>& store,
                                                      Workspace<Memory>& workspace) {
    if (batches.empty()) return no_rows(exec);
    if (batches.size() == 1) return rows_of(std::move(batches.front()));
    std::vector<RowsHere<Columns>> parts;
    std::vector<std::uint64_t> begins{0};
    std::uint64_t bytes = 0;
    for (StoredBatch& batch : batches) {
      begins.push_back(begins.back() + batch.rows);
      bytes += batch.bytes();
      parts.push_back(rows_of(std::move(batch)));
    }
    store.make_room(exec, bytes);
    MemoryAccount::Grant grant = account.take(MemoryTier::device, bytes, "rows of a round");
    begins.resize(2 * begins.size() - 1, begins.back());  // no rows that all ranks have
    Copies copies;
    concatenate_columns(exec, parts, begins, copies, workspace);
    StoredBatch all = batch_of(std::move(copies), begins.back());
    all.grant = std::move(grant);
    return rows_of(std::move(all));
  }

  /// Calls `use(rows)` for the rows of a part, in their order: as many batches at a time as have
  /// `most_rows` rows of `bytes_of_row` bytes, or one. With `keeps` they stay in the store.
  template <class Use>
  static void for_each_slice(const Exec& exec, std::size_t part, std::uint64_t most_rows,
                             bool keeps, MemoryAccount& account, PartStore<Exec>& store,
                             Workspace<Memory>& workspace, const Use& use) {
    std::vector<StoredBatch> some;
    std::uint64_t rows = 0, bytes = 0;
    const auto hand_over = [&] {
      if (some.empty()) return;
      use(concatenated(exec, std::exchange(some, {}), account, store, workspace));
      rows = bytes = 0;
    };
    // Batches of the part stay where they are while it is read, so that room is made before.
    store.make_room(exec, 3 * most_rows * bytes_of_row);
    store.read(exec, part, 0, store.batches(part), keeps, [&](StoredBatch batch) {
      if (rows + batch.rows > most_rows || bytes + batch.bytes() > most_rows * bytes_of_row) {
        hand_over();
      }
      rows += batch.rows;
      bytes += batch.bytes();
      some.push_back(std::move(batch));
    });
    hand_over();
    if (!keeps) store.clear(part);
  }

 private:
  /// A batch for the views of each list, in one piece of memory.
  [[nodiscard]] static std::vector<StoredBatch> new_batches(const Exec& exec,
                                                            const RowLists<Exec>& lists,
                                                            std::size_t first, std::size_t last,
                                                            MemoryAccount& account,
                                                            PartStore<Exec>& store) {
    std::vector<StoredBatch> batches;
    std::uint64_t bytes = 0;
    for (std::size_t l = first; l < last; ++l) {
      StoredBatch& batch = batches.emplace_back();
      batch.rows = lists.count(l);
      for (const std::uint64_t value_bytes : bytes_of_values(std::type_identity<Copies>())) {
        batch.arrays.push_back({nullptr, batch.rows * value_bytes});
      }
      bytes += batch.bytes();
    }
    store.make_room(exec, bytes);
    for (StoredBatch& batch : batches) {
      batch.grant = account.take(MemoryTier::device, batch.bytes(), "a batch of rows");
      store.allocate(exec, batch);
    }
    return batches;
  }
  template <class... Column>
  [[nodiscard]] static std::vector<std::uint64_t> bytes_of_values(
      std::type_identity<std::tuple<Column...>>) {
    return {sizeof(typename Column::value_type)...};
  }
  /// Writes the rows of each list to its batch. Waits for `exec`.
  template <class Given>
  static void write_lists(const Exec& exec, const Given& columns, const std::uint64_t* rows,
                          const std::vector<std::uint64_t>& begins,
                          const std::vector<StoredBatch>& batches, Workspace<Memory>& workspace) {
    const auto write = [&]<std::size_t I>(std::integral_constant<std::size_t, I>) {
      using Value = typename std::tuple_element_t<I, Copies>::value_type;
      const auto column = key_access(std::get<I>(columns));
      std::vector<Value*> to;
      for (const StoredBatch& batch : batches)
        to.push_back(reinterpret_cast<Value*>(const_cast<std::byte*>(batch.arrays[I].data)));
      detail::write_lists(exec, column, rows, begins, to, workspace);
    };
    [&]<std::size_t... Is>(std::index_sequence<Is...>) {
      (write(std::integral_constant<std::size_t, Is>()), ...);
    }
    (std::make_index_sequence<std::tuple_size_v<Copies>>());
  }
  [[nodiscard]] static StoredBatch batch_of(Copies copies, std::uint64_t rows) {
    const auto owner = std::make_shared<const Copies>(std::move(copies));
    StoredBatch batch{rows, {}, owner, {}};
    std::apply([&](const auto&... column) { (add_arrays(column, batch.arrays), ...); }, *owner);
    return batch;
  }
  template <class... Column>
  [[nodiscard]] static std::tuple<Column...> read_all(ArrayReader<Memory>& reader,
                                                      std::type_identity<std::tuple<Column...>>) {
    return std::tuple<Column...>{reader.read(std::type_identity<Column>())...};  // in this order
  }
};

}  // namespace hashmill::detail
