#pragma once

#include <algorithm>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/block_loop.hpp>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/index_loop.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/csr.hpp>
#include <hashmill/multi_map/detail/stepwise_lookup.hpp>
#include <hashmill/primitives/detail/keys_as.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <hashmill/row.hpp>

namespace hashmill::detail {

// Bulk look-ups over any table whose ref() has the operations on one key: one thread per query,
// results in the order of the queries, asynchronous on `exec`.

// On hosts, the look-ups of many queries are in flight at the same time. For that a ref() provides:
// - `home = home_of_hash(hash)`: a number that tells where a look-up begins;
// - `prefetch_home(home)`: prefetches the line there;
// - `is_vacant()`: there are no lines, because the owner was moved from.
//
// Some look-ups read a second line, and some then a third, once the one before has arrived:
// - `prefetch_candidate(home)`: prefetches the second line;
// - `candidate = candidate(home, hash)`: prefetches it, and returns a number that tells what will
//   be compared. Once that line has arrived, `read(home, candidate)` prefetches a third.

/// Whether the first line of a look-up tells what will be compared, in it or behind it.
template <class Ref>
concept CandidateRef = requires(const Ref& ref, std::uint64_t home) {
  ref.read(home, ref.candidate(home, std::uint64_t{0}));
};

/// Look-ups on hosts, as an assembly line over a block of queries, so that memory is always busy.
/// Each step prefetches the first line of one query. Lines of earlier queries have arrived and tell
/// what to prefetch next. One query is answered.
///
/// What needs no memory is computed beforehand, once for the whole block, and compilers vectorise
/// it. After the first line has arrived every instruction counts.
template <class Ref, class Queries, class Each>
struct HostQueryLine {
  using Key = typename Ref::key_type;
  static constexpr std::uint64_t block = 1024;
  static constexpr bool has_candidates = CandidateRef<Ref>;
  static constexpr bool two_steps = requires(const Ref& ref, std::uint64_t home) {
    ref.prefetch_candidate(home);
  };
  /// How many queries before its answer a query's last line is prefetched, then the line before it,
  /// then the first. These distances are as long as the second cache accepts requests, which is
  /// longer than the first cache does.
  static constexpr std::uint64_t last = has_candidates ? 24 : two_steps ? 48 : 0;
  static constexpr std::uint64_t middle = last + (has_candidates ? 24 : 0);
  static constexpr std::uint64_t lead = middle + 48;

  /// The state of the look-ups of the block.
  struct Progress {
    std::uint64_t hashes[block];
    std::uint64_t homes[block];
    std::uint8_t candidates[has_candidates ? block : 1];
  };

  Ref ref;
  Queries queries;
  Each each;

  void operator()(const std::int64_t index) const {
    const std::uint64_t first = static_cast<std::uint64_t>(index) * block;
    const std::uint64_t n = std::min<std::uint64_t>(block, queries.size() - first);
    if (ref.is_vacant()) return answer_without_lines(first, n);
    Progress progress;
    prefetch_elements(queries, first, n);
    for (std::uint64_t i = 0; i < n; ++i) {
      const Key key = queries(first + i);
      progress.hashes[i] = ref.hasher()(key);
    }
    for (std::uint64_t i = 0; i < n; ++i) progress.homes[i] = ref.home_of_hash(progress.hashes[i]);
    for (std::uint64_t i = 0; i < std::min(lead, n); ++i) ref.prefetch_home(progress.homes[i]);
    for (std::uint64_t i = 0; i < std::min(middle, n); ++i) ask_middle(progress, i);
    for (std::uint64_t i = 0; i < std::min(last, n); ++i) ask_last(progress, i);
    std::uint64_t i = 0;
    for (; i + lead < n; ++i) {
      ref.prefetch_home(progress.homes[i + lead]);
      ask_middle(progress, i + middle);
      ask_last(progress, i + last);
      answer(first, progress, i);
    }
    for (; i < n; ++i) {
      if (i + middle < n) ask_middle(progress, i + middle);
      if (i + last < n) ask_last(progress, i + last);
      answer(first, progress, i);
    }
  }

