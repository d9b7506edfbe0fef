#pragma once

#include <chrono>
#include <hashmill/shuffle/options.hpp>
#include <utility>
#include <vector>

#include "random_source.hpp"
#include "thread_ranks.hpp"

namespace hashmill::test {

/// How columns travel.
inline Compression draw_compression(RandomSource& random) {
  return random.chance(2) ? Compression::always : Compression::automatic;
}
inline ShuffleLevels draw_levels(RandomSource& random) {
  return static_cast<ShuffleLevels>(random.below(4));
}

/// Numbers of all ranks, of which each has a share, also none.
struct DrawnShares {
  std::vector<Numbers> of_rank;
};
/// Those of one rank, in the form in which the cases of ranks ask for them.
inline const Numbers& keys_of(const DrawnShares& shares, int rank, int) {
  return shares.of_rank[static_cast<std::size_t>(rank)];
}

/// Ranks that are threads: one to four, on nodes of some or all of them.
class DrawnRanks {
 public:
  explicit DrawnRanks(RandomSource& random) : size_(1 + static_cast<int>(random.below(4))) {
    options_.timeout = std::chrono::minutes(2);
    const int on_a_node = static_cast<int>(random.below(4));
    if (on_a_node != 0) options_.ranks_per_node = on_a_node;
  }
  [[nodiscard]] int size() const { return size_; }

  /// Cuts numbers into shares: some of them empty, equally many, or most on one rank.
  [[nodiscard]] DrawnShares divide(RandomSource& random, const Numbers& numbers) const {
    std::vector<std::uint64_t> weights(static_cast<std::size_t>(size_));
    const std::uint64_t powers = random.chance(2) ? 1 : 8;
    const bool some_are_empty = !random.chance(3);
    std::uint64_t all = 0;
    for (std::uint64_t& weight : weights) {
      const bool is_empty = some_are_empty && random.chance(3);
      weight = is_empty ? 0 : std::uint64_t{1} << random.below(powers);
      all += weight;
    }
    if (all == 0) all = weights[random.below(weights.size())] = 1;
    DrawnShares shares;
    std::uint64_t begin = 0, until = 0;
    for (const std::uint64_t weight : weights) {
      until += weight;
      const std::uint64_t end = numbers.size() * until / all;
      shares.of_rank.emplace_back(numbers.begin() + static_cast<std::ptrdiff_t>(begin),
                                  numbers.begin() + static_cast<std::ptrdiff_t>(end));
      begin = end;
    }
    return shares;
  }
  /// A number for each rank, which `draw()` gives.
  template <class Draw>
  [[nodiscard]] auto for_each(const Draw& draw) const {
    std::vector<decltype(draw())> drawn;
    for (int rank = 0; rank < size_; ++rank) drawn.push_back(draw());
    return drawn;
  }

  /// Runs `program(communicator)` on all of them. What is random in it was drawn before.
  template <class Program>
  void run(const Program& program) const {
    on_thread_ranks(size_, options_, program);
  }

 private:
  int size_;
  CommunicationOptions options_;
};

}  // namespace hashmill::test
