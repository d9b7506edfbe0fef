#include "topology/topology_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "backends/synthetic_machines.hpp"

namespace hashmill::perf {
namespace {

using backends::NumaMode;
using backends::NumaPlan;

std::string report(const backends::Topology& machine, NumaMode mode, unsigned threads) {
  std::ostringstream out;
  print_topology(out, machine, NumaPlan(machine, mode, threads), {"madvise: used", "bound"},
                 1 << 24);
  return out.str();
}

TEST(TopologyReport, ShowsUnevenNodesAndTheirBins) {
  backends::Topology machine = test::machine_of({2, 6});
  machine.nodes[0].memory_bytes = std::uint64_t{16} << 30;
  machine.nodes[1].memory_bytes = 1'500'000'000;
  machine.nodes[1].threads.back() = 9;
  EXPECT_EQ(report(machine, NumaMode::local, 8),
            R"(machine     2 nodes, 8 cores, 8 hardware threads, as test tells
caches      L2 1 MiB a core
huge pages  madvise: used
threads     8, bound
NUMA mode   local
arrays      of 4 MiB and more: each thread's slice next to it
passes      up to 12 bits (4096 parts); tiles of 262145 records of 16777216; the first on each node, then one exchange of runs

node  cores   memory  hardware threads  threads  bins of 4096
   0      2   16 GiB  0-1               0-1      0-1023
   1      6  1.4 GiB  2-6,9             2-7      1024-4095
)");
}

TEST(TopologyReport, SaysWhatIsNotPlaced) {
  const std::string one = report(test::machine_of({4}), NumaMode::interleaved, 4);
  EXPECT_NE(one.find("interleaved; one node works, so nothing is placed"), std::string::npos);
  EXPECT_NE(one.find("where the system puts them"), std::string::npos);
  const std::string off = report(test::machine_of({4, 4}), NumaMode::off, 8);
  EXPECT_NE(off.find("NUMA mode   off\n"), std::string::npos);
  EXPECT_EQ(off.find("exchange"), std::string::npos);
  const std::string turns = report(test::machine_of({4, 4}), NumaMode::interleaved, 8);
  EXPECT_NE(turns.find("page by page on 2 nodes in turn"), std::string::npos);
}

TEST(TopologyReport, SaysHowMuchOfTheLastCacheCounts) {
  backends::Topology machine = test::machine_of({2});
  machine.caches.push_back({3, std::uint64_t{480} << 20, 2});
  EXPECT_NE(report(machine, NumaMode::off, 2)
                .find("L2 1 MiB a core, L3 480 MiB for 2 cores, of which 8 MiB count\n"),
            std::string::npos);
}

TEST(TopologyReport, ShowsNodesThatDoNotWork) {
  const std::string text = report(test::machine_of({1, 15}), NumaMode::local, 4);
  EXPECT_NE(text.find("   0      1  0 bytes  0                 none     none\n"), std::string::npos)
      << text;
}

TEST(TopologyReport, BytesAndNumbersAreShort) {
  EXPECT_EQ(readable_bytes(0), "0 bytes");
  EXPECT_EQ(readable_bytes(1023), "1023 bytes");
  EXPECT_EQ(readable_bytes(512 << 10), "512 KiB");
  EXPECT_EQ(readable_bytes((3ULL << 30) / 2), "1.5 GiB");
  EXPECT_EQ(readable_bytes(~std::uint64_t{0}), "16.0 EiB");
  EXPECT_EQ(readable_numbers({}), "none");
  EXPECT_EQ(readable_numbers({7}), "7");
  EXPECT_EQ(readable_numbers({0, 1, 2, 8, 10, 11}), "0-2,8,10-11");
}

}  // namespace
}  // namespace hashmill::perf
