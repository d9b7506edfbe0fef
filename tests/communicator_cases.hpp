#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <hashmill/communicator.hpp>
#include <hashmill/murmur.hpp>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace hashmill::test {

// What holds for the ranks of any transport. Each case is a program that all ranks run.

/// The word that one rank has for another, at a place.
inline std::uint64_t word(int from, int to, std::uint64_t i) {
  return murmur3_fmix64((std::uint64_t(from) << 40) + (std::uint64_t(to) << 20) + i);
}

inline void gathers(const Communicator& ranks) {
  struct Mixed {
    double number;
    char letter;
  };
  const auto all = ranks.all_gather(Mixed{0.5 * ranks.rank(), static_cast<char>(ranks.rank())});
  ASSERT_EQ(all.size(), std::size_t(ranks.size()));
  for (int r = 0; r < ranks.size(); ++r) {
    EXPECT_EQ(all[r].number, 0.5 * r);
    EXPECT_EQ(all[r].letter, static_cast<char>(r));
  }
}

inline void sends_all_to_all(const Communicator& ranks) {
  for (const std::uint64_t length : {0, 1, 1000}) {
    std::vector<std::uint64_t> out, in(length * std::uint64_t(ranks.size()), 1);
    for (int r = 0; r < ranks.size(); ++r) {
      for (std::uint64_t i = 0; i < length; ++i) out.push_back(word(ranks.rank(), r, i));
    }
    ranks.all_to_all(std::span<const std::uint64_t>(out), std::span(in), "test");
    for (std::size_t i = 0; i < in.size(); ++i) {
      ASSERT_EQ(in[i], word(static_cast<int>(i / length), ranks.rank(), i % length));
    }
  }
}

inline void reduces(const Communicator& ranks) {
  for (const std::uint64_t length : {0, 1, 2, 7, 10000}) {
    for (const Reduction how :
         {Reduction::sum, Reduction::minimum, Reduction::maximum, Reduction::bit_or}) {
      std::vector<std::uint64_t> words(length);
      for (std::uint64_t i = 0; i < length; ++i) words[i] = word(ranks.rank(), 0, i);
      ranks.all_reduce(words, how);
      for (std::uint64_t i = 0; i < length; ++i) {
        std::uint64_t expected = word(0, 0, i);
        for (int r = 1; r < ranks.size(); ++r) {
          const std::uint64_t other = word(r, 0, i);
          expected = how == Reduction::sum       ? expected + other
                     : how == Reduction::minimum ? std::min(expected, other)
                     : how == Reduction::maximum ? std::max(expected, other)
                                                 : expected | other;
        }
        ASSERT_EQ(words[i], expected);
      }
    }
  }
}

/// Every pair of ranks whose sum is not a multiple of three: two pieces, the second without bytes
/// for some.
inline void exchanges_sparsely(const Communicator& ranks) {
  const int me = ranks.rank();
  std::vector<std::vector<std::uint64_t>> out, in;
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  const auto length = [](int from, int to, int piece) {
    return std::size_t(piece == 0 ? 1 + 100 * from + to : (from + to) % 2 * 77);
  };
  const auto talk = [](int from, int to) { return (from + to) % 3 != 0; };
  out.reserve(2 * std::size_t(ranks.size()));
  in.reserve(2 * std::size_t(ranks.size()));
  // Backwards, since only the order within a pair matters.
  for (int r = ranks.size() - 1; r >= 0; --r) {
    if (!talk(me, r)) continue;
    for (const int piece : {0, 1}) {
      out.emplace_back(length(me, r, piece));
      for (std::size_t i = 0; i < out.back().size(); ++i) out.back()[i] = word(me, r, i + piece);
      sends.push_back({r, reinterpret_cast<const std::byte*>(out.back().data()),
                       out.back().size() * sizeof(std::uint64_t)});
    }
  }
  for (int r = 0; r < ranks.size(); ++r) {
    if (!talk(r, me)) continue;
    for (const int piece : {0, 1}) {
      in.emplace_back(length(r, me, piece));
      receives.push_back({r, reinterpret_cast<std::byte*>(in.back().data()),
                          in.back().size() * sizeof(std::uint64_t)});
    }
  }
  ranks.exchange({sends, receives}, "test");
  std::size_t at = 0;
  for (int r = 0; r < ranks.size(); ++r) {
    if (!talk(r, me)) continue;
    for (const int piece : {0, 1}) {
      for (std::size_t i = 0; i < in[at].size(); ++i) ASSERT_EQ(in[at][i], word(r, me, i + piece));
      ++at;
    }
  }
}

