#include <gtest/gtest.h>

#include <hashmill/hashmill.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "algorithms/support/inputs.hpp"
#include "core/arrow_producer.hpp"

/// Joins and group-bys over arrays of another producer, which lie in the host's memory.

namespace hashmill::test {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;
using HostMemory = Kokkos::HostSpace;

/// Rows in std types, and the record batch that says the same.
struct Sale {
  std::optional<std::string> city;
  std::optional<std::int64_t> product;
  bool is_paid;
  std::optional<double> price;
};

std::vector<Sale> random_sales(std::uint64_t count, std::uint64_t seed) {
  const std::string cities[] = {"", "Ulm", "Bonn", "a city with a long name"};
  const Numbers numbers = random_numbers(4 * count + 1, seed);
  std::vector<Sale> sales(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t city = numbers[4 * i] % 5, product = numbers[4 * i + 1] % 7;
    if (city < 4) sales[i].city = cities[city];
    if (product < 6) sales[i].product = static_cast<std::int64_t>(product) - 3;
    sales[i].is_paid = numbers[4 * i + 2] % 2 == 0;
    if (numbers[4 * i + 3] % 4 != 0) sales[i].price = static_cast<double>(numbers[4 * i + 3] % 100);
  }
  return sales;
}

/// As a slice of longer arrays: `before` rows of rubbish lie in front.
ArrowOwner produce_sales(const std::vector<Sale>& sales, std::int64_t before, Releases& releases) {
  const auto skipped = static_cast<std::size_t>(before);
  std::vector<std::string> cities(skipped, "rubbish");
  std::vector<std::int64_t> products(skipped, 77);
  std::vector<double> prices(skipped, -1e9);
  std::vector<bool> has_city, has_product, is_paid, has_price;
  for (const Sale& sale : sales) {
    cities.push_back(sale.city.value_or("rubbish"));
    products.push_back(sale.product.value_or(77));
    prices.push_back(sale.price.value_or(-1e9));
    has_city.push_back(sale.city.has_value());
    has_product.push_back(sale.product.has_value());
    is_paid.push_back(sale.is_paid);
    has_price.push_back(sale.price.has_value());
  }
  Produced columns[] = {produced_strings<std::int64_t>("U", cities),
                        produced_numbers("l", products),
                        {"b", "", 0, 0, 0, {Buffer(), bitmap(is_paid, skipped)}},
                        produced_numbers("g", prices)};
  const char* const names[] = {"city", "product", "paid", "price"};
  columns[0].buffers[0] = bitmap(has_city, skipped);
  columns[1].buffers[0] = bitmap(has_product, skipped);
  columns[3].buffers[0] = bitmap(has_price, skipped);
  Produced batch = produced_batch(static_cast<std::int64_t>(sales.size()), {});
  batch.offset = before;
  for (int c = 0; c < 4; ++c) {
    columns[c].name = names[c];
    columns[c].length = before + batch.length;
    if (c != 2) columns[c].null_count = -1;
    batch.children.push_back(columns[c]);
  }
  return produce(batch, releases);
}

auto keys_of(const ArrowView& batch) {
  return columns(arrow_string_column<std::int64_t>(batch.child("city")),
                 arrow_column<std::int64_t>(batch.child("product")),
                 arrow_boolean_column(batch.child("paid")));
}

using Key = std::tuple<std::optional<std::string>, std::optional<std::int64_t>, bool>;
Key key_of(const Sale& sale) { return {sale.city, sale.product, sale.is_paid}; }

struct Total {
  std::uint64_t count = 0;
  std::optional<double> sum;
  bool operator==(const Total&) const = default;
};

TEST(ArrowColumns, GroupAsStdMapDoes) {
  for (const std::uint64_t rows : {0, 1, 3000}) {
    for (const std::int64_t before : {0, 11}) {
      SCOPED_TRACE(std::to_string(rows) + " rows after " + std::to_string(before));
      const auto sales = random_sales(rows, 71);
      Releases releases;
      ArrowOwner batch = produce_sales(sales, before, releases);
      const auto grouped = group_by(Host(), keys_of(batch.view()).nulls_equal(), agg::count(),
                                    agg::sum(arrow_column<double>(batch.view().child("price"))));
      batch.release();
      EXPECT_EQ(releases.arrays, 5);
      // Results go out as a record batch and come back.
      const auto& [count, sum] = grouped.results;
      const ArrowOwner results =
          to_arrow_batch(to_arrow("row", grouped.representatives), to_arrow("count", count.values),
                         to_arrow("sum", sum.values, sum.valid_bits));
      const auto row = arrow_column<std::uint32_t>(results.view().child("row"));
      const auto counts = arrow_column<std::uint64_t>(results.view().child("count"));
      const auto sums = arrow_column<double>(results.view().child("sum"));
      std::map<Key, Total> expected, actual;
      for (const Sale& sale : sales) {
        Total& total = expected[key_of(sale)];
        ++total.count;
        if (sale.price) total.sum = total.sum.value_or(0) + *sale.price;
      }
      for (std::uint64_t g = 0; g < row.size(); ++g) {
        Total& total = actual[key_of(sales[row(g)])];
        total.count = counts(g);
        if (!sums.is_null(g)) total.sum = sums(g);
      }
      EXPECT_EQ(row.size(), expected.size());
      EXPECT_TRUE(actual == expected);
    }
  }
}

TEST(ArrowColumns, JoinAsStdMapDoes) {
  const auto left = random_sales(400, 72), right = random_sales(300, 73);
  std::multimap<Key, std::uint64_t> rows_of;
  for (std::uint64_t r = 0; r < right.size(); ++r) rows_of.emplace(key_of(right[r]), r);
  std::multiset<std::tuple<std::uint64_t, std::uint64_t, double>> expected, actual;
  const auto price = [&](std::uint64_t r) { return right[r].price.value_or(-1e9); };
  for (std::uint64_t l = 0; l < left.size(); ++l) {
    if (!left[l].city || !left[l].product) continue;  // SQL's nulls match nothing
    const auto [begin, end] = rows_of.equal_range(key_of(left[l]));
    for (auto place = begin; place != end; ++place) {
      expected.emplace(l, place->second, price(place->second));
    }
  }
  Releases releases;
  const ArrowOwner left_batch = produce_sales(left, 3, releases);
  const ArrowOwner right_batch = produce_sales(right, 0, releases);
  const auto table = row_table(Host(), keys_of(right_batch.view()));
  const auto pairs = join(Host(), JoinKind::inner, keys_of(left_batch.view()), table);
  const Kokkos::View<double*, HostMemory> prices("hashmill::test::prices", pairs.size());
  gather(Host(), arrow_column<double>(right_batch.view().child("price")), pairs.right, prices,
         -1e9);
  const ArrowOwner joined = to_arrow_batch(
      to_arrow("left", pairs.left), to_arrow("right", pairs.right), to_arrow("price", prices));
  const auto lefts = arrow_column<std::uint32_t>(joined.view().child(0));
  const auto rights = arrow_column<std::uint32_t>(joined.view().child(1));
  const auto gathered = arrow_column<double>(joined.view().child(2));
  for (std::uint64_t i = 0; i < lefts.size(); ++i) {
    actual.emplace(lefts(i), rights(i), gathered(i));
  }
  EXPECT_FALSE(expected.empty());
  EXPECT_TRUE(actual == expected);
}

}  // namespace
}  // namespace hashmill::test
