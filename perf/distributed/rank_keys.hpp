#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/backends/slices.hpp>
#include <hashmill/backends/workspace.hpp>
#include <hashmill/communicator.hpp>
#include <memory>
#include <utility>

#include "case/compare_case.hpp"
#include "keys/key_generator.hpp"
#include "machine/free_memory.hpp"

namespace hashmill::perf {

/// `count` elements of a key source, from element `first` on.
template <class Source>
struct SourceSlice {
  using key_type = typename Source::key_type;
  Source source;
  std::uint64_t first, count;
  KOKKOS_FUNCTION std::uint64_t size() const { return count; }
  KOKKOS_FUNCTION key_type operator()(std::uint64_t i) const { return source(first + i); }
};

/// The numbers 0, 1, 2, ... as a key source.
struct RowNumbers {
  using key_type = std::uint64_t;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i; }
};

/// The keys of all identities as a key source.
template <class Key>
struct IdentityKeys {
  using key_type = Key;
  KeyCodec<Key> codec;
  KOKKOS_FUNCTION Key operator()(std::uint64_t identity) const { return codec.encode(identity); }
};

/// Counts the rows of each identity.
template <class Source, class Counts>
struct CountIdentities {
  Source source;
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    Kokkos::atomic_inc(&counts(source.identity_of(static_cast<std::uint64_t>(row))));
  }
};

/// The keys and queries that a rank has of a case. Ranks divide rows, queries and identities into
/// slices of equal length. Rows and queries are numbered over all ranks.
///
/// Holds a key and a query per row of the rank.
template <class ExecutionSpace, class KeyType>
class RankSides {
 public:
  using Exec = ExecutionSpace;
  using Key = KeyType;
  using memory_space = typename Exec::memory_space;
  using Keys = Kokkos::View<Key*, memory_space>;
  using Numbers = Kokkos::View<std::uint64_t*, memory_space>;

  /// Those of a rank of `ranks`. Throws `CapacityError` where they do not fit.
  RankSides(const DataAxes& axes, const Communicator& ranks) : axes_(axes), ranks_(ranks) {
    require_free_memory<memory_space>(2 * num_rows() * sizeof(Key), "keys");
    with_source(
        [&]<class Source>(const Source& source) { keys_ = slice_of(source, axes_.num_keys); });
    queries_ = slice_of(all_queries(), axes_.num_queries);
  }

  const Exec& exec() const { return exec_; }
  const DataAxes& axes() const { return axes_; }
  /// The ranks, past what is timed.
  const Communicator& ranks() const { return ranks_; }
  const Keys& keys() const { return keys_; }
  const Keys& queries() const { return queries_; }

  /// Where the rows of a rank begin; for the number of ranks, their end.
  std::uint64_t first_row(int rank) const { return first(rank, axes_.num_keys); }
  /// Where the queries of this rank begin.
  std::uint64_t first_query() const { return first(ranks_.rank(), axes_.num_queries); }
  /// Rows of this rank.
  std::uint64_t num_rows() const { return first_row(ranks_.rank() + 1) - first_row(ranks_.rank()); }
  /// Identities of all ranks together.
  std::uint64_t num_identities() const { return axes_.distribution().num_distinct(); }

