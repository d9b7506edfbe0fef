#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <chrono>
#include <cstdio>
#include <map>

#include "model/operations.hpp"

namespace hashmill::test {
namespace {

using Clock = std::chrono::steady_clock;

struct FuzzOptions {
  std::uint64_t seed = 1;
  std::uint64_t first = 0;
  std::uint64_t steps = ~std::uint64_t{0};
  double seconds = 60;
  bool no_progress = false;
};

struct StepTally {
  std::uint64_t steps = 0;
  double seconds = 0;
};

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

void add_options(CLI::App& app, FuzzOptions& options) {
  app.add_option("--seed", options.seed, "Seed of all steps [1]");
  app.add_option("--first", options.first, "Number of the first step [0]");
  CLI::Option* const steps = app.add_option("--steps", options.steps, "How many steps");
  CLI::Option* const seconds =
      app.add_option("--seconds", options.seconds, "How long [60, unless --steps is given]");
  app.add_flag("--no-progress", options.no_progress, "No progress on stderr");
  app.callback([&options, steps, seconds] {
    if (steps->count() != 0 && seconds->count() == 0) options.seconds = 1e18;
  });
}

/// Runs a step. What ranks find wrong they tell by gtest's checks, since one that threw would leave
/// the others waiting.
void run_step(const FuzzStep& kind, RandomSource& random) {
  kind.run(random);
  if (testing::UnitTest::GetInstance()->ad_hoc_test_result().Failed()) {
    throw Mismatch("the check above failed");
  }
}

/// Works off the steps; 0 unless one fails.
int run(const FuzzOptions& options, const std::vector<FuzzStep>& kinds) {
  const auto begin = Clock::now();
  std::map<std::string, StepTally> tallies;
  std::uint64_t step = options.first, done = 0;
  auto shown = begin;
  for (; done < options.steps && seconds_since(begin) < options.seconds; ++step, ++done) {
    RandomSource random(options.seed, step);
    const FuzzStep& kind = kinds[random.below(kinds.size())];
    const auto step_begin = Clock::now();
    try {
      run_step(kind, random);
    } catch (const std::exception& error) {
      std::printf(
          "\nstep %llu, %s: %s\nrepeat it with: hashmill_fuzz --seed %llu --first %llu --steps 1\n",
          static_cast<unsigned long long>(step), kind.name.c_str(), error.what(),
          static_cast<unsigned long long>(options.seed), static_cast<unsigned long long>(step));
      return 1;
    }
    StepTally& tally = tallies[kind.name];
    ++tally.steps;
    tally.seconds += seconds_since(step_begin);
    if (!options.no_progress && seconds_since(shown) > 0.5) {
      shown = Clock::now();
      std::fprintf(stderr, "\r%llu steps in %.0f s, %s\033[K",
                   static_cast<unsigned long long>(done + 1), seconds_since(begin),
                   kind.name.c_str());
    }
  }
  if (!options.no_progress) std::fprintf(stderr, "\r\033[K");
  std::printf("%-42s %9s %9s\n", "compared with std containers", "steps", "seconds");
  for (const auto& [name, tally] : tallies) {
    std::printf("%-42s %9llu %9.1f\n", name.c_str(), static_cast<unsigned long long>(tally.steps),
                tally.seconds);
  }
  std::printf("%llu steps from %llu on with seed %llu: no mismatch\n",
              static_cast<unsigned long long>(done), static_cast<unsigned long long>(options.first),
              static_cast<unsigned long long>(options.seed));
  return 0;
}

}  // namespace
}  // namespace hashmill::test

int main(int argc, char** argv) {
  using namespace hashmill::test;
  const Kokkos::ScopeGuard kokkos(argc, argv);
  CLI::App app(
      "Random joins, group-bys and operations of tables, also of several ranks, each compared with "
      "std containers.");
  FuzzOptions options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  std::vector<FuzzStep> kinds;
  for (const auto& part :
       {join_steps(), hash_join_steps(), column_join_steps(), group_steps(), mixed_key_steps(),
        model_steps(), compression_steps(), hybrid_group_steps(), hybrid_join_steps(),
        shuffle_steps(), distributed_hash_graph_steps(), distributed_join_steps(),
        distributed_batch_join_steps(), distributed_mark_steps(), distributed_group_steps()})
    kinds.insert(kinds.end(), part.begin(), part.end());
  return run(options, kinds);
}
