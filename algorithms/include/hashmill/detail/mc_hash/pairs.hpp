#pragma once

#include <hashmill/detail/pair_buffer.hpp>

namespace hashmill::detail {

/// What a task of a join does with its pairs at first: counts them.
struct CountTaskPairs {
  std::uint64_t* sizes;

  /// A task in work.
  struct Work {
    std::uint64_t count = 0;
    template <class Tuple>
    void operator()(const Tuple&, const Tuple&) {
      ++count;
    }
  };
  [[nodiscard]] bool wants(std::uint64_t) const { return true; }
  [[nodiscard]] Work open(std::uint64_t) const { return {}; }
  void close(std::uint64_t task, const Work& work) const { sizes[task] = work.count; }
};

/// And then: writes the payloads of its pairs, as `Out`, from the task's place on.
template <class Out>
struct WriteTaskPairs {
  const std::uint64_t* places;
  Out* probe_out;
  Out* build_out;

  struct Work {
    PairBuffer<Out, Out> buffer;
    template <class Tuple>
    void operator()(const Tuple& probe, const Tuple& row) {
      buffer.put(static_cast<Out>(probe.payload), static_cast<Out>(row.payload));
    }
  };
  [[nodiscard]] bool wants(std::uint64_t task) const { return places[task] != places[task + 1]; }
  [[nodiscard]] Work open(std::uint64_t task) const {
    return {{probe_out + places[task], build_out + places[task]}};
  }
  void close(std::uint64_t, Work& work) const { work.buffer.flush(); }
};

}  // namespace hashmill::detail
