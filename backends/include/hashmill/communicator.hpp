#pragma once

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <hashmill/backends/process.hpp>
#include <hashmill/backends/rank_group.hpp>
#include <hashmill/backends/self_transport.hpp>
#include <hashmill/backends/thread_transport.hpp>
#include <hashmill/communication_options.hpp>
#include <hashmill/error.hpp>
#include <hashmill/rank_places.hpp>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hashmill {

/// How the words of all ranks become one.
enum class Reduction { sum, minimum, maximum, bit_or };

/// An exchange that was started. Its arrays must stay as they are until it is finished.
class StartedExchange {
 public:
  /// Takes over a transfer of a link.
  StartedExchange(std::shared_ptr<backends::Link> link,
                  std::unique_ptr<backends::Transfer> transfer, const char* phase)
      : link_(std::move(link)), transfer_(std::move(transfer)), phase_(phase) {}
  StartedExchange(StartedExchange&&) noexcept = default;
  StartedExchange& operator=(StartedExchange&&) = delete;
  /// Gives the exchange up if it was not finished. The communicator cannot be used after that.
  ~StartedExchange() {
    if (transfer_ != nullptr) link_->abandon(std::move(transfer_));
  }

  /// Waits until all is sent and received. Throws CommunicationError.
  void finish() {
    if (transfer_ != nullptr) link_->finish(std::move(transfer_), phase_);
  }

 private:
  std::shared_ptr<backends::Link> link_;
  std::unique_ptr<backends::Transfer> transfer_;
  const char* phase_;
};

struct NodeCommunicators;

/// The ranks that work together, each with a share of the rows. A handle: copies talk through one
/// connection, which ends with the last of them.
///
/// All functions are collective unless they say otherwise: every rank calls the same ones in the
/// same order, with arrays of the same lengths. One host thread of a rank calls at a time. Arrays
/// are in host memory. A function returns when this rank's part of it is done.
///
/// Where a rank ends or stops, or sends another number of bytes, the others throw
/// CommunicationError. It names the step and, where that is known, the rank (`original_rank`). The
/// communicator cannot be used after that, and each later call throws at once. A `phase` is the
/// name of a step, for errors and statistics. It is equal on all ranks, and its text must outlive
/// the communicator. Where ranks make different calls, or calls of different steps, all throw
/// InvalidArgument, or CommunicationError if the lengths of their arrays differ too.
///
/// Moving copies: there is no communicator without ranks.
///
///     const hashmill::Communicator world = hashmill::mpi_communicator(MPI_COMM_WORLD);
///     std::uint64_t rows[] = {my_rows};
///     world.all_reduce(rows, hashmill::Reduction::sum, "count rows");
class Communicator {
 public:
  /// All ranks of a transport.
  explicit Communicator(std::unique_ptr<backends::Transport> transport,
                        const CommunicationOptions& options = {})
      : Communicator(backends::RankGroup(
                         std::make_shared<backends::Link>(std::move(transport), options.timeout)),
                     options.ranks_per_node) {
    require_rate(options.bytes_per_second);
    *bytes_per_second_ = options.bytes_per_second;
  }
  Communicator(const Communicator&) = default;
  Communicator& operator=(const Communicator&) = default;
  ~Communicator() = default;

