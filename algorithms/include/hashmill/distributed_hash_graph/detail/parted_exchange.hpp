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
/// what it receives lies. Places have 32 bits, as rows do: wider ones take a GPU 5 % longer.
template <class Key, class Row>
struct KeepOrSend {
  KeysAndRows<Key*, Row*> sent, received;
  Row kept_begin, kept;  // positions that are kept
  Row kept_at;           // where they lie among what is received
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i,
                                              const TravellingPair<Key, Row>& record) const {
    const auto position = static_cast<Row>(i);
    const Row among_kept = position - kept_begin;
    const bool keep = among_kept < kept;
    const Row at = keep ? kept_at + among_kept : position;
    (keep ? received.keys : sent.keys)[at] = first_of(record);
    (keep ? received.rows : sent.rows)[at] = second_of(record);
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

/// Keys and rows on their way to the ranks that own them. Part of a collective call. What is for a
/// rank lies side by side in the order of its parts, and travels so, with its lead. It stays where
/// it arrives: each part has a piece from each rank there. First all keys travel, bit by bit, then
/// the rows:
///
///     | rows are  | keys travel in   | each holds                      | while |
///     |-----------|------------------|---------------------------------|---------------------------|
///     | one slice | rounds of a plan | some parts, with all their keys | earlier rounds are built
///     | | in slices | slices           | pieces of all parts             | later ones are
///     partitioned|
///
/// All arrays but the rows that arrive are in memory of a workspace. It is left to an exchange that
/// does not end, since a rank that is late may still write there.
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
  /// part of each slice and the end. Throws where a step failed on any rank.
  PartedExchange(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 const PartPlan& plan, std::vector<std::uint32_t> begins,
                 Workspace<MemorySpace>& workspace)
      : exec_(exec),
        ranks_(ranks),
        plan_(plan),
        slices_((begins.size() - 1) / plan.parts()),
        begins_(std::move(begins)),
        workspace_(workspace) {
    exchange_sizes(call);
  }
  PartedExchange(const PartedExchange&) = delete;
  PartedExchange& operator=(const PartedExchange&) = delete;
  ~PartedExchange() {
    if (is_under_way_) workspace_.give_up();
  }

  /// The number of keys that this rank receives, with those that it keeps.
  [[nodiscard]] std::uint64_t size() const { return part_begins_.back(); }
  /// In how many slices rows are sent.
  [[nodiscard]] std::uint64_t slices() const { return slices_; }
  /// Where what this rank sends of a slice begins, of each part and the end.
  [[nodiscard]] std::vector<std::uint32_t> begins(std::uint64_t slice) const {
    const std::uint32_t* const first = begin_of(slice, 0);
    return {first, first + plan_.parts() + 1};
  }
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
    add_piece_numbers([](const Run& run, std::uint64_t p) { return run.first() + run.begins[p]; });
    add_piece_numbers(
        [](const Run& run, std::uint64_t p) { return run.begins[p + 1] - run.begins[p]; });
    for (const std::uint64_t begin : part_begins_) numbers_.push_back(static_cast<Row>(begin));
    numbers_on_device_ = device_words(exec_, numbers_, workspace_).data();
    run_begins_ = to_device<MemorySpace>(exec_, run_firsts_);
  }
  /// The keys received, once they have arrived. The first pieces of each part are those that this
  /// rank keeps.
  [[nodiscard]] Parted parted_keys() const {
    const std::uint64_t pieces = own_parts() * runs_.size();
    const Row* const piece_begins = numbers_on_device_ + runs_.size();
    return {Kokkos::View<const Key*, MemorySpace>(in_.keys.data(), in_.keys.size()),
            size(),
            RunPlaces{numbers_on_device_, run_begins_.data(), static_cast<Row>(runs_.size())},
            own_parts(),
            piece_begins + 2 * pieces,
            {piece_begins, piece_begins + pieces, runs_.size()},
            std::span(numbers_).subspan(runs_.size() + pieces, pieces),
            slices_,
            slices_,
            plan_.bucket_bits()};
  }
  /// Where a partition writes keys and rows of a slice in the order of parts.
  [[nodiscard]] KeepOrSend<Key, Row> sink(std::uint64_t slice) const {
    const int own = ranks_.rank();
    const Row begin = *begin_of(slice, plan_.first_part(own));
    return {{out_.keys.data(), out_.rows.data()},
            {in_.keys.data(), in_.rows.data()},
            begin,
            *begin_of(slice, plan_.first_part(own + 1)) - begin,
            static_cast<Row>(run_from(slice, own).first())};
  }
  /// Tells that what `exec` was given so far writes the next slice.
  void note_written() { are_written_.push_back(backends::end_of_work(exec_)); }

  /// Starts to send the keys, once they are written, and then the rows. Two exchanges are under way
  /// at a time: to start one takes the host as long as a short one takes a fast link.
  void start() {
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
  /// Waits for the keys of a slice.
  void finish_slice(std::uint64_t slice) {
    started_[slice].finish();
    start_next();
  }
  /// Waits for the rows. Returns where each key came from.
  [[nodiscard]] Origins<MemorySpace> finish_rows() {
    started_.back().finish();
    is_under_way_ = false;
    return {in_.rows, run_begins_, static_cast<std::uint32_t>(num_ranks())};
  }

 private:
  /// What a rank sends to another of a slice: its parts side by side, behind a lead.
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
  /// Where a part of a slice begins among what this rank sends.
  [[nodiscard]] const std::uint32_t* begin_of(std::uint64_t slice, std::uint64_t part) const {
    return &begins_[slice * plan_.parts() + part];
  }

  /// What this rank sends of a slice to another one.
  [[nodiscard]] Run run_to(std::uint64_t slice, int rank) const {
    const std::uint32_t* const first = begin_of(slice, plan_.first_part(rank));
    Run run{*first - lead_of(*first), lead_of(*first), {}};
    for (std::uint64_t p = 0; p <= plan_.parts_of(rank); ++p) {
      run.begins.push_back(first[p] - *first);
    }
    return run;
  }
  /// What comes of a slice from a rank.
  [[nodiscard]] const Run& run_from(std::uint64_t slice, int rank) const {
    return runs_[slice * num_ranks() + static_cast<std::uint64_t>(rank)];
  }
  /// Fills `runs_` and `part_begins_`.
  void exchange_sizes(CollectiveCall& call) {
    // To each rank, of each slice: the lead, the sizes of parts.
    const std::uint64_t words = plan_.most_parts_of_a_rank() + 1;
    std::vector<std::uint64_t> out(num_ranks() * slices_ * words), in(out.size());
    for (int r = 0; r < ranks_.size(); ++r) {
      for (std::uint64_t s = 0; s < slices_; ++s) {
        const Run run = run_to(s, r);
        std::uint64_t* const letter = &out[(static_cast<std::uint64_t>(r) * slices_ + s) * words];
        letter[0] = run.lead;
        std::adjacent_difference(run.begins.begin() + 1, run.begins.end(), letter + 1);
      }
    }
    call.exchange_words(out, in, "exchange sizes");
    std::vector<std::uint64_t> sizes(own_parts());
    for (std::uint64_t s = 0; s < slices_; ++s) {
      for (std::uint64_t r = 0; r < num_ranks(); ++r) {
        const std::uint64_t* const letter = &in[(r * slices_ + s) * words];
        Run run{runs_.empty() ? 0 : without_lead(runs_.back().end()), letter[0], {0}};
        for (std::uint64_t p = 0; p < own_parts(); ++p) {
          run.begins.push_back(
              checked_add(run.begins.back(), letter[1 + p], "rows that a rank receives"));
          sizes[p] = checked_add(sizes[p], letter[1 + p], "rows that a rank receives");
        }
        runs_.push_back(std::move(run));
      }
    }
    part_begins_.assign(1, 0);
    for (const std::uint64_t keys : sizes) {
      part_begins_.push_back(checked_add(part_begins_.back(), keys, "rows that a rank receives"));
    }
  }
  /// Adds a number of each piece, part by part: of the slices that this rank keeps, then of each
  /// slice from the other ranks.
  template <class NumberOf>
  void add_piece_numbers(const NumberOf& number_of) {
    const int own = ranks_.rank();
    for (std::uint64_t p = 0; p < own_parts(); ++p) {
      const auto add = [&](std::uint64_t slice, int rank) {
        numbers_.push_back(static_cast<Row>(number_of(run_from(slice, rank), p)));
      };
      for (std::uint64_t s = 0; s < slices_; ++s) add(s, own);
      for (std::uint64_t s = 0; s < slices_; ++s) {
        for (int r = 0; r < ranks_.size(); ++r) {
          if (r != own) add(s, r);
        }
      }
    }
  }

  void start_next() {
    const std::uint64_t next = started_.size(), rounds = plan_.rounds();
    const bool is_sliced = slices_ > 1;
    const std::uint64_t steps = is_sliced ? slices_ : rounds;
    if (next < steps && is_sliced) {
      started_.push_back(start(out_.keys, in_.keys, {next, next + 1}, {0, rounds}));
    } else if (next < steps) {
      started_.push_back(start(out_.keys, in_.keys, {0, 1}, {next, next + 1}));
    } else if (next == steps) {
      started_.push_back(start(out_.rows, in_.rows, {0, slices_}, {0, rounds}));
    }
  }
  /// Starts to send some slices and rounds of a column.
  struct Some {
    std::uint64_t first, end;
  };
  template <class From, class To>
  [[nodiscard]] StartedExchange start(const From& from, const To& to, const Some& slices,
                                      const Some& rounds) const {
    const auto stretch_of = [&](const Run& run, int rank, int owner, const auto& use) {
      if (rank == ranks_.rank() || run.begins.back() == 0) return;
      use(run.cut(plan_.round_begin(owner, rounds.first)),
          run.cut(plan_.round_begin(owner, rounds.end)));
    };
    const auto each_slice = [&](const auto& use) {
      for (std::uint64_t s = slices.first; s < slices.end; ++s) use(s);
    };
    return start_pieces(
        ranks_, are_written_[slices.end - 1], from, to,
        [&](int rank, const auto& piece) {
          each_slice([&](std::uint64_t s) { stretch_of(run_to(s, rank), rank, rank, piece); });
        },
        [&](int rank, const auto& piece) {
          each_slice(
              [&](std::uint64_t s) { stretch_of(run_from(s, rank), rank, ranks_.rank(), piece); });
        },
        workspace_.hold());
  }

  Exec exec_;
  const Communicator& ranks_;
  const PartPlan& plan_;
  std::uint64_t slices_;
  std::vector<std::uint32_t> begins_;       // of each part of each slice that is sent, and the end
  std::vector<Run> runs_;                   // of each slice from each rank, as they lie in `in_`
  std::vector<std::uint64_t> part_begins_;  // of each part received, in their order, and the end
  KeysAndRows<Array<Key>, Array<Row>> out_;
  KeysAndRows<Array<Key>, Kokkos::View<Row*, MemorySpace>> in_;
  Workspace<MemorySpace>& workspace_;
  std::vector<backends::DeviceEvent> are_written_;  // of each slice
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
