#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <hashmill/communicator.hpp>
#include <hashmill/csr.hpp>
#include <hashmill/distributed_hash_graph/detail/bin_rows.hpp>
#include <hashmill/distributed_hash_graph/detail/origins.hpp>
#include <hashmill/distributed_hash_graph/detail/parted_exchange.hpp>
#include <hashmill/distributed_hash_graph/detail/remote_queries.hpp>
#include <hashmill/distributed_hash_graph/detail/shared_counts.hpp>
#include <hashmill/distributed_hash_graph/detail/slices.hpp>
#include <hashmill/distributed_hash_graph/options.hpp>
#include <hashmill/hash_graph.hpp>
#include <hashmill/hash_graph/detail/build_in_rounds.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

namespace hashmill {

/// A hash table of the keys of all ranks, of which each rank holds a share: a HashGraph of the keys
/// whose hashes it owns. Source: Tripathy and Green, "Scalable Hash Table for NUMA Systems".
///
/// All its functions but accessors are collective over the ranks that built it: all ranks call
/// them, each with keys or queries of its own, also with none. Results of queries are in their
/// order. Rows are global (`GlobalRow`): the rank that gave the key, and the key's number there.
///
///     const hashmill::DistributedHashGraph<std::uint64_t, Exec::memory_space> table(exec, ranks,
///     keys); table.find(exec, queries, rows);     // rows(q): a GlobalRow of key q, or no_row
///
/// The table is one HashGraph, whose buckets the ranks divide. A build counts the keys of each bin
/// of buckets, adds the counts of all ranks, and divides the bins so that each rank has the same
/// number of rows, whatever their distribution. Then it partitions the keys and their 4-byte
/// numbers by rank and by parts of the rank's buckets, which is the first binning level of the
/// ranks' own builds. Parts are sent in rounds: while one is under way, the one before becomes a
/// stretch of the table, read where it arrived. A bin is at most 1/256 of a rank's share, if no key
/// in it repeats; all rows of a key are on one rank. `statistics` names the heaviest bin.
///
/// A GPU counts the keys of smaller bins at once, those of the ranks' own builds, if all ranks
/// together have at most 2^16 of them. The ranks send each other these counts too, so that none
/// counts what it receives. Keys then travel in slices in place of rounds: each holds pieces of all
/// parts, is sent while the next one is partitioned, and is sorted into bins when it comes.
///
/// Errors are as for `shuffle`: they are thrown on all ranks, which can go on then. All throw
/// InvalidArgument where they make different calls, use different tables, or build with other
/// options. A rank may give and hold up to 2^32 - 2 rows.
///
/// | call that threw | leaves |
/// | --- | --- |
/// | a build | no table |
/// | `contains`, `count`, `find` | results as before, or complete where the connection ended last |
/// | `erase` | entries of each rank as before, or erased; the same call erases the others |
/// | `compact` | the same entries |
template <class Key, class MemorySpace, class Hash = Murmur3Hash>
class DistributedHashGraph {
 public:
  using key_type = Key;
  using memory_space = MemorySpace;
  using row_type = GlobalRow;
  using local_type = HashGraph<Key, MemorySpace, KeyRow<std::uint32_t>, Hash>;
  using options_type = DistributedHashGraphOptions;

  /// Builds the table of all ranks' keys, views of `Key`. Collective. `hash` is equal on all ranks.
  /// Reads each key three times, and sends and receives sizeof(Key) + 4 bytes per key. Takes memory
  /// for the keys and numbers twice: as they are sent, and as they come.
  template <backends::ExecutionSpace Exec, class Keys>
  DistributedHashGraph(const Exec& exec, const Communicator& ranks, const Keys& keys,
                       const options_type& options = {}, Hash hash = {})
      : DistributedHashGraph(exec, ranks, keys, options, Workspace<MemorySpace>(), hash) {}

