#pragma once

#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/csr.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/primitives/detail/key_access.hpp>
#include <hashmill/primitives/detail/owner_of.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/detail/host_words.hpp>
#include <vector>

namespace hashmill::detail {

/// Writes how many rows each query has.
template <class View>
struct RowCounts {
  View offsets, counts;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { counts(i) = offsets(i + 1) - offsets(i); }
};

/// Writes answers that came in the order in which queries were sent to the places of the queries.
template <class Places, class Answers, class Out>
struct PutAnswers {
  Places places;
  Answers answers;
  Out out;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    out(places(i)) = static_cast<typename Out::value_type>(answers(i));
  }
};

/// Writes the rows of queries that came in the order in which these were sent.
template <class Places, class Row>
struct PutRows {
  Places places;
  const std::uint64_t* sent_offsets;  // of the rows as they came; one more than queries
  const std::uint64_t* offsets;       // of the result
  const Row* rows;
  Row* out;
  std::uint64_t queries;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto k = static_cast<std::uint64_t>(i);
    const std::uint64_t query = owner_of(sent_offsets, k, 0, queries);
    out[offsets[places(query)] + (k - sent_offsets[query])] = rows[k];
  }
};

/// Queries that look up their keys on the ranks that own them. Only keys and answers travel:
/// answers come in the order in which the queries were sent, whose numbers stay at home. Part of a
/// collective call.
template <class Exec, class Queries>
class RemoteQueries {
 public:
  using MemorySpace = typename Exec::memory_space;
  using Key = KeyOf<Queries>;
  template <class T>
  using View = Kokkos::View<T*, MemorySpace>;

  /// Sends each query to rank `rank_of(key)`.
  template <class RankOf>
  RemoteQueries(const Exec& exec, const Communicator& ranks, CollectiveCall& call,
                const Queries& queries, const RankOf& rank_of, Workspace<MemorySpace>& workspace)
      : exec_(exec), ranks_(ranks), call_(call), workspace_(workspace) {
    const auto size = static_cast<std::uint64_t>(ranks.size());
    View<Key> keys;
    std::vector<std::uint64_t> begins(size + 1);
    call.step("partition", [&] {
      keys = backends::allocate<View<Key>>(exec, "hashmill::queries::keys", queries.size());
      places_ =
          backends::allocate<View<std::uint64_t>>(exec, "hashmill::queries::rows", queries.size());
      begins =
          host_words(exec, partition_checked<Engine::automatic, FirstOfPair>(
                               exec, queries.size(), ColumnSource<Queries, RowsFrom<>>{queries, {}},
                               ColumnSink<Key, std::uint64_t>{keys.data(), places_.data()}, rank_of,
                               PartCount(size), {}, workspace));
    });
    const RowParts parts = exchange_sizes(call, {size}, begins);
    received_ = exchange_columns(exec, ranks, call, parts, std::tuple(keys), ReadyColumns{})
                    .template column<0>();
    back_ = exchange_sizes(call, parts.shape, parts.in.front());  // answers go the other way
  }

  /// The queries of all ranks that this one answers.
  [[nodiscard]] const View<Key>& received() const { return received_; }

  /// Sends an answer to each query received, and writes those to this rank's queries to `out`.
  template <class Answer, class Out>
  void answer(const View<Answer>& answers, const Out& out) const {
    const auto got = send(back_, answers);
    call_.step("put answers", [&] {
      backends::for_each_index(
          "hashmill::queries::put_answers", exec_, places_.extent(0),
          PutAnswers<View<std::uint64_t>, View<Answer>, Out>{places_, got, out});
      exec_.fence("hashmill: answers are handed to the caller");
    });
  }

  /// Sends the rows of each query received; returns those of this rank's queries in their order.
  template <class Row>
  [[nodiscard]] CsrRows<Row, MemorySpace> answer_rows(const View<std::uint64_t>& offsets,
                                                      const View<Row>& rows) const {
    View<std::uint64_t> counts;
    std::vector<std::uint64_t> begins(back_.out.size());
    call_.step("count rows", [&] {
      counts = backends::allocate<View<std::uint64_t>>(exec_, "hashmill::queries::counts",
                                                       received_.extent(0));
      backends::for_each_index("hashmill::queries::counts", exec_, counts.extent(0),
                               RowCounts<View<std::uint64_t>>{offsets, counts});
      for (std::size_t r = 0; r < begins.size(); ++r) {
        begins[r] = rows.extent(0) == 0
                        ? 0
                        : backends::fetch(exec_, offsets, back_.out[r], "hashmill: rows are sent");
      }
    });
    const auto sent_counts = send(back_, counts);
    const auto got = send(exchange_sizes(call_, back_.shape, begins), rows);
    CsrRows<Row, MemorySpace> result;
    call_.step("put rows", [&] { put_rows(sent_counts, got, result); });
    return result;
  }

 private:
  template <class T>
  [[nodiscard]] View<T> send(const RowParts& parts, const View<T>& values) const {
    return exchange_columns(exec_, ranks_, call_, parts, std::tuple(values), ReadyColumns{})
        .template column<0>();
  }
  template <class Row>
  void put_rows(const View<std::uint64_t>& counts, const View<Row>& rows,
                CsrRows<Row, MemorySpace>& result) const {
    const std::uint64_t queries = places_.extent(0);
    typename Workspace<MemorySpace>::Frame frame(workspace_);
    const auto sent = workspace_.template take<std::uint64_t>(exec_, queries + 1);
    result = {backends::allocate<View<std::uint64_t>>(exec_, "hashmill::offsets", queries + 1),
              backends::allocate<View<Row>>(exec_, "hashmill::rows", rows.extent(0))};
    Kokkos::deep_copy(exec_, sent, std::uint64_t{0});
    Kokkos::deep_copy(exec_, result.offsets, std::uint64_t{0});
    using Sent = std::decay_t<decltype(sent)>;
    backends::for_each_index(
        "hashmill::queries::put_counts", exec_, queries,
        PutAnswers<View<std::uint64_t>, View<std::uint64_t>, View<std::uint64_t>>{places_, counts,
                                                                                  result.offsets});
    backends::for_each_index("hashmill::queries::sent_counts", exec_, queries,
                             PutAnswers<RowsFrom<>, View<std::uint64_t>, Sent>{{}, counts, sent});
    backends::exclusive_scan(exec_, sent, workspace_);
    backends::exclusive_scan(exec_, result.offsets, workspace_);
    backends::for_each_index(
        "hashmill::queries::put_rows", exec_, rows.extent(0),
        PutRows<View<std::uint64_t>, Row>{places_, sent.data(), result.offsets.data(), rows.data(),
                                          result.rows.data(), queries});
    exec_.fence("hashmill: rows are handed to the caller");
  }

  Exec exec_;
  const Communicator& ranks_;
  CollectiveCall& call_;
  Workspace<MemorySpace>& workspace_;
  View<Key> received_;
  View<std::uint64_t> places_;  // of the queries in the order in which they were sent
  RowParts back_;
};

}  // namespace hashmill::detail
