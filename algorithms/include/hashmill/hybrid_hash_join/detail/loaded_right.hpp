#pragma once

#include <hashmill/distributed_join/detail/right_table.hpp>
#include <hashmill/distributed_join/detail/row_partners.hpp>
#include <hashmill/distributed_join/detail/rows_here.hpp>
#include <hashmill/hybrid_hash_join/detail/give_pairs.hpp>
#include <hashmill/join.hpp>

namespace hashmill::detail {

/// to[i] |= from[i].
struct OrFlags {
  const bool* from;
  bool* to;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (from[i]) to[i] = true;
  }
};

/// Right rows in memory, with a table of their keys. Left rows are joined with them batch by batch.
template <class Exec, class LeftSide, class RightSide, bool AsNumbers>
class LoadedRight {
 public:
  using MemorySpace = typename Exec::memory_space;
  using LeftColumns = decltype(LeftSide::columns);
  using RightColumns = decltype(RightSide::columns);
  using Marks = Kokkos::View<bool*, MemorySpace>;
  using Table = decltype(right_table<AsNumbers>(
      std::declval<const Exec&>(),
      key_of_columns<AsNumbers>(std::declval<const RightColumns&>(),
                                typename RightSide::key_columns(), false),
      Seed(0), std::declval<Workspace<MemorySpace>&>()));

  /// Waits for `exec`.
  LoadedRight(const Exec& exec, HybridJoinKind kind, const HybridHashJoinOptions& options,
              RowsHere<RightColumns> right)
      : kind_(kind),
        nulls_equal_(options.nulls_equal),
        right_(std::move(right)),
        table_(table(exec, options)),
        has_partner_(backends::allocate_zeroed<Marks>(
            exec, "hashmill::hybrid_hash_join::partners",
            keeps_strangers_right(kind) ? length_of(std::get<0>(right_.columns)) : 0)) {
    exec.fence("hashmill::hybrid_hash_join: flags are written on any instance");
  }
  /// The bytes of a table of so many rows, and of their flags, while it is built.
  [[nodiscard]] static std::uint64_t predicted_bytes(const Exec& exec, std::uint64_t rows) {
    const std::uint64_t bytes = Table::predicted_peak_bytes(exec, rows, table_options(rows)) + rows;
    // The prediction has 64 KiB for scans, of which those of small tables take less than 4.
    return rows < small_table ? bytes - rounding_bytes(0, 0) + (1 << 12) : bytes;
  }
  /// The bytes of the table.
  [[nodiscard]] std::uint64_t table_bytes() const { return table_.bytes(); }

  /// The most right rows that can have one key. Reads the table's offsets once.
  [[nodiscard]] std::uint64_t most_partners(const Exec& exec) const {
    return table_.statistics(exec).longest_bucket;
  }
  /// The right rows.
  [[nodiscard]] const RowsHere<RightColumns>& rows() const { return right_; }

  /// Joins left rows, and calls `use(joined)` for results of at most so many pairs. With `marks`,
  /// other right rows will come for the same left rows: what is known of their partners is added
  /// there, and nothing is given for rows without one.
  template <class Condition, class Use>
  void probe(const Exec& exec, const LeftColumns& left, const Condition& condition,
             std::uint64_t most_pairs, bool* marks, Workspace<MemorySpace>& workspace,
             const Use& use) const {
    const auto keys =
        key_of_columns<AsNumbers>(left, typename LeftSide::key_columns(), nulls_equal_);
    const auto match = condition(left, right_.columns);
    if (only_marks(kind_)) return mark(exec, left, keys, match, marks, workspace, use);
    JoinOptions chunks;
    chunks.memory_budget = most_pairs * 2 * sizeof(std::uint32_t);
    const bool keeps = marks == nullptr && keeps_strangers_left(kind_);
    join_in_chunks(exec, keeps ? JoinKind::left : JoinKind::inner, keys, table_, match, chunks,
                   [&](const Pairs& pairs) {
                     if (keeps_strangers_right(kind_)) {
                       mark_partners(exec, pairs.right, has_partner_.data());
                     }
                     if (marks != nullptr) mark_partners(exec, pairs.left, marks);
                     give(exec, left, pairs, workspace, use);
                   });
  }
  /// Gives the right rows that have no partner, if the join keeps them, at most so many at a time.
  /// `no_left` has no rows.
  template <class Use>
  void finish(const Exec& exec, const LeftColumns& no_left, std::uint64_t most_pairs,
              Workspace<MemorySpace>& workspace, const Use& use) const {
    const std::uint64_t rows = has_partner_.extent(0);
    for (std::uint64_t first = 0; first < rows; first += most_pairs) {
      const IsMarked keep{has_partner_.data() + first, false};
      give(exec, no_left,
           pairs_without<Pairs>(exec, first, std::min(most_pairs, rows - first), keep,
                                &Pairs::right, &Pairs::left, workspace),
           workspace, use);
    }
  }
  /// Gives the left rows that the join keeps by their marks. The right rows may be any.
  template <class Use>
  void give_marked(const Exec& exec, const LeftColumns& left, const bool* marks,
                   Workspace<MemorySpace>& workspace, const Use& use) const {
    const IsMarked keep{marks, kind_ == HybridJoinKind::semi};
    give(exec, left,
         pairs_without<Pairs>(exec, 0, length_of(std::get<0>(left)), keep, &Pairs::left,
                              &Pairs::right, workspace),
         workspace, use);
  }

 private:
  static constexpr std::uint64_t small_table = 1 << 14;
  using Pairs = RowPairs<std::uint32_t, std::uint32_t, MemorySpace>;

  /// Small tables are built without bins, whose own memory would be more than that of the rows.
  [[nodiscard]] static HashGraphOptions table_options(std::uint64_t rows) {
    HashGraphOptions options;
    if (rows < small_table) options.algorithm = BuildAlgorithm::v1;
    return options;
  }
  [[nodiscard]] Table table(const Exec& exec, const HybridHashJoinOptions& options) const {
    Workspace<MemorySpace> workspace;  // freed at once
    const auto keys = key_of_columns<AsNumbers>(right_.columns, typename RightSide::key_columns(),
                                                options.nulls_equal);
    return right_table<AsNumbers>(exec, keys, options.seed, workspace, table_options(keys.size()));
  }
  template <class Keys, class Match, class Use>
  void mark(const Exec& exec, const LeftColumns& left, const Keys& keys, const Match& match,
            bool* marks, Workspace<MemorySpace>& workspace, const Use& use) const {
    const typename Workspace<MemorySpace>::Frame frame(workspace);
    const auto found = workspace.template take<bool>(exec, keys.size());
    mark_join(exec, keys, table_, found, match);
    if (marks == nullptr) return give_marked(exec, left, found.data(), workspace, use);
    backends::for_each_index("hashmill::hybrid_hash_join::or_marks", exec, keys.size(),
                             OrFlags{found.data(), marks});
    exec.fence("hashmill::hybrid_hash_join: temporary memory is given back");
  }
  template <class Use>
  void give(const Exec& exec, const LeftColumns& left, const Pairs& pairs,
            Workspace<MemorySpace>& workspace, const Use& use) const {
    give_pairs(exec, kind_, left, right_.columns, pairs, workspace, use);
  }

  HybridJoinKind kind_;
  bool nulls_equal_;
  RowsHere<RightColumns> right_;
  Table table_;
  Marks has_partner_;  // of each right row, if the join keeps those without
};

}  // namespace hashmill::detail
