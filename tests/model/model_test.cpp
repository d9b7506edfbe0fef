#include <gtest/gtest.h>

#include <cstdlib>
#include <ostream>

#include "operations.hpp"

namespace hashmill::test {

void PrintTo(const FuzzStep& step, std::ostream* out) { *out << step.name; }

namespace {

/// The seeds begin with HASHMILL_MODEL_SEED, or 1.
std::uint64_t first_seed() {
  const char* const asked = std::getenv("HASHMILL_MODEL_SEED");
  return asked == nullptr ? 1 : std::strtoull(asked, nullptr, 10);
}

/// Random operations of each dynamic table leave it as they leave std containers.
class Model : public testing::TestWithParam<FuzzStep> {};

TEST_P(Model, BehavesAsStdContainers) {
  const std::uint64_t seeds = sampling() ? 8 : 40;
  for (std::uint64_t seed = first_seed(), last = seed + seeds; seed < last; ++seed) {
    SCOPED_TRACE("repeat it with HASHMILL_MODEL_SEED=" + std::to_string(seed));
    RandomSource random(seed, 0);
    ASSERT_NO_THROW(GetParam().run(random));
  }
}

std::string test_name(const testing::TestParamInfo<FuzzStep>& info) {
  std::string name;
  for (const char letter : info.param.name)
    if (std::isalnum(static_cast<unsigned char>(letter)) != 0) name += letter;
  return name;
}

INSTANTIATE_TEST_SUITE_P(All, Model, testing::ValuesIn(model_steps()), test_name);

}  // namespace
}  // namespace hashmill::test
