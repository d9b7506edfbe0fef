#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <hashmill/distributed_aggregation.hpp>
#include <hashmill/distributed_group_by.hpp>
#include <hashmill/distributed_intersect.hpp>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "communicator_cases.hpp"
#include "faults/fault_inputs.hpp"
#include "thread_ranks.hpp"

// Rank 1 makes another call than the others, or the same with other options, types or tables.

namespace {

using namespace hashmill;
using namespace std::chrono_literals;

using test::rank_exec;

/// All ranks throw, and name rank 1, or what is wrong between it and themselves. Afterwards all can
/// go on, or none.
void expect_disagreement(const Communicator& ranks, const std::function<void()>& call) {
  try {
    call();
    ADD_FAILURE() << "nothing was thrown on rank " << ranks.rank();
  } catch (const InvalidArgument& error) {
    EXPECT_NE(std::string(error.what()).find("rank 1"), std::string::npos) << error.what();
    test::collects_and_distributes(ranks);
  } catch (const CommunicationError& error) {
    EXPECT_NE(error.failed_rank(), -1) << error.what();
    EXPECT_TRUE(ranks.rank() == 1 || error.failed_rank() == 1) << error.what();
    EXPECT_THROW(ranks.barrier(), CommunicationError);
  }
}

/// What the ranks have in common where they call different things.
struct Common {
  explicit Common(const Communicator& its_ranks)
      : ranks(its_ranks),
        keys(test::to_device(test::fault_keys(ranks))),
        out("out", keys.extent(0)),
        first(rank_exec(), ranks, keys),
        second(rank_exec(), ranks, keys, first.options_like()) {}

