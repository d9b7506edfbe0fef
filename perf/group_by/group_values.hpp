#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>

#include "answers/tally.hpp"

namespace hashmill::perf {

/// The value of a row that group-bys aggregate: 20 bits.
KOKKOS_FUNCTION inline std::uint32_t value_of(std::uint64_t row) {
  return static_cast<std::uint32_t>(row_weight(row) >> 44);
}

template <class Values>
struct FillValues {
  Values values;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { values(i) = value_of(i); }
};

/// The values of `count` rows; fences `exec`.
template <class Exec>
Kokkos::View<std::uint32_t*, typename Exec::memory_space> make_values(const Exec& exec,
                                                                      std::uint64_t count) {
  using Values = Kokkos::View<std::uint32_t*, typename Exec::memory_space>;
  const auto values = backends::allocate<Values>(exec, "hashmill::perf::values", count);
  Kokkos::parallel_for("hashmill::perf::fill_values", backends::range(exec, count),
                       FillValues<Values>{values});
  exec.fence("hashmill::perf::make_values: the values are there");
  return values;
}

}  // namespace hashmill::perf
