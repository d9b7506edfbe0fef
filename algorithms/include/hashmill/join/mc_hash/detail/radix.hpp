#pragma once

#include <bit>
#include <hashmill/backends/caches.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/join/mc_hash/detail/bits.hpp>
#include <hashmill/join/mc_hash/detail/workers.hpp>
#include <hashmill/join/mc_hash/options.hpp>
#include <hashmill/partition/detail/combining_buffers.hpp>
#include <hashmill/primitives/detail/records.hpp>
#include <string>
#include <utility>

namespace hashmill::detail {

/// The bits of the hash, from the lowest up, by which the passes of a radix join partition.
struct RadixPlan {
  unsigned first_bits;
  unsigned second_bits;
  unsigned passes;

  [[nodiscard]] unsigned bits() const { return first_bits + second_bits; }
  [[nodiscard]] std::uint64_t parts() const { return std::uint64_t{1} << bits(); }
};

/// The plan that `options` ask for; RadixJoinOptions says how the caches determine the rest.
/// row_bytes: the bytes that a row of the build side takes, its share of its part's table included.
/// Throws InvalidArgument if an option is out of its range.
[[nodiscard]] inline RadixPlan radix_plan(const mc_hash::RadixJoinOptions& options,
                                          std::uint64_t build_rows, std::uint64_t row_bytes) {
  constexpr unsigned most_a_pass = mc_hash::RadixJoinOptions::most_bits_a_pass;
  const auto refuse = [](const char* name, unsigned value, unsigned least, unsigned most) {
    if (value >= least && value <= most) return;
    throw InvalidArgument("mc_hash: " + std::string(name) + " " + std::to_string(value) +
                          " is not in [" + std::to_string(least) + ", " + std::to_string(most) +
                          "]");
  };
  if (options.passes) refuse("passes", *options.passes, 1, 2);
  const unsigned least = options.passes.value_or(1);
  const unsigned most = options.passes.value_or(2) * most_a_pass;
  if (options.radix_bits) refuse("radix bits", *options.radix_bits, least, most);
  const std::uint64_t cache = backends::private_cache_bytes();
  unsigned bits = least;
  while (bits < most && build_rows >> bits > cache / 2 / row_bytes) ++bits;
  bits = options.radix_bits.value_or(bits);
  const std::uint64_t lines = cache / 4 / backends::cache_line_bytes;
  const bool fits = bits <= most_a_pass && std::uint64_t{1} << bits <= lines;
  const unsigned passes = options.passes.value_or(fits ? 1 : 2);
  const unsigned first_bits = (bits + passes - 1) / passes;
  return {first_bits, bits - first_bits, passes};
}

/// Parallel radix partitioning by the low bits of the hash. Source: Kim et al., VLDB 2009, section
/// 4.2; Balkesen et al., ICDE 2013, section IV.
///
///     first pass    1. each worker counts its share of the rows by digit
///                   2. a prefix sum over all counts gives each worker's places in each part
///                   3. each worker writes its share through write-combining buffers
///     second pass   each part of the first pass is a task of one worker; parts too large for one
///                   worker are partitioned as in the first pass
template <class Exec, class Tuple, class Hash>
class RadixPartitioner {
  using Digit = HashBits<Hash>;
  using Buffers = CombiningBuffers<Tuple, std::uint64_t, RecordSink<Tuple>>;

 public:
  /// Parts in the order of their numbers: part p is tuples [offsets[p], offsets[p + 1]).
  struct Parts {
    Tuple* tuples;
    const std::uint64_t* offsets;

    [[nodiscard]] RowRange range(std::uint64_t part) const {
      return {offsets[part], offsets[part + 1] - offsets[part]};
    }
  };

  RadixPartitioner(const Exec& exec, std::uint32_t workers, const RadixPlan& plan, const Hash& hash,
                   Workspace<Kokkos::HostSpace>& workspace)
      : exec_(exec), workers_(workers), plan_(plan), hash_(hash), workspace_(workspace) {}

  /// Bytes of workspace that partitioning two relations takes.
  [[nodiscard]] static std::uint64_t bytes(const RadixPlan& plan, std::uint64_t build_rows,
                                           std::uint64_t probe_rows, std::uint32_t workers) {
    constexpr const char* what = "mc_hash: rows to partition";
    const std::uint64_t between = plan.passes == 1 ? 0 : std::max(build_rows, probe_rows);
    const std::uint64_t rows =
        checked_add(checked_add(build_rows, probe_rows, what), between, what);
    const std::uint64_t digits = std::uint64_t{1} << plan.first_bits;
    const std::uint64_t counts = 2 * plan.parts() + digits * (workers + 1);
    const std::uint64_t buffers = Buffers::bytes(1U << plan.first_bits) * workers;
    constexpr std::uint64_t page = 4096;  // what alignment may add
    return checked_add(checked_bytes<Tuple>(rows, what),
                       counts * sizeof(std::uint64_t) + buffers + page * (workers + 8), what);
  }

  /// Partitions one side, into memory of the workspace's current frame.
  [[nodiscard]] Parts partition(const TupleSpan<Tuple>& side) const {
    const auto [tuples, count] = side;
    const auto offsets = workspace_.template take<std::uint64_t>(exec_, plan_.parts() + 1);
    auto* const parted = workspace_.template take<Tuple>(exec_, count).data();
    const Digit first = Digit::run(hash_, 0, plan_.first_bits);
    const bool stream = backends::outgrows_caches(count * sizeof(Tuple));
    if (plan_.passes == 1) {
      partition_jointly(tuples, {0, count}, first, parted, stream, offsets.data());
    } else {
      const typename Workspace<Kokkos::HostSpace>::Frame frame(workspace_);
      auto* const between = workspace_.template take<Tuple>(exec_, count).data();
      const auto middle = workspace_.template take<std::uint64_t>(exec_, first.count() + 1);
      partition_jointly(tuples, {0, count}, first, between, stream, middle.data());
      second_pass({between, middle.data()}, count, parted, stream, offsets.data());
    }
    offsets(plan_.parts()) = count;
    return {parted, offsets.data()};
  }

