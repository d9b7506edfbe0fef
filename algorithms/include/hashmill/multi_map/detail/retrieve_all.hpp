#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/multi_map/table_entries.hpp>
#include <hashmill/primitives/detail/sized_output.hpp>
#include <type_traits>

namespace hashmill::detail {

/// Calls a function with the parts of an entry that it takes: key and row, or only the row.
template <class F>
struct GiveEntry {
  F f;
  template <class Key, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key& key, Row row) const {
    if constexpr (std::is_invocable_v<const F&, const Key&, Row>) {
      f(key, row);
    } else {
      f(row);
    }
  }
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key& key) const {
    f(key);
  }
};

/// Visits one part of a table's entries.
template <class Parts, class F>
struct VisitPart {
  Parts parts;
  F f;
  KOKKOS_FUNCTION void operator()(std::int64_t p) const { parts(static_cast<std::uint64_t>(p), f); }
};

/// Counts entries. A functor, because nvcc accepts no lambda inside another.
struct CountEntry {
  std::uint64_t* count;
  template <class Key, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key&, Row) const {
    ++*count;
  }
};

/// Writes entries from `*place` on.
template <class Key, class Row>
struct WriteEntry {
  Key* keys;
  Row* rows;
  std::uint64_t* place;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key& key, Row row) const {
    keys[*place] = key;
    rows[*place] = row;
    ++*place;
  }
};

/// The entries of each part, as items of a sized output.
template <class Parts, class Key, class Row>
struct PartEntries {
  Parts parts;
  Key* keys = nullptr;
  Row* rows = nullptr;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint64_t size(std::uint64_t p) const {
    std::uint64_t count = 0;
    parts(p, CountEntry{&count});
    return count;
  }
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fill(std::uint64_t p, std::uint64_t place) const {
    parts(p, WriteEntry<Key, Row>{keys, rows, &place});
    return place;
  }
};

/// All entries of a table, in the order of its parts. Waits for `exec`.
template <class Key, class Row, class MemorySpace, class Exec, class Parts>
TableEntries<Key, Row, MemorySpace> retrieve_entries(const Exec& exec, const Parts& parts) {
  using Entries = TableEntries<Key, Row, MemorySpace>;
  PartEntries<Parts, Key, Row> work{parts};
  Workspace<MemorySpace> workspace;
  const auto placed =
      place_item_tiles("hashmill::retrieve_all::count", exec, work, parts.size(), workspace);
  Entries entries;
  entries.keys = backends::allocate<decltype(Entries::keys)>(exec, "hashmill::retrieve_all::keys",
                                                             placed.total);
  entries.rows = backends::allocate<decltype(Entries::rows)>(exec, "hashmill::retrieve_all::rows",
                                                             placed.total);
  work.keys = entries.keys.data();
  work.rows = entries.rows.data();
  fill_item_tiles("hashmill::retrieve_all::write", exec, work, parts.size(), placed);
  exec.fence("hashmill::retrieve_all: results are handed to the caller");
  return entries;
}

}  // namespace hashmill::detail
