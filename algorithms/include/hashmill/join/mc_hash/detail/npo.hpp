#pragma once

#include <bit>
#include <hashmill/backends/scan.hpp>
#include <hashmill/backends/streaming.hpp>
#include <hashmill/join/mc_hash/detail/bits.hpp>
#include <hashmill/join/mc_hash/detail/pairs.hpp>
#include <hashmill/join/mc_hash/detail/workers.hpp>
#include <hashmill/join/options.hpp>
#include <thread>

namespace hashmill::detail {

/// A bucket of the no-partitioning join: a latch, two tuples, and a list of overflow buckets.
/// Source: Balkesen et al., ICDE 2013, section III-A, where latch and tuples share a cache line.
///
///     | latch 4 | count 4 | overflow 8 | tuples 2 x 8 or 2 x 16 |   bytes; 32 or 48 in all
template <class Tuple>
struct NpoBucket {
  static constexpr std::uint32_t room = 2;
  std::uint32_t latch;
  std::uint32_t count;
  NpoBucket* overflow;
  Tuple tuples[room];
};

/// Holds the latch of a bucket during its lifetime. While it waits, it yields the processor now and
/// then, in case the holder of the latch is not running.
class LatchGuard {
 public:
  explicit LatchGuard(std::uint32_t& latch) : latch_(latch) {
    constexpr unsigned patience = 64;
    for (unsigned tries = 1; latch_.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries % patience == 0) std::this_thread::yield();
    }
  }
  ~LatchGuard() { latch_.store(0, std::memory_order_release); }
  LatchGuard(const LatchGuard&) = delete;
  LatchGuard& operator=(const LatchGuard&) = delete;

 private:
  std::atomic_ref<std::uint32_t> latch_;
};

/// The shared table of the no-partitioning join. It has half as many buckets as rows, rounded up to
/// a power of two. The lowest bits of the hash number them.
///
/// Source: Blanas et al., "Design and evaluation of main memory hash join algorithms for multi-core
/// CPUs", SIGMOD 2011, section 3.2.1.
template <class Tuple, class Hash>
class NpoTable {
 public:
  using Bucket = NpoBucket<Tuple>;

  [[nodiscard]] static std::uint64_t num_buckets(std::uint64_t rows) {
    return std::bit_ceil((rows + Bucket::room - 1) / Bucket::room);
  }
  /// The most overflow buckets that `rows` rows need, with the parts of blocks that workers leave
  /// unused. Only full buckets overflow: k rows of a bucket need (k - 2) / 2 overflow buckets,
  /// rounded up, which is at most k / 2.
  [[nodiscard]] static std::uint64_t most_overflow(std::uint64_t rows, std::uint32_t workers) {
    return rows / Bucket::room + std::uint64_t{workers} * block;
  }
  [[nodiscard]] static std::uint64_t bytes(std::uint64_t rows, std::uint32_t workers) {
    return checked_bytes<Bucket>(num_buckets(rows) + most_overflow(rows, workers),
                                 "mc_hash: buckets");
  }

  /// buckets: `num_buckets(rows)` buckets, then `most_overflow` overflow buckets. taken: 0; counts
  /// the overflow buckets that workers have taken. Both must outlive the table.
  NpoTable(Bucket* buckets, std::uint64_t rows, const Hash& hash, std::atomic<std::uint64_t>& taken)
      : buckets_(buckets),
        bucket_(HashBits<Hash>::at_least(hash, 0, num_buckets(rows))),
        overflow_(buckets + num_buckets(rows)),
        taken_(taken) {}

  /// Empties a range of buckets.
  void clear(const RowRange& range) const {
    for (std::uint64_t b = range.first; b < range.first + range.count; ++b) {
      buckets_[b].latch = buckets_[b].count = 0;
      buckets_[b].overflow = nullptr;
    }
  }
  [[nodiscard]] std::uint64_t size() const { return bucket_.count(); }

  /// The overflow buckets that a worker has taken and not used yet.
  struct Spare {
    Bucket* next = nullptr;
    Bucket* end = nullptr;
  };