 private:
  void ask_middle([[maybe_unused]] Progress& progress, [[maybe_unused]] std::uint64_t i) const {
    if constexpr (has_candidates)
      progress.candidates[i] = ref.candidate(progress.homes[i], progress.hashes[i]);
  }
  void ask_last([[maybe_unused]] const Progress& progress, [[maybe_unused]] std::uint64_t i) const {
    if constexpr (has_candidates) {
      ref.read(progress.homes[i], progress.candidates[i]);
    } else if constexpr (two_steps) {
      ref.prefetch_candidate(progress.homes[i]);
    }
  }
  /// For a moved-from table, which has no lines to prefetch.
  void answer_without_lines(std::uint64_t first, std::uint64_t n) const {
    for (std::uint64_t i = first; i < first + n; ++i) each(i, HashedKey<Key>{queries(i), 0});
  }
  void answer(std::uint64_t first, const Progress& progress, std::uint64_t i) const {
    const HomedKey<Key> key{{queries(first + i), progress.hashes[i]}, progress.homes[i]};
    if constexpr (has_candidates) {
      each(first + i, CandidateKey<Key>{key, progress.candidates[i]});
    } else {
      each(first + i, key);
    }
  }
};

/// Runs `each(i, key)` for one query.
template <class Queries, class Each>
struct DeviceQuery {
  Queries queries;
  Each each;

  KOKKOS_FUNCTION void operator()(const std::int64_t i) const {
    each(static_cast<std::uint64_t>(i), queries(static_cast<std::uint64_t>(i)));
  }
};

/// Runs `each(i, queries(i))` for every query; queries have the table's key type. Devices use one
/// thread per query, hosts an assembly line of queries per thread.
template <class Exec, class Ref, class Queries, class Each>
void for_each_key(const char* label, const Exec& exec, [[maybe_unused]] const Ref& ref,
                  const Queries& queries, const Each& each) {
  const std::uint64_t n = queries.size();
  if constexpr (backends::has_wide_teams<Exec>) {
    backends::for_each_index(label, exec, n, DeviceQuery<Queries, Each>{queries, each});
  } else {
    using Line = HostQueryLine<Ref, Queries, Each>;
    backends::for_each_block(label, exec, (n + Line::block - 1) / Line::block,
                             Line{ref, queries, each});
  }
}

/// Answers the queries for which a predicate holds by `each(i, key)`. The others get
/// `each.answer_none(i)`, the answer for a key that is not there.
template <class Predicate, class Each>
struct AnswerIf {
  Predicate predicate;
  Each each;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    if (predicate(i)) {
      each(i, key);
    } else {
      each.answer_none(i);
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t i) const { each.answer_none(i); }
};

/// Answers every query. Queries of another type than the table's keys are converted. Those that the
/// key type cannot hold get the answer for a key that is not there.
template <class Exec, class Ref, class Queries, class Each>
void for_each_query(const char* label, const Exec& exec, const Ref& ref, const Queries& queries,
                    const Each& each) {
  using Key = typename Ref::key_type;
  using Query = KeyOf<Queries>;
  if constexpr (require_comparable<Key, Query>()) {
    const auto keys = keys_as<Key>(queries);
    if constexpr (KeyConversion<Key, Query>::always) {
      for_each_key(label, exec, ref, keys, each);
    } else {
      using Fits = KeyFits<Key, Queries>;
      for_each_key(label, exec, ref, keys, AnswerIf<Fits, Each>{Fits{key_access(queries)}, each});
    }
  }
}

template <class Ref, class Out>
struct ContainsEach {
  Ref ref;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    out(i) = ref.contains(key);
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t i) const { out(i) = false; }
};

template <class Ref, class Out>
struct CountEach {
  Ref ref;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    out(i) = ref.count(key);
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t i) const { out(i) = 0; }
};

template <class Ref, class Out>
struct FindEach {
  Ref ref;
  Out out;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    out(i) = ref.find(key);
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t i) const {
    out(i) = no_row<typename Ref::row_type>;
  }
};

