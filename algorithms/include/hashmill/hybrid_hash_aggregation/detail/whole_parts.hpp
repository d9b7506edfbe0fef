#pragma once

#include <hashmill/hybrid_hash_aggregation/detail/whole_rounds.hpp>
#include <hashmill/spill/detail/part_store.hpp>

namespace hashmill::detail {

/// Groups parts of a store at once, each a round of partial groups. What takes memory for that is
/// taken from a budget, and kept from part to part.
///
/// `GroupRows`: the GroupColumns of the store. `WholeOf`: WholeRounds, which tests replace.
template <class Exec, class Batches, class GroupRows,
          template <class, class, class> class WholeOf = WholeRounds>
class WholeParts {
  using Memory = typename Exec::memory_space;
  using Group = typename Batches::Group;
  using Kept = typename Batches::Kept;
  using Stored = typename GroupRows::Stored;
  using Whole = WholeOf<Exec, Batches, GroupRows>;

 public:
  static constexpr bool possible = Whole::possible;

  /// Refers to all but the seed.
  WholeParts(Seed seed, MemoryAccount& account, PartStore<Exec>& store,
             Workspace<Memory>& workspace)
      : seed_(seed), account_(account), store_(store), workspace_(workspace) {}

  /// The bytes of a part, and of what groups it.
  [[nodiscard]] std::uint64_t bytes(const Exec& exec, std::size_t part) const {
    return store_.bytes(part) + grouping_bytes(exec, store_.rows(part));
  }
  /// Takes the groups of a part out of the store and groups them. Calls
  /// `use(groups, rows, states, count)` with the columns that were stored, a row of them that has
  /// the key of each group, and its state. Stores the groups again, and returns false, where
  /// WholeRounds refuses them. Throws CapacityError where the budget has not `bytes`.
  template <class Use>
  [[nodiscard]] bool group(const Exec& exec, const Kept& kept, std::size_t part, const Use& use) {
    const std::uint64_t rows = store_.rows(part);
    const auto groups = Stored::take_all(exec, part, account_, store_, workspace_);
    take(exec, rows);
    const bool grouped =
        whole_.group(exec, kept, seed_, groups.columns,
                     [&](const std::uint64_t* first, const Group* states, std::uint64_t count) {
                       use(groups.columns, first, states, count);
                     });
    if (grouped) return true;
    free();
    store_.append(part,
                  Stored::copy(exec, groups.columns, nullptr, rows, account_, store_, workspace_));
    return false;
  }
  /// Combines the groups of a part that is in memory, where memory is left for what groups them and
  /// for its rows once more.
  void combine(const Exec& exec, const Kept& kept, std::size_t part) {
    if (bytes(exec, part) > account_.available(MemoryTier::device) + taken_.bytes()) return;
    static_cast<void>(group(
        exec, kept, part,
        [&](const auto& groups, const auto* first, const Group* states, std::uint64_t count) {
          store_.append(part, Stored::copied(exec, count, account_, store_, [&] {
                          return GroupRows::copies(exec, groups, first, states, count, workspace_);
                        }));
        }));
  }
  /// Frees the memory.
  void free() {
    whole_.free();
    taken_ = {};
  }

 private:
  /// Of what groups so many rows: a little more than they need, since the next part can be larger.
  [[nodiscard]] static std::uint64_t grouping_bytes(const Exec& exec, std::uint64_t rows) {
    const std::uint64_t bytes = Whole::bytes(exec, rows);
    return bytes + bytes / 64;
  }
  void take(const Exec& exec, std::uint64_t rows) {
    if (Whole::bytes(exec, rows) <= taken_.bytes()) return;
    const std::uint64_t bytes = grouping_bytes(exec, rows);
    free();
    store_.make_room(exec, bytes);
    taken_ = account_.take(MemoryTier::device, bytes, "temporary memory of a round");
  }

  const Seed seed_;
  MemoryAccount& account_;
  PartStore<Exec>& store_;
  Workspace<Memory>& workspace_;
  MemoryAccount::Grant taken_;
  Whole whole_;
};

}  // namespace hashmill::detail
