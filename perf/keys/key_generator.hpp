#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "bit_permutation.hpp"
#include "key_codec.hpp"
#include "zipf_distribution.hpp"

namespace hashmill::perf {

/// Order and skew of generated keys.
enum class KeyOrder {
  sequential,  ///< 0, 0, ..., 1, 1, ... with each key `multiplicity` times in a row
  random,      ///< scattered key values, each `multiplicity` times, in shuffled order
  dense,       ///< 0, 1, 2, ..., each `multiplicity` times, in shuffled order
  zipf,        ///< scattered key values drawn with Zipf-distributed frequency, the mean being
               ///< `multiplicity`
  drawn,       ///< scattered key values drawn with replacement, all with the same chance:
               ///< `multiplicity` times on average, which may be below 1
  tpch         ///< those of TPC-H's `orders`, ascending, each once; see TpchOrders
};

/// Whether each key occurs as often as chance has it, not a whole number of times.
constexpr bool is_left_to_chance(KeyOrder order) {
  return order == KeyOrder::zipf || order == KeyOrder::drawn;
}

/// What to generate; equal values give equal keys.
struct KeyDistribution {
  std::uint64_t num_keys = 0;
  double multiplicity = 1;  ///< a whole number unless left to chance
  KeyOrder order = KeyOrder::random;
  double zipf_exponent = 1.0;
  std::uint64_t seed = 1;

  /// Number of key identities the keys are drawn from.
  std::uint64_t num_distinct() const {
    return static_cast<std::uint64_t>(std::ceil(static_cast<double>(num_keys) / multiplicity));
  }
};

/// Maps a distribution to its key values.
template <class Key>
KeyCodec<Key> make_codec(const KeyDistribution& wanted) {
  const bool counts_up = wanted.order == KeyOrder::sequential || wanted.order == KeyOrder::dense;
  return counts_up ? KeyCodec<Key>{} : KeyCodec<Key>{splitmix64(wanted.seed)};
}

/// The places of rows that stand one after the other, or shuffled.
inline IndexPermutation make_order(const KeyDistribution& wanted) {
  return wanted.order == KeyOrder::sequential ? IndexPermutation::identity(wanted.num_keys)
                                              : IndexPermutation(wanted.num_keys, wanted.seed);
}

/// An identity that further rows of generated keys hold.
struct HotKey {
  std::uint64_t identity = 0;
  std::uint64_t rows = 0;  ///< that hold it, beside those that would anyway
};

/// Generated keys of the orders that leave nothing to chance as a key source: key i is a function
/// of i alone. Each of the num_distinct() keys occurs exactly `multiplicity` times (the last one
/// less if that does not divide num_keys). With a hot key its rows replace those of the last keys.
template <class Key>
class EvenKeys {
 public:
  using key_type = Key;

  explicit EvenKeys(const KeyDistribution& wanted, const HotKey& hot = {})
      : multiplicity_(whole_multiplicity(wanted)),
        order_(make_order(wanted)),
        codec_(make_codec<Key>(wanted)),
        num_even_(order_.size() - std::min(hot.rows, order_.size())),
        hot_identity_(hot.identity) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return order_.size(); }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    return codec_.encode(identity_of(row));
  }

  /// The identity that a row holds.
  KOKKOS_FUNCTION std::uint64_t identity_of(std::uint64_t row) const {
    const std::uint64_t place = order_(row);
    return place < num_even_ ? place / multiplicity_ : hot_identity_;
  }

  /// Number of key identities; identity d has the key key_of(d).
  KOKKOS_FUNCTION std::uint64_t num_distinct() const {
    return size() / multiplicity_ + (size() % multiplicity_ != 0 ? 1 : 0);
  }
  KOKKOS_FUNCTION Key key_of(std::uint64_t identity) const { return codec_.encode(identity); }

  /// Number of rows that hold `identity`; 0 from num_distinct() on.
  KOKKOS_FUNCTION std::uint64_t num_rows(std::uint64_t identity) const {
    return num_even_rows(identity) + (identity == hot_identity_ ? size() - num_even_ : 0);
  }

  /// The `index`-th of the rows that hold `identity`, for index below num_rows(identity).
  KOKKOS_FUNCTION std::uint64_t row_of(std::uint64_t identity, std::uint64_t index) const {
    const std::uint64_t even = num_even_rows(identity);
    return order_.inverse(index < even ? identity * multiplicity_ + index
                                       : num_even_ + (index - even));
  }

 private:
  /// No key occurs more often than there are rows.
  static std::uint64_t whole_multiplicity(const KeyDistribution& wanted) {
    const auto most = static_cast<double>(std::max<std::uint64_t>(1, wanted.num_keys));
    return static_cast<std::uint64_t>(std::min(wanted.multiplicity, most));
  }
  /// Those of the rows that are not hot.
  KOKKOS_FUNCTION std::uint64_t num_even_rows(std::uint64_t identity) const {
    if (identity >= num_distinct()) return 0;
    const std::uint64_t begin = identity * multiplicity_;
    if (begin >= num_even_) return 0;
    return num_even_ - begin < multiplicity_ ? num_even_ - begin : multiplicity_;
  }

  std::uint64_t multiplicity_;
  IndexPermutation order_;
  KeyCodec<Key> codec_;
  std::uint64_t num_even_;  // places of rows that are not hot
  std::uint64_t hot_identity_;
};

/// Generated keys of order `zipf` as a key source.
template <class Key>
class ZipfKeys {
 public:
  using key_type = Key;