/// Runs `each` for the queries for which a predicate holds.
template <class Exec, class Ref, class Queries, class Predicate, class Each>
void bulk_answer_if(const char* operation, const Exec& exec, const Ref& ref, const Queries& queries,
                    const Predicate& predicate, const Each& each) {
  check_results<Exec>(queries, each.out, operation);
  check_beside<Exec>(queries, predicate, operation, "predicates", "queries");
  for_each_query("hashmill::answer_if", exec, ref, queries,
                 AnswerIf<Predicate, Each>{predicate, each});
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_contains(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "contains");
  for_each_query("hashmill::contains", exec, ref, queries, ContainsEach<Ref, Out>{ref, out});
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_count(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "count");
  if constexpr (backends::has_wide_teams<Exec> && LongStepwiseRef<Ref>) {
    if (!ref.is_vacant()) {
      launch_stepwise("hashmill::count", exec, queries.size(),
                      CountInSteps<Exec, Ref, Queries, Out>{{ref, queries}, out});
      return;
    }
  }
  for_each_query("hashmill::count", exec, ref, queries, CountEach<Ref, Out>{ref, out});
}

template <class Exec, class Ref, class Queries, class Out>
void bulk_find(const Exec& exec, const Ref& ref, const Queries& queries, const Out& out) {
  check_results<Exec>(queries, out, "find");
  for_each_query("hashmill::find", exec, ref, queries, FindEach<Ref, Out>{ref, out});
}

/// Writes the rows that match a query from `next` on. A functor, because nvcc accepts no lambda
/// inside another.
template <class Row>
struct AppendRow {
  Row* next;
  mutable std::uint64_t written = 0;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(Row row) const { next[written++] = row; }
};

/// Writes the rows of query i from rows[offsets[i]] on.
template <class Ref, class Row>
struct RetrieveEach {
  Ref ref;
  const std::uint64_t* offsets;
  Row* rows;
  template <class Key>
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i, const Key& key) const {
    if constexpr (StepwiseRef<Ref>) {  // knows when it has found the last row
      write_rows(ref.walk(key), offsets[i + 1] - offsets[i], rows + offsets[i]);
    } else {
      ref.for_each_match(key, AppendRow<Row>{rows + offsets[i]});
    }
  }
  KOKKOS_FORCEINLINE_FUNCTION void answer_none(std::uint64_t) const {}
};

/// The second pass of `retrieve`: fills the rows of all queries. Asynchronous.
template <class Exec, class Ref, class Queries, class Row>
void fill_rows(const Exec& exec, const Ref& ref, const Queries& queries,
               const std::uint64_t* offsets, Row* rows) {
  if constexpr (backends::has_wide_teams<Exec> && StepwiseRef<Ref>) {
    launch_stepwise("hashmill::retrieve", exec, queries.size(),
                    RetrieveInSteps<Exec, Ref, Queries, Row>{{ref, queries}, offsets, rows});
  } else {
    for_each_query("hashmill::retrieve", exec, ref, queries,
                   RetrieveEach<Ref, Row>{ref, offsets, rows});
  }
}

/// Counts, scans and fills every query's rows, as CSR, in the memory of `result` where that
/// suffices. Waits for `exec` to learn the total, and again at the end.
template <class Row, class MemorySpace, class Exec, class Ref, class Queries>
void bulk_retrieve(const Exec& exec, const Ref& ref, const Queries& queries,
                   CsrRows<Row, MemorySpace>& result, Workspace<MemorySpace>& workspace) {
  check_single_keys<Exec>(queries);
  const std::uint64_t n = queries.size();
  result.offsets = backends::fitted(exec, result.offsets, checked_add(n, 1, "retrieve"),
                                    "hashmill::retrieve::offsets");
  const auto offsets = result.offsets;
  Kokkos::deep_copy(exec, Kokkos::subview(offsets, n), std::uint64_t{0});
  bulk_count(exec, ref, queries, Kokkos::subview(offsets, std::make_pair(std::uint64_t{0}, n)));
  backends::exclusive_scan(exec, offsets, workspace);
  const std::uint64_t total =
      backends::fetch(exec, offsets, n, "hashmill::retrieve: the total sizes the result");
  result.rows = backends::fitted(exec, result.rows, total, "hashmill::retrieve::rows");
  fill_rows(exec, ref, queries, offsets.data(), result.rows.data());
  exec.fence("hashmill::retrieve: results are handed to the caller");
}

}  // namespace hashmill::detail
