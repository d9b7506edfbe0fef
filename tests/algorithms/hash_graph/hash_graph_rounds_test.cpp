#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/hash_graph.hpp>
#include <hashmill/hash_graph/detail/build_in_rounds.hpp>
#include <map>
#include <set>

#include "algorithms/support/hashes.hpp"
#include "algorithms/support/inputs.hpp"
#include "algorithms/support/views.hpp"

// Tables of keys that come in parts and rounds, by both engines.

namespace hashmill::test {

/// The place of the i-th key among runs of keys with gaps between them.
struct RunsOfKeys {
  const std::uint32_t* before;  // keys before each run
  const std::uint32_t* begins;  // where each run begins
  std::uint32_t runs;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t i) const {
    std::uint32_t run = 0;
    while (run + 1 < runs && before[run + 1] <= i) ++run;
    return begins[run] + (i - before[run]);
  }
};

namespace {

/// What a table is built of, and how.
struct RoundsCase {
  std::uint64_t buckets = std::uint64_t{1} << 16;  // of the whole table
  unsigned part_bits = 14;                         // log2 of the buckets of a part
  std::uint32_t runs = 3;
  std::uint32_t here = 1;      // pieces of each part that are there from the start
  std::uint64_t arrivals = 1;  // how often other pieces arrive
  std::uint64_t rounds = 2;    // of whole parts, where all pieces arrive at once
  std::optional<BinCount> bins{};
  std::optional<unsigned> known_bits{};  // log2 of the buckets of bins whose keys were counted
};

/// Keys of a range of buckets in parts, each with a piece in each of several runs.
template <class Hash>
class KeysInRuns {
 public:
  KeysInRuns(const Numbers& numbers, const RoundsCase& how) : how_(how) {
    range_.total = how.buckets;
    range_.first = how.buckets / 4;
    range_.count = how.buckets / 2 + 5;
    const std::uint64_t parts = ((range_.count - 1) >> how.part_bits) + 1;
    std::vector<std::vector<Numbers>> pieces(how.runs, std::vector<Numbers>(parts));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::uint64_t place = place_of(numbers[i]);
      if (place < range_.count) pieces[i % how.runs][place >> how.part_bits].push_back(numbers[i]);
    }
    std::vector<std::uint32_t> part_sizes(parts);
    std::vector<std::uint32_t> piece_begins(parts * how.runs);
    piece_sizes_.resize(parts * how.runs);
    for (std::uint32_t run = 0; run < how.runs; ++run) {
      before_.push_back(count_);
      keys_.insert(keys_.end(), 3, 0);  // a gap
      begins_.push_back(static_cast<std::uint32_t>(keys_.size()));
      for (std::uint64_t p = 0; p < parts; ++p) {
        const Numbers& piece = pieces[run][p];
        piece_begins[p * how.runs + run] = static_cast<std::uint32_t>(keys_.size());
        piece_sizes_[p * how.runs + run] = static_cast<std::uint32_t>(piece.size());
        part_sizes[p] += static_cast<std::uint32_t>(piece.size());
        count_ += static_cast<std::uint32_t>(piece.size());
        keys_.insert(keys_.end(), piece.begin(), piece.end());
      }
    }
    offsets_.push_back(0);
    for (const std::uint32_t size : part_sizes) offsets_.push_back(offsets_.back() + size);
    device_keys_ = to_device(keys_);
    device_before_ = to_device(before_);
    device_begins_ = to_device(begins_);
    device_offsets_ = to_device(offsets_);
    device_piece_begins_ = to_device(piece_begins);
    device_piece_sizes_ = to_device(piece_sizes_);
  }

