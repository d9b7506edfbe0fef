#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/distributed_hash_graph/detail/origins.hpp>
#include <hashmill/distributed_hash_graph/detail/part_plan.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/row.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <hashmill/shuffle/detail/start_pieces.hpp>
#include <span>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// A copy of a few values in the memory of a device. Waits for `exec`.
template <class MemorySpace, class Exec, class T>
[[nodiscard]] Kokkos::View<T*, MemorySpace> on_device(const Exec& exec,
                                                      const std::vector<T>& values) {
  const auto view = backends::allocate<Kokkos::View<T*, MemorySpace>>(
      exec, "hashmill::parted::numbers", values.size());
  Kokkos::deep_copy(exec, view,
                    Kokkos::View<const T*, Kokkos::HostSpace>(values.data(), values.size()));
  exec.fence("hashmill: numbers are copied");
  return view;
}

/// Keys and the numbers of their rows, in the order of some parts.
template <class Key, class Row, class MemorySpace>
struct PartedRows {
  Kokkos::View<Key*, MemorySpace> keys;
  Kokkos::View<Row*, MemorySpace> rows;
  std::vector<std::uint64_t> begins;  // of each part, and the end
};

/// Partitions keys and the numbers of their rows by `part_of(key)`. Waits for `exec`.
template <class Row, class Exec, class Source, class PartOf>
[[nodiscard]] auto part_rows(const Exec& exec, const Source& keys, const PartOf& part_of,
                             std::uint64_t parts,
                             Workspace<typename Exec::memory_space>& workspace) {
  using Key = KeyOf<Source>;
  using Rows = RowsFrom<Row>;
  PartedRows<Key, Row, typename Exec::memory_space> result;
  const std::uint64_t n = keys.size();
  result.keys = backends::allocate<decltype(result.keys)>(exec, "hashmill::parted::keys", n);
  result.rows = backends::allocate<decltype(result.rows)>(exec, "hashmill::parted::rows", n);
  const auto offsets = partition_checked<Engine::automatic, FirstOfPair>(
      exec, n, ColumnSource<Source, Rows>{keys, Rows{}},
      ColumnSink<Key, Row>{result.keys.data(), result.rows.data()}, part_of, PartCount(parts), {},
      workspace);
  result.begins = host_words(exec, offsets);
  return result;
}

/// Keys and rows on their way to the ranks that own them, part by part. Part of a collective call.
template <class Exec, class Key>
class PartedExchange {
  using MemorySpace = typename Exec::memory_space;
  using Row = std::uint32_t;

 public:
  /// Tells all ranks what they receive, and makes room for it. The caller then agrees with the
  /// other ranks, and calls `start`.
  PartedExchange(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                 const PartPlan& plan, PartedRows<Key, Row, MemorySpace> out)
      : ranks_(ranks), plan_(plan), out_(std::move(out)) {
    exchange_sizes();
    call.step("allocate", [&] {
      check_rows<Row>(0, size());
      in_.keys = backends::allocate<decltype(in_.keys)>(exec, "hashmill::received::keys", size());
      in_.rows = backends::allocate<decltype(in_.rows)>(exec, "hashmill::received::rows", size());
      begin_of_ = on_device<MemorySpace>(exec, in_.begins);
      std::vector<Row> parts;
      for (std::uint64_t p = 0; p <= own_parts(); ++p) {
        parts.push_back(static_cast<Row>(in_.begins[p * num_ranks()]));
      }
      part_offsets_ = on_device<MemorySpace>(exec, parts);
    });
  }

  /// The number of keys that this rank receives.
  [[nodiscard]] std::uint64_t size() const { return in_.begins.back(); }
  /// The keys that have arrived lie here, in this rank's parts.
  [[nodiscard]] const Kokkos::View<Key*, MemorySpace>& keys() const { return in_.keys; }
  /// Where each part of this rank begins, and the end.
  [[nodiscard]] const Kokkos::View<Row*, MemorySpace>& part_offsets() const {
    return part_offsets_;
  }

  /// Starts to send all rounds of keys, then the rows.
  void start() {
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
  template <class View>
  [[nodiscard]] StartedExchange start(const View& from, const View& to, std::uint64_t first,
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
        });
  }

  const Communicator& ranks_;
  const PartPlan& plan_;
  PartedRows<Key, Row, MemorySpace> out_, in_;
  Kokkos::View<std::uint64_t*, MemorySpace> begin_of_;
  Kokkos::View<Row*, MemorySpace> part_offsets_;
  std::vector<StartedExchange> started_;
};

}  // namespace hashmill::detail
