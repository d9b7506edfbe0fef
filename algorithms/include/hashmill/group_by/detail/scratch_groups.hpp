#pragma once

#include <cstddef>
#include <cstdint>
#include <hashmill/backends/publish.hpp>
#include <hashmill/backends/team_atomic.hpp>
#include <hashmill/group_by/detail/partial_groups.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <type_traits>

namespace hashmill::detail {

/// The groups of a team, in its scratch. A slot has the accumulators of a group, a representative
/// row and, of integers, the key: one word, which claims the slot. Other keys are read in the
/// caller's rows, and the row claims the slot.
///
///     groups   accumulators      x slots of all tables + 1
///     keys     words of the key  x as many, of integers
///     rows     Row               x as many
///
/// A free slot has the word of all ones, or no row. The key that has this word is in the last slot.
/// A thread uses one of several tables. A group may be in each of them.
template <class Exec, class Keys, class Row, class Group>
class ScratchGroups {
  using Key = KeyOf<Keys>;
  static constexpr bool has_keys = WholeNumberKey<Key> && sizeof(Key) <= 8;
  using Word = std::conditional_t<sizeof(Key) <= 4, std::uint32_t, std::uint64_t>;
  static constexpr Word free_word = ~Word{0};
  static constexpr std::size_t alignment = alignof(std::max_align_t);

 public:
  static constexpr std::size_t slot_bytes =
      sizeof(Group) + (has_keys ? sizeof(Word) : 0) + sizeof(Row);

  /// The scratch that so many slots take.
  [[nodiscard]] static constexpr std::size_t bytes(std::uint64_t slots) {
    return (slots + 1) * slot_bytes + alignment;
  }
  /// The slots that so much scratch has room for.
  [[nodiscard]] static constexpr std::uint64_t slots_in(std::size_t scratch) {
    return scratch <= bytes(0) ? 0 : (scratch - bytes(0)) / slot_bytes;
  }

  /// Takes the scratch. All threads of the team call it.
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION ScratchGroups(const Member& team, const SharePlan& plan)
      : last_(plan.share_slots()),
        table_slots_(plan.slots),
        begin_(static_cast<std::uint32_t>(team.team_rank()) % plan.tables * plan.slots) {
    const std::size_t all = last_ + std::size_t{1};
    auto* memory =
        static_cast<char*>(team.team_shmem().get_shmem_aligned(all * slot_bytes, alignment));
    groups_ = reinterpret_cast<Group*>(memory);
    memory += all * sizeof(Group);
    constexpr bool rows_first = !has_keys || sizeof(Row) > sizeof(Word);  // as they are aligned
    rows_ = reinterpret_cast<Row*>(memory + (rows_first ? 0 : all * sizeof(Word)));
    keys_ = reinterpret_cast<Word*>(memory + (rows_first ? all * sizeof(Row) : 0));
  }

  /// The slots, with the last one.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t size() const { return last_ + 1; }
  template <class Folds>
  KOKKOS_FORCEINLINE_FUNCTION void clear(const Folds& folds, std::uint32_t s) const {
    folds.clear(groups_ + s);
    rows_[s] = no_row<Row>;
    if constexpr (has_keys) keys_[s] = free_word;
  }
  /// Whether a slot has a group; once all rows were added.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_taken(std::uint32_t s) const {
    return rows_[s] != no_row<Row>;
  }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Row row(std::uint32_t s) const { return rows_[s]; }
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION const Group& group(std::uint32_t s) const {
    return groups_[s];
  }

  /// The group of a key, which a row of `keys` has; null if `most_probes` slots have other groups.
  /// `bits` chooses the first slot.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION Group* find(const Keys& keys, const Key& key, Row row,
                                                        std::uint32_t bits,
                                                        unsigned most_probes) const {
    if constexpr (has_keys) {
      if (static_cast<Word>(key) == free_word) {
        static_cast<void>(claim(rows_ + last_, no_row<Row>, row));
        return groups_ + last_;
      }
    }
    std::uint32_t s = begin_ + static_cast<std::uint32_t>(std::uint64_t{bits} * table_slots_ >> 32);
    for (unsigned probe = 0; probe < most_probes; ++probe) {
      if (is_group(s, keys, key, row)) return groups_ + s;
      if (++s == begin_ + table_slots_) s = begin_;
    }
    return nullptr;
  }

 private:
  /// Whether a slot is the group of a key. A free slot becomes that group.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_group(std::uint32_t s, const Keys& keys,
                                                          const Key& key, Row row) const {
    if constexpr (has_keys) {
      const auto word = static_cast<Word>(key);
      const Word was = claim(keys_ + s, free_word, word);
      if (was == free_word) rows_[s] = row;
      return was == free_word || was == word;
    } else {
      const Row was = claim(rows_ + s, no_row<Row>, row);
      return was == no_row<Row> || GroupEqual<Key>()(keys(was), key);
    }
  }

  /// Sets a word that is `free` to `mine`. Returns what it was. Most are taken, and a look costs
  /// less than an exchange: threads that look at one word do so at once.
  template <class T>
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION static T claim(T* word, T free, T mine) {
    const T seen = backends::load_relaxed(word);
    return seen != free ? seen : backends::team_compare_exchange<Exec>(word, free, mine);
  }

  std::uint32_t last_;         // the last slot
  std::uint32_t table_slots_;  // slots of a table
  std::uint32_t begin_;        // of the thread's table
  Group* groups_;
  Word* keys_;
  Row* rows_;
};

}  // namespace hashmill::detail
