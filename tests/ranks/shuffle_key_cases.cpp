#include <hashmill/group_by.hpp>
#include <limits>
#include <map>
#include <set>

#include "algorithms/group_by/mixed_rows.hpp"
#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {
namespace {

// Keys in columns of any kinds: all rows of a key meet on one rank.

/// Keys of a rank in three columns. Odd ranks have no nulls.
struct KeyRows {
  Strings names;
  Optionals<double> numbers;
  Optionals<std::int8_t> small;

  KeyRows(int rank, std::uint64_t rows) {
    const auto optional = [&](auto value, bool is_null) {
      return is_null && rank % 2 == 0 ? std::nullopt : std::optional(value);
    };
    for (std::uint64_t i = 0; i < rows; ++i) {
      const std::uint64_t n = murmur3_fmix64((std::uint64_t(rank) << 32) + i);
      const double number = n % 4 == 0   ? std::numeric_limits<double>::quiet_NaN()
                            : n % 4 == 1 ? -0.0
                                         : double(n % 4) / 2 - 1;
      names.push_back(optional(std::string(n / 8 % 3 * 9, 'x'), n / 32 % 4 == 0));
      numbers.push_back(optional(number, n / 256 % 5 == 0));
      small.push_back(optional(static_cast<std::int8_t>(n / 4096 % 3), n / 16384 % 4 == 0));
    }
  }
  [[nodiscard]] std::string key(std::uint64_t i) const {
    const auto text = [](const auto& value) { return value ? std::to_string(*value + 0.0) : "-"; };
    return names[i].value_or("-") + "|" + text(numbers[i]) + "|" + text(small[i]);
  }
};

/// Calls `use(names, numbers, small)` with the columns of a rank. Those of odd ranks have no
/// validity.
template <class Use>
void with_key_columns(int rank, const KeyRows& rows, const Use& use) {
  const DeviceStrings names(rows.names);
  const DeviceValues<double> numbers(rows.numbers);
  const DeviceValues<std::int8_t> small(rows.small);
  if (rank % 2 == 0) return use(names.column(), numbers.column(), small.column());
  const auto with_bits = names.column();
  std::vector<double> values;
  std::vector<std::int8_t> small_values;
  for (const auto& value : rows.numbers) values.push_back(*value);
  for (const auto& value : rows.small) small_values.push_back(*value);
  const auto values_there = to_device(values);
  const auto small_there = to_device(small_values);
  use(with_bits, column(values_there), column(small_there));
}

/// Expects all rows of a key on one rank, and the columns of each row as they were. `key_of(rows,
/// i)` is the key of a row.
template <class Received, class KeyOfRow>
void expect_keys_together(const Received& received, const ShuffleInput& input,
                          const Communicator& ranks, const KeyOfRow& key_of) {
  std::vector<KeyRows> all;
  std::map<std::string, std::uint64_t> rows_of_all, rows_of_mine;
  std::uint64_t total = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    const std::uint64_t rows = input.rows(r, ranks.size());
    total += rows;
    all.emplace_back(r, rows);
    for (std::uint64_t i = 0; i < rows; ++i) ++rows_of_all[key_of(all.back(), i)];
  }
  const auto origins = to_host(received.template column<0>());
  const auto names = host_strings(received.template column<1>());
  const auto numbers = host_column(received.template column<2>());
  const auto small = host_column(received.template column<3>());
  for (std::uint64_t i = 0; i < origins.size(); ++i) {
    const KeyRows& rows = all[rank_of(origins[i])];
    const std::uint64_t row = row_of(origins[i]);
    ASSERT_TRUE(names[i] == rows.names[row]);
    ASSERT_EQ(numbers[i].has_value(), rows.numbers[row].has_value());
    if (numbers[i] && *rows.numbers[row] == *rows.numbers[row]) {
      ASSERT_EQ(numbers[i], rows.numbers[row]);
    }
    ASSERT_EQ(small[i], rows.small[row]);
    ++rows_of_mine[key_of(rows, row)];
  }
  for (const auto& [key, rows] : rows_of_mine) EXPECT_EQ(rows, rows_of_all[key]) << key;
  std::uint64_t received_rows[] = {received.size()};
  ranks.all_reduce(received_rows, Reduction::sum);
  EXPECT_EQ(received_rows[0], total);
}

/// Calls `use(input, columns...)` with the columns of this rank's rows, the global rows first.
template <class Use>
void for_each_key_input(const Communicator& ranks, const Use& use) {
  for (const ShuffleInput& input : shuffle_inputs) {
    SCOPED_TRACE(input.name);
    const KeyRows rows(ranks.rank(), input.rows(ranks.rank(), ranks.size()));
    const GlobalRows origins(ranks.rank(), rows.names.size());
    with_key_columns(ranks.rank(), rows,
                     [&](const auto&... columns) { use(input, origins, columns...); });
  }
}

void shuffles_by_nullable_columns(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_key_input(
      ranks, [&](const ShuffleInput& input, const GlobalRows& origins, const auto&... key) {
        for (const std::uint64_t seed : {0, 9}) {
          const auto received = shuffle(rank_exec(), ranks, columns(key...),
                                        ShuffleOptions{Seed(seed)}, workspace, origins, key...);
          expect_keys_together(received, input, ranks,
                               [](const KeyRows& of, std::uint64_t i) { return of.key(i); });
          // What comes is a column like any other.
          std::vector<KeyRows> all;
          for (int r = 0; r < ranks.size(); ++r) all.emplace_back(r, input.rows(r, ranks.size()));
          std::set<std::string> keys_of_mine;
          for (const GlobalRow row : to_host(received.template column<0>())) {
            keys_of_mine.insert(all[rank_of(row)].key(row_of(row)));
          }
          const auto groups = group_by(rank_exec(),
                                       columns(received.template column<1>().column(),
                                               received.template column<2>().column(),
                                               received.template column<3>().column()),
                                       agg::count());
          EXPECT_EQ(groups.size(), keys_of_mine.size());
        }
      });
}

/// Keys in one column that can be null.
void shuffles_by_one_column(const Communicator& ranks) {
  Workspace<Memory> workspace;
  const auto name = [](const KeyRows& of, std::uint64_t i) { return of.names[i].value_or("-"); };
  for_each_key_input(ranks, [&](const ShuffleInput& input, const GlobalRows& origins,
                                const auto& names, const auto& numbers, const auto& small) {
    const auto by = [&](const auto& keys) {
      return shuffle(rank_exec(), ranks, keys, workspace, origins, names, numbers, small);
    };
    expect_keys_together(by(names), input, ranks, name);
    expect_keys_together(by(small), input, ranks, [](const KeyRows& of, std::uint64_t i) {
      return of.small[i] ? std::to_string(*of.small[i]) : "-";
    });
    // Strings on some ranks, and the same in dictionaries on others.
    std::vector<std::int32_t> codes(names.size());
    std::iota(codes.begin(), codes.end(), 0);
    const auto codes_there = to_device(codes);
    const auto coded = dictionary_column(column(codes_there), names);
    expect_keys_together(ranks.rank() % 2 == 0 ? by(names) : by(coded), input, ranks, name);
  });
}

}  // namespace

std::span<const RankCase> shuffle_key_cases() {
  static constexpr RankCase all[] = {
      {"shuffles_by_nullable_columns", shuffles_by_nullable_columns},
      {"shuffles_by_one_column", shuffles_by_one_column},
  };
  return all;
}

}  // namespace hashmill::test
