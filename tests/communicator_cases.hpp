#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
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

/// Words in device memory; on hosts, in the memory of the default execution space.
class DeviceWords {
 public:
  explicit DeviceWords(const std::vector<std::uint64_t>& words) : words_("words", words.size()) {
    Kokkos::deep_copy(
        words_, Kokkos::View<const std::uint64_t*, Kokkos::HostSpace,
                             Kokkos::MemoryTraits<Kokkos::Unmanaged>>(words.data(), words.size()));
  }
  [[nodiscard]] std::byte* data() const { return reinterpret_cast<std::byte*>(words_.data()); }
  [[nodiscard]] std::uint64_t bytes() const { return words_.size() * sizeof(std::uint64_t); }
  [[nodiscard]] std::vector<std::uint64_t> copy() const {
    std::vector<std::uint64_t> words(words_.size());
    Kokkos::deep_copy(
        Kokkos::View<std::uint64_t*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
            words.data(), words.size()),
        words_);
    return words;
  }

 private:
  Kokkos::View<std::uint64_t*, Kokkos::DefaultExecutionSpace::memory_space> words_;
};

/// An exchange of device memory between all pairs of ranks, or those whose sum is not a multiple of
/// three, of `pieces` pieces of lengths up to about `most` words, some of them 0. Its words depend
/// on `salt`.
class DeviceExchange {
 public:
  DeviceExchange(const Communicator& ranks, bool sparse, int pieces, std::uint64_t most,
                 std::uint64_t salt)
      : ranks_(ranks), sparse_(sparse), pieces_(pieces), most_(most), salt_(salt) {
    const int me = ranks.rank();
    for (int r = ranks.size() - 1; r >= 0; --r) {
      for (int piece = 0; talk(me, r) && piece < pieces; ++piece)
        out_.emplace_back(words(me, r, piece));
    }
    for (int r = 0; r < ranks.size(); ++r) {
      for (int piece = 0; talk(r, me) && piece < pieces; ++piece) {
        in_.emplace_back(std::vector<std::uint64_t>(words(r, me, piece).size(), 1));
      }
    }
  }
  [[nodiscard]] StartedExchange start(backends::MemoryKind memory) const {
    const int me = ranks_.rank();
    std::vector<backends::Send> sends;
    std::vector<backends::Receive> receives;
    for (int r = ranks_.size() - 1; r >= 0; --r) {
      for (int piece = 0; talk(me, r) && piece < pieces_; ++piece) {
        const DeviceWords& words = out_[sends.size()];
        sends.push_back({r, words.data(), words.bytes()});
      }
    }
    for (int r = 0; r < ranks_.size(); ++r) {
      for (int piece = 0; talk(r, me) && piece < pieces_; ++piece) {
        const DeviceWords& words = in_[receives.size()];
        receives.push_back({r, words.data(), words.bytes()});
      }
    }
    return ranks_.start({sends, receives, 0, memory}, "test");
  }
  void expect_all() const {
    std::size_t at = 0;
    for (int r = 0; r < ranks_.size(); ++r) {
      for (int piece = 0; talk(r, ranks_.rank()) && piece < pieces_; ++piece) {
        ASSERT_EQ(in_[at++].copy(), words(r, ranks_.rank(), piece)) << "from rank " << r;
      }
    }
  }

 private:
  [[nodiscard]] bool talk(int from, int to) const { return !sparse_ || (from + to) % 3 != 0; }
  [[nodiscard]] std::vector<std::uint64_t> words(int from, int to, int piece) const {
    const auto place = std::uint64_t(piece) + 64 * salt_;
    const std::uint64_t length = piece == 1 ? 0 : word(from, to, place) % most_;
    std::vector<std::uint64_t> all(length);
    for (std::uint64_t i = 0; i < length; ++i) all[i] = word(from, to, i + (place << 10));
    return all;
  }

  const Communicator& ranks_;
  bool sparse_;
  int pieces_;
  std::uint64_t most_, salt_;
  std::vector<DeviceWords> out_, in_;
};

inline void exchanges_device_memory(const Communicator& ranks) {
  for (const bool sparse : {true, false}) {
    for (const std::uint64_t most : {1, 100, 20000}) {
      const DeviceExchange exchange(ranks, sparse, 3, most, most);
      exchange.start(backends::MemoryKind::device).finish();
      exchange.expect_all();
    }
  }
}

