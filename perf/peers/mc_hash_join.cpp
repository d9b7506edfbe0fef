#include <hashmill/mc_hash.hpp>

#include "../compare_case.hpp"
#include "../host_threads.hpp"
#include "../join/join_algorithms.hpp"

namespace hashmill::perf {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Peers: the multi-core hash joins of Balkesen et al., counted. Columns become tuples before the
/// clock starts, as in their programs.
template <class Key, class Count>
class McHashJoin : public CountOfHostJoin {
 public:
  explicit McHashJoin(const HostJoin& sides)
      : CountOfHostJoin(sides),
        exec_(instance_with_threads<Host>(static_cast<unsigned>(sides.num_threads))),
        build_(tuples(sides.right_keys, sides.sizes.num_keys)),
        probe_(tuples(sides.left_keys, sides.sizes.num_queries)) {}
  void run() override { num_pairs = Count()(exec_, build_, probe_, workspace_); }

 private:
  auto tuples(const void* keys, std::uint64_t count) const {
    using Keys =
        Kokkos::View<const Key*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return mc_hash::tuples_of(exec_, Keys(static_cast<const Key*>(keys), count));
  }

  using Tuples =
      decltype(mc_hash::tuples_of(Host(), Kokkos::View<const Key*, Kokkos::HostSpace>()));
  Host exec_;
  Workspace<Kokkos::HostSpace> workspace_;
  Tuples build_, probe_;
};

template <class Count>
std::unique_ptr<Operation> make(const HostJoin& sides) {
  if (sides.key_bits == 32) return std::make_unique<McHashJoin<std::uint32_t, Count>>(sides);
  return std::make_unique<McHashJoin<std::uint64_t, Count>>(sides);
}

struct Npo {
  template <class Tuples>
  std::uint64_t operator()(const Host& exec, const Tuples& build, const Tuples& probe,
                           Workspace<Kokkos::HostSpace>& workspace) const {
    return mc_hash::npo_count(exec, build, probe, workspace);
  }
};
struct Pro {
  template <class Tuples>
  std::uint64_t operator()(const Host& exec, const Tuples& build, const Tuples& probe,
                           Workspace<Kokkos::HostSpace>& workspace) const {
    return mc_hash::pro_count(exec, build, probe, mc_hash::RadixJoinOptions{}, workspace);
  }
};
struct Prh {
  template <class Tuples>
  std::uint64_t operator()(const Host& exec, const Tuples& build, const Tuples& probe,
                           Workspace<Kokkos::HostSpace>& workspace) const {
    return mc_hash::prh_count(exec, build, probe, mc_hash::RadixJoinOptions{}, workspace);
  }
};

std::string left_out(const CompareCase& row) {
  return row.result.output == JoinOutput::count ? "" : "of all but --payload count";
}

constexpr Algorithm baseline(std::string_view name, std::string_view structure) {
  return {.name = name,
          .kind = OperationKind::both_sides,
          .structure = structure,
          .runs_on = RunsOn::host_threads,
          .axes = {.queries = true, .sides = true},
          .is_peer = true,
          .left_out = left_out};
}

const RegisteredJoinPeer npo({baseline("npo", "MC-Hash, no partitioning"), make<Npo>});
const RegisteredJoinPeer pro({baseline("pro", "MC-Hash, radix, chained"), make<Pro>});
const RegisteredJoinPeer prh({baseline("prh", "MC-Hash, radix, histograms"), make<Prh>});

}  // namespace
}  // namespace hashmill::perf
