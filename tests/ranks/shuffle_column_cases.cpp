#include <hashmill/boolean_column.hpp>
#include <numeric>

#include "algorithms/group_by/mixed_rows.hpp"
#include "algorithms/support/hashes.hpp"
#include "ranks/rank_cases.hpp"
#include "ranks/rank_inputs.hpp"

namespace hashmill::test {
namespace {

// What holds for shuffles of columns of any kinds. Each rank makes the rows of all ranks, so that
// it knows what it must receive.

/// Which rank a row is for, which ranks compress what they send, and how rows travel where there
/// are nodes.
struct ShuffleRoute {
  const char* name;
  std::uint64_t (*rank)(std::uint64_t key, std::uint64_t ranks);
  bool (*compresses)(int rank);
  ShuffleLevels levels;
};
template <class Hash>
std::uint64_t rank_by(std::uint64_t key, std::uint64_t ranks) {
  return rank_of_hash(Hash()(key), static_cast<std::uint32_t>(ranks));
}
constexpr ShuffleRoute shuffle_routes[] = {
    {"murmur", rank_by<Murmur3Hash>, [](int) { return true; }, ShuffleLevels::across_then_inside},
    {"constant_hash", rank_by<ConstantHash>, [](int rank) { return rank == 1; },
     ShuffleLevels::inside_then_across},
    {"four_bit_hash", rank_by<FourBitHash>, [](int rank) { return rank % 2 == 0; },
     ShuffleLevels::across_then_inside},
    {"last_rank", [](std::uint64_t, std::uint64_t ranks) { return ranks - 1; },
     [](int) { return false; }, ShuffleLevels::inside_then_across},
};
ShuffleOptions options_of(const ShuffleRoute& route, const Communicator& ranks) {
  ShuffleOptions options;
  options.compression = route.compresses(ranks.rank()) ? Compression::always : Compression::never;
  options.levels = route.levels;
  return options;
}

/// The rank of each row of `rank`, by its number.
std::vector<std::uint16_t> routed(const ShuffleRoute& route, int rank, int ranks,
                                  std::uint64_t rows) {
  std::vector<std::uint16_t> to(rows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    to[i] = static_cast<std::uint16_t>(
        route.rank((std::uint64_t(rank) << 32) + i, std::uint64_t(ranks)));
  }
  return to;
}
/// The values of a rank that are for `target`.
template <class Values>
Values routed_to(const Values& values, const std::vector<std::uint16_t>& to, int target) {
  Values result;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] == target) result.push_back(values[i]);
  }
  return result;
}
/// What this rank receives of `values_of(rank, rows)` of all ranks.
template <class ValuesOf>
auto received_of(const ShuffleInput& input, const ShuffleRoute& route, const Communicator& ranks,
                 const ValuesOf& values_of) {
  decltype(values_of(0, 0)) result;
  for (int r = 0; r < ranks.size(); ++r) {
    const std::uint64_t rows = input.rows(r, ranks.size());
    const auto mine =
        routed_to(values_of(r, rows), routed(route, r, ranks.size(), rows), ranks.rank());
    result.insert(result.end(), mine.begin(), mine.end());
  }
  return result;
}
/// Calls `run(input, route, ranks of this rank's rows)` for all of them.
template <class Run>
void for_each_route(const Communicator& ranks, const Run& run) {
  for (const ShuffleInput& input : shuffle_inputs) {
    for (const ShuffleRoute& route : shuffle_routes) {
      SCOPED_TRACE(std::string(input.name) + " " + route.name);
      const std::uint64_t rows = input.rows(ranks.rank(), ranks.size());
      run(input, route, to_device(routed(route, ranks.rank(), ranks.size(), rows)));
    }
  }
}