  /// As above. Temporary memory comes from `workspace`, which keeps it for the next build, unless
  /// the connection ends.
  template <backends::ExecutionSpace Exec, class Keys>
  DistributedHashGraph(const Exec& exec, const Communicator& ranks, const Keys& keys,
                       const options_type& options, Workspace<MemorySpace>& workspace,
                       Hash hash = {})
      : ranks_(ranks), hash_(hash) {
    static_assert(std::is_same_v<detail::KeyOf<Keys>, Key>,
                  "hashmill::DistributedHashGraph: keys are of the table's key type");
    Kokkos::Profiling::ScopedRegion region("hashmill::DistributedHashGraph::build");
    detail::CollectiveCall call(
        ranks, "DistributedHashGraph",
        detail::types_signature<Key>(
            detail::options_signature(options) +
            hash(std::bit_cast<Key>(std::array<std::byte, sizeof(Key)>{}))));
    const auto source = detail::key_access(keys);
    call.step("check options", [&] { check(options); });
    const std::uint64_t rows = call.agree_on_sum(source.size(), "agree on options");
    const auto given = make_splits(exec, call, source, rows, options, workspace);
    HashGraphOptions local = options.local;
    call.step("split", [&] { local.buckets = BucketCount(splits_.buckets()); });
    if (ranks.size() == 1) {
      call.step("build", [&] { local_.emplace(exec, keys, local, workspace, hash); });
    } else {
      build_in_rounds(exec, call, source, {rows, given, options.rounds}, local, workspace);
    }
    call.agree("agree on tables");
    build_call_ = ranks.num_calls();
  }

  /// The ranks that hold the table.
  [[nodiscard]] const Communicator& ranks() const { return ranks_; }
  /// This rank's share. Its rows are numbers of received keys, which only this table understands.
  [[nodiscard]] const local_type& local() const { return *local_; }
  /// Which rank owns which hashes.
  [[nodiscard]] const Splits& splits() const { return splits_; }
  /// Options with which a table of other keys can be intersected with this one
  /// (distributed_intersect.hpp).
  [[nodiscard]] options_type options_like() const {
    options_type options;
    options.splits = splits_;
    return options;
  }

