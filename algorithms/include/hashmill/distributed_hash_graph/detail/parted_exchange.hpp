#pragma once

#include <algorithm>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/unroll.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/distributed_hash_graph/detail/origins.hpp>
#include <hashmill/distributed_hash_graph/detail/part_plan.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/launch_tiles.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <hashmill/shuffle/detail/leads.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// Keys and the numbers of their rows, in the order of some parts.
template <class Keys, class Rows>
struct PartedRows {
  Keys keys;
  Rows rows;
  std::vector<std::uint64_t> begins;  // of each part, and the end
};

/// Partitions keys and the numbers of their rows by `part_of(key)` to `to`, whose arrays are there.
/// Waits for `exec`.
template <class Exec, class Source, class PartOf, class Keys, class Rows>
void part_rows(const Exec& exec, const Source& keys, const PartOf& part_of, std::uint64_t parts,
               PartedRows<Keys, Rows>& to, Workspace<typename Exec::memory_space>& workspace) {
  using Key = typename Keys::value_type;
  using Row = typename Rows::value_type;
  const auto offsets = partition_checked<Engine::automatic, FirstOfPair>(
      exec, keys.size(), ColumnSource<Source, RowsFrom<Row>>{keys, {}},
      ColumnSink<Key, Row>{to.keys.data(), to.rows.data()}, part_of, PartCount(parts), {},
      workspace);
  to.begins = host_words(exec, offsets);
}

/// Brings elements of some parts from the runs in which they came to their parts, in each of which
/// they lie by rank. A team brings a tile of them.
template <class Exec, class T>
struct BringToParts {
  using Member = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::uint64_t tile_elements = 4096;
  const std::uint64_t* begin_of;  // of each part and rank; a piece is a part of one rank
  const std::uint64_t* from;      // where each piece begins, in `own` or in `came`
  std::uint64_t ranks, rank;
  std::uint64_t first_piece, last_piece, begin, end;
  const T *own, *came;
  T* to;

  KOKKOS_FUNCTION void operator()(const Member& team) const {
    std::uint64_t at = begin + static_cast<std::uint64_t>(team.league_rank()) * tile_elements;
    const std::uint64_t last = at + tile_elements < end ? at + tile_elements : end;
    std::uint64_t piece = owner_of(begin_of, at, first_piece, last_piece);
    while (at < last) {
      const std::uint64_t stop = begin_of[piece + 1] < last ? begin_of[piece + 1] : last;
      const T* const source = (piece % ranks == rank ? own : came) + from[piece];
      copy(team, source + (at - begin_of[piece]), to + at, stop - at);
      at = stop;
      ++piece;
    }
  }

 private:
  KOKKOS_FORCEINLINE_FUNCTION static void copy(const Member& team, const T* source, T* target,
                                               std::uint64_t count) {
    const auto size = static_cast<std::uint64_t>(team.team_size());
    HASHMILL_UNROLL(8)
    for (auto i = static_cast<std::uint64_t>(team.team_rank()); i < count; i += size) {
      target[i] = source[i];
    }
  }
};

/// Keys and rows on their way to the ranks that own them, round by round. Part of a collective
/// call. What is for a rank lies side by side, and travels so, with its lead. A kernel brings it to
/// its parts. All arrays but the rows that arrive are in memory of a workspace. It is left to an
/// exchange that does not end, since a rank that is late may still write there.
template <class Exec, class Key>
class PartedExchange {
  using MemorySpace = typename Exec::memory_space;
  using Row = std::uint32_t;
  template <class T>
  using Array = typename Workspace<MemorySpace>::template Array<T>;

 public:
  /// What is sent.
  using Outgoing = PartedRows<Array<Key>, Array<Row>>;

