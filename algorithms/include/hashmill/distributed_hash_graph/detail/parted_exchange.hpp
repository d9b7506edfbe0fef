#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/distributed_hash_graph/detail/origins.hpp>
#include <hashmill/distributed_hash_graph/detail/part_plan.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>
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

/// Keys and rows on their way to the ranks that own them, part by part. Part of a collective call.
/// All arrays but the rows that arrive are in memory of a workspace. It is left to an exchange that
/// does not end, since a rank that is late may still write there.
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
    return checked_add(checked_bytes<RecordPair<Key, Row>>(sent, "keys that are sent"),
                       checked_bytes<Key>(received, "keys that are received"), "workspace");
  }
  /// Tells all ranks what they receive, and makes room for it. The caller then agrees with the
  /// other ranks, and calls `start`.
  PartedExchange(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 const PartPlan& plan, Outgoing out, Workspace<MemorySpace>& workspace)
      : ranks_(ranks), plan_(plan), out_(std::move(out)), workspace_(workspace) {
    exchange_sizes();
    call.step("allocate", [&] {
      check_rows<Row>(0, size());
      in_.keys = workspace.template take<Key>(exec, size());
      in_.rows = backends::allocate<decltype(in_.rows)>(exec, "hashmill::received::rows", size());
      begin_of_ = on_device<MemorySpace>(exec, in_.begins);
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
      started_.push_back(start(out_.keys, in_.keys, j, j + 1));
    }
    started_.push_back(start(out_.rows, in_.rows, 0, plan_.rounds()));
  }
  /// Waits for the keys of a round, then calls `use(first_part, parts, keys)` for its parts.
  template <class Use>
  void finish_round(std::uint64_t round, const Use& use) {
    started_[round].finish();
    const std::uint64_t begin = plan_.round_begin(ranks_.rank(), round);
    const std::uint64_t end = plan_.round_begin(ranks_.rank(), round + 1);
    use(begin, end - begin, in_.begins[end * num_ranks()] - in_.begins[begin * num_ranks()]);
  }
  /// Waits for the rows. Returns where each key came from.
  [[nodiscard]] Origins<MemorySpace> finish_rows() {
    started_.back().finish();
    is_under_way_ = false;
    return {in_.rows, begin_of_, num_ranks()};
  }

 private:
  [[nodiscard]] std::uint64_t num_ranks() const {
    return static_cast<std::uint64_t>(ranks_.size());
  }
  [[nodiscard]] std::uint64_t own_parts() const { return plan_.parts_of(ranks_.rank()); }

  /// Fills `in_.begins`: its parts, in each of which the keys lie by rank.
  void exchange_sizes() {
    const std::uint64_t most = plan_.most_parts_of_a_rank();
    std::vector<std::uint64_t> out(most * num_ranks()), in(out.size());
    for (int r = 0; r < ranks_.size(); ++r) {
      for (std::uint64_t p = 0; p < plan_.parts_of(r); ++p) {
        const std::uint64_t part = plan_.first_part(r) + p;
        out[static_cast<std::uint64_t>(r) * most + p] = out_.begins[part + 1] - out_.begins[part];
      }
    }
    ranks_.all_to_all(std::span<const std::uint64_t>(out), std::span(in), "exchange sizes");
    in_.begins = {0};
    for (std::uint64_t p = 0; p < own_parts(); ++p) {
      for (std::uint64_t r = 0; r < num_ranks(); ++r) {
        in_.begins.push_back(
            checked_add(in_.begins.back(), in[r * most + p], "rows that a rank receives"));
      }
    }
  }

  /// Starts to send the rounds from `first` to `last` - 1 of a column.
  template <class From, class To>
  [[nodiscard]] StartedExchange start(const From& from, const To& to, std::uint64_t first,
                                      std::uint64_t last) const {
    const auto for_each_part = [&](int rank, const auto& use) {
      const std::uint64_t end = plan_.round_begin(rank, last);
      for (std::uint64_t p = plan_.round_begin(rank, first); p < end; ++p) use(p);
    };
    return start_pieces(
        ranks_, from, to,
        [&](int rank, const auto& piece) {
          for_each_part(rank, [&](std::uint64_t p) {
            const std::uint64_t part = plan_.first_part(rank) + p;
            piece(out_.begins[part], out_.begins[part + 1]);
          });
        },
        [&](int rank, const auto& piece) {
          for_each_part(ranks_.rank(), [&](std::uint64_t p) {
            const std::uint64_t k = p * num_ranks() + static_cast<std::uint64_t>(rank);
            piece(in_.begins[k], in_.begins[k + 1]);
          });
        },
        workspace_.hold());
  }

  const Communicator& ranks_;
  const PartPlan& plan_;
  Outgoing out_;
  PartedRows<Array<Key>, Kokkos::View<Row*, MemorySpace>> in_;
  Workspace<MemorySpace>& workspace_;
  bool is_under_way_ = false;
  Kokkos::View<std::uint64_t*, MemorySpace> begin_of_;
  Kokkos::View<Row*, MemorySpace> part_offsets_;
  std::vector<StartedExchange> started_;
};

}  // namespace hashmill::detail