/// Two exchanges under way at once, finished in the other order.
inline void overlaps_exchanges(const Communicator& ranks) {
  const int next = (ranks.rank() + 1) % ranks.size();
  const int previous = (ranks.rank() + ranks.size() - 1) % ranks.size();
  std::vector<std::uint64_t> out[2], in[2];
  std::vector<StartedExchange> started;
  for (const int k : {0, 1}) {
    out[k].assign(50000, word(ranks.rank(), k, 0));
    in[k].assign(50000, 0);
    const backends::Send send{next, reinterpret_cast<const std::byte*>(out[k].data()), 400000};
    const backends::Receive receive{previous, reinterpret_cast<std::byte*>(in[k].data()), 400000};
    started.push_back(ranks.start({{&send, 1}, {&receive, 1}}, "test"));
  }
  started[1].finish();
  started[0].finish();
  for (const int k : {0, 1}) {
    EXPECT_EQ(in[k], std::vector<std::uint64_t>(50000, word(previous, k, 0)));
  }
}

inline void splits(const Communicator& ranks) {
  const int color = ranks.rank() % 2;
  const Communicator half = ranks.split(color, -ranks.rank());
  ASSERT_EQ(half.size(), (ranks.size() + 1 - color) / 2);
  const auto members = half.all_gather(ranks.rank());
  EXPECT_TRUE(std::is_sorted(members.rbegin(), members.rend()));
  for (const int member : members) EXPECT_EQ(member % 2, color);
  EXPECT_EQ(members[half.rank()], ranks.rank());
  const Communicator alone = half.split(half.rank(), 0);
  EXPECT_EQ(alone.size(), 1);
  gathers(half);
  gathers(alone);
  reduces(half);
  gathers(ranks);
}

inline void finds_nodes(const Communicator& ranks) {
  for (int r = 0; r < ranks.size(); ++r) {
    EXPECT_LT(ranks.places().node(r), ranks.places().num_nodes());
    EXPECT_LT(ranks.places().slot(r), ranks.places().node_size(ranks.places().node(r)));
  }
}

inline void counts_what_it_sends(const Communicator& ranks) {
  const CommunicationStatistics before = ranks.statistics();
  static_cast<void>(ranks.all_gather(std::uint64_t{1}, "counted"));
  const CommunicationStatistics& after = ranks.statistics();
  const auto others = std::uint64_t(ranks.size() - 1);
  EXPECT_EQ(after.messages - before.messages, others);
  EXPECT_EQ(after.bytes_sent - before.bytes_sent, 24 * others);
  const auto& phase = after.phases.at("counted");
  EXPECT_EQ(phase.calls % 1, 0U);
  EXPECT_EQ(phase.bytes_sent, phase.calls * 24 * others);
}

/// What throws before anything is sent leaves the communicator usable.
inline void refuses_wrong_lengths(const Communicator& ranks) {
  std::vector<std::uint64_t> few(1), many(std::size_t(ranks.size()) + 1);
  EXPECT_THROW(ranks.all_gather(std::span<const std::uint64_t>(few), std::span(many), "test"),
               InvalidArgument);
  EXPECT_THROW(ranks.all_to_all(std::span<const std::uint64_t>(few), std::span(many), "test"),
               InvalidArgument);
  gathers(ranks);
}

struct CommunicatorCase {
  const char* name;
  void (*run)(const Communicator&);
};
inline constexpr CommunicatorCase communicator_cases[] = {
    {"gathers", gathers},
    {"sends_all_to_all", sends_all_to_all},
    {"reduces", reduces},
    {"exchanges_sparsely", exchanges_sparsely},
    {"overlaps_exchanges", overlaps_exchanges},
    {"splits", splits},
    {"finds_nodes", finds_nodes},
    {"counts_what_it_sends", counts_what_it_sends},
    {"refuses_wrong_lengths", refuses_wrong_lengths},
};

}  // namespace hashmill::test