  /// The number of this rank, below `size()`.
  [[nodiscard]] int rank() const { return group_.rank(); }
  /// The number of ranks.
  [[nodiscard]] int size() const { return group_.size(); }
  /// The number of a rank in the communicator that was split first, by which errors name it.
  [[nodiscard]] int original_rank(int rank) const { return group_.in_link(rank); }
  /// Where the ranks run.
  [[nodiscard]] const RankPlaces& places() const { return places_; }
  /// The number of collective calls so far, but for exchanges; equal on all ranks. Not collective.
  [[nodiscard]] std::uint64_t num_calls() const { return group_.last_call(); }
  /// What this rank sent so far through its connection. Not collective.
  [[nodiscard]] const CommunicationStatistics& statistics() const {
    return group_.link()->statistics();
  }
  /// What this rank can send in a second, where that was given or measured. Copies share it, the
  /// parts of a split do not. Not collective.
  [[nodiscard]] std::optional<double> bytes_per_second() const { return *bytes_per_second_; }
  /// Keeps what was measured. Not collective.
  void set_bytes_per_second(double rate) const {
    require_rate(rate);
    *bytes_per_second_ = rate;
  }
  /// Ends the programs of all ranks, with an exit code. Not collective.
  [[noreturn]] void abort(int code) const {
    group_.link()->transport().abort(code);
    std::abort();
  }

  /// Ends the connection, since this rank leaves a call that the others are in: they throw
  /// CommunicationError, which names this rank and the call. Not collective.
  void give_up(const char* call) const noexcept { group_.link()->give_up(call); }

  /// The ranks of this rank's node, and those with its slot in all nodes. Null where there are not
  /// several nodes of as many ranks, at least two, that are numbered node by node. The first call
  /// splits twice; copies share the result.
  [[nodiscard]] std::shared_ptr<const NodeCommunicators> nodes() const;

  /// The communicator of the ranks that give the same color, in the order of their keys, then of
  /// their ranks. It shares the connection. Throws CapacityError after 2^15 - 2 splits.
  [[nodiscard]] Communicator split(int color, int key) const {
    return or_give_up("split", [&] { return split_now(color, key); });
  }

  /// Returns when all ranks have called it.
  void barrier(const char* phase = "barrier") const {
    static_cast<void>(all_gather(std::byte{}, phase));
  }

  /// What each rank gave, by rank.
  template <class T>
  [[nodiscard]] std::vector<T> all_gather(const T& mine, const char* phase = "all-gather") const {
    return or_give_up(phase, [&] {
      std::vector<T> all(index(size()));
      all_gather(std::span<const T>(&mine, 1), std::span<T>(all), phase);
      return all;
    });
  }
  /// As above, of arrays: `all` has `size()` times as many elements as `mine`.
  template <class T>
  void all_gather(std::span<const T> mine, std::span<T> all, const char* phase) const {
    static_assert(std::is_trivially_copyable_v<T>, "all_gather copies elements as bytes");
    require_lengths("all_gather", all.size(), mine.size() * index(size()));
    or_give_up(phase, [&] {
      backends::Letters letters(group_, mine.size_bytes());
      for (int r = 0; r < size(); ++r) letters.write(r, std::as_bytes(mine));
      letters.exchange(Call::all_gather, phase);
      for (int r = 0; r < size(); ++r) letters.read(r, std::as_writable_bytes(part(all, r)));
    });
  }

  /// Sends part r of `size()` equal parts of `out` to rank r. What rank r sends to this one becomes
  /// part r of `in`.
  template <class T>
  void all_to_all(std::span<const T> out, std::span<T> in, const char* phase) const {
    static_assert(std::is_trivially_copyable_v<T>, "all_to_all copies elements as bytes");
    require_lengths("all_to_all", in.size(), out.size());
    require_lengths("all_to_all", out.size(), out.size() / index(size()) * index(size()));
    or_give_up(phase, [&] { exchange_parts(Call::all_to_all, out, in, phase); });
  }

  /// Replaces each word by the reduction of all ranks' words at its place. Each rank reduces one
  /// part of them, so that all send and receive about twice their bytes.
  void all_reduce(std::span<std::uint64_t> words, Reduction reduction,
                  const char* phase = "all-reduce") const {
    or_give_up(phase, [&] { reduce_now(words, reduction, phase); });
  }