  /// Bytes of workspace for sending and receiving so many keys.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t sent, std::uint64_t received) {
    const std::uint64_t twice = checked_add(sent, received, "keys that are sent and received");
    return checked_add(checked_bytes<RecordPair<Key, Row>>(twice, "keys and rows that travel"),
                       checked_bytes<Key>(received, "keys that are received"), "workspace");
  }
  /// Tells all ranks what they receive, and makes room for it. The caller then agrees with the
  /// other ranks, and calls `start`.
  PartedExchange(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 const PartPlan& plan, Outgoing out, Workspace<MemorySpace>& workspace)
      : exec_(exec), ranks_(ranks), plan_(plan), out_(std::move(out)), workspace_(workspace) {
    exchange_sizes();
    call.step("allocate", [&] {
      check_rows<Row>(0, size());
      in_.keys = workspace.template take<Key>(exec, size());
      in_.rows = backends::allocate<decltype(in_.rows)>(exec, "hashmill::received::rows", size());
      came_keys_ = workspace.template take<Key>(exec, came_.back().end());
      came_rows_ = workspace.template take<Row>(exec, came_.back().end());
      begin_of_ = on_device<MemorySpace>(exec, in_.begins);
      from_ = on_device<MemorySpace>(exec, places_of_pieces());
      std::vector<Row> parts;
      for (std::uint64_t p = 0; p <= own_parts(); ++p) {
        parts.push_back(static_cast<Row>(in_.begins[p * num_ranks()]));
      }
      part_offsets_ = on_device<MemorySpace>(exec, parts);
    });
  }

  PartedExchange(const PartedExchange&) = delete;
  PartedExchange& operator=(const PartedExchange&) = delete;
  ~PartedExchange() {
    if (is_under_way_) workspace_.give_up();
  }

  /// The number of keys that this rank receives.
  [[nodiscard]] std::uint64_t size() const { return in_.begins.back(); }
  /// The keys that have arrived lie here, in this rank's parts.
  [[nodiscard]] Kokkos::View<const Key*, MemorySpace> keys() const {
    return Kokkos::View<const Key*, MemorySpace>(in_.keys.data(), size());
  }
  /// Where each part of this rank begins, and the end.
  [[nodiscard]] const Kokkos::View<Row*, MemorySpace>& part_offsets() const {
    return part_offsets_;
  }

  /// Starts to send all rounds of keys, then the rows.
  void start() {
    is_under_way_ = true;
    for (std::uint64_t j = 0; j < plan_.rounds(); ++j) {
      started_.push_back(start(out_.keys, came_keys_, j, j + 1));
    }
    started_.push_back(start(out_.rows, came_rows_, 0, plan_.rounds()));
  }
  /// Waits for the keys of a round, then calls `use(first_part, parts, keys)` for its parts.
  template <class Use>
  void finish_round(std::uint64_t round, const Use& use) {
    started_[round].finish();
    const std::uint64_t begin = plan_.round_begin(ranks_.rank(), round);
    const std::uint64_t end = plan_.round_begin(ranks_.rank(), round + 1);
    bring(begin, end, out_.keys, came_keys_, in_.keys);
    use(begin, end - begin, in_.begins[end * num_ranks()] - in_.begins[begin * num_ranks()]);
  }
  /// Waits for the rows. Returns where each key came from, once `exec` is fenced.
  [[nodiscard]] Origins<MemorySpace> finish_rows() {
    started_.back().finish();
    is_under_way_ = false;
    bring(0, own_parts(), out_.rows, came_rows_, in_.rows);
    return {in_.rows, begin_of_, num_ranks()};
  }

 private:
  /// What a rank sends to another: its parts side by side, behind a lead.
  struct Run {
    std::uint64_t at;  // of the lead
    std::uint64_t lead;
    std::vector<std::uint64_t> begins;  // of each part, from the first one on, and the end

    [[nodiscard]] std::uint64_t end() const { return at + lead + begins.back(); }
    /// Where what travels in the rounds before one ends, which needs no lead but at the end.
    [[nodiscard]] std::uint64_t cut(std::uint64_t part) const {
      if (part == 0) return at;
      return std::min(at + without_lead(lead + begins[part]), end());
    }
  };

  [[nodiscard]] std::uint64_t num_ranks() const {
    return static_cast<std::uint64_t>(ranks_.size());
  }
  [[nodiscard]] std::uint64_t own_parts() const { return plan_.parts_of(ranks_.rank()); }

  /// What this rank sends to another one.
  [[nodiscard]] Run run_to(int rank) const {
    const std::uint64_t* const first = &out_.begins[plan_.first_part(rank)];
    Run run{*first - lead_of(*first), lead_of(*first), {}};
    for (std::uint64_t p = 0; p <= plan_.parts_of(rank); ++p)
      run.begins.push_back(first[p] - *first);
    return run;
  }
  /// Fills `came_`, what comes from each rank, and `in_.begins`: its parts, in each of which the
  /// keys lie by rank.
  void exchange_sizes() {
    const std::uint64_t words = plan_.most_parts_of_a_rank() + 1;
    std::vector<std::uint64_t> out(words * num_ranks()), in(out.size());
    for (int r = 0; r < ranks_.size(); ++r) {
      const Run run = run_to(r);
      std::uint64_t* const letter = &out[static_cast<std::uint64_t>(r) * words];
      letter[0] = run.lead;
      std::adjacent_difference(run.begins.begin() + 1, run.begins.end(), letter + 1);
    }
    ranks_.all_to_all(std::span<const std::uint64_t>(out), std::span(in), "exchange sizes");
    for (std::uint64_t r = 0; r < num_ranks(); ++r) {
      const std::uint64_t* const letter = &in[r * words];
      Run run{came_.empty() ? 0 : without_lead(came_.back().end()), letter[0], {0}};
      // What this rank sends to itself stays where it is.
      const bool is_own = r == static_cast<std::uint64_t>(ranks_.rank());
      if (is_own) run.lead = 0;
      for (std::uint64_t p = 0; p < own_parts(); ++p) {
        const std::uint64_t keys = is_own ? 0 : letter[1 + p];
        run.begins.push_back(checked_add(run.begins.back(), keys, "rows that a rank receives"));
      }
      came_.push_back(std::move(run));
    }
    in_.begins = {0};
    for (std::uint64_t p = 0; p < own_parts(); ++p) {
      for (std::uint64_t r = 0; r < num_ranks(); ++r) {
        in_.begins.push_back(
            checked_add(in_.begins.back(), in[r * words + 1 + p], "rows that a rank receives"));
      }
    }
  }
  /// Where the keys of each part and rank are before they are brought to their parts.
  [[nodiscard]] std::vector<std::uint64_t> places_of_pieces() const {
    std::vector<std::uint64_t> places;
    for (std::uint64_t p = 0; p < own_parts(); ++p) {
      for (std::uint64_t r = 0; r < num_ranks(); ++r) {
        const Run& run = came_[r];
        const bool is_own = r == static_cast<std::uint64_t>(ranks_.rank());
        places.push_back(is_own ? out_.begins[plan_.first_part(ranks_.rank()) + p]
                                : run.at + run.lead + run.begins[p]);
      }
    }
    return places;
  }

  /// Starts to send the rounds from `first` to `last` - 1 of a column.
  template <class From, class To>
  [[nodiscard]] StartedExchange start(const From& from, const To& to, std::uint64_t first,
                                      std::uint64_t last) const {
    const auto stretch_of = [&](const Run& run, int rank, int owner, const auto& use) {
      if (rank == ranks_.rank() || run.begins.back() == 0) return;
      use(run.cut(plan_.round_begin(owner, first)), run.cut(plan_.round_begin(owner, last)));
    };
    return start_pieces(
        ranks_, from, to,
        [&](int rank, const auto& piece) { stretch_of(run_to(rank), rank, rank, piece); },
        [&](int rank, const auto& piece) {
          stretch_of(came_[static_cast<std::size_t>(rank)], rank, ranks_.rank(), piece);
        },
        workspace_.hold());
  }
  /// Brings the elements of some parts to these; asynchronous.
  template <class From, class Came, class To>
  void bring(std::uint64_t first_part, std::uint64_t last_part, const From& own, const Came& came,
             const To& to) const {
    using T = typename To::value_type;
    using Kernel = BringToParts<Exec, T>;
    const std::uint64_t first = first_part * num_ranks(), last = last_part * num_ranks();
    const std::uint64_t begin = in_.begins[first], end = in_.begins[last];
    const std::uint64_t tiles = (end - begin + Kernel::tile_elements - 1) / Kernel::tile_elements;
    launch_even_tiles("hashmill::distributed_hash_graph::bring_to_parts", exec_, tiles,
                      Kernel{begin_of_.data(), from_.data(), num_ranks(),
                             static_cast<std::uint64_t>(ranks_.rank()), first, last, begin, end,
                             own.data(), came.data(), to.data()});
  }

  Exec exec_;
  const Communicator& ranks_;
  const PartPlan& plan_;
  Outgoing out_;
  std::vector<Run> came_;  // from each rank
  PartedRows<Array<Key>, Kokkos::View<Row*, MemorySpace>> in_;
  Array<Key> came_keys_;
  Array<Row> came_rows_;
  Workspace<MemorySpace>& workspace_;
  bool is_under_way_ = false;
  Kokkos::View<std::uint64_t*, MemorySpace> begin_of_, from_;
  Kokkos::View<Row*, MemorySpace> part_offsets_;
  std::vector<StartedExchange> started_;
};

}  // namespace hashmill::detail