  [[nodiscard]] std::uint64_t place_of(std::uint64_t key) const {
    return range_.place_of(hash_at(Hash{}, HashLevel::buckets, range_.total)(key));
  }
  [[nodiscard]] const Numbers& keys() const { return keys_; }
  [[nodiscard]] const HashRange& range() const { return range_; }
  [[nodiscard]] std::uint64_t parts() const { return offsets_.size() - 1; }
  [[nodiscard]] std::uint64_t size(std::uint64_t first_part, std::uint64_t end_part) const {
    return offsets_[end_part] - offsets_[first_part];
  }
  [[nodiscard]] detail::PartedKeys<Kokkos::View<const std::uint64_t*, Memory>, std::uint32_t,
                                   RunsOfKeys>
  parted() const {
    return {device_keys_,
            count_,
            {device_before_.data(), device_begins_.data(), how_.runs},
            parts(),
            device_offsets_.data(),
            {device_piece_begins_.data(), device_piece_sizes_.data(), how_.runs},
            piece_sizes_,
            how_.here,
            how_.arrivals,
            how_.part_bits};
  }
  /// The rows of each key.
  [[nodiscard]] std::map<std::uint64_t, std::set<std::uint64_t>> rows() const {
    std::map<std::uint64_t, std::set<std::uint64_t>> rows;
    for (std::uint32_t run = 0; run < how_.runs; ++run) {
      const std::uint32_t end = run + 1 < how_.runs ? before_[run + 1] : count_;
      for (std::uint32_t i = 0; i < end - before_[run]; ++i) {
        rows[keys_[begins_[run] + i]].insert(begins_[run] + i);
      }
    }
    return rows;
  }
  /// The keys before each bin of 2^bits buckets, and all.
  [[nodiscard]] std::vector<std::uint32_t> sums(unsigned bits) const {
    std::vector<std::uint32_t> sums((parts() << (how_.part_bits - bits)) + 1);
    for (const auto& [key, rows_of_key] : rows()) {
      sums[(place_of(key) >> bits) + 1] += static_cast<std::uint32_t>(rows_of_key.size());
    }
    for (std::size_t b = 1; b < sums.size(); ++b) sums[b] += sums[b - 1];
    return sums;
  }

 private:
  RoundsCase how_;
  HashRange range_;
  Numbers keys_;
  std::uint32_t count_ = 0;
  std::vector<std::uint32_t> before_, begins_, offsets_, piece_sizes_;
  Kokkos::View<std::uint64_t*, Memory> device_keys_;
  Kokkos::View<std::uint32_t*, Memory> device_before_, device_begins_, device_offsets_,
      device_piece_begins_, device_piece_sizes_;
};

/// Expects all rows of all keys, and of others none.
template <detail::Engine Choice, class Hash>
void expect_rounds(const Numbers& numbers, const RoundsCase& how) {
  using Table = HashGraph<std::uint64_t, Memory, KeyRow<std::uint32_t>, Hash>;
  SCOPED_TRACE(std::to_string(numbers.size()) + " keys, parts of 2^" +
               std::to_string(how.part_bits) + " buckets, " + std::to_string(how.rounds) +
               " rounds, counts of 2^" +
               (how.known_bits ? std::to_string(*how.known_bits) : "none"));
  const Exec exec;
  Workspace<Memory> workspace;
  const KeysInRuns<Hash> keys(numbers, how);
  HashGraphOptions options;
  options.bins = how.bins;
  detail::BuildInRounds<Table, Exec, RunsOfKeys, Choice> build(exec, keys.parted(), keys.range(),
                                                               options, Hash{}, workspace);
  detail::KnownBins<std::uint32_t> known;
  Kokkos::View<std::uint32_t*, Memory> sums;
  if (how.known_bits) {
    sums = to_device(keys.sums(*how.known_bits));
    known = {sums.data(), *how.known_bits};
  }
  build.prepare(known);
  for (std::uint64_t arrival = 0; how.arrivals > 1 && arrival < how.arrivals; ++arrival) {
    build.take(arrival);
  }
  if (how.arrivals > 1) build.build_all();
  for (std::uint64_t round = 0; how.arrivals == 1 && round < how.rounds; ++round) {
    const std::uint64_t begin = backends::slice_begin(round, how.rounds, keys.parts());
    const std::uint64_t end = backends::slice_begin(round + 1, how.rounds, keys.parts());
    build.build(begin, end - begin, keys.size(begin, end));
  }
  const Table table = build.finish();

  const auto expected = keys.rows();
  Numbers queries;
  for (const auto& [key, rows] : expected) queries.push_back(key);
  const std::size_t present = queries.size();
  for (const std::uint64_t key : random_numbers(100, 977)) {
    if (!expected.contains(key) && keys.place_of(key) < keys.range().count) queries.push_back(key);
  }
  const auto found = table.retrieve(exec, to_device(queries));
  const auto offsets = to_wide_host(found.offsets);
  const auto rows = to_wide_host(found.rows);
  ASSERT_EQ(offsets[present], offsets.back()) << "rows of keys that are not there";
  for (std::size_t q = 0; q < present; ++q) {
    const auto& of_key = expected.at(queries[q]);
    ASSERT_EQ(offsets[q + 1] - offsets[q], of_key.size()) << "rows of key " << queries[q];
    ASSERT_EQ(std::set<std::uint64_t>(rows.begin() + static_cast<std::ptrdiff_t>(offsets[q]),
                                      rows.begin() + static_cast<std::ptrdiff_t>(offsets[q + 1])),
              of_key);
  }
}