/// Three exchanges under way at once, in different order on different ranks, with calls between
/// them: all of a rank's exchanges move while it waits for anything.
inline void overlaps_device_exchanges(const Communicator& ranks) {
  constexpr auto device = backends::MemoryKind::device;
  const DeviceExchange first(ranks, false, 2, 30000, 1), second(ranks, true, 4, 5000, 2),
      third(ranks, false, 1, 100, 3);
  StartedExchange one = first.start(device), two = second.start(device);
  reduces(ranks);
  StartedExchange three = third.start(device);
  if (ranks.rank() % 2 == 0) {
    one.finish();
    ranks.barrier();
    three.finish();
    two.finish();
  } else {
    two.finish();
    ranks.barrier();
    one.finish();
    three.finish();
  }
  for (const DeviceExchange* exchange : {&first, &second, &third}) exchange->expect_all();
}

/// Each rank names first the piece for the next rank, but last the one of the previous rank. Ranks
/// that had room for the first pieces only would wait for each other in a circle.
inline void exchanges_device_memory_crosswise(const Communicator& ranks) {
  const int size = ranks.size(), me = ranks.rank();
  std::vector<DeviceWords> out, in;
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  for (int distance = 1; distance < size; ++distance) {
    out.emplace_back(std::vector<std::uint64_t>(30000, word(me, (me + distance) % size, 0)));
    sends.push_back({(me + distance) % size, out.back().data(), out.back().bytes()});
    in.emplace_back(std::vector<std::uint64_t>(30000));
    receives.push_back({(me + distance) % size, in.back().data(), in.back().bytes()});
  }
  ranks.exchange({sends, receives, 0, backends::MemoryKind::device}, "test");
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_EQ(in[i].copy(), std::vector<std::uint64_t>(30000, word(receives[i].rank, me, 0)));
  }
}

/// Words that take a device long to write.
struct SlowWords {
  std::uint64_t* words;
  std::uint64_t seed;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    std::uint64_t word = seed + static_cast<std::uint64_t>(i);
    for (int k = 0; k < 5000; ++k) word = murmur3_fmix64(word);
    words[i] = word;
  }
};

/// What a kernel still writes when the exchange starts. Half of it stays on its rank.
inline void exchanges_what_a_kernel_writes(const Communicator& ranks) {
  constexpr std::uint64_t length = 2000;
  const int me = ranks.rank(), next = (me + 1) % ranks.size();
  const int previous = (me + ranks.size() - 1) % ranks.size();
  const DeviceWords zeros(std::vector<std::uint64_t>(2 * length));
  const DeviceWords out(zeros.copy()), in(zeros.copy());
  const std::uint64_t half = out.bytes() / 2;
  const Kokkos::DefaultExecutionSpace exec;
  Kokkos::parallel_for("test::slow_words",
                       Kokkos::RangePolicy<Kokkos::DefaultExecutionSpace>(exec, 0, 2 * length),
                       SlowWords{reinterpret_cast<std::uint64_t*>(out.data()), word(me, 0, 0)});
  const backends::DeviceEvent is_written = backends::end_of_work(exec);
  const backends::Send sends[] = {{me, out.data(), half}, {next, out.data() + half, half}};
  const backends::Receive receives[] = {{me, in.data(), half}, {previous, in.data() + half, half}};
  ranks.exchange({sends, receives, 0, backends::MemoryKind::device, nullptr, &is_written}, "test");
  std::vector<std::uint64_t> expected(2 * length);
  for (std::uint64_t i = 0; i < 2 * length; ++i) {
    SlowWords{expected.data(),
              word(i < length ? me : previous, 0, 0)}(static_cast<std::int64_t>(i));
  }
  EXPECT_EQ(in.copy(), expected);
}

/// A part of the ranks, in two parts at once.
inline void exchanges_device_memory_in_parts(const Communicator& ranks) {
  const Communicator half = ranks.split(ranks.rank() % 2, ranks.rank());
  const DeviceExchange in_all(ranks, false, 1, 10000, 4), in_half(half, false, 2, 10000, 5);
  StartedExchange all = in_all.start(backends::MemoryKind::device);
  in_half.start(backends::MemoryKind::device).finish();
  all.finish();
  in_all.expect_all();
  in_half.expect_all();
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
  EXPECT_EQ(after.bytes_sent - before.bytes_sent, 56 * others);
  const auto& phase = after.phases.at("counted");
  EXPECT_EQ(phase.calls % 1, 0U);
  EXPECT_EQ(phase.bytes_sent, phase.calls * 56 * others);
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
    {"exchanges_device_memory", exchanges_device_memory},
    {"overlaps_device_exchanges", overlaps_device_exchanges},
    {"exchanges_device_memory_crosswise", exchanges_device_memory_crosswise},
    {"exchanges_what_a_kernel_writes", exchanges_what_a_kernel_writes},
    {"exchanges_device_memory_in_parts", exchanges_device_memory_in_parts},
    {"splits", splits},
    {"finds_nodes", finds_nodes},
    {"counts_what_it_sends", counts_what_it_sends},
    {"refuses_wrong_lengths", refuses_wrong_lengths},
};

}  // namespace hashmill::test
