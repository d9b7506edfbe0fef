#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <vector>

namespace hashmill::test {

/// Writes `function(inputs(i))` for each `i`.
template <class Input, class Output, class Function>
struct ApplyToEach {
  using Space = Kokkos::DefaultExecutionSpace;
  Kokkos::View<const Input*, Space> inputs;
  Kokkos::View<Output*, Space> outputs;
  Function function;

  KOKKOS_FUNCTION void operator()(std::uint64_t i) const { outputs(i) = function(inputs(i)); }
};

/// `function` of each input, computed by a kernel of the default execution space.
template <class Output, class Input, class Function>
std::vector<Output> device_values(const std::vector<Input>& inputs, const Function& function) {
  using Space = Kokkos::DefaultExecutionSpace;
  using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
  Kokkos::View<Input*, Space> keys("hashmill::test::inputs", inputs.size());
  Kokkos::View<Output*, Space> values("hashmill::test::outputs", inputs.size());
  std::vector<Output> results(inputs.size());
  const Space space;
  Kokkos::deep_copy(
      space, keys,
      Kokkos::View<const Input*, Kokkos::HostSpace, Unmanaged>(inputs.data(), inputs.size()));
  Kokkos::parallel_for("hashmill::test::apply_to_each",
                       Kokkos::RangePolicy<Space>(space, 0, inputs.size()),
                       ApplyToEach<Input, Output, Function>{keys, values, function});
  Kokkos::deep_copy(
      space, Kokkos::View<Output*, Kokkos::HostSpace, Unmanaged>(results.data(), results.size()),
      values);
  space.fence("hashmill::test::device_values: results are read on the host");
  return results;
}

/// `function` of each input, computed here.
template <class Output, class Input, class Function>
std::vector<Output> host_values(const std::vector<Input>& inputs, const Function& function) {
  std::vector<Output> results;
  results.reserve(inputs.size());
  for (const Input& input : inputs) results.push_back(function(input));
  return results;
}

}  // namespace hashmill::test