  /// Calls `f(source)` with what knows the key and the identity of every row of all ranks.
  template <class F>
  auto with_source(const F& f) const {
    const KeyDistribution wanted = axes_.distribution();
    if (axes_.order == KeyOrder::zipf) return f(ZipfKeys<Key>(wanted));
    if (axes_.order == KeyOrder::drawn) return f(DrawnKeys<Key>(wanted));
    return f(even_keys());
  }
  /// What knows every row of all ranks, where nothing is left to chance.
  EvenKeys<Key> even_keys() const { return EvenKeys<Key>(axes_.distribution(), hot_key()); }
  /// The key of a share of the rows of all ranks. A few queries ask for it.
  HotKey hot_key() const {
    const double rows = axes_.right_hot_share * static_cast<double>(axes_.num_keys);
    return {all_queries().last_identity(), static_cast<std::uint64_t>(rows)};
  }
  /// What knows the identity of every query of all ranks.
  GeneratedQueries<Key> all_queries() const {
    return {axes_.distribution(), axes_.num_queries, axes_.hit_rate, axes_.skew, axes_.hot_share};
  }
  /// The numbers of this rank's rows, and of its queries.
  Numbers row_numbers() const { return slice_of(RowNumbers{}, axes_.num_keys); }
  Numbers query_numbers() const { return slice_of(RowNumbers{}, axes_.num_queries); }
  /// The keys of this rank's slice of the identities.
  Keys identity_keys() const {
    const KeyCodec<Key> codec = make_codec<Key>(axes_.distribution());
    return slice_of(IdentityKeys<Key>{codec}, num_identities());
  }

 private:
  std::uint64_t first(int rank, std::uint64_t count) const {
    return backends::slice_begin(static_cast<std::uint64_t>(rank),
                                 static_cast<std::uint64_t>(ranks_.size()), count);
  }
  /// This rank's slice of `count` elements of a source.
  template <class Source>
  auto slice_of(const Source& source, std::uint64_t count) const {
    const std::uint64_t begin = first(ranks_.rank(), count), end = first(ranks_.rank() + 1, count);
    return materialise(exec_, SourceSlice<Source>{source, begin, end - begin});
  }

  Exec exec_;
  DataAxes axes_;
  Communicator ranks_;
  Keys keys_, queries_;
};

/// The same, and how many rows of all ranks each identity has, which each rank counts: 8 bytes per
/// distinct key of all ranks.
template <class Exec, class Key>
class RankKeys : public RankSides<Exec, Key> {
 public:
  using Counts = typename RankSides<Exec, Key>::Numbers;

  /// Throws `CapacityError` where they do not fit.
  RankKeys(const DataAxes& axes, const Communicator& ranks) : RankSides<Exec, Key>(axes, ranks) {
    require_free_memory<typename Exec::memory_space>(this->num_identities() * sizeof(std::uint64_t),
                                                     "counts of keys");
    counts_ = Counts(Kokkos::view_alloc(this->exec(), "hashmill::perf::identities"),
                     this->num_identities());
    this->with_source([&]<class Source>(const Source& source) { count_identities(source); });
  }

  /// Rows of all ranks with each identity.
  const Counts& counts() const { return counts_; }

 private:
  template <class Source>
  void count_identities(const Source& source) {
    Kokkos::parallel_for("hashmill::perf::count_identities",
                         backends::range(this->exec(), source.size()),
                         CountIdentities<Source, Counts>{source, counts_});
    this->exec().fence("hashmill::perf::RankKeys: counts are read by other instances");
  }

  Counts counts_;
};

/// The keys of a rank of a case, and those of the same case on one rank, to which a rank's speed is
/// compared: as many, with the same multiplicity, of which nothing is sent.
template <class Keys>
struct RankAndLocalKeys {
  std::shared_ptr<const Keys> all, local;

  RankAndLocalKeys(const DataAxes& axes, const Communicator& ranks)
      : all(std::make_shared<const Keys>(axes, ranks)), local(all) {
    if (ranks.size() == 1) return;
    DataAxes mine = axes;
    mine.num_keys = mine.num_queries =
        std::max<std::uint64_t>(1, axes.num_keys / static_cast<std::uint64_t>(ranks.size()));
    local = std::make_shared<const Keys>(mine, self_communicator());
  }
};

/// Temporary memory that stays from run to run. Its owners share it.
template <class Keys>
using KeptWorkspace = std::shared_ptr<Workspace<typename Keys::memory_space>>;
template <class Keys>
[[nodiscard]] KeptWorkspace<Keys> make_kept_workspace() {
  return std::make_shared<Workspace<typename Keys::memory_space>>();
}

}  // namespace hashmill::perf
