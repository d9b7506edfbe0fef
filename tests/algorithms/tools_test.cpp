#include <gtest/gtest.h>

#include <functional>
#include <hashmill/bloom_filter.hpp>
#include <hashmill/chaining.hpp>
#include <hashmill/distinct_counts.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/hash_join.hpp>
#include <hashmill/intersect.hpp>
#include <hashmill/join.hpp>
#include <hashmill/join_filter.hpp>
#include <hashmill/partition.hpp>
#include <hashmill/row_container.hpp>

#include "algorithms/partition/partition_columns.hpp"
#include "algorithms/support/keys.hpp"
#include "algorithms/support/kokkos_recorder.hpp"

namespace hashmill::test {
namespace {

// What profilers see of every public operation. Some events that Kokkos itself adds and names are
// exempt:
//
// - fills and copies by deep_copy,
// - fences that end its reductions and deep copies (on the same instance),
// - fences of the whole device before memory is freed or handed out again, and around tools,
// - scratch.

using Kind = KokkosEvent::Kind;
using Key = std::uint32_t;
using Table = HashGraph<Key, Memory>;

/// Inputs, results and tables that operations use; made before anything is recorded.
struct Scene {
  static constexpr std::uint64_t size = 5000;
  Exec exec = Kokkos::Experimental::partition_space(Exec(), 1, 1)[1];
  Kokkos::View<const Key*, Memory> keys = to_device(narrow(repeated_numbers(size, 700, 1)));
  Kokkos::View<const Key*, Memory> few = to_device(narrow(sequential_numbers(50)));
  Kokkos::View<const Key*, Memory> zeros = to_device(std::vector<Key>(70'000));
  Kokkos::View<bool*, Memory> flags{"hashmill::test::flags", size};
  Kokkos::View<std::uint64_t*, Memory> counts{"hashmill::test::counts", size};
  Kokkos::View<std::uint32_t*, Memory> rows{"hashmill::test::rows", size};
  Table a{exec, keys}, b{exec, keys, {.row_base = size}};
  Chaining<Key, Memory> chaining{exec, keys};
  RowContainer<Memory, Key, std::uint32_t> container;
  BloomFilter<Key, Memory> filter{exec, keys};
  JoinFilter<Key, Memory> side = join_filter(exec, keys);
  Workspace<Memory> workspace;

  static std::vector<Key> narrow(const Numbers& numbers) {
    return {numbers.begin(), numbers.end()};
  }
};

struct Operation {
  const char* name;
  std::function<void(Scene&)> run;
  bool is_async = false;
};

void join_filtered_in_order(Scene& s) {
  HashJoinOptions<JoinStrategy::partitioned> options;
  options.prefilter = Prefilter::always;
  options.ordered = true;
  (void)hash_join(s.exec, JoinKind::full, s.keys, s.few, EveryPair{}, options);
}

void build(Scene& s, BuildAlgorithm algorithm) {
  const Table table(s.exec, s.keys, {.algorithm = algorithm});
}
/// On GPUs the only bin is more than a team finishes.
void build_heavy(Scene& s) { const Table table(s.exec, s.zeros); }

/// Batches, the second of which is added row by row, and different values of each group.
void aggregate_batches(Scene& s) {
  auto groups = hash_aggregation(s.exec, s.keys, agg::count());
  auto values = distinct_counts(s.exec, s.rows);
  groups.add(s.exec, s.few, agg::count());
  groups.add(s.exec, s.few, agg::count());
  groups.add(s.exec, s.keys, agg::count());
  values.add(s.exec, groups, s.few, Kokkos::subview(s.rows, std::make_pair(0, 50)));
  (void)groups.results(s.exec);
  (void)values.results(s.exec, groups.size());
  groups.clear(s.exec);
}

std::vector<Operation> operations() {
  return {
      {"build v1", [](Scene& s) { build(s, BuildAlgorithm::v1); }},
      {"build v2", [](Scene& s) { build(s, BuildAlgorithm::v2); }},
      {"build with a heavy bin", build_heavy},
      {"rebuild", [](Scene& s) { s.a.rebuild(s.exec, s.keys, {}, s.workspace); }},
      {"contains", [](Scene& s) { s.a.contains(s.exec, s.keys, s.flags); }},
      {"count", [](Scene& s) { s.a.count(s.exec, s.keys, s.counts); }},
      {"find", [](Scene& s) { s.a.find(s.exec, s.keys, s.rows); }},
      {"contains_async", [](Scene& s) { s.a.contains_async(s.exec, s.keys, s.flags); }, true},
      {"count_async", [](Scene& s) { s.a.count_async(s.exec, s.keys, s.counts); }, true},
      {"find_async", [](Scene& s) { s.a.find_async(s.exec, s.keys, s.rows); }, true},
      {"retrieve", [](Scene& s) { (void)s.a.retrieve(s.exec, s.keys); }},
      {"statistics", [](Scene& s) { (void)s.a.statistics(s.exec); }},
      {"merge", [](Scene& s) { (void)merge(s.exec, s.a, s.b); }},
      {"intersect_count", [](Scene& s) { (void)intersect_count(s.exec, s.a, s.b); }},
      {"intersect", [](Scene& s) { (void)intersect(s.exec, s.a, s.b); }},
      {"join_size", [](Scene& s) { (void)join_size(s.exec, JoinKind::left, s.keys, s.a); }},
      {"join", [](Scene& s) { (void)join(s.exec, JoinKind::full, s.few, s.a); }},
      {"join_in_chunks",
       [](Scene& s) {
         join_in_chunks(s.exec, JoinKind::full, s.few, s.a, EveryPair{}, {8000}, [](auto) {});
       }},
      {"hash_join", join_filtered_in_order},
      {"BloomFilter", [](Scene& s) { const BloomFilter<Key, Memory> filter(s.exec, s.keys); }},
      {"BloomFilter add", [](Scene& s) { s.filter.add(s.exec, s.few); }},
      {"BloomFilter contains", [](Scene& s) { s.filter.contains(s.exec, s.keys, s.flags); }},
      {"BloomFilter add_async", [](Scene& s) { s.filter.add_async(s.exec, s.few); }, true},
      {"BloomFilter contains_async",
       [](Scene& s) { s.filter.contains_async(s.exec, s.keys, s.flags); }, true},
      {"BloomFilter merge", [](Scene& s) { s.filter.merge(s.exec, s.filter); }},
      {"JoinFilter add", [](Scene& s) { s.side.add(s.exec, s.few); }},
      {"JoinFilter merge", [](Scene& s) { s.side.merge(s.exec, s.side); }},
      {"JoinFilter may_contain", [](Scene& s) { s.side.may_contain(s.exec, s.keys, s.flags); }},
      {"JoinFilter select", [](Scene& s) { (void)s.side.select(s.exec, s.keys, s.workspace); }},
      {"join_filter", [](Scene& s) { (void)join_filter(s.exec, s.keys); }},
      {"mark_join", [](Scene& s) { mark_join(s.exec, s.keys, s.a, s.flags); }},
      {"semi_join", [](Scene& s) { (void)semi_join(s.exec, s.keys, s.a); }},
      {"anti_join", [](Scene& s) { (void)anti_join(s.exec, s.few, s.a); }},
      {"gather", [](Scene& s) { gather(s.exec, s.keys, s.rows, s.counts); }},
      {"group_rows", [](Scene& s) { (void)group_rows(s.exec, s.keys); }},
      {"group_by", [](Scene& s) { (void)group_by(s.exec, s.keys, agg::count()); }},
      {"group_by in rows",
       [](Scene& s) {
         (void)group_by(s.exec, s.keys, GroupOptions{GroupStrategy::tag_bucket}, agg::count());
       }},
      {"HashAggregation", aggregate_batches},
      {"erase", [](Scene& s) { s.a.erase(s.exec, s.few); }},
      {"erase again", [](Scene& s) { s.a.erase(s.exec, s.few); }},
      {"compact", [](Scene& s) { s.a.compact(s.exec); }},
      {"Chaining", [](Scene& s) { const Chaining<Key, Memory> table(s.exec, s.keys); }},
      {"Chaining append", [](Scene& s) { s.chaining.append(s.exec, s.keys); }},
      {"Chaining find", [](Scene& s) { s.chaining.find(s.exec, s.keys, s.rows); }},
      {"Chaining statistics", [](Scene& s) { (void)s.chaining.statistics(s.exec); }},
      {"Chaining erase", [](Scene& s) { s.chaining.erase(s.exec, s.few); }},
      {"Chaining compact", [](Scene& s) { (void)s.chaining.compact(s.exec); }},
      {"Chaining rehash", [](Scene& s) { s.chaining.rehash(s.exec, BucketCount(900)); }},
      {"Chaining clear", [](Scene& s) { s.chaining.clear(s.exec); }},
      {"Chaining append_async", [](Scene& s) { s.chaining.append_async(s.exec, s.few); }, true},
      {"RowContainer append", [](Scene& s) { s.container.append(s.exec, s.keys, s.rows); }},
      {"RowContainer append and grow",
       [](Scene& s) { s.container.append(s.exec, s.keys, s.rows); }},
      {"RowContainer extract",
       [](Scene& s) {
         s.container.extract<1>(s.exec, RowRange{0, Scene::size}, s.rows);
       }},
      {"RowContainer extract_async",
       [](Scene& s) {
         s.container.extract_async<1>(s.exec, RowRange{9, Scene::size}, s.rows);
       },
       true},
      {"partition",
       [](Scene& s) {
         (void)partition(s.exec, s.keys, s.rows, PartOfKey{65537}, PartCount(65537));
       }},
      {"stable partition of keys",
       [](Scene& s) {
         (void)partition(s.exec, s.keys, PartOfKey{300}, PartCount(300), {.stable = true});
       }},
  };
}

bool starts_with_any(const std::string& label, const std::vector<const char*>& starts) {
  return std::any_of(starts.begin(), starts.end(),
                     [&](const char* start) { return label.starts_with(start); });
}

void expect_kernel(const KokkosEvent& event, std::uint32_t instance) {
  EXPECT_TRUE(
      is_library_label(event.label) ||
      starts_with_any(event.label, {"Kokkos::ViewFill", "Kokkos::ViewCopy", "Kokkos::deep_copy",
                                    "Kokkos::View::", "Kokkos::Impl::host_space_deepcopy"}))
      << "kernel " << event.label;
  EXPECT_EQ(event.device, instance) << "kernel " << event.label;
}

void expect_fence(const KokkosEvent& event, std::uint32_t instance) {
  if (starts_with_any(event.label, {"Kokkos::Tools::"})) return;
  if (event.label.find("deallocate") != std::string::npos) return;
  if (event.label == "hashmill: memory goes back to its cache") return;
  EXPECT_TRUE(starts_with_any(event.label, {"hashmill::", "Kokkos::parallel_reduce",
                                            "Kokkos::Impl::ParallelReduce",  // waits for its result
                                            "Kokkos::parallel_scan", "Kokkos::deep_copy"}))
      << "fence " << event.label;
  EXPECT_EQ(event.device, instance) << "fence " << event.label;
}

void expect_events(const Operation& operation, const KokkosRecorder& recorder, const Exec& exec) {
  const std::uint32_t instance = Kokkos::Tools::Experimental::device_id(exec);
  for (const KokkosEvent& event : recorder.events()) {
    switch (event.kind) {
      case Kind::kernel:
        expect_kernel(event, instance);
        break;
      case Kind::fence:
        expect_fence(event, instance);
        EXPECT_FALSE(operation.is_async && is_library_label(event.label)) << event.label;
        break;
      case Kind::region:
        EXPECT_TRUE(is_library_label(event.label)) << "region " << event.label;
        break;
      case Kind::allocation:
        EXPECT_TRUE(is_library_label(event.label) || event.label.starts_with("Kokkos::"))
            << "allocation " << event.label;
        break;
      case Kind::copy:  // a few totals and a histogram are all that may leave the device
        EXPECT_TRUE(!event.between_spaces || event.bytes <= 1024)
            << "copy of " << event.bytes << " bytes to " << event.label;
        break;
      case Kind::deallocation:
        break;
    }
  }
}

/// Kokkos may allocate for itself; the library must not.
void expect_no_allocation(const KokkosRecorder& recorder) {
  for (const KokkosEvent& event : recorder.events()) {
    EXPECT_FALSE(event.kind == Kind::allocation && is_library_label(event.label)) << event.label;
  }
}

TEST(Tools, SeeOnlyLabelledWorkOnThePassedInstance) {
  Scene scene;
  for (const Operation& operation : operations()) {
    SCOPED_TRACE(operation.name);
    scene.exec.fence("hashmill::test");
    const KokkosRecorder recorder;
    operation.run(scene);
    expect_events(operation, recorder, scene.exec);
    EXPECT_GE(recorder.count(Kind::kernel), 1U);
    EXPECT_GE(recorder.count(Kind::region), 1U);
    if (operation.is_async) expect_no_allocation(recorder);
  }
}

TEST(Tools, SeeNoAllocationWhereAResultIsUsedAgain) {
  Scene scene;
  CsrRows<std::uint32_t, Memory> result;
  scene.a.retrieve(scene.exec, scene.keys, result, scene.workspace);
  const auto rows = to_host(result.rows);
  {
    const KokkosRecorder recorder;
    scene.a.retrieve(scene.exec, scene.keys, result, scene.workspace);
    expect_no_allocation(recorder);
  }
  EXPECT_EQ(to_host(result.rows), rows);
  {
    const KokkosRecorder recorder;
    scene.a.retrieve(scene.exec, scene.few, result, scene.workspace);
    expect_no_allocation(recorder);
  }
  const auto fewer = scene.a.retrieve(scene.exec, scene.few);
  EXPECT_EQ(to_host(result.offsets), to_host(fewer.offsets));
  EXPECT_EQ(to_host(result.rows), to_host(fewer.rows));
}

TEST(Tools, SeeOneRegionOfEachOperationByItsName) {
  Scene scene;
  const auto region_of = [&](const std::function<void(Scene&)>& run) {
    const KokkosRecorder recorder;
    run(scene);
    for (const KokkosEvent& event : recorder.events()) {
      if (event.kind == Kind::region) return event.label;
    }
    return std::string();
  };
  const std::map<std::string, std::string> expected{
      {"build v2", "hashmill::HashGraph::build"},
      {"rebuild", "hashmill::HashGraph::rebuild"},
      {"contains", "hashmill::HashGraph::contains"},
      {"count", "hashmill::HashGraph::count"},
      {"find", "hashmill::HashGraph::find"},
      {"retrieve", "hashmill::HashGraph::retrieve"},
      {"erase", "hashmill::HashGraph::erase"},
      {"compact", "hashmill::HashGraph::compact"},
      {"merge", "hashmill::merge"},
      {"intersect", "hashmill::intersect"},
      {"join_size", "hashmill::join_size"},
      {"join", "hashmill::join"},
      {"join_in_chunks", "hashmill::join_in_chunks"},
      {"hash_join", "hashmill::hash_join"},
      {"BloomFilter", "hashmill::BloomFilter::build"},
      {"BloomFilter contains", "hashmill::BloomFilter::contains"},
      {"mark_join", "hashmill::mark_join"},
      {"semi_join", "hashmill::semi_join"},
      {"anti_join", "hashmill::anti_join"},
      {"gather", "hashmill::gather"},
      {"group_rows", "hashmill::group_rows"},
      {"group_by", "hashmill::group_by"},
      {"group_by in rows", "hashmill::group_by"},
      {"HashAggregation", "hashmill::hash_aggregation"},
      {"Chaining", "hashmill::Chaining::build"},
      {"Chaining append", "hashmill::Chaining::append"},
      {"Chaining find", "hashmill::Chaining::find"},
      {"Chaining compact", "hashmill::Chaining::compact"},
      {"Chaining clear", "hashmill::Chaining::clear"},
      {"partition", "hashmill::partition"},
      {"statistics", "hashmill::HashGraph::statistics"},
      {"intersect_count", "hashmill::intersect_count"}};
  for (const Operation& operation : operations()) {
    const auto found = expected.find(operation.name);
    if (found != expected.end()) {
      EXPECT_EQ(region_of(operation.run), found->second);
    }
  }
}

}  // namespace
}  // namespace hashmill::test
