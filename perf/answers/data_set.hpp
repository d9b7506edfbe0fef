#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/error.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "case/compare_case.hpp"
#include "generated_reference.hpp"
#include "queries_of_rows.hpp"
#include "sorted_reference.hpp"
#include "tpch_reference.hpp"

namespace hashmill::perf {

/// The keys and queries of a case in the memory of `Exec`, and where the right answers come from.
template <class Exec, class Key>
class DataSet {
 public:
  using memory_space = typename Exec::memory_space;
  using Keys = Kokkos::View<Key*, memory_space>;
  using Generated = GeneratedReference<Key>;
  using Sorted = SortedReference<Key, memory_space>;

  /// Makes the keys. Throws `CapacityError` if they do not fit.
  DataSet(const Exec& exec, const DataAxes& axes) : axes_(axes), keys_(make_keys(exec, axes)) {}

  /// Whether the keys are those that `axes` ask for, so that tables of them stay valid.
  bool has_keys_of(DataAxes axes) const {
    axes.num_queries = axes_.num_queries;
    axes.hit_rate = axes_.hit_rate;
    axes.skew = axes_.skew;
    axes.hot_share = axes_.hot_share;
    return axes == axes_;
  }

  /// Whether the queries are those that `axes` ask for.
  bool has_queries_of(const DataAxes& axes) const {
    return axes == axes_ && queries_.size() == axes.num_queries;
  }

  /// Makes queries against the keys. Throws `CapacityError` if they do not fit, `InvalidArgument`
  /// if the key type has no values left for those that miss.
  void set_queries(const Exec& exec, const DataAxes& axes) {
    axes_ = axes;
    queries_ = Keys();
    if (axes.order == KeyOrder::tpch) {
      queries_ = make_line_keys(exec, orders_of(axes), {0, axes.num_keys});
    } else if (axes.file || axes.order == KeyOrder::drawn) {
      prepare_sorted(exec);
      const QueriesOfRows<Keys, Sorted> source(keys_, *sorted_, axes.num_queries, axes.hit_rate,
                                               axes.seed, axes.skew);
      queries_ = materialise(exec, source);
    } else {
      const GeneratedQueries<Key> source = queries_of(axes);
      if (!source.can_miss()) throw InvalidArgument("no key value is left for queries that miss");
      queries_ = materialise(exec, source);
    }
  }

  const DataAxes& axes() const { return axes_; }
  const Keys& keys() const { return keys_; }
  const Keys& queries() const { return queries_; }

  /// Calls `f(reference)` with the GeneratedReference, TpchReference or SortedReference that knows
  /// the right answers.
  template <class F>
  auto with_reference(const Exec& exec, F&& f) {
    if (axes_.order == KeyOrder::tpch)
      return f(TpchReference<Key, Keys>(orders_of(axes_), queries_));
    if (!axes_.file && !is_left_to_chance(axes_.order)) {
      return f(Generated(EvenKeys<Key>(axes_.distribution()), queries_of(axes_)));
    }
    prepare_sorted(exec);
    sorted_->set_queries(queries_);
    return f(std::as_const(*sorted_));
  }

 private:
  static TpchOrders<Key> orders_of(const DataAxes& axes) {
    return TpchOrders<Key>(axes.num_keys, axes.seed);
  }

  static GeneratedQueries<Key> queries_of(const DataAxes& axes) {
    return {axes.distribution(), axes.num_queries, axes.hit_rate, axes.skew, axes.hot_share};
  }

  static Keys make_keys(const Exec& exec, const DataAxes& axes) {
    if (axes.file) return keys_of_file(exec, *axes.file, axes.num_keys);
    if (axes.order == KeyOrder::tpch) return materialise(exec, orders_of(axes));
    if (axes.order == KeyOrder::zipf) return materialise(exec, ZipfKeys<Key>(axes.distribution()));
    if (axes.order == KeyOrder::drawn)
      return materialise(exec, DrawnKeys<Key>(axes.distribution()));
    return materialise(exec, EvenKeys<Key>(axes.distribution()));
  }

  static Keys keys_of_file(const Exec& exec, const KeyFile& file, std::uint64_t num_keys) {
    auto keys = backends::allocate<Keys>(exec, "hashmill::perf::keys", num_keys);
    auto staged = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, keys);
    exec.fence("hashmill::perf::DataSet: the host writes the keys");
    file.copy_to(staged.data(), num_keys);
    Kokkos::deep_copy(exec, keys, staged);
    exec.fence("hashmill::perf::DataSet: the staged keys are freed");
    return keys;
  }

  void prepare_sorted(const Exec& exec) {
    if (!sorted_) sorted_.emplace(exec, keys_);
  }

  DataAxes axes_;
  Keys keys_;
  Keys queries_;
  std::optional<Sorted> sorted_;
};

}  // namespace hashmill::perf
