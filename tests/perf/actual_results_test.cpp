#include "answers/actual_results.hpp"

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/csr.hpp>

#include "answers/expected_results.hpp"

namespace hashmill::perf {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Memory = Exec::memory_space;
using Key = std::uint32_t;
using Rows = Kokkos::View<std::uint32_t*, Memory>;
using Csr = CsrRows<std::uint32_t, Memory>;

DataAxes make_axes() {
  DataAxes axes;
  axes.num_keys = 600;
  axes.num_queries = 400;
  axes.multiplicity = 3;
  axes.hit_rate = 0.5;
  return axes;
}

/// Data with the right answers, and answers found by comparing every query with every key.
class ActualResults : public testing::Test {
 protected:
  ActualResults() : data_(exec_, make_axes()), rows_("rows", 400), counts_("counts", 400), csr_{} {
    data_.set_queries(exec_, make_axes());
    expected_ = expected_matches(exec_, data_);
    csr_.offsets = decltype(csr_.offsets)("offsets", 401);
    csr_.rows = decltype(csr_.rows)("rows", expected_.pairs.count);
    std::uint64_t found = 0;
    for (std::uint64_t query = 0; query < 400; ++query) {
      rows_(query) = no_row<std::uint32_t>;
      for (std::uint32_t row = 0; row < 600; ++row) {
        if (data_.keys()(row) != data_.queries()(query)) continue;
        rows_(query) = row;
        ++counts_(query);
        if (found < csr_.rows.size()) csr_.rows(found) = row;
        ++found;
      }
      csr_.offsets(query + 1) = found;
    }
  }

  std::string check_found() const {
    using Keys = DataSet<Exec, Key>::Keys;
    const TallyFound<Keys, Rows> functor{data_.keys(), data_.queries(), rows_};
    return compare_tallies(expected_.hits, tally(exec_, 400, functor));
  }
  std::string check_counted() const {
    const TallyCounted<decltype(counts_)> functor{counts_};
    return compare_tallies(expected_.counts, tally(exec_, 400, functor));
  }
  std::string check_retrieved() const {
    return compare_tallies(expected_.pairs, tally(exec_, 400, TallyRetrieved<Csr>{csr_}));
  }

  Exec exec_;
  DataSet<Exec, Key> data_;
  ExpectedMatches expected_;
  Rows rows_;
  Kokkos::View<std::uint64_t*, Memory> counts_;
  Csr csr_;
};

TEST_F(ActualResults, ThatAreRightPass) {
  EXPECT_EQ(expected_.hits.count, 200u);
  EXPECT_EQ(check_found(), "");
  EXPECT_EQ(check_counted(), "");
  EXPECT_EQ(check_retrieved(), "");
}

TEST_F(ActualResults, OfFindAreCaughtWhenOneIsWrong) {
  std::uint64_t hit = 0;
  while (rows_(hit) == no_row<std::uint32_t>) ++hit;
  const std::uint32_t right = rows_(hit);
  rows_(hit) = no_row<std::uint32_t>;
  EXPECT_EQ(check_found(), "199 results, expected 200");
  rows_(hit) = right == 0 ? 1 : right - 1;
  if (data_.keys()(rows_(hit)) != data_.queries()(hit)) {
    EXPECT_EQ(check_found(), "1 results do not hold the query's key");
  }
  rows_(hit) = 600;
  EXPECT_EQ(check_found(), "1 results do not hold the query's key");
}

TEST_F(ActualResults, OfCountAreCaughtWhenTwoAreSwapped) {
  std::uint64_t hit = 0;
  while (counts_(hit) == 0) ++hit;
  std::uint64_t miss = 0;
  while (counts_(miss) != 0) ++miss;
  std::swap(counts_(hit), counts_(miss));
  EXPECT_EQ(check_counted(),
            "the checksum of " + std::to_string(expected_.counts.count) + " results is wrong");
}

TEST_F(ActualResults, OfRetrieveAreCaughtWhenARowIsWrongButNotWhenTheOrderDiffers) {
  std::uint64_t hit = 0;
  while (counts_(hit) < 2) ++hit;
  const std::uint64_t first = csr_.offsets(hit);
  std::swap(csr_.rows(first), csr_.rows(first + 1));
  EXPECT_EQ(check_retrieved(), "");
  ++csr_.rows(first);
  EXPECT_EQ(check_retrieved(),
            "the checksum of " + std::to_string(expected_.pairs.count) + " results is wrong");
}

}  // namespace
}  // namespace hashmill::perf