  /// Starts to send and receive arrays of any lengths. Both ranks of a pair name the same pieces,
  /// in the same order. Ranks without pieces may leave out the call, but not one of them.
  [[nodiscard]] StartedExchange start(const backends::Exchange& exchange,
                                      const char* phase = "exchange") const {
    return or_give_up(phase, [&] {
      return StartedExchange(group_.link(), group_.start(exchange, phase), phase);
    });
  }
  /// Starts an exchange and waits for it.
  void exchange(const backends::Exchange& exchange, const char* phase = "exchange") const {
    start(exchange, phase).finish();
  }

 private:
  using Call = backends::RankGroup::Call;
  static constexpr int tags = backends::notice_tag;

  Communicator(backends::RankGroup group, std::optional<int> ranks_per_node)
      : group_(std::move(group)), ranks_per_node_(ranks_per_node) {
    struct Place {
      backends::ProcessPlace process;
      std::int64_t ranks_per_node;
    };
    const backends::ProcessPlace here = backends::this_process();
    const auto places =
        all_gather(Place{here, ranks_per_node ? *ranks_per_node : found}, "find nodes");
    for (int r = 0; r < size(); ++r) {
      require_ranks_per_node(r, places[index(r)].ranks_per_node, places[0].ranks_per_node);
    }
    std::vector<std::uint64_t> machines;
    for (int r = 0; r < size(); ++r) {
      const backends::ProcessPlace& there = places[index(r)].process;
      machines.push_back(ranks_per_node ? index(original_rank(r) / *ranks_per_node)
                                        : there.machine);
      if (there.machine == here.machine && there.names == here.names && there.id != here.id) {
        group_.link()->watch(group_.in_link(r), there.id);
      }
    }
    places_ = RankPlaces(machines);
  }

  /// Stands for no number of ranks per node: nodes are what is found.
  static constexpr std::int64_t found = std::numeric_limits<std::int64_t>::min();

  static void require_rate(std::optional<double> rate) {
    if (!rate || (*rate > 0 && std::isfinite(*rate))) return;
    throw InvalidArgument("a rank sends " + std::to_string(*rate) +
                          " bytes a second, but more than 0");
  }
  void require_ranks_per_node(int rank, std::int64_t given, std::int64_t of_first) const {
    const auto name = [&](int r) { return "rank " + std::to_string(original_rank(r)); };
    const auto text = [](std::int64_t n) { return n == found ? "none" : std::to_string(n); };
    if (given < 1 && given != found) {
      throw InvalidArgument("ranks_per_node of " + name(rank) + " is " + text(given) +
                            ", but at least 1");
    }
    if (given != of_first) {
      throw InvalidArgument("ranks_per_node of " + name(rank) + " is " + text(given) +
                            ", but that of " + name(0) + " is " + text(of_first));
    }
  }
  /// Makes a call of which this rank must not be missing. Errors of the library are thrown on all
  /// ranks, or before anything is sent; any other exception ends the connection.
  template <class Body>
  std::invoke_result_t<const Body&> or_give_up(const char* phase, const Body& call) const {
    try {
      return call();
    } catch (const Error&) {
      throw;
    } catch (...) {
      give_up(phase);
      throw;
    }
  }

  [[nodiscard]] Communicator split_now(int color, int key) const {
    struct Wish {
      int color, key, tag;
    };
    int& next_tag = group_.link()->next_tag();
    const std::vector<Wish> wishes = all_gather(Wish{color, key, next_tag}, "split");
    std::vector<int> members;
    for (int r = 0; r < size(); ++r) {
      next_tag = std::max(next_tag, wishes[index(r)].tag);
      if (wishes[index(r)].color == color) members.push_back(r);
    }
    if (next_tag >= tags) {
      throw CapacityError("split: a connection has at most " + std::to_string(tags - 1) + " parts",
                          static_cast<std::uint64_t>(next_tag), tags - 1);
    }
    std::stable_sort(members.begin(), members.end(),
                     [&](int a, int b) { return wishes[index(a)].key < wishes[index(b)].key; });
    for (int& member : members) member = group_.in_link(member);
    return {backends::RankGroup(group_.link(), members, next_tag++), ranks_per_node_};
  }

