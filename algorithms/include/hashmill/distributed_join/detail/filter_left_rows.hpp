#pragma once

#include <hashmill/distributed_join/detail/movement_plan.hpp>
#include <hashmill/join_filter.hpp>
#include <hashmill/primitives/detail/keys_at.hpp>
#include <hashmill/shuffle/detail/or_over_ranks.hpp>
#include <optional>
#include <tuple>

namespace hashmill::detail {

/// When `Prefilter::automatic` filters left rows before they are sent. The filter takes 1 byte per
/// right row of all ranks:
///
///     at most 64 MiB, and at most a 32nd of the bytes of a rank's left rows
///     at most half of 4096 left rows of each rank, or of each of its batches, pass
///
/// A filter that is made and then not used took a sixth of a join of equal sides (2^21 rows of 16
/// bytes, 2 ranks of a host).
struct LeftFilterRule {
  static constexpr std::uint64_t most_bytes = std::uint64_t{64} << 20, least_ratio = 32;
  static constexpr std::uint64_t sampled = 4096;

  [[nodiscard]] static bool may_pay(const JoinTotals& totals, std::uint64_t ranks) {
    return totals.right_rows <= most_bytes &&
           totals.right_rows <= totals.left_bytes / ranks / least_ratio;
  }
};

/// Rows at equal distances.
struct EveryNth {
  std::uint64_t step;
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(std::uint64_t i) const { return i * step; }
};

/// How many rows of a sample pass a filter.
struct SampledRows {
  std::uint64_t passed, asked;
};
/// Whether few of this rank's left rows pass.
template <class Exec, class Filter, class Keys>
[[nodiscard]] SampledRows count_sampled(const Exec& exec, const Filter& filter, const Keys& keys,
                                        Workspace<typename Exec::memory_space>& workspace) {
  using Memory = typename Exec::memory_space;
  const std::uint64_t rows = keys.size(), count = std::min(rows, LeftFilterRule::sampled);
  if (count == 0) return {0, 0};
  const auto access = key_access(keys);
  const KeysAt<std::decay_t<decltype(access)>, EveryNth, Memory> sample{
      access, {rows / count}, count};
  return {filter.select(exec, sample, workspace).extent(0), count};
}

/// Makes a filter of the right keys of all ranks, `all_rows` in number: `add(filter)` adds those of
/// this rank. Part of a collective call.
template <class Filter, class Exec, class Add>
[[nodiscard]] std::optional<Filter> agree_on_filter(const Exec& exec, const Communicator& ranks,
                                                    CollectiveCall& call, std::uint64_t all_rows,
                                                    Seed seed, const Add& add) {
  std::optional<Filter> filter;
  call.step("make a filter", [&] {
    JoinFilterOptions options;
    options.keys = all_rows;
    filter.emplace(exec, options, GroupHash<typename Filter::key_type>(seed));
    add(*filter);
  });
  call.agree("agree on filters");
  or_over_ranks(exec, ranks, call, filter->words(), filter->hold());
  // The least key of all ranks is the complement of the greatest complement.
  std::uint64_t bounds[] = {~filter->bounds().least, filter->bounds().greatest};
  ranks.all_reduce(bounds, Reduction::maximum, "combine bounds");
  filter->widen({~bounds[0], bounds[1]});
  return filter;
}

/// Makes such a filter of the right keys, and asks it for a sample of the left keys. Returns none
/// if the rule says that it does not pay.
template <class Request>
[[nodiscard]] auto agree_on_left_filter(const Request& request, std::uint64_t all_right_rows) {
  using Filter = typename Request::Filter;
  auto filter = agree_on_filter<Filter>(
      request.exec, request.ranks, request.call, all_right_rows, request.options.seed,
      [&](Filter& its) {
        request.for_each_right_keys([&](const auto& keys) { its.add(request.exec, keys); });
      });
  if (request.options.left_filter == Prefilter::always) return filter;
  std::uint64_t counts[] = {0, 0};
  request.call.step("sample", [&] {
    request.for_each_left_keys([&](const auto& keys) {
      const auto [passed, asked] = count_sampled(request.exec, *filter, keys, request.workspace);
      counts[0] += passed;
      counts[1] += asked;
    });
  });
  request.ranks.all_reduce(counts, Reduction::sum, "combine samples");
  if (counts[0] > counts[1] / 2) filter.reset();
  return filter;
}

}  // namespace hashmill::detail
