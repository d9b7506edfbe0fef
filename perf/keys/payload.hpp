#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>
#include <hashmill/backends/allocate.hpp>
#include <hashmill/backends/launch.hpp>
#include <hashmill/key.hpp>

namespace hashmill::perf {

/// The row that a payload of a join stands for: payloads are row numbers, so that results can be
/// checked.
KOKKOS_FUNCTION inline std::uint64_t row_of_payload(std::uint64_t value) { return value; }
KOKKOS_FUNCTION inline std::uint64_t row_of_payload(const Key128& value) { return value.low; }

/// Sets each row's payload; its upper half, where it has 16 bytes, is not all zeros.
template <class Column>
struct SetPayload {
  Column column;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Value = typename Column::non_const_value_type;
    if constexpr (sizeof(Value) == 16) {
      column(i) = Value{static_cast<std::uint64_t>(i), ~static_cast<std::uint64_t>(i)};
    } else {
      column(i) = static_cast<Value>(i);
    }
  }
};

/// A column of payloads for `count` rows; fences `exec`.
template <class Value, class Exec>
Kokkos::View<Value*, typename Exec::memory_space> make_payloads(const Exec& exec,
                                                                std::uint64_t count) {
  using Column = Kokkos::View<Value*, typename Exec::memory_space>;
  const auto column = backends::allocate<Column>(exec, "hashmill::perf::payload", count);
  Kokkos::parallel_for("hashmill::perf::payload", backends::range(exec, count),
                       SetPayload<Column>{column});
  exec.fence("hashmill::perf::make_payloads: the payloads are there");
  return column;
}

}  // namespace hashmill::perf
