#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <tuple>

#include "answers/generated_reference.hpp"
#include "rank_checks.hpp"
#include "rank_keys.hpp"

namespace hashmill::perf {

/// Tallies the rows of one identity.
template <class Key>
struct TallyRowsOfKey {
  EvenKeys<Key> keys;
  std::uint64_t identity;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    sum.add(row_weight(keys.row_of(identity, i)));
  }
};

/// Tallies the pairs of queries from `first` on, by the numbers of their rows. Those of the hot
/// key, which may be many, are known.
template <class Key>
struct TallyPairsOfQueries {
  GeneratedReference<Key> known;
  std::uint64_t first, hot;
  MatchingRows hot_rows;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const std::uint64_t place = known.place_of(first + i);
    const MatchingRows rows = place == hot ? hot_rows : known.rows_at(place);
    sum += Tally{rows.count, rows.weight * query_weight(first + i), 0};
  }
};

/// Tallies joined rows; those whose key is not that of both of their numbers are faults.
template <class Key, class Keys, class Numbers>
struct TallyNumberedPairs {
  EvenKeys<Key> rows;
  GeneratedQueries<Key> queries;
  Keys left_keys, right_keys;
  Numbers left, right;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const std::uint64_t row = right(i), query = left(i);
    const bool is_pair = row < rows.size() && query < queries.size() &&
                         rows(row) == right_keys(i) && queries(query) == left_keys(i) &&
                         left_keys(i) == right_keys(i);
    if (is_pair) {
      sum.add(query_weight(query) * row_weight(row));
    } else {
      ++sum.faults;
    }
  }
};

/// Keys and payloads of 8 bytes: the right keys are unique, unless they are to occur several times
/// or one of them is hot, and a share of the left keys is among them. Payloads number the rows of a
/// side over all ranks.
///
/// Source: the random integers of H. Gao, N. Sakharnykh, "Scaling joins to a thousand GPUs", ADMS
/// 2021, section 6.2, where each row of one side has a match with a chance of 30 %. Here exactly 30
/// % of them have one.
template <class ExecutionSpace, class KeyType>
class RandomSides {
 public:
  using Exec = ExecutionSpace;
  using Key = KeyType;
  using memory_space = typename Exec::memory_space;
  using Keys = Kokkos::View<Key*, memory_space>;
  using Numbers = Kokkos::View<std::uint64_t*, memory_space>;
  using Columns = std::tuple<Keys, Numbers>;  ///< of a side: the key, then the payload
  using LeftColumns = Columns;
  using RightColumns = Columns;

  /// Throws `CapacityError` where they do not fit.
  RandomSides(const DataAxes& axes, const Communicator& ranks)
      : sides_(axes, ranks),
        left_(sides_.queries(), sides_.query_numbers()),
        right_(sides_.keys(), sides_.row_numbers()) {
    const EvenKeys<Key> keys = sides_.even_keys();
    const std::uint64_t hot = sides_.hot_key().identity;
    const Tally hot_rows = tally(exec(), keys.num_rows(hot), TallyRowsOfKey<Key>{keys, hot});
    expected_ = tally(exec(), sides_.queries().extent(0),
                      TallyPairsOfQueries<Key>{{keys, sides_.all_queries()},
                                               sides_.first_query(),
                                               hot,
                                               {hot_rows.count, hot_rows.weight}});
  }

  const Exec& exec() const { return sides_.exec(); }
  const LeftColumns& left() const { return left_; }
  const RightColumns& right() const { return right_; }
  /// Rows of both sides.
  std::uint64_t num_rows() const { return sides_.keys().extent(0) + sides_.queries().extent(0); }
  /// What is expected of the pairs of this rank's left rows.
  const Tally& expected() const { return expected_; }

  /// Wrong ones among joined rows, by the columns of both sides. Collective.
  std::uint64_t num_wrong(const LeftColumns& left, const RightColumns& right) const {
    const TallyNumberedPairs<Key, Keys, Numbers> pairs{sides_.even_keys(), sides_.all_queries(),
                                                       std::get<0>(left),  std::get<0>(right),
                                                       std::get<1>(left),  std::get<1>(right)};
    return perf::num_wrong(sides_.ranks(), expected_,
                           tally(exec(), pairs.left_keys.extent(0), pairs));
  }

 private:
  RankSides<Exec, Key> sides_;
  LeftColumns left_;
  RightColumns right_;
  Tally expected_;
};

}  // namespace hashmill::perf