  explicit ZipfKeys(const KeyDistribution& wanted)
      : num_keys_(wanted.num_keys),
        seed_(splitmix64(wanted.seed)),
        ranks_(wanted.num_distinct(), wanted.zipf_exponent),
        codec_(make_codec<Key>(wanted)) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return num_keys_; }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    return codec_.encode(identity_of(row));
  }

  /// The identity that a row holds, below `num_distinct()` of the distribution.
  KOKKOS_FUNCTION std::uint64_t identity_of(std::uint64_t row) const {
    return ranks_(splitmix64(seed_ + row)) - 1;
  }

 private:
  std::uint64_t num_keys_;
  std::uint64_t seed_;
  ZipfDistribution ranks_;
  KeyCodec<Key> codec_;
};

/// Generated keys of order `drawn` as a key source.
template <class Key>
class DrawnKeys {
 public:
  using key_type = Key;

  explicit DrawnKeys(const KeyDistribution& wanted)
      : num_keys_(wanted.num_keys),
        num_distinct_(std::max<std::uint64_t>(1, wanted.num_distinct())),
        seed_(splitmix64(wanted.seed + 3)),
        codec_(make_codec<Key>(wanted)) {}

  KOKKOS_FUNCTION std::uint64_t size() const { return num_keys_; }
  KOKKOS_FUNCTION Key operator()(std::uint64_t row) const {
    return codec_.encode(identity_of(row));
  }

  /// The identity that a row holds, below `num_distinct()` of the distribution.
  KOKKOS_FUNCTION std::uint64_t identity_of(std::uint64_t row) const {
    return splitmix64(seed_ + row) % num_distinct_;
  }

 private:
  std::uint64_t num_keys_;
  std::uint64_t num_distinct_;
  std::uint64_t seed_;
  KeyCodec<Key> codec_;
};

/// Queries against generated keys as a key source, shuffled unless the order is sequential. A share
/// `hit_rate` of them asks for identities of the distribution, each equally often. With a skew
/// above 0 these are drawn with Zipf-distributed frequency of that exponent. A share `hot_share` of
/// these asks for the first identity instead. The other queries ask for keys that no row holds.
/// (With Zipf-distributed keys some identities may have no row, so fewer queries hit.)
template <class Key>
class GeneratedQueries {
 public:
  using key_type = Key;

  GeneratedQueries(const KeyDistribution& keys, std::uint64_t num_queries, double hit_rate,
                   double skew = 0, double hot_share = 0)
      : num_hits_(share_of(hit_rate, num_queries)),
        num_hot_(share_of(hot_share, num_hits_)),
        num_distinct_(keys.num_distinct()),
        num_absent_(KeyCodec<Key>::key_bits >= 64 ? ~std::uint64_t{0} - num_distinct_
                                                  : (std::uint64_t{1} << 32) - num_distinct_),
        order_(keys.order == KeyOrder::sequential
                   ? IndexPermutation::identity(num_queries)
                   : IndexPermutation(num_queries, splitmix64(keys.seed + 1))),
        codec_(make_codec<Key>(keys)),
        is_skewed_(skew > 0),
        seed_(splitmix64(keys.seed + 2)),
        ranks_(std::max<std::uint64_t>(1, num_distinct_), skew > 0 ? skew : 1) {
    if (num_distinct_ > 0)
      repeats_ = std::max<std::uint64_t>(1, (num_hits_ + num_distinct_ - 1) / num_distinct_);
  }

  /// Whether the key type has values left for the queries that must miss.
  bool can_miss() const { return num_absent_ > 0 || num_hits_ == size(); }

  /// Number of queries that ask for an identity of the distribution.
  std::uint64_t num_hits() const { return num_hits_; }
  /// The last identity that is asked for without a skew. Without queries that hit, the first one.
  std::uint64_t last_identity() const { return num_hits_ == 0 ? 0 : (num_hits_ - 1) / repeats_; }

  KOKKOS_FUNCTION std::uint64_t size() const { return order_.size(); }
  KOKKOS_FUNCTION Key operator()(std::uint64_t query) const {
    return codec_.encode(identity_of(query));
  }

  /// The key identity a query asks for; num_distinct() or more for one that no row holds.
  KOKKOS_FUNCTION std::uint64_t identity_of(std::uint64_t query) const {
    const std::uint64_t place = order_(query);
    if (place < num_hot_) return 0;
    if (place < num_hits_)
      return is_skewed_ ? ranks_(splitmix64(seed_ + place)) - 1 : place / repeats_;
    return num_distinct_ + (place - num_hits_) % num_absent_;
  }

 private:
  static std::uint64_t share_of(double share, std::uint64_t count) {
    return std::min(count, static_cast<std::uint64_t>(share * static_cast<double>(count) + 0.5));
  }

  std::uint64_t num_hits_, num_hot_;
  std::uint64_t num_distinct_;
  std::uint64_t num_absent_;
  std::uint64_t repeats_ = 1;
  IndexPermutation order_;
  KeyCodec<Key> codec_;
  bool is_skewed_;
  std::uint64_t seed_;
  ZipfDistribution ranks_;
};

/// Writes each key of a source to a view; see `materialise`.
template <class Source, class Keys>
struct MaterialiseKeys {
  Source source;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { keys(i) = source(i); }
};

/// Evaluates a key source in parallel on `exec` into a new view, and fences it.
template <class Exec, class Source>
Kokkos::View<typename Source::key_type*, typename Exec::memory_space> materialise(
    const Exec& exec, const Source& source) {
  using Keys = Kokkos::View<typename Source::key_type*, typename Exec::memory_space>;
  Keys keys(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "hashmill::perf::keys"),
            source.size());
  Kokkos::parallel_for(
      "hashmill::perf::generate_keys",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::uint64_t>>(exec, 0, source.size()),
      MaterialiseKeys<Source, Keys>{source, keys});
  exec.fence("hashmill::perf::materialise: the keys are handed to host code and other instances");
  return keys;
}

}  // namespace hashmill::perf
