#pragma once

#include <thrust/iterator/transform_output_iterator.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cuco/static_multiset.cuh>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/row.hpp>

#include "answers/tally.hpp"
#include "case/byte_budget.hpp"
#include "case/compare_case.hpp"
#include "cuco_entries.hpp"

namespace hashmill::perf {

/// Hash of a (key, row) pair: cuCollections' own, of the key alone.
template <class Entry>
class CucoEntryHash {
  using KeyHash = cuco::default_hash_function<typename Entry::first_type>;

 public:
  // Probing makes its second function from another seed.
  KOKKOS_FUNCTION constexpr CucoEntryHash(std::uint32_t seed = 0) : hash_(seed) {}
  KOKKOS_FUNCTION constexpr std::uint32_t operator()(const Entry& entry) const noexcept {
    return hash_(entry.first);
  }

 private:
  KeyHash hash_;
};

/// Equality of (key, row) pairs: that of their keys.
struct CucoEntryEqual {
  template <class Entry>
  KOKKOS_FUNCTION constexpr bool operator()(const Entry& a, const Entry& b) const noexcept {
    return a.first == b.first;
  }
};

/// The row, or number, of a pair.
struct CucoRowOfEntry {
  template <class Entry>
  KOKKOS_FUNCTION std::uint32_t operator()(const Entry& entry) const {
    return entry.second;
  }
};

/// Tallies the slots in use. A row that does not hold its key is a fault.
template <class Ref, class Keys>
struct CucoMultisetTally {
  Ref ref;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t slot, Tally& sum) const {
    // The set shows its slots on the device only.
    KOKKOS_IF_ON_DEVICE((using Entry = typename Ref::value_type;
                         add(reinterpret_cast<const Entry*>(ref.storage_ref().data())[slot], sum);))
    KOKKOS_IF_ON_HOST(((void)slot; (void)sum;))
  }

 private:
  template <class Entry>
  KOKKOS_FUNCTION void add(const Entry& entry, Tally& sum) const {
    if (entry.second == no_row<std::uint32_t>) return;
    sum.add(entry_weight(entry.first, entry.second));
    if (entry.second >= keys.extent(0) || !(keys(entry.second) == entry.first)) ++sum.faults;
  }
};

/// Pairs of a query's number and a row that has its key, in no order.
template <class MemorySpace>
struct CucoMatches {
  using Numbers = Kokkos::View<std::uint32_t*, MemorySpace>;
  Numbers queries;
  Numbers rows;
};

/// Peer: cuco::static_multiset of NVIDIA's cuCollections, on the stream of the execution space. It
/// holds (key, row) pairs and hashes and compares their keys, as joins use it. Everything else is
/// its default, except that groups of `GroupSize` threads probe for a key together. Its capacity is
/// the number of keys divided by the fill. No key is reserved: the sentinel is a pair with the
/// largest row number, which no row has.
template <class Exec, class Key, int GroupSize>
class CucoStaticMultiset {
 public:
  static constexpr bool keeps_duplicates = true;
  static constexpr bool sized_by_fill = true;
  static constexpr std::uint64_t bytes_a_key = 48;

  template <class Keys>
  CucoStaticMultiset(const Exec& exec, const Keys& keys, const TableAxes& axes)
      : set_(keys.size(), axes.fill,
             cuco::empty_key<Entry>{Entry{static_cast<Key>(~Key{0}), no_row<std::uint32_t>}}, {},
             {}, {}, {}, {}, exec.cuda_stream()) {
    insert(exec, keys, 0);
  }

  /// Inserts keys whose rows are numbered from `first_row`, as far as there is room.
  template <class Keys>
  void insert(const Exec& exec, const Keys& keys, std::uint64_t first_row) {
    const auto entries = cuco_entries(keys, first_row);
    set_.insert_async(entries, entries + keys.size(), exec.cuda_stream());
  }

  void clear(const Exec& exec) { set_.clear_async(exec.cuda_stream()); }

  /// All rows of all queries: counts them, as users must, and writes them to `matches`, whose
  /// memory is used again where it has that size.
  template <class Keys>
  void retrieve(const Exec& exec, const Keys& queries,
                CucoMatches<typename Keys::memory_space>& matches) const {
    using Numbers = typename CucoMatches<typename Keys::memory_space>::Numbers;
    const auto probes = cuco_entries(queries);
    const auto last = probes + queries.size();
    const std::uint64_t size = set_.count(probes, last, exec.cuda_stream());
    if (matches.rows.size() != size) {
      matches = {};
      matches = {backends::allocate<Numbers>(exec, "hashmill::perf::cuco_queries", size),
                 backends::allocate<Numbers>(exec, "hashmill::perf::cuco_rows", size)};
    }
    set_.retrieve(probes, last, numbers_to(matches.queries), numbers_to(matches.rows),
                  exec.cuda_stream());
  }

  template <class Keys>
  Tally tally_entries(const Exec& exec, const Keys& keys) const {
    using Ref = decltype(set_.ref(cuco::contains));
    return tally(exec, set_.capacity(),
                 CucoMultisetTally<Ref, Keys>{set_.ref(cuco::contains), keys});
  }

 private:
  using Entry = cuco::pair<Key, std::uint32_t>;
  using Probing = cuco::double_hashing<GroupSize, CucoEntryHash<Entry>>;

  template <class Numbers>
  static auto numbers_to(const Numbers& numbers) {
    return thrust::make_transform_output_iterator(numbers.data(), CucoRowOfEntry{});
  }

  cuco::static_multiset<Entry, cuco::extent<std::size_t>, cuda::thread_scope_device, CucoEntryEqual,
                        Probing>
      set_;
};

/// Tallies the pairs that a retrieve gave.
template <class Matches>
struct CucoMatchesTally {
  Matches matches;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    sum.add(query_weight(matches.queries(i)) * row_weight(matches.rows(i)));
  }
};

/// Lookup: all rows of each query, as pairs in no order.
template <class Bench>
class CucoRetrieveLookup {
 public:
  explicit CucoRetrieveLookup(const Bench& bench) {
    Bench::require_memory(bench.expected_answers().pairs.count * 2 * sizeof(std::uint32_t), "rows");
  }

  void release() { matches_ = {}; }

  template <class Table>
  void run(const Bench& bench, const Table& table) {
    table.retrieve(bench.exec(), bench.queries(), matches_);
  }
  Tally actual(const Bench& bench) const {
    return tally(bench.exec(), matches_.rows.size(), CucoMatchesTally<Matches>{matches_});
  }
  static Tally expected(const Bench& bench) { return bench.expected_answers().pairs; }
  static ByteBudget budget(const TrafficSizes& sizes) { return retrieve_budget(sizes); }

 private:
  using Matches = CucoMatches<typename Bench::memory_space>;
  Matches matches_;
};

}  // namespace hashmill::perf