  void reduce_now(std::span<std::uint64_t> words, Reduction reduction, const char* phase) const {
    const std::size_t ranks = index(size()), length = (words.size() + ranks - 1) / ranks;
    std::vector<std::uint64_t> padded(length * ranks), parts(padded.size());
    std::copy(words.begin(), words.end(), padded.begin());
    exchange_parts(call_of(reduction), std::span<const std::uint64_t>(padded), std::span(parts),
                   phase);
    const std::span<std::uint64_t> mine = part(std::span(parts), 0);
    for (int r = 1; r < size(); ++r) {
      const std::span<std::uint64_t> theirs = part(std::span(parts), r);
      for (std::size_t i = 0; i < length; ++i) mine[i] = reduce(mine[i], theirs[i], reduction);
    }
    all_gather(std::span<const std::uint64_t>(mine), std::span(padded), phase);
    std::copy_n(padded.begin(), words.size(), words.begin());
  }
  template <class T>
  void exchange_parts(Call call, std::span<const T> out, std::span<T> in, const char* phase) const {
    backends::Letters letters(group_, out.size_bytes() / index(size()));
    for (int r = 0; r < size(); ++r) letters.write(r, std::as_bytes(part(out, r)));
    letters.exchange(call, phase);
    for (int r = 0; r < size(); ++r) letters.read(r, std::as_writable_bytes(part(in, r)));
  }

  [[nodiscard]] static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  template <class T>
  [[nodiscard]] std::span<T> part(std::span<T> all, int rank) const {
    const std::size_t length = all.size() / index(size());
    return all.subspan(index(rank) * length, length);
  }
  static void require_lengths(const char* call, std::size_t given, std::size_t wanted) {
    if (given == wanted) return;
    throw InvalidArgument(std::string(call) + ": an array has " + std::to_string(given) +
                          " elements where " + std::to_string(wanted) + " are needed");
  }
  [[nodiscard]] static Call call_of(Reduction reduction) {
    constexpr Call calls[] = {Call::sum, Call::minimum, Call::maximum, Call::bit_or};
    return calls[static_cast<std::size_t>(reduction)];
  }
  [[nodiscard]] static std::uint64_t reduce(std::uint64_t a, std::uint64_t b, Reduction reduction) {
    switch (reduction) {
      case Reduction::sum:
        return a + b;
      case Reduction::minimum:
        return std::min(a, b);
      case Reduction::maximum:
        return std::max(a, b);
      case Reduction::bit_or:
        return a | b;
    }
    return a;
  }

  backends::RankGroup group_;
  std::optional<int> ranks_per_node_;
  RankPlaces places_;
  std::shared_ptr<std::optional<double>> bytes_per_second_ =
      std::make_shared<std::optional<double>>();
  std::shared_ptr<std::shared_ptr<const NodeCommunicators>> nodes_ =
      std::make_shared<std::shared_ptr<const NodeCommunicators>>();
};

/// The two communicators through which every rank reaches every other one by way of a third: either
/// first, then the other one. See `Communicator::nodes`.
struct NodeCommunicators {
  Communicator inside;  ///< the ranks of this node, by slot
  Communicator across;  ///< the ranks with this slot, by node
};

inline std::shared_ptr<const NodeCommunicators> Communicator::nodes() const {
  if (!places_.are_equal_nodes()) return nullptr;
  if (*nodes_ == nullptr) {
    *nodes_ = std::make_shared<const NodeCommunicators>(NodeCommunicators{
        split(places_.node(rank()), rank()), split(places_.slot(rank()), rank())});
  }
  return *nodes_;
}

/// The communicator of a program without other ranks.
[[nodiscard]] inline Communicator self_communicator(const CommunicationOptions& options = {}) {
  return Communicator(std::make_unique<backends::SelfTransport>(), options);
}

}  // namespace hashmill
