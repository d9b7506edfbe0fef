#pragma once

#include <hashmill/join/detail/kept_pairs.hpp>
#include <hashmill/join/detail/pair_buffer.hpp>
#include <hashmill/primitives/detail/records.hpp>

namespace hashmill::detail {

// What the tasks of a join do with their pairs. Each of these types has two members:
//
//     wants(task)                        whether to call `join` for the task
//     join(task, probes, count, table)   joins `count` probe rows with the table that `table()`
//                                        makes or returns; calls it only if there are rows to probe

/// Counts the pairs of each task.
struct CountTaskPairs {
  std::uint64_t* sizes;

  struct Work {
    std::uint64_t count = 0;
    template <class Tuple>
    void operator()(const Tuple&, const Tuple&) {
      ++count;
    }
  };
  [[nodiscard]] bool wants(std::uint64_t) const { return true; }
  template <class Tuple, class MakeTable>
  void join(std::uint64_t task, const Tuple* probes, std::uint64_t count,
            const MakeTable& table) const {
    Work work;
    if (count != 0) table().probe(probes, count, work);
    sizes[task] = work.count;
  }
};

/// The payloads of two tuples.
template <class Tuple>
using PayloadPair = RecordPair<typename Tuple::Payload, typename Tuple::Payload>;

/// Counts the pairs of each task, and keeps those of its first probe rows in the memory of these
/// rows (see `keep_pairs`). For tasks that share their rows with no other task.
struct KeepTaskPairs {
  std::uint64_t* sizes;
  KeptPairs* kept;

  [[nodiscard]] bool wants(std::uint64_t) const { return true; }
  template <class Tuple, class MakeTable>
  void join(std::uint64_t task, Tuple* probes, std::uint64_t count, const MakeTable& table) const {
    KeptPairs first{0, 0};
    CountTaskPairs::Work rest;
    if (count != 0) {
      const auto made = table();
      first = keep_pairs<PayloadPair<Tuple>>(
          probes, count, [made](const Tuple& probe, const auto& use) {
            made.probe(&probe, 1, [use](const Tuple& left, const Tuple& right) {
              use(PayloadPair<Tuple>{left.payload, right.payload});
            });
          });
      made.probe(probes + first.rows, count - first.rows, rest);
    }
    sizes[task] = first.pairs + rest.count;
    kept[task] = first;
  }
};

/// Writes the payloads of the pairs, as `Out`, from the task's place on.
template <class Out>
struct WriteTaskPairs {
  const std::uint64_t* places;
  Out* probe_out;
  Out* build_out;
  const KeptPairs* kept = nullptr;  // per task; nullptr if no pairs were kept

  struct Work {
    PairBuffer<Out, Out> buffer;
    template <class Tuple>
    void operator()(const Tuple& probe, const Tuple& row) {
      put(probe.payload, row.payload);
    }
    template <class Payload>
    void put(const Payload& probe, const Payload& row) {
      buffer.put(static_cast<Out>(probe), static_cast<Out>(row));
    }
  };
  [[nodiscard]] bool wants(std::uint64_t task) const { return places[task] != places[task + 1]; }
  template <class Tuple, class MakeTable>
  void join(std::uint64_t task, const Tuple* probes, std::uint64_t count,
            const MakeTable& table) const {
    const KeptPairs first = kept == nullptr ? KeptPairs{0, 0} : kept[task];
    Work work{{probe_out + places[task], build_out + places[task]}};
    for_each_kept_pair<PayloadPair<Tuple>>(
        probes, first.pairs, [&work](const auto& pair) { work.put(pair.first, pair.second); });
    if (first.rows != count) table().probe(probes + first.rows, count - first.rows, work);
    work.buffer.flush();
  }
};

}  // namespace hashmill::detail
