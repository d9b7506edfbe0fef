#pragma once

#include <cstdint>
#include <hashmill/chaining.hpp>
#include <hashmill/linear_probing.hpp>
#include <hashmill/tag_bucket.hpp>

#include "case/compare_case.hpp"

namespace hashmill::perf {

// The tables other than HashGraph, in one form for the comparison: which type, with which options,
// and whether a build takes temporary memory of the caller. The last constant is the most bytes per
// key that it takes in total, at half full where `sized_by_fill`.

struct ChainingKind {
  static constexpr bool keeps_duplicates = true;
  static constexpr bool sized_by_fill = false;
  static constexpr bool takes_workspace = false;
  static constexpr std::uint64_t bytes_a_key = 48;
  template <class Key, class MemorySpace>
  using Table = Chaining<Key, MemorySpace>;
  static ChainingOptions options(const TableAxes& axes) {
    ChainingOptions options;
    options.rows_per_bucket = RowsPerBucket(axes.load_factor);
    return options;
  }
  /// Inserts all keys into an empty table of as many.
  template <class Exec, class Table, class Keys, class MemorySpace>
  static void insert_all(const Exec& exec, Table& table, const Keys& keys,
                         Workspace<MemorySpace>&) {
    table.append(exec, keys);
  }
};

struct TagBucketKind {
  static constexpr bool keeps_duplicates = true;
  static constexpr bool sized_by_fill = true;
  static constexpr bool takes_workspace = true;
  static constexpr std::uint64_t bytes_a_key = 96;
  template <class Key, class MemorySpace>
  using Table = TagBucket<Key, MemorySpace>;
  static TagBucketOptions options(const TableAxes& axes) {
    return {.load_factor = LoadFactor(axes.fill)};
  }
  /// Inserts all keys into an empty table of as many.
  template <class Exec, class Table, class Keys, class MemorySpace>
  static void insert_all(const Exec& exec, Table& table, const Keys& keys,
                         Workspace<MemorySpace>& workspace) {
    table.insert(exec, 0, keys.size(), workspace);
  }
};

/// `Kind`: UniqueKeys or RepeatedKeys.
template <class Kind>
struct LinearProbingKind {
  static constexpr bool keeps_duplicates = std::is_same_v<Kind, RepeatedKeys>;
  static constexpr bool sized_by_fill = true;
  static constexpr bool takes_workspace = true;
  static constexpr std::uint64_t bytes_a_key = 256;
  template <class Key, class MemorySpace>
  using Table = LinearProbing<Key, MemorySpace, Kind>;
  static LinearProbingOptions options(const TableAxes& axes) {
    return {.load_factor = LoadFactor(axes.fill)};
  }
  /// Inserts all keys into an empty table of as many.
  template <class Exec, class Table, class Keys, class MemorySpace>
  static void insert_all(const Exec& exec, Table& table, const Keys& keys,
                         Workspace<MemorySpace>& workspace) {
    table.insert(exec, keys, RowsFrom<std::uint32_t>{0}, workspace);
  }
};

/// A table of one kind; looked up in like every other.
template <class Exec, class Key, class Kind>
class LibraryTable : public Kind::template Table<Key, typename Exec::memory_space> {
  using Base = typename Kind::template Table<Key, typename Exec::memory_space>;

 public:
  static constexpr bool keeps_duplicates = Kind::keeps_duplicates;
  static constexpr bool sized_by_fill = Kind::sized_by_fill;
  static constexpr bool takes_workspace = Kind::takes_workspace;
  static constexpr std::uint64_t bytes_a_key = Kind::bytes_a_key;

  using Base::Base;
  template <class Keys>
  LibraryTable(const Exec& exec, const Keys& keys, const TableAxes& axes)
      : Base(exec, keys, Kind::options(axes)) {}
  template <class Keys>
    requires(Kind::takes_workspace)
  LibraryTable(const Exec& exec, const Keys& keys, const TableAxes& axes,
               Workspace<typename Exec::memory_space>& workspace)
      : Base(exec, keys, Kind::options(axes), workspace) {}

  /// Inserts the keys that the table was built from, once it is empty.
  template <class Keys>
  void insert_all(const Exec& exec, const Keys& keys,
                  Workspace<typename Exec::memory_space>& workspace) {
    Kind::insert_all(exec, static_cast<Base&>(*this), keys, workspace);
  }
};

}  // namespace hashmill::perf