  const Communicator& ranks;
  Kokkos::View<std::uint64_t*, test::Memory> keys, out;
  Workspace<test::Memory> workspace;
  test::FaultTable first, second;
};
using Call = void (*)(Common&);
struct Disagreement {
  const char* name;
  Call most, one;  // rank 1 makes the second one
};

void shuffle_keys(Common& c) {
  static_cast<void>(shuffle(rank_exec(), c.ranks, c.keys, c.workspace, c.keys));
}
void count_keys(Common& c) {
  static_cast<void>(distributed_group_by(rank_exec(), c.ranks, c.keys, agg::count()));
}
void find_in_first(Common& c) { c.first.find(rank_exec(), c.keys, c.out); }
void build(Common& c) { const test::FaultTable table(rank_exec(), c.ranks, c.keys); }
void build_with(Common& c, const test::FaultTable::options_type& options) {
  const test::FaultTable table(rank_exec(), c.ranks, c.keys, options);
}
void reduce(Common& c) {
  std::vector<std::uint64_t> words(200);
  c.ranks.all_reduce(words, Reduction::sum);
}

const Disagreement disagreements[] = {
    {"seeds", shuffle_keys,
     [](Common& c) {
       const ShuffleOptions other{Seed(1)};
       static_cast<void>(shuffle(rank_exec(), c.ranks, c.keys, other, c.workspace, c.keys));
     }},
    {"number_of_columns", shuffle_keys,
     [](Common& c) {
       static_cast<void>(shuffle(rank_exec(), c.ranks, c.keys, c.workspace, c.keys, c.keys));
     }},
    {"signs_of_columns", shuffle_keys,
     [](Common& c) {
       const Kokkos::View<std::int64_t*, test::Memory> other("other", c.keys.extent(0));
       static_cast<void>(shuffle(rank_exec(), c.ranks, c.keys, c.workspace, other));
     }},
    {"shuffle_and_shuffle_to", shuffle_keys,
     [](Common& c) {
       Kokkos::deep_copy(c.out, 0);
       static_cast<void>(shuffle_to(rank_exec(), c.ranks, c.out, c.workspace, c.keys));
     }},
    {"shuffle_and_collect", shuffle_keys,
     [](Common& c) { static_cast<void>(collect(rank_exec(), c.ranks, 0, c.keys)); }},
    {"collect_and_distribute",
     [](Common& c) { static_cast<void>(collect(rank_exec(), c.ranks, 0, c.keys)); },
     [](Common& c) { static_cast<void>(distribute(rank_exec(), c.ranks, 0, c.keys)); }},
    {"group_by_and_shuffle", count_keys, shuffle_keys},
    {"group_by_of_other_aggregations", count_keys,
     [](Common& c) {
       static_cast<void>(distributed_group_by(rank_exec(), c.ranks, c.keys, agg::sum(c.keys)));
     }},
    {"group_by_and_results", count_keys,
     [](Common& c) {
       static_cast<void>(distributed_aggregation(rank_exec(), c.ranks, c.keys, agg::count())
                             .results(rank_exec()));
     }},
    {"find_and_count", find_in_first, [](Common& c) { c.first.count(rank_exec(), c.keys, c.out); }},
    {"find_and_retrieve", find_in_first,
     [](Common& c) { static_cast<void>(c.first.retrieve(rank_exec(), c.keys)); }},
    {"find_and_erase", find_in_first,
     [](Common& c) { static_cast<void>(c.first.erase(rank_exec(), c.keys)); }},
    {"find_in_two_tables", find_in_first,
     [](Common& c) { c.second.find(rank_exec(), c.keys, c.out); }},
    {"find_and_size", find_in_first, [](Common& c) { static_cast<void>(c.first.size()); }},
    {"sizes_of_two_tables", [](Common& c) { static_cast<void>(c.first.size()); },
     [](Common& c) { static_cast<void>(c.second.size()); }},
    {"find_and_barrier", find_in_first, [](Common& c) { c.ranks.barrier(); }},
    {"find_and_split", find_in_first, [](Common& c) { static_cast<void>(c.ranks.split(0, 0)); }},
    {"compact_and_size", [](Common& c) { c.first.compact(rank_exec()); },
     [](Common& c) { static_cast<void>(c.first.size()); }},
    {"compact_and_statistics", [](Common& c) { c.first.compact(rank_exec()); },
     [](Common& c) { static_cast<void>(c.first.statistics()); }},
    {"intersected_tables",
     [](Common& c) { static_cast<void>(intersect(rank_exec(), c.first, c.second)); },
     [](Common& c) { static_cast<void>(intersect(rank_exec(), c.second, c.first)); }},
    {"intersect_and_count",
     [](Common& c) { static_cast<void>(intersect(rank_exec(), c.first, c.second)); },
     [](Common& c) { static_cast<void>(intersect_count(rank_exec(), c.first, c.second)); }},
    {"build_and_shuffle", build, shuffle_keys},
    {"build_and_all_reduce", build, reduce},
    {"build_and_all_reduce_of_as_many_bytes", build,
     [](Common& c) {
       std::vector<std::uint64_t> words(3 * std::size_t(c.ranks.size()));
       c.ranks.all_reduce(words, Reduction::sum);
     }},
    {"splits_of_one_rank", build,
     [](Common& c) {
       build_with(c, {{}, c.first.splits()});
     }},
    {"rows_per_bucket", build,
     [](Common& c) {
       build_with(c, {{.rows_per_bucket = RowsPerBucket(2)}, {}});
     }},
    {"algorithms", build,
     [](Common& c) {
       build_with(c, {{.algorithm = BuildAlgorithm::v1}, {}});
     }},
    {"buckets", build,
     [](Common& c) {
       build_with(c, {{.buckets = BucketCount(1000)}, {}});
     }},
    {"bins", build,
     [](Common& c) {
       build_with(c, {{.bins = BinCount(4)}, {}});
     }},
    {"types_of_keys", build,
     [](Common& c) {
       const Kokkos::View<std::uint32_t*, test::Memory> keys("keys", 10);
       const DistributedHashGraph<std::uint32_t, test::Memory> table(rank_exec(), c.ranks, keys);
     }},
    {"reductions", reduce,
     [](Common& c) {
       std::vector<std::uint64_t> words(200);
       c.ranks.all_reduce(words, Reduction::maximum);
     }},
    {"lengths", reduce,
     [](Common& c) {
       std::vector<std::uint64_t> words(2000);
       c.ranks.all_reduce(words, Reduction::sum);
     }},
    {"steps", [](Common& c) { c.ranks.barrier("before"); },
     [](Common& c) { c.ranks.barrier("after"); }},
    {"reduce_and_barrier", reduce, [](Common& c) { c.ranks.barrier(); }},
};

class Disagreements : public ::testing::TestWithParam<Disagreement> {};

TEST_P(Disagreements, AreNamedOnAllRanks) {
  for (const int size : {2, 3, 4}) {
    test::on_thread_ranks(size, {.timeout = 20s}, [](const Communicator& ranks) {
      Common common(ranks);
      const Call call = ranks.rank() == 1 ? GetParam().one : GetParam().most;
      expect_disagreement(ranks, [&] { call(common); });
    });
  }
}

INSTANTIATE_TEST_SUITE_P(Faults, Disagreements, ::testing::ValuesIn(disagreements),
                         [](const auto& tested) { return std::string(tested.param.name); });

struct SeededHash {
  std::uint64_t seed;
  KOKKOS_FUNCTION std::uint64_t operator()(std::uint64_t key) const {
    return murmur3_fmix64(key ^ seed);
  }
  friend bool operator==(const SeededHash&, const SeededHash&) = default;
};

TEST(Disagreements, InHashFunctionsAreNamed) {
  test::on_thread_ranks(3, {.timeout = 20s}, [](const Communicator& ranks) {
    const auto keys = test::to_device(test::fault_keys(ranks));
    expect_disagreement(ranks, [&] {
      const DistributedHashGraph<std::uint64_t, test::Memory, SeededHash> table(
          rank_exec(), ranks, keys, {}, SeededHash{ranks.rank() == 1 ? 5U : 4U});
    });
  });
}

TEST(Disagreements, NameCallsAndRanksBeforeASplit) {
  test::on_thread_ranks(4, {.timeout = 20s}, [](const Communicator& ranks) {
    const Communicator part = ranks.split(ranks.rank() % 2, ranks.rank());
    const auto keys = test::to_device(test::fault_keys(ranks));
    try {
      part.rank() == 1 ? static_cast<void>(collect(rank_exec(), part, 0, keys))
                       : static_cast<void>(distribute(rank_exec(), part, 0, keys));
      ADD_FAILURE() << "nothing was thrown";
    } catch (const InvalidArgument& error) {
      const bool odd = ranks.rank() % 2 != 0;
      const std::string expected = odd ? "rank 3 calls collect where rank 1 calls distribute"
                                       : "rank 2 calls collect where rank 0 calls distribute";
      EXPECT_NE(std::string(error.what()).find(expected), std::string::npos) << error.what();
    }
    test::collects_and_distributes(ranks);
  });
}

/// All ranks give what no rank may.
TEST(WrongOptions, OfATableAreRefused) {
  using Options = test::FaultTable::options_type;
  test::on_thread_ranks(3, {.timeout = 20s}, [](const Communicator& ranks) {
    const auto keys = test::to_device(test::fault_keys(ranks));
    const Splits of_two(1024, 0, std::vector<std::uint64_t>(1024, 1), 2);
    for (const Options& wrong :
         {Options{{.row_base = 1}, {}}, Options{{}, Splits()}, Options{{}, of_two}}) {
      EXPECT_THROW(test::FaultTable(rank_exec(), ranks, keys, wrong), InvalidArgument);
    }
    test::collects_and_distributes(ranks);
  });
}

TEST(WrongOptions, OfNodesAreRefusedOnAllRanks) {
  for (const std::optional<int> other :
       {std::optional<int>(), std::optional(3), std::optional(0), std::optional(-1)}) {
    const auto meeting = std::make_shared<backends::ThreadMeeting>(2);
    std::vector<std::thread> threads;
    for (const int rank : {0, 1}) {
      threads.emplace_back([&, rank] {
        const std::optional<int> nodes = rank == 1 ? other : 2;
        EXPECT_THROW(Communicator(std::make_unique<backends::ThreadTransport>(meeting, rank),
                                  {.timeout = 20s, .ranks_per_node = nodes}),
                     InvalidArgument);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST(MovedCommunicator, CanStillBeUsed) {
  Communicator ranks = self_communicator();
  const Communicator moved = std::move(ranks);
  test::gathers(moved);
  test::gathers(ranks);  // NOLINT(bugprone-use-after-move): moving copies
}

TEST(Letters, WithoutMemoryThrowCapacityError) {
  test::on_thread_ranks(2, {.timeout = 20s}, [](const Communicator& ranks) {
    // No byte of it is read: the other rank sends as little.
    const std::span<const std::byte> huge(reinterpret_cast<const std::byte*>(&ranks),
                                          std::size_t{1} << 62);
    if (ranks.rank() == 1) {
      EXPECT_THROW(
          ranks.all_to_all(huge, std::span(static_cast<std::byte*>(nullptr), huge.size()), "huge"),
          CapacityError);
    } else {
      EXPECT_THROW(ranks.barrier(), CommunicationError);
    }
    EXPECT_THROW(ranks.barrier(), CommunicationError);
  });
}

}  // namespace
