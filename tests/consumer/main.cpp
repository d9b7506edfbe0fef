#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <hashmill/hashmill.hpp>

using Exec = Kokkos::DefaultExecutionSpace;
using Memory = Exec::memory_space;

/// Keys 0, 0, 1, 1, 2, 2, ...
struct EveryKeyTwice {
  Kokkos::View<std::uint32_t*, Memory> keys;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const { keys(i) = i / 2; }
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  Kokkos::View<std::uint32_t*, Memory> keys("keys", 1'000'000);
  Kokkos::parallel_for(Kokkos::RangePolicy<Exec>(exec, 0, keys.extent(0)), EveryKeyTwice{keys});

  const hashmill::HashGraph<std::uint32_t, Memory> table(exec, keys);
  const auto rows = table.retrieve(exec, keys);  // every row of every query
  const std::uint64_t pairs = hashmill::intersect_count(exec, table, table);

  std::printf("hashmill %s: %llu keys, %llu rows found, %llu pairs\n", HASHMILL_VERSION_STRING,
              static_cast<unsigned long long>(table.size()),
              static_cast<unsigned long long>(rows.size()), static_cast<unsigned long long>(pairs));
  return table.size() == 1'000'000 && rows.size() == 2'000'000 && pairs == 2'000'000 ? 0 : 1;
}
