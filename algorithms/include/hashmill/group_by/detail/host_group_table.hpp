#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>

namespace hashmill::detail {

/// A group that a host thread has found: its accumulators, its representative row, and its key if
/// `HasKey`. Wider keys are read where the row has them.
template <class Key, class Row, class Group, bool HasKey>
struct HostGroup {
  Group group;
  Row row;
  Key key;
  void keep(const Key& other) { key = other; }
  template <class Keys>
  [[nodiscard]] bool holds(const Key& other, const Keys&) const {
    return GroupEqual<Key>()(key, other);
  }
};
template <class Key, class Row, class Group>
struct HostGroup<Key, Row, Group, false> {
  Group group;
  Row row;
  void keep(const Key&) {}
  template <class Keys>
  [[nodiscard]] bool holds(const Key& other, const Keys& keys) const {
    return GroupEqual<Key>()(keys(row), other);
  }
};

/// The bytes of a HostGroupTable with `slots` slots that `groups` groups use.
[[nodiscard]] inline std::size_t host_table_bytes(std::uint64_t slots, std::uint64_t groups,
                                                  std::size_t entry_bytes) {
  return slots * sizeof(std::uint32_t) + groups * entry_bytes;
}

/// The groups that one host thread has found, in the order in which it found them, and an index
/// from hashes to their numbers. Collisions are resolved by linear probing.
///
///     index     uint32 x slots              the number of a group, from 1; 0 if there is none
///     entries   HostGroup x (slots/2 + 1)   accumulators, row and small key of each group; entry 0
///                                           takes the values that are added to no group
///
/// The index is sparse, so that the first slot nearly always decides. Entries lie without gaps:
/// caches hold many of them, and they are copied out without a search.
template <class Keys, class Row, class Group>
class HostGroupTable {
 public:
  using Key = KeyOf<Keys>;
  using Number = std::uint32_t;
  static constexpr bool has_key = sizeof(Key) <= 8;
  using Entry = HostGroup<Key, Row, Group, has_key>;

  /// Bytes of a table with `slots` slots, a power of two. It holds at most slots / 2 groups.
  [[nodiscard]] static std::size_t bytes(std::uint64_t slots) {
    return (slots * sizeof(Number) + (slots / 2 + 1) * sizeof(Entry) + 63) / 64 * 64;
  }

  /// An empty table in `memory`: `bytes(slots)` bytes, aligned to a cache line, which must outlive
  /// the table.
  template <class Folds>
  HostGroupTable(void* memory, std::uint32_t slots, const Folds& folds, const GroupHash<Key>& hash)
      : hash_(hash),
        index_(static_cast<Number*>(memory)),
        entries_(reinterpret_cast<Entry*>(index_ + slots)),
        mask_(slots - 1) {
    std::memset(memory, 0, std::size_t{slots} * sizeof(Number));
    folds.clear(&entries_[0].group);
    entries_[0].keep(Key{});
  }

  [[nodiscard]] std::uint32_t size() const { return size_; }
  /// Group g, from 0.
  [[nodiscard]] const Entry& operator[](std::uint64_t g) const { return entries_[g + 1]; }
  [[nodiscard]] std::uint32_t slot_of(const Key& key) const {
    return static_cast<std::uint32_t>(hash_(key) >> 32) & mask_;
  }
  [[nodiscard]] Number number_in(std::uint32_t slot) const { return index_[slot]; }
  [[nodiscard]] Group* accumulators(Number number) const { return &entries_[number].group; }
  /// Whether group `number` has this key; decided without a branch if keys are small.
  [[nodiscard]] bool is_group(Number number, const Key& key, const Keys& keys) const {
    if constexpr (has_key) {
      return (number != 0) & entries_[number].holds(key, keys);
    } else {
      return number != 0 && entries_[number].holds(key, keys);
    }
  }
  void prefetch_slot(std::uint32_t slot) const { backends::prefetch(index_ + slot); }
  void prefetch_entry(Number number) const { backends::prefetch(entries_ + number); }

  /// The number of a key's group, searched from `slot` on. Adds the group if there is none. Returns
  /// 0 if the table is full, or if `most_probes` slots belong to other keys.
  template <class Folds>
  Number find_or_add(const Keys& keys, std::uint32_t slot, const Key& key, Row row,
                     unsigned most_probes, const Folds& folds) {
    for (unsigned probe = 0; probe < most_probes; ++probe) {
      const Number number = index_[slot];
      if (number == 0) return size_ <= mask_ / 2 ? add(slot, key, row, folds) : 0;
      if (entries_[number].holds(key, keys)) return number;
      slot = (slot + 1) & mask_;
    }
    return 0;
  }

 private:
  template <class Folds>
  Number add(std::uint32_t slot, const Key& key, Row row, const Folds& folds) {
    index_[slot] = ++size_;
    Entry& entry = entries_[size_];
    folds.clear(&entry.group);
    entry.row = row;
    entry.keep(key);
    return size_;
  }

  GroupHash<Key> hash_;
  Number* index_;
  Entry* entries_;
  std::uint32_t mask_;
  std::uint32_t size_ = 0;
};

}  // namespace hashmill::detail