inline MixedRows mixed_rows(int rank, std::uint64_t rows) {
  return MixedRows(rows, 100 + std::uint64_t(rank));
}
/// Expects the columns that `with_columns` makes of rows.
template <class Received>
void expect_mixed_rows(const Received& received, const MixedRows& expected) {
  ASSERT_EQ(received.size(), expected.size());
  EXPECT_TRUE(host_column(received.template column<0>()) == expected.bytes);
  EXPECT_TRUE(host_strings(received.template column<1>()) == expected.names);
  EXPECT_TRUE(host_column(received.template column<2>()) == expected.doubles);
  EXPECT_TRUE(host_column(received.template column<3>()) == expected.colours);
  EXPECT_TRUE(host_column(received.template column<4>()) == expected.longs);
  EXPECT_TRUE(host_column(received.template column<5>()) == expected.floats);
  EXPECT_TRUE(host_strings(received.template column<6>()) == expected.notes);
  EXPECT_TRUE(host_column(received.template column<7>()) ==
              Optionals<SumAndCount>(expected.size(), initial));
}

/// Numbers and strings with nulls, side by side.
void shuffles_columns_of_all_kinds(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_route(ranks, [&](const ShuffleInput& input, const ShuffleRoute& route, const auto& to) {
    MixedRows expected;
    for (int r = 0; r < ranks.size(); ++r) {
      const MixedRows theirs = mixed_rows(r, input.rows(r, ranks.size()));
      const auto at = routed(route, r, ranks.size(), theirs.size());
      MixedRows mine;
      const auto add = [&](auto& values, const auto& from) {
        values = routed_to(from, at, ranks.rank());
      };
      add(mine.bytes, theirs.bytes);
      add(mine.names, theirs.names);
      add(mine.doubles, theirs.doubles);
      add(mine.colours, theirs.colours);
      add(mine.longs, theirs.longs);
      add(mine.floats, theirs.floats);
      add(mine.notes, theirs.notes);
      expected.append(mine);
    }
    with_columns(mixed_rows(ranks.rank(), to.extent(0)), [&](const auto&... columns) {
      expect_mixed_rows(
          shuffle_to(rank_exec(), ranks, to, options_of(route, ranks), workspace, columns...),
          expected);
    });
  });
}

