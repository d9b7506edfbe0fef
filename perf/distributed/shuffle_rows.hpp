#pragma once

#include <algorithm>
#include <hashmill/partition.hpp>
#include <hashmill/route.hpp>
#include <hashmill/shuffle.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "exchange_arrays.hpp"
#include "rank_checks.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

/// Tallies rows that came with their numbers, and counts those of each identity.
template <class Source, class Keys, class Numbers, class Counts>
struct TallyReceived {
  Source source;
  std::uint64_t rows;  // of all ranks
  Keys keys;
  Numbers numbers;
  Counts counts;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const std::uint64_t row = numbers(i);
    add_entry(source, rows, keys(i), row, sum);
    if (row < rows) Kokkos::atomic_inc(&counts(source.identity_of(row)));
  }
};

/// Tallies as faults the identities of which a rank has some rows, but not all.
template <class Counts>
struct TallyTornKeys {
  Counts mine, all;
  KOKKOS_FUNCTION void operator()(std::uint64_t identity, Tally& sum) const {
    if (mine(identity) != 0 && mine(identity) != all(identity)) ++sum.faults;
  }
};

/// Wrong rows of a shuffle of keys and the numbers of their rows. Collective.
template <class Keys, class Received>
std::uint64_t num_wrong_rows(const Keys& keys, const Received& received) {
  using Counts = typename Keys::Counts;
  const Counts counts("hashmill::perf::received", keys.num_identities());
  Tally sum = keys.with_source([&]<class Source>(const Source& source) {
    return tally(keys.exec(), received.size(),
                 TallyReceived<Source, typename Keys::Keys, Counts, Counts>{
                     source, keys.axes().num_keys, received.template column<0>(),
                     received.template column<1>(), counts});
  });
  sum += tally(keys.exec(), counts.extent(0), TallyTornKeys<Counts>{counts, keys.counts()});
  return num_wrong(keys.ranks(), expected_entries(keys), sum);
}

/// A shuffle of keys and the 8-byte numbers of their rows, over all ranks.
template <class Keys>
class ShuffleRun final : public RankRun {
 public:
  ShuffleRun(std::shared_ptr<const Keys> keys, typename Keys::Counts numbers, Communicator timed,
             const Travel& travel)
      : keys_(std::move(keys)), numbers_(std::move(numbers)), timed_(std::move(timed)) {
    options_.compression = travel.compression;
    options_.levels = travel.levels;
  }

  void clear() override { received_ = {}; }
  void run() override {
    received_ = shuffle(keys_->exec(), timed_, keys_->keys(), options_, workspace_, keys_->keys(),
                        numbers_);
    keys_->exec().fence("hashmill::perf::ShuffleRun: the clock stops");
  }
  std::uint64_t num_wrong() const override { return num_wrong_rows(*keys_, received_); }

 private:
  std::shared_ptr<const Keys> keys_;
  typename Keys::Counts numbers_;
  Communicator timed_;
  ShuffleOptions options_;
  Workspace<typename Keys::memory_space> workspace_;
  Shuffled<Kokkos::View<typename Keys::Key*, typename Keys::memory_space>,
           Kokkos::View<std::uint64_t*, typename Keys::memory_space>>
      received_;
};

/// The rank of a key, as a part.
template <class Key>
struct RankPart {
  std::uint32_t ranks;
  KOKKOS_FUNCTION std::uint64_t operator()(const Key& key) const {
    return rank_of_hash(Murmur3Hash{}(key), ranks);
  }
};

/// Tallies a part of the rows, whose keys all are to be of that part.
template <class Source, class Key, class Keys, class Numbers>
struct TallyPart {
  Source source;
  RankPart<Key> part_of;
  std::uint64_t rows, part, begin;
  Keys keys;
  Numbers numbers;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    add_entry(source, rows, keys(begin + i), numbers(begin + i), sum);
    if (part_of(keys(begin + i)) != part) ++sum.faults;
  }
};

/// The partition of the same columns, of which nothing is sent.
template <class Keys>
class PartitionRun final : public RankRun {
 public:
  PartitionRun(std::shared_ptr<const Keys> keys, typename Keys::Counts numbers)
      : keys_(std::move(keys)),
        numbers_(std::move(numbers)),
        part_of_{static_cast<std::uint32_t>(keys_->ranks().size())} {}

  void clear() override { parts_ = {}; }
  void run() override {
    parts_ = partition(keys_->exec(), keys_->keys(), numbers_, part_of_, PartCount(part_of_.ranks),
                       PartitionOptions{.stable = true}, workspace_);
    keys_->exec().fence("hashmill::perf::PartitionRun: the clock stops");
  }
  std::uint64_t num_wrong() const override {
    const auto offsets = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), parts_.offsets);
    Tally sum;
    for (std::uint64_t part = 0; part < part_of_.ranks; ++part) {
      sum += part_tally(part, offsets(part), offsets(part + 1));
    }
    return perf::num_wrong(keys_->ranks(), expected_entries(*keys_), sum);
  }
  std::optional<std::uint64_t> bytes_sent() const override { return 0; }

 private:
  Tally part_tally(std::uint64_t part, std::uint64_t begin, std::uint64_t end) const {
    return keys_->with_source([&]<class Source>(const Source& source) {
      using Functor =
          TallyPart<Source, typename Keys::Key, decltype(parts_.keys), decltype(parts_.payloads)>;
      return tally(keys_->exec(), end - begin,
                   Functor{source, part_of_, keys_->axes().num_keys, part, begin, parts_.keys,
                           parts_.payloads});
    });
  }

  std::shared_ptr<const Keys> keys_;
  typename Keys::Counts numbers_;
  RankPart<typename Keys::Key> part_of_;
  Workspace<typename Keys::memory_space> workspace_;
  Partitioned<typename Keys::Key, std::uint64_t, typename Keys::memory_space> parts_;
};

/// Shuffles keys and a payload of 8 bytes. Beside it: the transport's own exchange of as many
/// bytes, in equal pieces, and the partition alone.
template <class Exec, class Key>
std::vector<RankRow> shuffle_rows(const Ranks& ranks, const RankCase& input) {
  using Keys = RankKeys<Exec, Key>;
  const auto keys = std::make_shared<const Keys>(input.keys, ranks.control);
  const auto numbers = keys->row_numbers();
  std::vector<RankRow> rows;
  for (const Travel& travel : ranks.travels) {
    rows.push_back({name_with("shuffle", travel), false,
                    std::make_unique<ShuffleRun<Keys>>(keys, numbers, ranks.timed, travel),
                    keys->num_rows()});
  }
  rows.push_back({"partition alone", false, std::make_unique<PartitionRun<Keys>>(keys, numbers),
                  keys->num_rows()});
  if (!ranks.own_exchanges) return rows;
  const auto num_ranks = static_cast<std::uint64_t>(ranks.control.size());
  const std::uint64_t bytes =
      input.keys.num_keys / num_ranks * (sizeof(Key) + sizeof(std::uint64_t));
  const auto arrays = std::make_shared<ExchangeArrays>(
      ranks.control.rank(), ranks.control.size(),
      std::max(bytes, num_ranks * sizeof(std::uint64_t)), input.seed);
  for (RankRow& row : ranks.own_exchanges(arrays)) {
    if (!row.is_standard) continue;
    row.rows = keys->num_rows();
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace hashmill::perf