  /// Inserts tuples; other threads may insert at the same time.
  void insert(const Tuple* tuples, std::uint64_t count, Spare& spare) const {
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i + distance < count) prefetch(tuples[i + distance]);
      Bucket& bucket = bucket_of(tuples[i]);
      const LatchGuard guard(bucket.latch);
      if (bucket.count < Bucket::room) {
        bucket.tuples[bucket.count++] = tuples[i];
      } else {
        insert_behind(bucket, tuples[i], spare);
      }
    }
  }

  /// Calls `use(probe, row)` for each probe and each row with its key.
  template <class Use>
  void probe(const Tuple* probes, std::uint64_t count, Use&& use) const {
    const NpoTable table = *this;  // so that what `use` writes cannot change it
    for (std::uint64_t i = 0; i < count; ++i) {
      if (i + distance < count) table.prefetch(probes[i + distance]);
      const Tuple probe = probes[i];
      const Bucket* bucket = &table.bucket_of(probe);
      do {
        for (std::uint32_t j = 0; j < bucket->count; ++j) {
          if (bucket->tuples[j].key == probe.key) use(probe, bucket->tuples[j]);
        }
        bucket = bucket->overflow;
      } while (bucket != nullptr);
    }
  }

 private:
  static constexpr std::uint64_t distance = 10;  // rows between prefetch and use
  static constexpr std::uint64_t block = 1024;   // overflow buckets that a worker takes at once

  [[nodiscard]] Bucket& bucket_of(const Tuple& tuple) const { return buckets_[bucket_(tuple)]; }
  void prefetch(const Tuple& tuple) const { backends::prefetch(&bucket_of(tuple)); }

  /// Inserts into the first overflow bucket or, if that is full, into a new one before it.
  void insert_behind(Bucket& bucket, const Tuple& tuple, Spare& spare) const {
    if (bucket.overflow == nullptr || bucket.overflow->count == Bucket::room) {
      if (spare.next == spare.end) {
        spare.next = overflow_ + taken_.fetch_add(block, std::memory_order_relaxed);
        spare.end = spare.next + block;
      }
      Bucket* const fresh = spare.next++;
      fresh->count = 0;
      fresh->overflow = bucket.overflow;
      bucket.overflow = fresh;
    }
    Bucket& overflow = *bucket.overflow;
    overflow.tuples[overflow.count++] = tuple;
  }

  Bucket* buckets_;
  HashBits<Hash> bucket_;
  Bucket* overflow_;
  std::atomic<std::uint64_t>& taken_;
};

/// A no-partitioning join. Its constructor counts the pairs; `write` then writes them. The
/// workspace must outlive it.
template <class Exec, class Tuple, class Hash>
class NpoJoin {
  using Table = NpoTable<Tuple, Hash>;
  static constexpr std::uint64_t slice_rows = 1 << 15;

 public:
  /// Builds the table and counts the pairs.
  NpoJoin(const Exec& exec, const TupleSpan<Tuple>& build, const TupleSpan<Tuple>& probe,
          const JoinOptions&, bool, const Hash& hash, Workspace<Kokkos::HostSpace>& workspace)
      : exec_(exec),
        workers_(static_cast<std::uint32_t>(backends::concurrent_teams(exec))),
        probe_(probe),
        places_(workspace.template take<std::uint64_t>(exec, slices(probe.count) + 1)),
        table_(workspace
                   .template take<typename Table::Bucket>(
                       exec, Table::num_buckets(build.count) +
                                 Table::most_overflow(build.count, workers_))
                   .data(),
               build.count, hash, taken_) {
    insert(build);
    const std::uint64_t tasks = slices(probe.count);
    run(CountTaskPairs{places_.data()});
    places_(tasks) = 0;
    backends::exclusive_scan(exec, places_, workspace);
    exec.fence("hashmill::mc_hash: the total sizes the result");
    size_ = places_(tasks);
  }
  NpoJoin(const NpoJoin&) = delete;
  NpoJoin& operator=(const NpoJoin&) = delete;

  /// Bytes of workspace that a join of these sizes takes.
  [[nodiscard]] static std::uint64_t bytes(const Exec& exec, std::uint64_t build_rows,
                                           std::uint64_t probe_rows, const JoinOptions&) {
    const auto workers = static_cast<std::uint32_t>(backends::concurrent_teams(exec));
    return Table::bytes(build_rows, workers) + (slices(probe_rows) + 512) * sizeof(std::uint64_t);
  }

  /// Number of pairs.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Writes the payloads of `size()` pairs, those of the probe side to `left`.
  template <class Out>
  void write(Out* left, Out* right) const {
    run(WriteTaskPairs<Out>{places_.data(), left, right});
  }

 private:
  [[nodiscard]] static std::uint64_t slices(std::uint64_t rows) {
    return rows / slice_rows + (rows % slice_rows == 0 ? 0 : 1);
  }

  void insert(const TupleSpan<Tuple>& build) {
    for_each_worker("hashmill::mc_hash::clear_buckets", exec_, workers_, [&](std::uint32_t worker) {
      table_.clear(share_of(table_.size(), worker, workers_));
    });
    for_each_worker("hashmill::mc_hash::build", exec_, workers_, [&](std::uint32_t worker) {
      typename Table::Spare spare;
      const RowRange mine = share_of(build.count, worker, workers_);
      table_.insert(build.tuples + mine.first, mine.count, spare);
    });
  }

  /// Probes the slices of the probe side, as tasks; `pairs` counts or writes the pairs of each.
  template <class Pairs>
  void run(const Pairs& pairs) const {
    TaskQueue tasks(slices(probe_.count));
    for_each_worker("hashmill::mc_hash::probe", exec_, workers_, [&](std::uint32_t) {
      tasks.drain([&](std::uint64_t task) {
        if (!pairs.wants(task)) return;
        const std::uint64_t begin = task * slice_rows;
        pairs.join(task, probe_.tuples + begin, std::min(slice_rows, probe_.count - begin),
                   [this]() -> const Table& { return table_; });
      });
    });
  }

  Exec exec_;
  std::uint32_t workers_;
  TupleSpan<Tuple> probe_;
  std::atomic<std::uint64_t> taken_{0};
  typename Workspace<Kokkos::HostSpace>::template Array<std::uint64_t> places_;
  Table table_;
  std::uint64_t size_ = 0;
};

}  // namespace hashmill::detail