/// Both engines, with counts of bins and without.
template <class Hash>
void expect_both(const Numbers& numbers, RoundsCase how) {
  ASSERT_NO_FATAL_FAILURE((expect_rounds<detail::Engine::automatic, Hash>(numbers, how)));
  for (const std::optional<unsigned> bits :
       {std::optional<unsigned>(), std::optional(0U), std::optional(7U), std::optional(14U)}) {
    if (bits > how.part_bits) continue;
    how.known_bits = bits;
    ASSERT_NO_FATAL_FAILURE((expect_rounds<detail::Engine::team, Hash>(numbers, how)));
  }
}

TEST(HashGraphRounds, FindAllKeysOfAllRounds) {
  for (const std::uint64_t rounds : {1, 2, 5}) {
    for (const std::uint32_t runs : {1U, 3U}) {
      RoundsCase how;
      how.rounds = rounds;
      how.runs = runs;
      how.here = rounds % 2;
      ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(random_numbers(20'000, rounds), how));
    }
  }
}

TEST(HashGraphRounds, TakePiecesOfAllPartsAsTheyCome) {
  for (const std::uint64_t arrivals : {2, 3}) {
    for (const std::uint32_t here : {0U, 2U}) {
      RoundsCase how;
      how.arrivals = arrivals;
      how.here = here;
      how.runs = here + 2 * static_cast<std::uint32_t>(arrivals);
      ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(random_numbers(20'000, arrivals), how));
      ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(zipf_numbers(20'000, arrivals), how));
      ASSERT_NO_FATAL_FAILURE(expect_both<FourBitHash>(random_numbers(3'000, arrivals), how));
      ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(random_numbers(2, arrivals), how));
    }
  }
}

TEST(HashGraphRounds, TakeKeysThatRepeat) {
  ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(zipf_numbers(20'000, 3), {}));
  ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(Numbers(9'000, 11), {}));
}

TEST(HashGraphRounds, TakeFewKeysAndNone) {
  for (const std::uint64_t size : {0, 1, 2, 17}) {
    ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(random_numbers(size, size), {}));
  }
}

TEST(HashGraphRounds, TakePartsThatAreBins) {
  RoundsCase how;
  how.part_bits = 9;
  how.rounds = 4;
  ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(random_numbers(20'000, 5), how));
}

// So many bins take two levels, which no round prepares for.
TEST(HashGraphRounds, TakePartsOfManyBins) {
  RoundsCase how;
  how.bins = BinCount(1 << 15);
  ASSERT_NO_FATAL_FAILURE(expect_both<Murmur3Hash>(random_numbers(20'000, 6), how));
}

TEST(HashGraphRounds, TakeBadHashes) {
  ASSERT_NO_FATAL_FAILURE(expect_both<ConstantHash>(random_numbers(3'000, 7), {}));
  ASSERT_NO_FATAL_FAILURE(expect_both<FourBitHash>(random_numbers(3'000, 8), {}));
}

}  // namespace
}  // namespace hashmill::test
