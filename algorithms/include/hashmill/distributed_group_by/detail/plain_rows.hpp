#pragma once

#include <bit>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/column.hpp>
#include <hashmill/distributed_group_by/detail/frequent_rows.hpp>
#include <hashmill/distributed_group_by/detail/row_states.hpp>
#include <hashmill/group_by/detail/batches/group_table.hpp>
#include <hashmill/group_by/detail/batches/kept_folds.hpp>
#include <hashmill/string_view.hpp>
#include <tuple>

namespace hashmill::detail {

// Rows that travel as they are, keys and values, in place of keys and states. Where no key repeats
// a state says no more than the values, but takes more bytes.

/// Whether the rows of an aggregation can travel so. Strings can be longer than any state.
template <class Aggregation>
inline constexpr bool travels_plainly = false;
template <class Op, class Source, bool Nullable>
inline constexpr bool travels_plainly<Fold<Op, Source, Nullable>> =
    has_row_state<Fold<Op, Source, Nullable>> &&
    !std::is_same_v<typename Source::value_type, StringView>;
template <class Op>
inline constexpr bool travels_plainly<Fold<Op, EveryRow, false>> = true;

/// What a rank has to say to it. All ranks do what the greatest vote says.
enum class PlainVote : std::uint64_t {
  any,    ///< it has few rows
  plain,  ///< its rows travel as they are
  states
};

/// Counts the sampled rows of each hash. Says where a key has as many as `least`, or keys of one
/// hash together.
template <class Keys>
struct CountSampledKeys {
  static constexpr std::uint32_t least = 4;
  Keys keys;
  RowHash hash;
  std::uint64_t stride;
  unsigned shift;
  std::uint32_t *counts, *is_hot;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const auto key = keys(static_cast<std::uint64_t>(i) * stride);
    const std::uint32_t before = Kokkos::atomic_fetch_inc(counts + (hash(key) >> shift));
    if (before + 1 == least) backends::store_relaxed(is_hot, std::uint32_t{1});
  }
};

/// Whether a sample of a batch, as `divide_rows` takes it, shows a key four times. A key that holds
/// a 5000th of a large batch is missed once in 500 times. Of 2^16 different keys none is taken for
/// one, but once in 100 times. Waits for `exec`.
template <class Exec, class By, class MemorySpace>
[[nodiscard]] bool has_hot_key(const Exec& exec, const By& by, Seed seed,
                               Workspace<MemorySpace>& workspace) {
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const std::uint64_t sampled = sampled_rows(by.size());
  const auto bits = static_cast<unsigned>(std::bit_width(64 * sampled));
  const auto counts = workspace.template take<std::uint32_t>(exec, (std::uint64_t{1} << bits) + 1);
  Kokkos::deep_copy(exec, counts, std::uint32_t{0});
  const std::uint64_t hot = std::uint64_t{1} << bits;
  backends::for_each_index(
      "hashmill::distributed_group_by::count_keys", exec, sampled,
      CountSampledKeys<By>{by, hash_at(RowHash(seed), HashLevel::sample), by.size() / sampled,
                           64 - bits, counts.data(), counts.data() + hot});
  return backends::fetch(exec, counts, hot, "hashmill: hot keys decide what travels") != 0;
}

/// How a rank sends a batch.
struct BatchPlan {
  PlainVote vote;
  PreAggregation states;  // where states travel
};
/// Chooses it; `by` is `columns(...)`. Waits for `exec`.
template <class Exec, class By, class MemorySpace>
[[nodiscard]] BatchPlan plan_batch(const Exec& exec, const By& by,
                                   const DistributedGroupOptions& options,
                                   Workspace<MemorySpace>& workspace) {
  switch (options.pre_aggregation) {
    case PreAggregation::all_keys:
    case PreAggregation::frequent_keys:
      return {PlainVote::states, options.pre_aggregation};
    case PreAggregation::no_keys:
      return {PlainVote::plain, PreAggregation::frequent_keys};
    case PreAggregation::automatic:
      break;
  }
  if (by.size() <= few_rows) return {PlainVote::any, PreAggregation::all_keys};
  if (!keys_hardly_repeat(exec, by, options.seed, workspace)) {
    return {PlainVote::states, PreAggregation::all_keys};
  }
  const bool is_even = !has_hot_key(exec, by, options.seed, workspace);
  return {is_even ? PlainVote::plain : PlainVote::states, PreAggregation::frequent_keys};
}

/// The column that an aggregation reads, as it travels: a tuple of at most one.
template <class Op, bool Nullable>
[[nodiscard]] std::tuple<> sent_values(const Fold<Op, EveryRow, Nullable>&) {
  return {};
}
template <class Op, class Source, bool Nullable>
[[nodiscard]] auto sent_values(const Fold<Op, Source, Nullable>& fold) {
  if constexpr (Nullable) {
    return std::tuple(fold.column());
  } else {
    return std::tuple(ValuesOnly<Source>{fold.column()});
  }
}

/// An aggregation of a column that has arrived.
template <class Received, class Op, class Source, bool Nullable>
[[nodiscard]] auto received_fold(const Received& received, const Fold<Op, Source, Nullable>& sent) {
  const auto column = [&] {
    if constexpr (Nullable) {
      return received.column();
    } else {
      return as_column(received);
    }
  }();
  return Fold<Op, std::decay_t<decltype(column)>, Nullable>(column, sent.op());
}
/// The aggregations of rows that have arrived: their values are in columns `C` and after.
template <unsigned C, class Received>
[[nodiscard]] FoldList<> received_folds(const Received&) {
  return {};
}
template <unsigned C, class Received, class First, class... Rest>
[[nodiscard]] auto received_folds(const Received& received, const First& first,
                                  const Rest&... rest) {
  if constexpr (std::is_same_v<typename First::Column, EveryRow>) {
    return prepend(first, received_folds<C>(received, rest...));
  } else {
    return prepend(received_fold(received.template column<C>(), first),
                   received_folds<C + 1>(received, rest...));
  }
}

}  // namespace hashmill::detail