  /// Whether a worker with a part of `rows` of all `all` rows would keep the others waiting.
  [[nodiscard]] static bool is_large(std::uint64_t rows, std::uint64_t all, std::uint32_t workers) {
    constexpr std::uint64_t worth_it = 1 << 16;
    return workers > 1 && rows > worth_it && rows > all / (4 * std::uint64_t{workers});
  }

 private:
  /// Adds the number of tuples with each value of the digit to `counts`.
  static void count_digits(const Tuple* tuples, std::uint64_t count, const Digit& digit,
                           std::uint64_t* counts) {
    for (std::uint64_t i = 0; i < count; ++i) ++counts[digit(tuples[i])];
  }
  /// Writes tuples to their parts.
  static void scatter(const Tuple* tuples, std::uint64_t count, const Digit& digit,
                      const Buffers& buffers) {
    const Buffers out = buffers;  // copies: no store can change them
    const Digit digit_of = digit;
    for (std::uint64_t i = 0; i < count; ++i) {
      const Tuple tuple = tuples[i];
      out.put(digit_of(tuple), tuple);
    }
    out.finish();
  }

  /// Partitions a range of `from` to the same range of `to` with all workers. Writes to `offsets`
  /// where each part begins, and one more element, the end of the range.
  void partition_jointly(const Tuple* from, const RowRange& range, const Digit& digit, Tuple* to,
                         bool stream, std::uint64_t* offsets) const {
    const typename Workspace<Kokkos::HostSpace>::Frame frame(workspace_);
    const auto fan_out = static_cast<std::uint32_t>(digit.count());
    const auto places =
        workspace_.template take<std::uint64_t>(exec_, std::uint64_t{fan_out} * workers_);
    const WorkerMemory memory(exec_, workers_, Buffers::bytes(fan_out), workspace_);
    for_each_worker("hashmill::mc_hash::count", exec_, workers_, [&](std::uint32_t worker) {
      auto* const counts = reinterpret_cast<std::uint64_t*>(memory.of(worker));
      std::fill_n(counts, fan_out, 0);
      const RowRange mine = share_of(range.count, worker, workers_);
      count_digits(from + range.first + mine.first, mine.count, digit, counts);
      for (std::uint32_t c = 0; c < fan_out; ++c) {
        places(std::uint64_t{c} * workers_ + worker) = counts[c];
      }
    });
    backends::exclusive_scan(exec_, places, workspace_);
    for_each_worker("hashmill::mc_hash::scatter", exec_, workers_, [&](std::uint32_t worker) {
      const Buffers buffers(memory.of(worker), fan_out, RecordSink<Tuple>{to}, stream);
      for (std::uint32_t c = 0; c < fan_out; ++c) {
        buffers.begin_part(c, range.first + places(std::uint64_t{c} * workers_ + worker));
      }
      const RowRange mine = share_of(range.count, worker, workers_);
      scatter(from + range.first + mine.first, mine.count, digit, buffers);
    });
    for (std::uint32_t c = 0; c < fan_out; ++c) {
      offsets[c] = range.first + places(std::uint64_t{c} * workers_);
    }
    offsets[fan_out] = range.first + range.count;
  }

  /// Partitions each part of the first pass by the second digit.
  void second_pass(const Parts& parts, std::uint64_t count, Tuple* to, bool stream,
                   std::uint64_t* offsets) const {
    const Digit digit = Digit::run(hash_, plan_.first_bits, plan_.second_bits);
    const auto fan_out = static_cast<std::uint32_t>(digit.count());
    const std::uint64_t num_parts = std::uint64_t{1} << plan_.first_bits;
    const typename Workspace<Kokkos::HostSpace>::Frame frame(workspace_);
    const WorkerMemory memory(exec_, workers_, Buffers::bytes(fan_out), workspace_);
    TaskQueue tasks(num_parts);
    for_each_worker("hashmill::mc_hash::second_pass", exec_, workers_, [&](std::uint32_t worker) {
      const Buffers buffers(memory.of(worker), fan_out, RecordSink<Tuple>{to}, stream);
      tasks.drain([&](std::uint64_t part) {
        const RowRange range = parts.range(part);
        if (is_large(range.count, count, workers_)) return;
        std::uint64_t* const places = offsets + part * fan_out;
        std::fill_n(places, fan_out, 0);
        count_digits(parts.tuples + range.first, range.count, digit, places);
        std::uint64_t place = range.first;
        for (std::uint32_t c = 0; c < fan_out; ++c) {
          place += std::exchange(places[c], place);
          buffers.begin_part(c, places[c]);
        }
        scatter(parts.tuples + range.first, range.count, digit, buffers);
      });
    });
    for (std::uint64_t part = 0; part < num_parts; ++part) {
      const RowRange range = parts.range(part);
      if (!is_large(range.count, count, workers_)) continue;
      partition_jointly(parts.tuples, range, digit, to, stream, offsets + part * fan_out);
    }
  }

  const Exec& exec_;
  std::uint32_t workers_;
  RadixPlan plan_;
  Hash hash_;
  Workspace<Kokkos::HostSpace>& workspace_;
};

}  // namespace hashmill::detail
