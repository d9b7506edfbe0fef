#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/linear_probing.hpp>
#include <hashmill/tag_bucket.hpp>

#include "answers/churn_keys.hpp"
#include "case/compare_case.hpp"
#include "library_table.hpp"

namespace hashmill::perf {

// Tables in the shape that ChurnOperation works on: built from all batches but the last, then
// batches are erased and inserted, ours with the caller's temporary memory. A key's row is its
// position among the keys of all batches.

/// All keys but those of the last batch.
template <class Keys>
Keys first_churn_keys(const ChurnKeys<Keys>& keys) {
  return Kokkos::subview(
      keys.keys(), Kokkos::make_pair(std::uint64_t{0}, keys.first_row(num_churn_batches - 1)));
}

/// LinearProbing with unique keys.
template <class Exec, class Key>
class LinearProbingChurn {
 public:
  using Table = LibraryTable<Exec, Key, LinearProbingKind<UniqueKeys>>;
  static constexpr bool takes_workspace = true;

  template <class Keys>
  LinearProbingChurn(const Exec& exec, const ChurnKeys<Keys>& keys, const TableAxes& axes)
      : table_(exec, first_churn_keys(keys), axes) {}

  template <class Keys>
  void erase(const Exec& exec, const ChurnKeys<Keys>& keys, std::uint64_t batch) {
    table_.erase(exec, keys.batch(batch));
  }
  template <class Keys>
  void insert(const Exec& exec, const ChurnKeys<Keys>& keys, std::uint64_t batch,
              Workspace<typename Exec::memory_space>& workspace) {
    table_.insert(exec, keys.batch(batch), RowsFrom<std::uint32_t>{keys.first_row(batch)},
                  workspace);
  }
  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    table_.find(exec, queries, rows);
  }
  std::uint64_t size(const Exec&) const { return table_.size(); }

 private:
  Table table_;
};

/// TagBucket, which reads the keys where they are.
template <class Exec, class Key>
class TagBucketChurn {
 public:
  using Table = LibraryTable<Exec, Key, TagBucketKind>;
  static constexpr bool takes_workspace = true;

  template <class Keys>
  TagBucketChurn(const Exec& exec, const ChurnKeys<Keys>& keys, const TableAxes& axes)
      : table_(exec, keys.keys(), options(axes, keys.first_row(num_churn_batches - 1))) {}

  template <class Keys>
  void erase(const Exec& exec, const ChurnKeys<Keys>& keys, std::uint64_t batch) {
    table_.erase(exec, keys.batch(batch));
  }
  template <class Keys>
  void insert(const Exec& exec, const ChurnKeys<Keys>& keys, std::uint64_t batch,
              Workspace<typename Exec::memory_space>& workspace) {
    const std::uint64_t first = keys.first_row(batch);
    table_.insert(exec, first, keys.first_row(batch + 1) - first, workspace);
  }
  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    table_.find(exec, queries, rows);
  }
  std::uint64_t size(const Exec&) const { return table_.size(); }

 private:
  static TagBucketOptions options(const TableAxes& axes, std::uint64_t num_rows) {
    TagBucketOptions options = TagBucketKind::options(axes);
    options.initial_rows = num_rows;
    return options;
  }

  Table table_;
};

/// A peer: its constructor, and `erase(exec, keys)`, `insert(exec, keys, first_row)` and
/// `size(exec)`.
template <class Exec, class Peer>
class PeerChurn {
 public:
  using Table = Peer;
  static constexpr bool takes_workspace = false;

  template <class Keys>
  PeerChurn(const Exec& exec, const ChurnKeys<Keys>& keys, const TableAxes& axes)
      : peer_(make(exec, first_churn_keys(keys), axes)) {}

  template <class Keys>
  void erase(const Exec& exec, const ChurnKeys<Keys>& keys, std::uint64_t batch) {
    peer_.erase(exec, keys.batch(batch));
  }
  template <class Keys>
  void insert(const Exec& exec, const ChurnKeys<Keys>& keys, std::uint64_t batch,
              Workspace<typename Exec::memory_space>&) {
    peer_.insert(exec, keys.batch(batch), keys.first_row(batch));
  }
  template <class Keys, class Rows>
  void find(const Exec& exec, const Keys& queries, const Rows& rows) const {
    peer_.find(exec, queries, rows);
  }
  std::uint64_t size(const Exec& exec) const { return peer_.size(exec); }

 private:
  template <class Keys>
  static Peer make(const Exec& exec, const Keys& keys, const TableAxes& axes) {
    if constexpr (std::is_constructible_v<Peer, Exec, Keys, TableAxes>) {
      return Peer(exec, keys, axes);
    } else {
      return Peer(exec, keys);
    }
  }

  Peer peer_;
};

/// The shape in which a table churns.
template <class Exec, class Table>
struct ChurnOf {
  using type = PeerChurn<Exec, Table>;
};
template <class Exec, class Key>
struct ChurnOf<Exec, LibraryTable<Exec, Key, LinearProbingKind<UniqueKeys>>> {
  using type = LinearProbingChurn<Exec, Key>;
};
template <class Exec, class Key>
struct ChurnOf<Exec, LibraryTable<Exec, Key, TagBucketKind>> {
  using type = TagBucketChurn<Exec, Key>;
};

}  // namespace hashmill::perf
