#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>

#include "case/compare_case.hpp"
#include "keys/key_generator.hpp"
#include "keys/null_keys.hpp"

namespace hashmill::perf {

/// Keys of a group-by as a key source, with `num_groups` groups:
///
///     | data            | groups                                                    |
///     |-----------------|-----------------------------------------------------------|
///     | by default      | almost equal in size                                      |
///     | order `drawn`   | drawn with replacement; some may have no row              |
///     | with a skew     | of Zipf-distributed frequency; some may have no row       |
///
/// Equal keys are adjacent in order `sequential` without a skew, else anywhere.
template <class Key>
class GroupKeys {
 public:
  using key_type = Key;

  /// `wanted.num_groups` lies in [1, wanted.num_keys], and both below 2^32.
  explicit GroupKeys(const DataAxes& wanted)
      : num_groups_(wanted.num_groups),
        is_skewed_(wanted.skew > 0),
        is_drawn_(wanted.order == KeyOrder::drawn),
        has_nulls_(wanted.columns == KeyColumns::nulls),
        seed_(splitmix64(wanted.seed)),
        order_(make_order(wanted.distribution())),
        ranks_(std::max<std::uint64_t>(1, num_groups_), is_skewed_ ? wanted.skew : 1),
        codec_(make_codec<Key>(wanted.distribution())) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return order_.size(); }
  KOKKOS_FUNCTION std::uint64_t num_groups() const { return num_groups_; }

  /// The group of a row, from 0.
  KOKKOS_FUNCTION std::uint64_t group_of(std::uint64_t row) const {
    if (is_skewed_) return ranks_(splitmix64(seed_ + row)) - 1;
    if (is_drawn_) return splitmix64(seed_ + row) % num_groups_;
    return order_(row) * num_groups_ / size();
  }
  KOKKOS_FUNCTION Key key_of(std::uint64_t group) const { return codec_.encode(group); }

  /// The group that a row counts in, and its key: all null ones are one more group, the last.
  KOKKOS_FUNCTION std::uint64_t counted_group_of(std::uint64_t row) const {
    const std::uint64_t group = group_of(row);
    return has_nulls_ && is_null_key(key_of(group)) ? num_groups_ : group;
  }
  KOKKOS_FUNCTION Key counted_key_of(std::uint64_t group) const {
    return group < num_groups_ ? key_of(group) : null_key<Key>();
  }

  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const { return key_of(group_of(row)); }

 private:
  std::uint64_t num_groups_;
  bool is_skewed_, is_drawn_, has_nulls_;
  std::uint64_t seed_;
  IndexPermutation order_;
  ZipfDistribution ranks_;
  KeyCodec<Key> codec_;
};

}  // namespace hashmill::perf
