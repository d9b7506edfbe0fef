#include <Kokkos_Core.hpp>
#include <cstdint>
#include <cstdio>
#include <hashmill/hashmill.hpp>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  using Exec = Kokkos::DefaultExecutionSpace;  // the GPU in a cuda build
  const Exec exec;

  Kokkos::View<std::uint32_t*, Exec> keys("keys", 1'000'000);  // 0, 0, 1, 1, 2, 2, ...
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, 1'000'000),
      KOKKOS_LAMBDA(const int i) { keys(i) = i / 2; });

  const hashmill::HashGraph<std::uint32_t, Exec::memory_space> table(exec, keys);
  const auto rows = table.retrieve(exec, keys);                // every row of every query
  const auto pairs = hashmill::intersect(exec, table, table);  // a join

  std::printf("%llu rows, %llu pairs\n", static_cast<unsigned long long>(rows.size()),
              static_cast<unsigned long long>(pairs.size()));
  return rows.size() == 2'000'000 && pairs.size() == 2'000'000 ? 0 : 1;
}
