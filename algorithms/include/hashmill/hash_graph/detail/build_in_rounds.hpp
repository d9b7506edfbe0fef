#pragma once

#include <hashmill/hash_family.hpp>
#include <hashmill/hash_graph/detail/known_bins.hpp>
#include <hashmill/hash_graph/detail/storage.hpp>
#include <hashmill/partition/detail/level_in_rounds.hpp>
#include <optional>
#include <span>
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
  std::span<const Index> piece_sizes;  // on the host
  std::uint64_t here;                  // the first pieces of each part that are there already
  std::uint64_t arrivals;              // how often others arrive, as many of each part
  unsigned bucket_bits;
};

/// Builds a HashGraph of parted keys while some are still on their way: whole parts, or pieces of
/// all parts. It is part of a larger table: `range` says which buckets it holds. The parts are what
/// the first level of a build through bins would have made of the keys.
///
/// Teams of a device mostly bring parts to bins in one level (see `LevelInRounds`).
template <class Table, class Exec, class Places, Engine Choice = Engine::automatic>
class BuildInRounds {
  using Policy = typename Table::Policy;
  using Key = typename Table::key_type;
  using Hash = std::decay_t<decltype(std::declval<Table>().hash())>;
  using MemorySpace = typename Table::memory_space;
  using Index = typename Policy::Index;
  using Record = typename Policy::Record;
  using Keys = Kokkos::View<const Key*, MemorySpace>;
  using Target = BuildTarget<Policy, Keys>;
  using Level =
      LevelInRounds<Exec, Index, decltype(build_source(std::declval<Target>())),
                    decltype(bin_of_record(std::declval<Target>(), std::declval<BinPlan>())),
                    RecordSink<Record>>;
  static constexpr bool team = uses_team_engine<Exec, Choice>;

 public:
  /// log2 of the buckets of the bins of such tables, where counts of these help to build them, and
  /// all ranks plan the same ones; `keys` and `buckets` are of all tables together.
  [[nodiscard]] static std::optional<unsigned> planned_bucket_bits(
      const Exec& exec, std::uint64_t keys, std::uint64_t buckets,
      const HashGraphOptions& options) {
    if (!team || keys == 0 || options.algorithm == BuildAlgorithm::v1 || options.bins) return {};
    return plan_bins<team, Policy>(exec, keys, buckets, {}).bucket_bits;
  }
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

  /// Makes ready for keys that are still on their way. `known`: how many there are of each bin,
  /// from the first part on, if that is known. To be called before `build`. Asynchronous.
  void prepare([[maybe_unused]] const KnownBins<Index>& known) {
    if constexpr (team) {
      if (keys_.count == 0 || !uses_bins_ || plan_.levels.levels != 1) return;
      PartSums<Index> sums;
      if (known.bucket_bits <= plan_.bins.bucket_bits) {
        sums = {known.sums, plan_.bins.bucket_bits - known.bucket_bits};
      }
      const Ranges<Index> parts{keys_.offsets, keys_.parts, nullptr, Ranges<Index>::one_group,
                                keys_.pieces};
      level_.emplace(
          exec_, typename Level::Parents{parts, keys_.piece_sizes, keys_.here, keys_.arrivals},
          typename Level::DigitOf{bin_of_record(target(), plan_.bins), 0, plan_.levels.bits},
          build_source(target()), RecordSink<Record>{between_[1]}, bin_offsets_, sums, workspace_);
    }
  }
  /// Brings to their bins what all parts have got by an arrival. Asynchronous.
  void take(std::uint64_t arrival) {
    if constexpr (team) {
      if (level_ && level_->are_counted()) level_->run(arrival, 0, keys_.parts);
    }
  }
  /// Makes the table of all parts, once all arrivals have been taken. Asynchronous.
  void build_all() {
    if constexpr (team) {
      if (level_ && level_->are_counted()) return finish_parts(0, keys_.parts);
    }
    build(0, keys_.parts, keys_.count);
  }
  /// Makes stretches of the table of `parts` parts from `first_part` on, whose pieces have come all
  /// in the one arrival that there is, and hold `keys` keys. Asynchronous.
  void build(std::uint64_t first_part, std::uint64_t parts, std::uint64_t keys) {
    if (keys_.count == 0 || parts == 0 || !uses_bins_) return;
    if constexpr (team) {
      if (level_) {
        level_->run(0, first_part, parts);
        return finish_parts(first_part, parts);
      }
    }
    const std::uint64_t first_bin = first_part << plan_.levels.bits;
    const Pieces<Index>& all = keys_.pieces;
    const std::uint64_t first_piece = first_part * all.each;
    const Ranges<Index> ranges{keys_.offsets + first_part,
                               parts,
                               nullptr,
                               Ranges<Index>::one_group,
                               {all.begins + first_piece, all.sizes + first_piece, all.each}};
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
  /// Makes stretches of the table of parts that have been brought to their bins.
  void finish_parts(std::uint64_t first_part, std::uint64_t parts) {
    const std::uint64_t first_bin = first_part << plan_.levels.bits;
    finish_bins<team>(exec_, target(), plan_.bins, first_bin,
                      std::min(parts << plan_.levels.bits, plan_.bins.bins - first_bin),
                      bin_offsets_ + first_bin, between_[1]);
  }
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
  std::optional<Level> level_;    // if it is one
};

}  // namespace hashmill::detail
