#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/multi_map/detail/entry_parts.hpp>
#include <hashmill/multi_map/detail/lookup.hpp>
#include <hashmill/multi_map/detail/retrieve_all.hpp>
#include <hashmill/primitives/detail/enter.hpp>
#include <string>

namespace hashmill {

/// The bulk look-ups that every table has, on top of its `ref()`; the base class of the tables.
/// `Table` has a `static constexpr const char* label`, which names its regions and fences.
///
/// `queries` is a view of keys or any other key source. Results are in the order of the queries. A
/// column with nulls is refused by InvalidArgument, as by all calls that take single keys.
/// Queries of another number type than the keys are compared by value (see KeyEqual): a query that
/// the key type cannot hold has no match. All members may overlap each other, on any instances.
///
/// All views have one dimension; their elements need not be adjacent. Results, and predicates that
/// are views, must have the length of the queries, or InvalidArgument is thrown.
///
/// No result is cut. Results of `contains` are bool, or numbers, which become 0 or 1. Results of
/// `count` and `find` have a type that holds every `row_type`, or the call does not compile.
template <class Table, class Row, class MemorySpace>
class MultiMapLookups {
 public:
  /// out(i) = whether queries(i) is in the table. Fences `exec`. `out` is a view of bool or
  /// numbers. Throws InvalidArgument unless it has the length of `queries`.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void contains(const Exec& exec, const Queries& queries, const Out& out) const {
    contains_async(exec, queries, out);
    exec.fence("hashmill::contains: results are handed to the caller");
  }
  /// `contains` without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void contains_async(const Exec& exec, const Queries& queries, const Out& out) const {
    const auto region = detail::enter(exec, table(), "contains");
    detail::bulk_contains(exec, table().ref(), queries, out);
  }

  /// out(i) = number of rows with key queries(i). Fences `exec`. Throws as `contains`, and
  /// CapacityError where the table has more entries than an element of `out` can hold.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void count(const Exec& exec, const Queries& queries, const Out& out) const {
    count_async(exec, queries, out);
    exec.fence("hashmill::count: results are handed to the caller");
  }
  /// `count` without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void count_async(const Exec& exec, const Queries& queries, const Out& out) const {
    const auto region = detail::enter(exec, table(), "count");
    check_counts<Out>();
    detail::bulk_count(exec, table().ref(), queries, out);
  }

  /// out(i) = a row with key queries(i), or `no_row<row_type>`. Fences `exec`. Which of several
  /// rows is unspecified. Throws as `contains`.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void find(const Exec& exec, const Queries& queries, const Out& out) const {
    find_async(exec, queries, out);
    exec.fence("hashmill::find: results are handed to the caller");
  }
  /// `find` without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Out>
  void find_async(const Exec& exec, const Queries& queries, const Out& out) const {
    static_assert(Table::has_rows, "hashmill::find: this table stores keys without rows");
    detail::require_room_for_rows<Row, Out>();
    const auto region = detail::enter(exec, table(), "find");
    detail::bulk_find(exec, table().ref(), queries, out);
  }

  /// `contains`, `count` and `find` for the queries i for which `predicate(i)` holds. The others
  /// get false, 0 and `no_row` without a look-up. They fence `exec` and throw as `contains`,
  /// `count` and `find` do.
  template <backends::ExecutionSpace Exec, class Queries, class Predicate, class Out>
  void contains_if(const Exec& exec, const Queries& queries, const Predicate& predicate,
                   const Out& out) const {
    contains_if_async(exec, queries, predicate, out);
    exec.fence("hashmill::contains_if: results are handed to the caller");
  }
  /// See `contains_if`.
  template <backends::ExecutionSpace Exec, class Queries, class Predicate, class Out>
  void count_if(const Exec& exec, const Queries& queries, const Predicate& predicate,
                const Out& out) const {
    count_if_async(exec, queries, predicate, out);
    exec.fence("hashmill::count_if: results are handed to the caller");
  }
  /// See `contains_if`.
  template <backends::ExecutionSpace Exec, class Queries, class Predicate, class Out>
  void find_if(const Exec& exec, const Queries& queries, const Predicate& predicate,
               const Out& out) const {
    find_if_async(exec, queries, predicate, out);
    exec.fence("hashmill::find_if: results are handed to the caller");
  }
  /// These three without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Predicate, class Out>
  void contains_if_async(const Exec& exec, const Queries& queries, const Predicate& predicate,
                         const Out& out) const {
    const auto region = detail::enter(exec, table(), "contains_if");
    detail::bulk_answer_if("contains_if", exec, table().ref(), queries, predicate,
                           detail::ContainsEach{table().ref(), out});
  }
  /// `count_if` without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Predicate, class Out>
  void count_if_async(const Exec& exec, const Queries& queries, const Predicate& predicate,
                      const Out& out) const {
    const auto region = detail::enter(exec, table(), "count_if");
    check_counts<Out>();
    detail::bulk_answer_if("count_if", exec, table().ref(), queries, predicate,
                           detail::CountEach{table().ref(), out});
  }
  /// `find_if` without the fence.
  template <backends::ExecutionSpace Exec, class Queries, class Predicate, class Out>
  void find_if_async(const Exec& exec, const Queries& queries, const Predicate& predicate,
                     const Out& out) const {
    static_assert(Table::has_rows, "hashmill::find_if: this table stores keys without rows");
    detail::require_room_for_rows<Row, Out>();
    const auto region = detail::enter(exec, table(), "find_if");
    detail::bulk_answer_if("find_if", exec, table().ref(), queries, predicate,
                           detail::FindEach{table().ref(), out});
  }

  /// All rows of every query, in compressed form (CSR). Fences `exec`. Looks every query up twice
  /// (count, then fill) and allocates exactly the result. Throws CapacityError when memory does not
  /// suffice.
  template <backends::ExecutionSpace Exec, class Queries>
  [[nodiscard]] CsrRows<Row, MemorySpace> retrieve(const Exec& exec, const Queries& queries) const {
    CsrRows<Row, MemorySpace> result;
    Workspace<MemorySpace> workspace;
    retrieve(exec, queries, result, workspace);
    return result;
  }
  /// As above, into `result`, whose memory is reused where it suffices. The previous contents of
  /// `result` are lost, even when this throws.
  template <backends::ExecutionSpace Exec, class Queries>
  void retrieve(const Exec& exec, const Queries& queries, CsrRows<Row, MemorySpace>& result,
                Workspace<MemorySpace>& workspace) const {
    static_assert(Table::has_rows, "hashmill::retrieve: this table stores keys without rows");
    const auto region = detail::enter(exec, table(), "retrieve");
    detail::bulk_retrieve(exec, table().ref(), queries, result, workspace);
  }

  /// Calls `f(key, row)` for every entry, or `f(row)` if `f` takes only that, or `f(key)` in tables
  /// without rows. Calls come from many threads, in no particular order. Fences `exec`.
  template <backends::ExecutionSpace Exec, class F>
  void for_each(const Exec& exec, const F& f) const {
    for_each_async(exec, f);
    exec.fence("hashmill::for_each: results are handed to the caller");
  }
  /// `for_each` without the fence.
  template <backends::ExecutionSpace Exec, class F>
  void for_each_async(const Exec& exec, const F& f) const {
    const auto region = detail::enter(exec, table(), "for_each");
    const auto parts = entries();
    using Visit = detail::VisitPart<std::decay_t<decltype(parts)>, detail::GiveEntry<F>>;
    backends::for_each_index("hashmill::for_each", exec, parts.size(), Visit{parts, {f}});
  }

  /// The entries as kernels visit them, in `size()` parts, each for one thread: `parts(p, f)` calls
  /// `f(key, row)` for the entries of part p. Valid as long as `ref()`.
  [[nodiscard]] auto entries() const { return table().entry_parts(); }

  /// All entries, keys and rows side by side, in no particular order. Fences `exec`. Reads the
  /// table twice (three times where teams are wide), without atomics, and allocates exactly the
  /// result. Throws CapacityError when memory does not suffice.
  template <backends::ExecutionSpace Exec>
  [[nodiscard]] auto retrieve_all(const Exec& exec) const {
    static_assert(Table::has_rows, "hashmill::retrieve_all: this table stores keys without rows");
    const auto region = detail::enter(exec, table(), "retrieve_all");
    return detail::retrieve_entries<typename Table::key_type, Row, MemorySpace>(exec, entries());
  }

 protected:
  MultiMapLookups() = default;
  ~MultiMapLookups() = default;
  MultiMapLookups(MultiMapLookups&&) noexcept = default;
  MultiMapLookups& operator=(MultiMapLookups&&) noexcept = default;

 private:
  template <class Out>
  void check_counts() const {
    detail::require_room_for_rows<Row, Out>();
    if constexpr (Kokkos::is_view_v<Out>) {
      constexpr auto digits = std::numeric_limits<typename Out::non_const_value_type>::digits;
      if constexpr (digits < 63) {
        if (table().size() >> digits == 0) return;
        throw CapacityError("count: " + std::to_string(table().size()) +
                                " entries, and results of " + std::to_string(digits) + " bits",
                            table().size(), (std::uint64_t{1} << digits) - 1);
      }
    }
  }
  [[nodiscard]] const Table& table() const { return static_cast<const Table&>(*this); }
};

}  // namespace hashmill
