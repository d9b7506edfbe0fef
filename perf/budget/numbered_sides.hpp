#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/distributed_join/join_side.hpp>
#include <utility>

#include "answers/tally.hpp"
#include "budgeted_joins.hpp"
#include "case/compare_case.hpp"
#include "keys/key_generator.hpp"
#include "keys/payload.hpp"

namespace hashmill::perf {

/// Tallies the pairs of each query: the generator is a bijection, so its rows follow from its
/// number.
struct TallyNumberedPairs {
  EvenKeys<std::uint64_t> keys;
  GeneratedQueries<std::uint64_t> queries;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    const std::uint64_t identity = queries.identity_of(query);
    const std::uint64_t rows = keys.num_rows(identity);
    for (std::uint64_t i = 0; i < rows; ++i) sum.add(pair_weight(query, keys.row_of(identity, i)));
  }
};

/// Keys of 8 bytes, and the number of each row in as many bytes.
template <class Memory>
struct NumberedColumns {
  using Column = Kokkos::View<std::uint64_t*, Memory>;
  Column keys, numbers;

  static constexpr std::uint64_t bytes_of_row = 2 * sizeof(std::uint64_t);
  std::uint64_t rows() const { return keys.extent(0); }
  NumberedKeys data() const { return {keys.data(), numbers.data(), rows()}; }
  /// Some rows as a side of a join. They stay where they are.
  auto batch(std::uint64_t first, std::uint64_t count) const {
    using Some =
        Kokkos::View<const std::uint64_t*, Memory, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return join_side<0>(Some(keys.data() + first, count), Some(numbers.data() + first, count));
  }
};

/// The sides of a join in the memory of `Exec`, and what their join gives.
template <class Exec>
class NumberedSides {
 public:
  using Columns = NumberedColumns<typename Exec::memory_space>;

  /// The order of the keys leaves nothing to chance.
  NumberedSides(const Exec& exec, const DataAxes& axes) {
    const EvenKeys<std::uint64_t> keys(axes.distribution());
    const GeneratedQueries<std::uint64_t> queries(axes.distribution(), axes.num_queries,
                                                  axes.hit_rate, axes.skew);
    right_ = {materialise(exec, keys), make_payloads<std::uint64_t>(exec, keys.size())};
    left_ = {materialise(exec, queries), make_payloads<std::uint64_t>(exec, queries.size())};
    expected_ = tally(exec, queries.size(), TallyNumberedPairs{keys, queries});
  }

  const Columns& left() const { return left_; }
  const Columns& right() const { return right_; }
  std::uint64_t rows() const { return left_.rows() + right_.rows(); }
  std::uint64_t bytes() const { return rows() * Columns::bytes_of_row; }
  const Tally& expected() const { return expected_; }

 private:
  Columns left_, right_;
  Tally expected_;
};

}  // namespace hashmill::perf
