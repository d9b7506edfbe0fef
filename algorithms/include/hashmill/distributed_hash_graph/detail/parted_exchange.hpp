#pragma once

#include <algorithm>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/distributed_hash_graph/detail/origins.hpp>
#include <hashmill/distributed_hash_graph/detail/part_plan.hpp>
#include <hashmill/hash_graph/detail/build_in_rounds.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/primitives/detail/records.hpp>
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

/// Keys and the numbers of their rows.
template <class Keys, class Rows>
struct KeysAndRows {
  Keys keys;
  Rows rows;
};

/// Writes keys and rows in the order of parts. Those of the parts that this rank keeps go where
/// what it receives lies.
template <class Key, class Row>
struct KeepOrSend {
  KeysAndRows<Key*, Row*> sent, received;
  std::uint64_t kept_begin, kept;  // positions that are kept
  std::uint64_t kept_at;           // where they lie among what is received
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i,
                                              const RecordPair<Key, Row>& record) const {
    const std::uint64_t among_kept = i - kept_begin;
    const bool keep = among_kept < kept;
    const std::uint64_t at = keep ? kept_at + among_kept : i;
    (keep ? received.keys : sent.keys)[at] = record.first;
    (keep ? received.rows : sent.rows)[at] = record.second;
  }
};

/// The place of the i-th row received, among runs of them.
struct RunPlaces {
  const std::uint32_t* before;  // rows before each run
  const std::uint32_t* begins;  // where each run begins
  std::uint32_t runs;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    const auto row = static_cast<std::uint32_t>(i);
    const std::uint32_t run = owner_of(before, row, 0, runs);
    return begins[run] + (row - before[run]);
  }
};

/// Keys and rows on their way to the ranks that own them, round by round. Part of a collective
/// call. What is for a rank lies side by side in the order of its parts, and travels so, with its
/// lead. It stays where it arrives: each part has a piece from each rank there. All arrays but the
/// rows that arrive are in memory of a workspace. It is left to an exchange that does not end,
/// since a rank that is late may still write there.
template <class Exec, class Key>
class PartedExchange {
  using MemorySpace = typename Exec::memory_space;
  using Row = std::uint32_t;
  template <class T>
  using Array = typename Workspace<MemorySpace>::template Array<T>;

 public:
  /// Keys that have arrived, as a table is built of them.
  using Parted = PartedKeys<Kokkos::View<const Key*, MemorySpace>, Row, RunPlaces>;