  /// out(i) = whether queries(i) is in the table. Collective.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void contains(const Exec& exec, const Queries& queries, const Out& out) const {
    answer<std::uint8_t>(
        "contains", exec, queries, out,
        [&](const auto& keys, const auto& answers) { local_->contains(exec, keys, answers); });
  }
  /// out(i) = the number of rows with key queries(i). Collective. A heavy key has at most 2^32 - 2
  /// rows, since one rank holds them.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void count(const Exec& exec, const Queries& queries, const Out& out) const {
    answer<std::uint32_t>("count", exec, queries, out, [&](const auto& keys, const auto& answers) {
      local_->count(exec, keys, answers);
    });
  }
  /// out(i) = a row with key queries(i), or `no_row<GlobalRow>`. Collective. `out` is a view of
  /// GlobalRow. Which of several rows is unspecified.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void find(const Exec& exec, const Queries& queries, const Out& out) const {
    detail::require_room_for_rows<GlobalRow, Out>();
    answer<GlobalRow>("find", exec, queries, out, [&](const auto& keys, const auto& answers) {
      const auto rows = backends::allocate<Kokkos::View<std::uint32_t*, MemorySpace>>(
          exec, "hashmill::find::rows", keys.extent(0));
      local_->find(exec, keys, rows);
      write_origins(exec, rows, answers);
    });
  }
  /// All rows of every query, in compressed form. Collective.
  template <backends::ExecutionSpace Exec, class Queries>
  [[nodiscard]] CsrRows<GlobalRow, MemorySpace> retrieve(const Exec& exec,
                                                         const Queries& queries) const {
    Kokkos::Profiling::ScopedRegion region("hashmill::DistributedHashGraph::retrieve");
    detail::CollectiveCall call(ranks_, "retrieve", signature());
    Workspace<MemorySpace> workspace;
    const auto source = detail::key_access(queries);
    const auto remote = send_queries(exec, call, source, workspace);
    Kokkos::View<GlobalRow*, MemorySpace> rows;
    CsrRows<std::uint32_t, MemorySpace> found;
    call.step("retrieve", [&] {
      found = local_->retrieve(exec, remote.received());
      rows = backends::allocate<decltype(rows)>(exec, "hashmill::retrieve::rows", found.size());
      write_origins(exec, found.rows, rows);
    });
    auto result = remote.answer_rows(found.offsets, rows);
    call.agree("agree on results");
    return result;
  }

  /// Removes every entry whose key is among any rank's queries. Returns the number removed on all
  /// ranks. Collective.
  template <backends::ExecutionSpace Exec, class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    Kokkos::Profiling::ScopedRegion region("hashmill::DistributedHashGraph::erase");
    detail::CollectiveCall call(ranks_, "erase", signature());
    Workspace<MemorySpace> workspace;
    const auto source = detail::key_access(queries);
    const auto remote = send_queries(exec, call, source, workspace);
    std::uint64_t removed = 0;
    call.agree("agree on queries");  // not to erase what nobody asked for
    call.step("erase", [&] { removed = local_->erase(exec, remote.received()); });
    return call.agree_on_sum(removed, "agree on results");
  }
  /// Rebuilds each rank's table without the gaps that erasing left. Collective. The splits stay.
  template <backends::ExecutionSpace Exec>
  void compact(const Exec& exec) {
    detail::CollectiveCall call(ranks_, "compact", signature());
    call.step("compact", [&] { local_->compact(exec); });
    call.agree("agree on results");
  }
  /// The number of entries of all ranks. Collective.
  [[nodiscard]] std::uint64_t size() const {
    return detail::CollectiveCall(ranks_, "size", signature())
        .agree_on_sum(local_->size(), "add sizes");
  }

  /// The shares of all ranks. Collective.
  [[nodiscard]] DistributedStatistics statistics() const {
    struct Share {
      std::uint64_t rows, buckets, bytes;
    };
    const auto shares = ranks_.all_gather(
        Share{local_->size(), local_->num_buckets(), local_->bytes()}, "gather statistics");
    DistributedStatistics result;
    for (const Share& share : shares) {
      result.rows.push_back(share.rows);
      result.buckets.push_back(share.buckets);
      result.bytes.push_back(share.bytes);
    }
    const std::uint64_t all = std::reduce(result.rows.begin(), result.rows.end());
    if (all != 0) {
      result.imbalance = static_cast<double>(std::ranges::max(result.rows)) *
                         static_cast<double>(shares.size()) / static_cast<double>(all);
    }
    result.heaviest_bin = heaviest_bin_;
    result.heaviest_bin_rows = heaviest_bin_rows_;
    return result;
  }

  /// A number by which ranks tell whether they mean the same table. Not collective.
  [[nodiscard]] std::uint64_t signature() const {
    return detail::types_signature<Key>(build_call_);
  }
  /// The global row of a row of `local()`, for kernels.
  [[nodiscard]] const detail::Origins<MemorySpace>& origins() const { return origins_; }

 private:
  /// Builds with temporary memory that is freed afterwards.
  template <class Exec, class Keys>
  DistributedHashGraph(const Exec& exec, const Communicator& ranks, const Keys& keys,
                       const options_type& options, Workspace<MemorySpace>&& workspace, Hash hash)
      : DistributedHashGraph(exec, ranks, keys, options, workspace, hash) {}

  void check(const options_type& options) const {
    if (options.rounds == 0U) {
      throw InvalidArgument("DistributedHashGraph: 0 rounds, but at least 1 is needed");
    }
    if (options.rounds > detail::PartPlan::most_rounds) {
      throw InvalidArgument("DistributedHashGraph: " + std::to_string(*options.rounds) +
                            " rounds, but at most " +
                            std::to_string(detail::PartPlan::most_rounds));
    }
    if (options.slices && (*options.slices == 0 || *options.slices > detail::most_slices)) {
      throw InvalidArgument("DistributedHashGraph: " + std::to_string(*options.slices) +
                            " slices, but 1 to " + std::to_string(detail::most_slices) +
                            " can be taken");
    }
    if (options.local.row_base != 0) {
      throw InvalidArgument("DistributedHashGraph: row_base is " +
                            std::to_string(options.local.row_base) + ", but must be 0");
    }
    if (options.splits && options.splits->num_ranks() != ranks_.size()) {
      throw InvalidArgument("DistributedHashGraph: splits for " +
                            std::to_string(options.splits->num_ranks()) + " ranks are given to " +
                            std::to_string(ranks_.size()));
    }
  }
  /// The bin of a key of the table.
  [[nodiscard]] detail::BinOfKey<Hash> bin_of() const {
    return {hash_at(hash_, HashLevel::buckets, splits_.buckets()), splits_.buckets(),
            splits_.bucket_bits()};
  }
  /// The rank of a key.
  [[nodiscard]] detail::OwnerOfKey<detail::BinOfKey<Hash>> rank_of() const {
    return {bin_of(), first_bins_.data(), static_cast<std::uint32_t>(ranks_.size())};
  }
  /// Divides the buckets. Returns how many rows of each bin this rank has given.
  template <class Exec, class Source>
  detail::BinCounts<MemorySpace> make_splits(const Exec& exec, detail::CollectiveCall& call,
                                             const Source& keys, std::uint64_t all_rows,
                                             const options_type& options,
                                             Workspace<MemorySpace>& workspace) {
    const std::uint64_t buckets =
        options.splits ? options.splits->buckets() : detail::bucket_count(all_rows, options.local);
    const detail::BinShape shape{buckets, options.splits
                                              ? options.splits->bucket_bits()
                                              : detail::bucket_bits_for(buckets, ranks_.size())};
    detail::BinCounts<MemorySpace> given{std::vector<std::uint64_t>(shape.bins())};
    std::uint64_t usable = 0;  // what counts help to build: 0 if none do
    call.step("count bins", [&] {
      if (ranks_.size() == 1) return;  // owns all
      check_rows<std::uint32_t>(0, keys.size());
      const auto wanted = Build<Exec>::planned_bucket_bits(exec, all_rows, buckets, options.local);
      const unsigned fine_bits = wanted ? detail::fine_bits_for(exec, shape, *wanted) : 0;
      const bool are_usable = wanted && shape.bucket_bits - fine_bits <= *wanted;
      const std::uint64_t slices =
          are_usable ? detail::num_slices<Key>(exec, ranks_, all_rows, options) : 1;
      given = detail::count_bins(exec, keys, hash_at(hash_, HashLevel::buckets, buckets), shape,
                                 fine_bits, slices, workspace);
      if (are_usable) usable = (shape.bucket_bits - fine_bits) * (detail::most_slices + 1) + slices;
    });
    std::vector<std::uint64_t> rows = given.sums(shape.bins());
    given.are_shared = detail::add_counts(ranks_, rows, usable);
    if (!given.are_shared) given.rows = given.sums(shape.bins());
    splits_ =
        options.splits ? *options.splits : Splits(buckets, shape.bucket_bits, rows, ranks_.size());
    call.step("split", [&] { first_bins_.send(exec, splits_); });
    const auto heaviest = std::ranges::max_element(rows);
    heaviest_bin_ = static_cast<std::uint64_t>(heaviest - rows.begin());
    heaviest_bin_rows_ = *heaviest;
    return given;
  }
  template <class Exec>
  using Build = detail::BuildInRounds<local_type, Exec, detail::RunPlaces>;

  /// Numbers that a build of what comes from all ranks is planned by.
  struct Sizes {
    std::uint64_t rows;                           // of all ranks
    const detail::BinCounts<MemorySpace>& given;  // of this rank's rows
    std::optional<std::uint64_t> rounds;
  };
  /// Sends keys to the ranks that own them, and builds this rank's table of what has arrived.
  template <class Exec, class Source>
  void build_in_rounds(const Exec& exec, detail::CollectiveCall& call, const Source& keys,
                       const Sizes& sizes, const HashGraphOptions& options,
                       Workspace<MemorySpace>& workspace) {
    using Row = std::uint32_t;
    using Exchange = detail::PartedExchange<Exec, Key>;
    const typename Workspace<MemorySpace>::Frame frame(workspace);
    const HashRange range = splits_.range(ranks_.rank());
    const bool is_sliced = sizes.given.rows.size() > splits_.bins();
    const detail::PartPlan plan(splits_, sizes.rows, sizeof(Key) + sizeof(Row),
                                is_sliced ? 1 : sizes.rounds);
    detail::SharedCounts<Exec> counts(exec, ranks_, splits_, sizes.given);
    Exchange exchange(exec, ranks_, call, plan, plan.begins(splits_, sizes.given.rows), workspace);
    const std::vector<std::uint16_t> parts = plan.parts_of_bins(splits_);
    std::vector<std::vector<std::uint32_t>> begins;
    std::optional<Build<Exec>> build;
    call.step("allocate", [&] {
      workspace.reserve(exec,
                        Exchange::bytes(keys.size(), exchange.size()) +
                            Build<Exec>::workspace_bytes(exec, exchange.size(), range, options));
      exchange.allocate();
      counts.allocate(plan.parts_of(ranks_.rank()), plan.bucket_bits());
    });
    call.step("partition", [&] {
      const auto part_of_bins = detail::device_words(exec, parts, workspace);
      for (std::uint64_t s = 0; s < exchange.slices(); ++s) {
        begins.push_back(exchange.begins(s));
        detail::partition_slice(exec, detail::slice_of(keys, s, exchange.slices()), bin_of(),
                                part_of_bins.data(), begins.back(), exchange.sink(s), workspace);
        exchange.note_written();
      }
    });
    call.step("allocate", [&] {  // while a device partitions
      build.emplace(exec, exchange.parted_keys(), range, options, hash_, workspace);
    });
    call.agree("agree on memory");
    counts.start();
    exchange.start();
    counts.finish();
    call.step("build", [&] { build->prepare(counts.sum_up(workspace)); });
    is_sliced ? detail::take_slices(call, exchange, *build)
              : detail::take_rounds(call, plan, exchange, *build);
    origins_ = exchange.finish_rows();
    call.step("build", [&] { local_.emplace(build->finish()); });
  }
  template <class Exec, class Source>
  [[nodiscard]] detail::RemoteQueries<Exec, Source> send_queries(
      const Exec& exec, detail::CollectiveCall& call, const Source& queries,
      Workspace<MemorySpace>& workspace) const {
    static_assert(std::is_same_v<detail::KeyOf<Source>, Key>,
                  "hashmill::DistributedHashGraph: queries are of the table's key type");
    call.step("check queries", [&] { detail::check_single_keys<Exec>(queries); });
    return {exec, ranks_, call, queries, rank_of(), workspace};
  }

  /// Answers queries by `look_up(keys, answers)` on the ranks that own them.
  template <class Answer, class Exec, class Queries, class Out, class LookUp>
  void answer(const char* name, const Exec& exec, const Queries& queries, const Out& out,
              const LookUp& look_up) const {
    static_assert(sizeof(typename Out::value_type) >= sizeof(Answer),
                  "hashmill::DistributedHashGraph: results are of a type that holds every answer");
    Kokkos::Profiling::ScopedRegion region(std::string("hashmill::DistributedHashGraph::") + name);
    detail::CollectiveCall call(ranks_, name, signature());
    call.step("check lengths",
              [&] { detail::same_room(name, "queries", queries, "results", out); });
    Workspace<MemorySpace> workspace;
    if (ranks_.size() == 1) {
      call.step(name, [&] { look_up(queries, out); });
      return call.agree("agree on results");
    }
    const auto source = detail::key_access(queries);
    const auto remote = send_queries(exec, call, source, workspace);
    Kokkos::View<Answer*, MemorySpace> answers;
    call.step(name, [&] {
      answers = backends::allocate<decltype(answers)>(exec, "hashmill::answers",
                                                      remote.received().extent(0));
      look_up(remote.received(), answers);
    });
    remote.answer(answers, out);
    call.agree("agree on results");
  }
  template <class Exec, class Rows, class Out>
  void write_origins(const Exec& exec, const Rows& rows, const Out& out) const {
    backends::for_each_index(
        "hashmill::distributed_hash_graph::origins", exec, rows.extent(0),
        detail::WriteOrigins<detail::Origins<MemorySpace>, Rows, Out>{origins_, rows, out});
    exec.fence("hashmill: rows are sent");
  }

  Communicator ranks_;
  Hash hash_;
  Splits splits_;
  detail::FirstBins<MemorySpace> first_bins_;
  detail::Origins<MemorySpace> origins_;
  std::optional<local_type> local_;
  std::uint64_t heaviest_bin_ = 0, heaviest_bin_rows_ = 0;
  std::uint64_t build_call_ = 0;  // the number of the call that built it
};

}  // namespace hashmill
