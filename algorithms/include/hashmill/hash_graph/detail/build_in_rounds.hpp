#pragma once

#include <hashmill/hash_family.hpp>
#include <hashmill/hash_graph/detail/storage.hpp>
#include <utility>

namespace hashmill::detail {

/// Keys of parts of 2^`bucket_bits` neighbouring buckets each. The keys of a part lie in pieces,
/// and among others, that have arrived from elsewhere.
template <class Keys, class Index, class Places>
struct PartedKeys {
  Keys keys;
  std::uint64_t count;  // of keys; there are places without any
  Places places;        // where the i-th of them lies
  std::uint64_t parts;
  const Index* offsets;  // of each part, and the end, among keys in the order of their parts
  Pieces<Index> pieces;
  unsigned bucket_bits;
};

/// Builds a HashGraph of parted keys, some parts at a time, so that others can still be on their
/// way. It is part of a larger table: `range` says which buckets it holds. The parts are what the
/// first level of a build through bins would have made of the keys.
template <class Table, class Exec, class Places>
class BuildInRounds {
  using Policy = typename Table::Policy;
  using Key = typename Table::key_type;
  using Hash = std::decay_t<decltype(std::declval<Table>().hash())>;
  using MemorySpace = typename Table::memory_space;
  using Index = typename Policy::Index;
  using Record = typename Policy::Record;
  using Keys = Kokkos::View<const Key*, MemorySpace>;
  using Target = BuildTarget<Policy, Keys>;
  static constexpr bool team = backends::has_wide_teams<Exec>;

 public:
  /// Bytes of workspace for such a table, about: those of a build that makes all levels by itself.
  [[nodiscard]] static std::uint64_t workspace_bytes(const Exec& exec, std::uint64_t keys,
                                                     const HashRange& range,
                                                     const HashGraphOptions& options) {
    if (keys == 0 || options.algorithm == BuildAlgorithm::v1) return 0;
    const BuildPlan plan = plan_build<team, Policy>(exec, keys, range.count, options.bins);
    return binning_bytes<Policy>(exec, keys, range.count, plan.levels);
  }

  /// Allocates the table and temporary memory. `hash` is that of the whole table. Throws
  /// CapacityError.
  BuildInRounds(const Exec& exec, const PartedKeys<Keys, Index, Places>& keys,
                const HashRange& range, const HashGraphOptions& options, const Hash& hash,
                Workspace<MemorySpace>& workspace)
      : exec_(exec),
        keys_(keys),
        hash_(hash),
        policy_(keys.keys, 0, hash_at(hash, HashLevel::buckets, range.total), {}),
        workspace_(workspace),
        frame_(workspace),
        uses_bins_(options.algorithm != BuildAlgorithm::v1) {
    const std::uint64_t n = keys.count;
    storage_.allocate(exec, n, range);
    if (n == 0) {
      Kokkos::deep_copy(exec, storage_.offsets, Index{0});
      return;
    }
    if (!uses_bins_) return;
    plan_.bins = plan_bins<team, Policy>(exec, n, range.count, options.bins, keys.bucket_bits);
    plan_.levels = LevelPlan(keys.bucket_bits - plan_.bins.bucket_bits,
                             max_level_bits<Exec, Record, team>(exec));
    between_ = take_between(exec, target(), plan_.levels.levels, workspace);
    bin_offsets_ =
        workspace.template take<Index>(exec, (keys.parts << plan_.levels.bits) + 1).data();
    write_outer_offsets(exec, target());
  }

  /// Makes stretches of the table of `parts` parts from `first_part` on, which have arrived and
  /// hold `keys` keys. Asynchronous.
  void build(std::uint64_t first_part, std::uint64_t parts, std::uint64_t keys) {
    if (keys_.count == 0 || parts == 0 || !uses_bins_) return;
    const Pieces<Index>& all = keys_.pieces;
    const std::uint64_t first_piece = first_part * all.each;
    const Ranges<Index> ranges{keys_.offsets + first_part,
                               parts,
                               nullptr,
                               Ranges<Index>::one_group,
                               {all.begins + first_piece, all.sizes + first_piece, all.each}};
    const std::uint64_t first_bin = first_part << plan_.levels.bits;
    build_bins<team>(exec_, target(), plan_, KeyRanges<Index>{ranges, keys, first_bin},
                     bin_offsets_ + first_bin, between_, workspace_);
  }

  /// The table, once all parts are built. Waits for `exec`.
  [[nodiscard]] Table finish() {
    if (keys_.count != 0) {
      uses_bins_
          ? finish_heavy_bins<team>(exec_, target(), plan_.bins, bin_offsets_, between_, workspace_)
          : build_v1(exec_, target(), workspace_, keys_.places);
    }
    exec_.fence("hashmill::HashGraph: the keys may go and errors must surface here");
    storage_.num_live = keys_.count;
    return Table(hash_, policy_, std::move(storage_));
  }

 private:
  [[nodiscard]] Target target() const {
    return {policy_,
            keys_.keys,
            keys_.count,
            storage_.range,
            storage_.entries.data(),
            storage_.offsets.data()};
  }

  Exec exec_;
  PartedKeys<Keys, Index, Places> keys_;
  Hash hash_;
  Policy policy_;
  typename Table::Storage storage_;
  Workspace<MemorySpace>& workspace_;
  typename Workspace<MemorySpace>::Frame frame_;
  bool uses_bins_;
  BuildPlan plan_{{}, LevelPlan(0, 1)};
  std::array<Record*, 2> between_{};
  Index* bin_offsets_ = nullptr;  // of all bins, and the end
};

}  // namespace hashmill::detail
