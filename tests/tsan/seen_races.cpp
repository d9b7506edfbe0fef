#include <Kokkos_Core.hpp>

// Races as a kernel might have them, each of which the sanitizer must report.

namespace {

using Numbers = Kokkos::View<std::uint64_t*, Kokkos::HostSpace>;
using Range =
    Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::int64_t>>;

struct PlainWrites {
  Numbers numbers;
  void operator()(std::int64_t i) const { numbers(0) += static_cast<std::uint64_t>(i); }
};

struct PlainReadsBesideAtomics {
  Numbers numbers;
  void operator()(std::int64_t i) const {
    if (i % 2 == 0) {
      Kokkos::atomic_inc(&numbers(0));
    } else {
      numbers(i) = numbers(0);
    }
  }
};

struct WritesInScan {
  Numbers numbers;
  void operator()(std::int64_t i, std::uint64_t& sum, bool last) const {
    sum += numbers(i);
    if (last) numbers(0) = sum;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Numbers first("first", 10'000), second("second", 10'000), third("third", 10'000);
  Kokkos::parallel_for("plain writes", Range(0, 10'000), PlainWrites{first});
  Kokkos::parallel_for("plain reads", Range(0, 10'000), PlainReadsBesideAtomics{second});
  Kokkos::parallel_scan("scan", Range(0, 10'000), WritesInScan{third});
}
