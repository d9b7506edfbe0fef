#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/table_entries.hpp>
#include <type_traits>

namespace hashmill::detail {

/// Gives a function what it takes of an entry: key and row, or only the row.
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

/// Counts entries, in a functor because nvcc takes no lambda inside another.
struct CountEntry {
  std::uint64_t* count;
  template <class Key, class Row>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(const Key&, Row) const {
    ++*count;
  }
};

/// Writes entries from `*place` up.
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

template <class Parts>
struct CountPart {
  Parts parts;
  KOKKOS_FUNCTION void operator()(std::int64_t p, std::uint64_t& count) const {
    parts(static_cast<std::uint64_t>(p), CountEntry{&count});
  }
};

/// A step of the scan that gives every part its place among the entries.
template <class Parts, class Key, class Row>
struct WritePart {
  Parts parts;
  Key* keys;
  Row* rows;
  KOKKOS_FUNCTION void operator()(std::int64_t index, std::uint64_t& place, const bool last) const {
    const auto p = static_cast<std::uint64_t>(index);
    if (last) {
      parts(p, WriteEntry<Key, Row>{keys, rows, &place});
    } else {
      parts(p, CountEntry{&place});
    }
  }
};

/// All entries of a table; waits for `exec`. Counts them first, and then again to place them.
template <class Key, class Row, class MemorySpace, class Exec, class Parts>
TableEntries<Key, Row, MemorySpace> retrieve_entries(const Exec& exec, const Parts& parts) {
  using Entries = TableEntries<Key, Row, MemorySpace>;
  std::uint64_t count = 0;
  Kokkos::parallel_reduce("hashmill::retrieve_all::count", backends::range(exec, parts.size()),
                          CountPart<Parts>{parts}, count);
  Entries entries;
  entries.keys =
      backends::allocate<decltype(Entries::keys)>(exec, "hashmill::retrieve_all::keys", count);
  entries.rows =
      backends::allocate<decltype(Entries::rows)>(exec, "hashmill::retrieve_all::rows", count);
  Kokkos::parallel_scan(
      "hashmill::retrieve_all::write", backends::range(exec, parts.size()),
      WritePart<Parts, Key, Row>{parts, entries.keys.data(), entries.rows.data()});
  exec.fence("hashmill::retrieve_all: results are handed to the caller");
  return entries;
}

}  // namespace hashmill::detail