/// Strings of a rank: none, empty ones only, or one that is longer than all others together.
inline Strings extreme_strings(int rank, std::uint64_t rows) {
  Strings strings(rows, "");
  if (rank % 2 == 1) return strings;
  for (std::uint64_t i = 0; i < rows; ++i) {
    strings[i] = std::string(i == 7 ? 100'000 : i % 3, static_cast<char>('a' + i % 26));
  }
  return strings;
}
/// Strings that cannot be null, with offsets of 32 bits.
void shuffles_strings(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_route(ranks, [&](const ShuffleInput& input, const ShuffleRoute& route, const auto& to) {
    std::vector<std::int32_t> offsets{0};
    std::string bytes;
    for (const auto& string : extreme_strings(ranks.rank(), to.extent(0))) {
      bytes += *string;
      offsets.push_back(static_cast<std::int32_t>(bytes.size()));
    }
    const auto offsets_there = to_device(offsets);
    const auto bytes_there = to_device(std::vector<char>(bytes.begin(), bytes.end()));
    const auto received = shuffle_to(rank_exec(), ranks, to, options_of(route, ranks), workspace,
                                     string_column(offsets_there, bytes_there));
    EXPECT_TRUE(host_strings(received.template column<0>()) ==
                received_of(input, route, ranks, extreme_strings));
  });
}

/// Row i of a rank, in words that are null or stand in the rank's own dictionary.
inline Strings words_of(int rank, std::uint64_t rows) {
  Strings words;
  for (std::uint64_t i = 0; i < rows; ++i) {
    const std::uint64_t word = murmur3_fmix64((std::uint64_t(rank) << 32) + i) % 11;
    words.push_back("word " + std::to_string(word));
    if (word == 3 || word == 4) words.back().reset();
  }
  return words;
}
/// Dictionaries whose words have other codes, of another type, on each rank. Null are the codes of
/// some rows and the words of others.
template <class Code>
void shuffles_dictionary(const Communicator& ranks, const ShuffleInput& input,
                         const ShuffleRoute& route,
                         const Kokkos::View<std::uint16_t*, Memory>& to) {
  Strings words;
  Optionals<std::int64_t> numbers;
  for (int code = 0; code < 11; ++code) {
    const int word = (code + ranks.rank()) % 11;
    words.push_back("word " + std::to_string(word));
    if (word == 3) words.back().reset();
    numbers.push_back(-word);
  }
  Optionals<Code> codes;
  for (std::uint64_t i = 0; i < to.extent(0); ++i) {
    const std::uint64_t word = murmur3_fmix64((std::uint64_t(ranks.rank()) << 32) + i) % 11;
    codes.push_back(static_cast<Code>((word + 11 - std::uint64_t(ranks.rank() % 11)) % 11));
    if (word == 4) codes.back().reset();
  }
  const DeviceStrings dictionary(words);
  const DeviceValues<std::int64_t> values(numbers);
  const DeviceValues<Code> there(codes);
  Workspace<Memory> workspace;
  const auto received = shuffle_to(rank_exec(), ranks, to, options_of(route, ranks), workspace,
                                   dictionary_column(there.column(), dictionary.column()),
                                   dictionary_column(there.column(), values.column()));
  EXPECT_TRUE(host_strings(received.template column<0>()) ==
              received_of(input, route, ranks, words_of));
  EXPECT_TRUE(host_column(received.template column<1>()) ==
              received_of(input, route, ranks, [](int rank, std::uint64_t rows) {
                Optionals<std::int64_t> expected;
                for (std::uint64_t i = 0; i < rows; ++i) {
                  const auto key = (std::uint64_t(rank) << 32) + i;
                  const auto word = static_cast<std::int64_t>(murmur3_fmix64(key) % 11);
                  expected.push_back(-word);
                  if (word == 4) expected.back().reset();
                }
                return expected;
              }));
}
void shuffles_dictionaries(const Communicator& ranks) {
  for_each_route(ranks, [&](const ShuffleInput& input, const ShuffleRoute& route, const auto& to) {
    if (ranks.rank() % 2 == 0) {
      shuffles_dictionary<std::uint8_t>(ranks, input, route, to);
    } else {
      shuffles_dictionary<std::int64_t>(ranks, input, route, to);
    }
  });
}

/// A value of 24 bytes.
struct Long {
  std::uint64_t words[3];
};

/// Values of 16 and of 24 bytes, bits, and values that do not lie side by side.
void shuffles_other_columns(const Communicator& ranks) {
  Workspace<Memory> workspace;
  for_each_route(ranks, [&](const ShuffleInput& input, const ShuffleRoute& route, const auto& to) {
    const std::uint64_t n = to.extent(0);
    std::vector<Key128> keys(n);
    std::vector<Long> longs(n);
    std::vector<std::uint8_t> bits(n / 8 + 1);
    for (std::uint64_t i = 0; i < n; ++i) {
      keys[i] = {i, ~i};
      longs[i] = {{i, 2 * i, 3 * i}};
      if (i % 3 == 0) bits[(i + 1) / 8] |= static_cast<std::uint8_t>(1U << ((i + 1) % 8));
    }
    const auto there = to_device(longs);
    const auto bits_there = to_device(bits);
    const Kokkos::View<std::uint64_t*, Kokkos::LayoutStride, Memory> strided(
        n == 0 ? nullptr : reinterpret_cast<std::uint64_t*>(there.data()) + 2,
        Kokkos::LayoutStride(n, 3));
    const auto received =
        shuffle_to(rank_exec(), ranks, to, options_of(route, ranks), workspace, to_device(keys),
                   there, BooleanColumn<Memory>(bits_there.data(), 1, n), strided, column(strided));
    const auto rows = received_of(input, route, ranks, [](int, std::uint64_t count) {
      std::vector<std::uint64_t> all(count);
      std::iota(all.begin(), all.end(), 0);
      return all;
    });
    const auto got_keys = to_host(received.template column<0>());
    const auto got_longs = to_host(received.template column<1>());
    const auto got_flags = host_column(received.template column<2>());
    const auto got_thirds = to_host(received.template column<3>());
    const auto got_nullable = host_column(received.template column<4>());
    ASSERT_EQ(received.size(), rows.size());
    for (std::uint64_t i = 0; i < rows.size(); ++i) {
      ASSERT_TRUE(got_keys[i] == (Key128{rows[i], ~rows[i]}));
      ASSERT_EQ(got_longs[i].words[1], 2 * rows[i]);
      ASSERT_EQ(got_longs[i].words[2], 3 * rows[i]);
      ASSERT_EQ(got_flags[i], rows[i] % 3 == 0);
      ASSERT_EQ(got_thirds[i], 3 * rows[i]);
      ASSERT_EQ(got_nullable[i], 3 * rows[i]);
    }
  });
}

void collects_and_distributes_columns(const Communicator& ranks) {
  for (int root = 0; root < ranks.size(); ++root) {
    MixedRows all;
    for (int r = 0; r < ranks.size(); ++r) all.append(mixed_rows(r, 50 * std::uint64_t(r) + 1));
    const MixedRows mine = mixed_rows(ranks.rank(), 50 * std::uint64_t(ranks.rank()) + 1);
    with_columns(mine, [&](const auto&... columns) {
      const auto collected = collect(rank_exec(), ranks, root, columns...);
      expect_mixed_rows(collected, ranks.rank() == root ? all : MixedRows());
      const auto share =
          distribute(rank_exec(), ranks, root, collected.template column<1>().column(),
                     collected.template column<4>().column());
      const auto count = std::uint64_t(ranks.size()), rank = std::uint64_t(ranks.rank());
      const auto begin = std::ptrdiff_t(backends::slice_begin(rank, count, all.size()));
      const auto end = std::ptrdiff_t(backends::slice_begin(rank + 1, count, all.size()));
      EXPECT_TRUE(host_strings(share.template column<0>()) ==
                  Strings(all.names.begin() + begin, all.names.begin() + end));
      EXPECT_TRUE(host_column(share.template column<1>()) ==
                  Optionals<std::int64_t>(all.longs.begin() + begin, all.longs.begin() + end));
    });
  }
}

/// Ranks that give columns of the same values in other kinds, or of other lengths.
void refuses_kinds_that_differ(const Communicator& ranks) {
  if (ranks.size() == 1) return;
  Workspace<Memory> workspace;
  const auto keys = to_device(std::vector<std::uint64_t>(50, 3));
  const auto pairs = to_device(std::vector<Key128>(50));
  const DeviceStrings strings(Strings(50, "text"));
  const auto send = [&](const auto&... columns) {
    static_cast<void>(shuffle(rank_exec(), ranks, keys, workspace, columns...));
  };
  const bool differs = ranks.rank() == 1;
  EXPECT_THROW(differs ? send(keys) : send(column(keys)), InvalidArgument);
  EXPECT_THROW(differs ? send(strings.column()) : send(pairs), InvalidArgument);
  EXPECT_THROW(differs ? send(strings.column()) : send(column(keys)), InvalidArgument);
  EXPECT_THROW(differs ? send(keys, strings.column()) : send(strings.column(), keys),
               InvalidArgument);
  EXPECT_THROW(differs ? send(keys) : send(keys, keys), InvalidArgument);
  const DeviceStrings fewer(Strings(ranks.rank() == 0 ? 49 : 50, "text"));
  expect_failure(ranks, 0, "partition", [&] { send(keys, fewer.column()); });
}

}  // namespace

std::span<const RankCase> shuffle_column_cases() {
  static constexpr RankCase all[] = {
      {"shuffles_columns_of_all_kinds", shuffles_columns_of_all_kinds},
      {"shuffles_strings", shuffles_strings},
      {"shuffles_dictionaries", shuffles_dictionaries},
      {"shuffles_other_columns", shuffles_other_columns},
      {"collects_and_distributes_columns", collects_and_distributes_columns},
      {"refuses_kinds_that_differ", refuses_kinds_that_differ},
  };
  return all;
}

}  // namespace hashmill::test
