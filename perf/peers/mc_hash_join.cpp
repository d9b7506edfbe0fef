#include <hashmill/mc_hash.hpp>

#include "answers/actual_results.hpp"
#include "case/compare_case.hpp"
#include "join/join_algorithms.hpp"
#include "machine/host_threads.hpp"

namespace hashmill::perf {
namespace {

using Host = Kokkos::DefaultHostExecutionSpace;

/// Peers: our implementations of the multi-core hash joins of Balkesen et al. Columns become tuples
/// of key and row before the clock starts, as in their programs; counts move them whole too.
template <class Key>
class McHashSides : public CountOfHostJoin {
 public:
  explicit McHashSides(const HostJoin& sides)
      : CountOfHostJoin(sides),
        exec(instance_with_threads<Host>(static_cast<unsigned>(sides.num_threads))),
        build(tuples(sides.right_keys, sides.sizes.num_keys)),
        probe(tuples(sides.left_keys, sides.sizes.num_queries)) {}

 private:
  auto tuples(const void* keys, std::uint64_t count) const {
    using Keys =
        Kokkos::View<const Key*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    return mc_hash::tuples_of(exec, Keys(static_cast<const Key*>(keys), count));
  }

 protected:
  using Tuples =
      decltype(mc_hash::tuples_of(Host(), Kokkos::View<const Key*, Kokkos::HostSpace>()));
  Host exec;
  Workspace<Kokkos::HostSpace> workspace;
  Tuples build, probe;
};

/// The number of pairs.
template <class Key, class Join>
class CountMcHash : public McHashSides<Key> {
 public:
  using McHashSides<Key>::McHashSides;
  void prepare(RunMemory memory) override {
    if (memory == RunMemory::fresh) this->workspace = {};
  }
  void run() override {
    this->num_pairs = Join::count(this->exec, this->build, this->probe, this->workspace);
  }
};

/// The numbers of both rows of each pair, which are the tuples' payloads.
template <class Key, class Join>
class WriteMcHash : public McHashSides<Key> {
 public:
  using McHashSides<Key>::McHashSides;
  void prepare(RunMemory memory) override {
    if (memory == RunMemory::kept) return;
    this->workspace = {};
    pairs_ = {};
  }
  void run() override {
    Join::write(this->exec, this->build, this->probe, pairs_, this->workspace);
  }
  std::string verify() override {
    const Pairs swapped{pairs_.right, pairs_.left};
    return compare_tallies(this->sides().pairs,
                           tally(this->exec, pairs_.size(), TallyJoined<Pairs>{swapped}));
  }
  ByteBudget traffic() const override { return hash_join_budget(this->sides().sizes); }

 private:
  using Pairs = mc_hash::JoinedPayloads<typename McHashSides<Key>::Tuples>;
  Pairs pairs_;
};

template <class Key, class Join>
std::unique_ptr<Operation> make_for(const HostJoin& sides) {
  if (sides.output == JoinOutput::count) return std::make_unique<CountMcHash<Key, Join>>(sides);
  return std::make_unique<WriteMcHash<Key, Join>>(sides);
}

template <class Join>
std::unique_ptr<Operation> make(const HostJoin& sides) {
  return sides.key_bits == 32 ? make_for<std::uint32_t, Join>(sides)
                              : make_for<std::uint64_t, Join>(sides);
}

using HostMemory = Workspace<Kokkos::HostSpace>;

struct Npo {
  template <class Tuples>
  static std::uint64_t count(const Host& exec, const Tuples& build, const Tuples& probe,
                             HostMemory& workspace) {
    return mc_hash::npo_count(exec, probe, build, workspace);
  }
  template <class Tuples, class Pairs>
  static void write(const Host& exec, const Tuples& build, const Tuples& probe, Pairs& pairs,
                    HostMemory& workspace) {
    mc_hash::npo(exec, probe, build, {}, pairs, workspace);
  }
};
struct Pro {
  template <class Tuples>
  static std::uint64_t count(const Host& exec, const Tuples& build, const Tuples& probe,
                             HostMemory& workspace) {
    return mc_hash::pro_count(exec, probe, build, {}, workspace);
  }
  template <class Tuples, class Pairs>
  static void write(const Host& exec, const Tuples& build, const Tuples& probe, Pairs& pairs,
                    HostMemory& workspace) {
    mc_hash::pro(exec, probe, build, {}, pairs, workspace);
  }
};
struct Prh {
  template <class Tuples>
  static std::uint64_t count(const Host& exec, const Tuples& build, const Tuples& probe,
                             HostMemory& workspace) {
    return mc_hash::prh_count(exec, probe, build, {}, workspace);
  }
  template <class Tuples, class Pairs>
  static void write(const Host& exec, const Tuples& build, const Tuples& probe, Pairs& pairs,
                    HostMemory& workspace) {
    mc_hash::prh(exec, probe, build, {}, pairs, workspace);
  }
};

std::string left_out(const CompareCase& row) {
  for (const auto reason : {with_columns, with_payload, outer_join}) {
    if (std::string why = reason(row); !why.empty()) return why;
  }
  return {};
}

Algorithm baseline(const std::string& name, const std::string& structure) {
  return {.name = name,
          .kind = OperationKind::both_sides,
          .structure = structure,
          .runs_on = RunsOn::host_threads,
          .axes = {.queries = true, .sides = true},
          .is_peer = true,
          .left_out = left_out};
}

const RegisteredJoinPeer npo({baseline("npo", "our implementation of NPO (MC-Hash), tuples"),
                              make<Npo>});
const RegisteredJoinPeer pro({baseline("pro", "our implementation of PRO (MC-Hash), tuples"),
                              make<Pro>});
const RegisteredJoinPeer prh({baseline("prh", "our implementation of PRH (MC-Hash), tuples"),
                              make<Prh>});

}  // namespace
}  // namespace hashmill::perf
