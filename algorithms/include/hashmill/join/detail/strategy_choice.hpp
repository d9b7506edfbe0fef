#pragma once

#include <algorithm>
#include <hashmill/backends/caches.hpp>
#include <hashmill/join/detail/join_keys.hpp>
#include <hashmill/join/detail/packed_columns.hpp>
#include <hashmill/join/detail/side.hpp>
#include <hashmill/join/hash_join_options.hpp>
#include <hashmill/key_mode.hpp>
#include <type_traits>

namespace hashmill::detail {

/// What `automatic` chooses from, and how, for sides of these types.
template <class Row, class Exec, class Right, class Equal>
struct StrategyChoice {
  using Key = KeyOf<Right>;
  static constexpr bool is_host = !backends::has_wide_teams<Exec>;
  /// Whether equal keys are equal values, and no more than that.
  static constexpr bool by_value =
      std::is_same_v<Equal, KeyEqual> || std::is_same_v<Equal, RowEqual>;
  static constexpr bool can_be_array = is_number_view<Right> && by_value;

  // CPUs compare eight keys of a part's table in one instruction if the keys travel as words. This
  // wins at any size. Keys that stay in their columns are read at random by either strategy, but
  // `look_up` reads only those of the right side at random.
  static constexpr bool always_partitions =
      is_packed_columns<Right> || (is_host && key_travels<Key> && sizeof(Key) <= 8);
  static constexpr bool always_looks_up = is_host && !key_travels<Key>;

  template <JoinStrategy By>
  using Constant = std::integral_constant<JoinStrategy, By>;

  /// Calls `use` with the strategy for keys that index no array, as a Constant.
  template <class Use>
  [[nodiscard]] static std::uint64_t with_choice([[maybe_unused]] const Exec& exec,
                                                 [[maybe_unused]] std::uint64_t right_rows,
                                                 const Use& use) {
    if constexpr (always_partitions) {
      return use(Constant<JoinStrategy::partitioned>());
    } else if constexpr (always_looks_up) {
      return use(Constant<JoinStrategy::look_up>());
    } else {
      return fits_shared_cache(exec, right_rows) ? use(Constant<JoinStrategy::look_up>())
                                                 : use(Constant<JoinStrategy::partitioned>());
    }
  }
  /// The largest range of keys for which an array is chosen. On CPUs, a larger array would be in a
  /// cache that cores share, or in memory. Its look-ups would then take as long as partitioning.
  [[nodiscard]] static std::uint64_t array_limit() {
    constexpr std::uint64_t most = KeyNormalizer<1>::array_limit;
    if constexpr (is_host) {
      return std::min<std::uint64_t>(most, 2 * backends::private_cache_bytes() / sizeof(Row));
    } else {
      return most;
    }
  }

 private:
  /// Whether a table of the right side fills at most half of the cache that all threads share.
  [[nodiscard]] static bool fits_shared_cache(const Exec& exec, std::uint64_t right_rows) {
    const std::uint64_t table_bytes = right_rows * (sizeof(Key) + 2 * sizeof(Row));
    return table_bytes <= backends::shared_cache_bytes(exec) / 2;
  }
};

}  // namespace hashmill::detail