  /// Bytes of workspace for sending and receiving so many keys.
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t sent, std::uint64_t received) {
    return checked_add(checked_bytes<RecordPair<Key, Row>>(sent, "keys and rows that are sent"),
                       checked_bytes<Key>(received, "keys that are received"), "workspace");
  }
  /// Tells all ranks what they receive; `begins` says where what this one sends begins, of each
  /// part and the end. Throws where a step failed on any rank.
  PartedExchange(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 const PartPlan& plan, std::vector<std::uint32_t> begins,
                 Workspace<MemorySpace>& workspace)
      : exec_(exec), ranks_(ranks), plan_(plan), begins_(std::move(begins)), workspace_(workspace) {
    exchange_sizes(call);
  }
  PartedExchange(const PartedExchange&) = delete;
  PartedExchange& operator=(const PartedExchange&) = delete;
  ~PartedExchange() {
    if (is_under_way_) workspace_.give_up();
  }

  /// The number of keys that this rank receives, with those that it keeps.
  [[nodiscard]] std::uint64_t size() const { return part_begins_.back(); }

  /// Where what this rank sends begins, of each part and the end.
  [[nodiscard]] const std::vector<std::uint32_t>& begins() const { return begins_; }
  /// Makes room for all that is sent and received. Numbers for kernels are on their way until
  /// `exec` is fenced.
  void allocate() {
    const std::uint64_t places = runs_.back().end();
    check_rows<Row>(0, places);
    out_.keys = workspace_.template take<Key>(exec_, begins_.back());
    out_.rows = workspace_.template take<Row>(exec_, begins_.back());
    in_.keys = workspace_.template take<Key>(exec_, places);
    in_.rows = backends::allocate<decltype(in_.rows)>(exec_, "hashmill::received::rows", places);
    std::uint64_t before = 0;
    for (const Run& run : runs_) {
      numbers_.push_back(static_cast<Row>(before));
      run_firsts_.push_back(static_cast<Row>(run.first()));
      before += run.begins.back();
    }
    const auto piece_numbers = [&](const auto& number_of) {
      for (std::uint64_t p = 0; p < own_parts(); ++p) {
        for (const Run& run : runs_) numbers_.push_back(static_cast<Row>(number_of(run, p)));
      }
    };
    piece_numbers([](const Run& run, std::uint64_t p) { return run.first() + run.begins[p]; });
    piece_numbers(
        [](const Run& run, std::uint64_t p) { return run.begins[p + 1] - run.begins[p]; });
    for (const std::uint64_t begin : part_begins_) numbers_.push_back(static_cast<Row>(begin));
    numbers_on_device_ = device_words(exec_, numbers_, workspace_).data();
    run_begins_ = to_device<MemorySpace>(exec_, run_firsts_);
  }
  /// The keys received, once they have arrived.
  [[nodiscard]] Parted parted_keys() const {
    const std::uint64_t pieces = own_parts() * num_ranks();
    const Row* const piece_begins = numbers_on_device_ + num_ranks();
    return {Kokkos::View<const Key*, MemorySpace>(in_.keys.data(), in_.keys.size()),
            size(),
            RunPlaces{numbers_on_device_, run_begins_.data(), static_cast<Row>(num_ranks())},
            own_parts(),
            piece_begins + 2 * pieces,
            {piece_begins, piece_begins + pieces, num_ranks()},
            plan_.bucket_bits()};
  }
  /// Where a partition writes keys and rows in the order of parts.
  [[nodiscard]] KeepOrSend<Key, Row> sink() const {
    const int own = ranks_.rank();
    const std::uint64_t begin = begins_[plan_.first_part(own)];
    return {{out_.keys.data(), out_.rows.data()},
            {in_.keys.data(), in_.rows.data()},
            begin,
            begins_[plan_.first_part(own + 1)] - begin,
            runs_[static_cast<std::size_t>(own)].first()};
  }

  /// Starts to send the keys, round by round, and then the rows, after what `exec` was given so
  /// far. Two exchanges are under way at a time: to start one takes the host as long as a short one
  /// takes a fast link.
  void start() {
    is_written_ = backends::end_of_work(exec_);
    is_under_way_ = true;
    start_next();
    start_next();
  }
  /// Waits for the keys of a round, then calls `use(first_part, parts, keys)` for its parts.
  template <class Use>
  void finish_round(std::uint64_t round, const Use& use) {
    started_[round].finish();
    const std::uint64_t begin = plan_.round_begin(ranks_.rank(), round);
    const std::uint64_t end = plan_.round_begin(ranks_.rank(), round + 1);
    use(begin, end - begin, part_begins_[end] - part_begins_[begin]);
    start_next();
  }
  /// Waits for the rows. Returns where each key came from.
  [[nodiscard]] Origins<MemorySpace> finish_rows() {
    started_.back().finish();
    is_under_way_ = false;
    return {in_.rows, run_begins_};
  }

 private:
  /// What a rank sends to another: its parts side by side, behind a lead.
  struct Run {
    std::uint64_t at;  // of the lead
    std::uint64_t lead;
    std::vector<std::uint64_t> begins;  // of each part, from the first one on, and the end

    [[nodiscard]] std::uint64_t first() const { return at + lead; }
    [[nodiscard]] std::uint64_t end() const { return first() + begins.back(); }
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
    const std::uint32_t* const first = &begins_[plan_.first_part(rank)];
    Run run{*first - lead_of(*first), lead_of(*first), {}};
    for (std::uint64_t p = 0; p <= plan_.parts_of(rank); ++p) {
      run.begins.push_back(first[p] - *first);
    }
    return run;
  }
  /// Fills `runs_` and `part_begins_`.
  void exchange_sizes(CollectiveCall& call) {
    const std::uint64_t words = plan_.most_parts_of_a_rank() + 1;
    std::vector<std::uint64_t> out(words * num_ranks()), in(out.size());
    for (int r = 0; r < ranks_.size(); ++r) {
      const Run run = run_to(r);
      std::uint64_t* const letter = &out[static_cast<std::uint64_t>(r) * words];
      letter[0] = run.lead;
      std::adjacent_difference(run.begins.begin() + 1, run.begins.end(), letter + 1);
    }
    call.exchange_words(out, in, "exchange sizes");
    std::vector<std::uint64_t> sizes(own_parts());
    for (std::uint64_t r = 0; r < num_ranks(); ++r) {
      const std::uint64_t* const letter = &in[r * words];
      Run run{runs_.empty() ? 0 : without_lead(runs_.back().end()), letter[0], {0}};
      for (std::uint64_t p = 0; p < own_parts(); ++p) {
        run.begins.push_back(
            checked_add(run.begins.back(), letter[1 + p], "rows that a rank receives"));
        sizes[p] = checked_add(sizes[p], letter[1 + p], "rows that a rank receives");
      }
      runs_.push_back(std::move(run));
    }
    part_begins_.assign(1, 0);
    for (const std::uint64_t keys : sizes) {
      part_begins_.push_back(checked_add(part_begins_.back(), keys, "rows that a rank receives"));
    }
  }

  void start_next() {
    const std::uint64_t next = started_.size();
    if (next < plan_.rounds()) {
      started_.push_back(start(out_.keys, in_.keys, next, next + 1));
    } else if (next == plan_.rounds()) {
      started_.push_back(start(out_.rows, in_.rows, 0, plan_.rounds()));
    }
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
        ranks_, is_written_, from, to,
        [&](int rank, const auto& piece) { stretch_of(run_to(rank), rank, rank, piece); },
        [&](int rank, const auto& piece) {
          stretch_of(runs_[static_cast<std::size_t>(rank)], rank, ranks_.rank(), piece);
        },
        workspace_.hold());
  }

  Exec exec_;
  const Communicator& ranks_;
  const PartPlan& plan_;
  std::vector<std::uint32_t> begins_;       // of each part that is sent, and the end
  std::vector<Run> runs_;                   // from each rank, as they lie in `in_`
  std::vector<std::uint64_t> part_begins_;  // of each part received, in their order, and the end
  KeysAndRows<Array<Key>, Array<Row>> out_;
  KeysAndRows<Array<Key>, Kokkos::View<Row*, MemorySpace>> in_;
  Workspace<MemorySpace>& workspace_;
  backends::DeviceEvent is_written_;  // what is sent
  bool is_under_way_ = false;
  // For kernels: the rows before each run, where each part's pieces begin, how long they are, and
  // where each part begins among keys in the order of their parts, and the end.
  std::vector<Row> numbers_;
  const Row* numbers_on_device_ = nullptr;
  std::vector<Row> run_firsts_;  // where each run begins
  Kokkos::View<Row*, MemorySpace> run_begins_;
  std::vector<StartedExchange> started_;
};

}  // namespace hashmill::detail
