// Must not compile: each function uses memory that its execution space cannot reach. The test
// algorithms.inaccessible_memory compiles it and looks for the sentence that each must produce.
//
// Hosts have no memory that they cannot reach, so a space stands in that nobody can allocate in;
// static assertions come before anything would.

#include <hashmill/hashmill.hpp>

namespace hashmill::test {

/// Memory that host execution spaces cannot access, as far as Kokkos knows.
struct FarSpace {
  using memory_space = FarSpace;
  using execution_space = Kokkos::DefaultHostExecutionSpace;
  using device_type = Kokkos::Device<execution_space, memory_space>;
  using size_type = std::size_t;
  static constexpr const char* name() { return "Far"; }
  void* allocate(std::size_t) const { return nullptr; }
  void* allocate(const char*, std::size_t, std::size_t = 0) const { return nullptr; }
  void deallocate(void*, std::size_t) const {}
  void deallocate(const char*, void*, std::size_t, std::size_t = 0) const {}
};

using Exec = Kokkos::DefaultHostExecutionSpace;
using Near = Exec::memory_space;
using Key = std::uint32_t;
using Unmanaged = Kokkos::MemoryTraits<Kokkos::Unmanaged>;
using FarKeys = Kokkos::View<const Key*, FarSpace, Unmanaged>;
using NearKeys = Kokkos::View<const Key*, Near>;

struct FirstPart {
  KOKKOS_FUNCTION std::uint64_t operator()(Key) const { return 0; }
};

// Says: hashmill: the execution space cannot access the table's memory space
void table_out_of_reach(const NearKeys& keys) {
  const HashGraph<Key, FarSpace, KeyRow<>, Murmur3Hash, KeyEqual, NearKeys> table(Exec(), keys);
}

void other_table_out_of_reach(const HashGraph<Key, FarSpace>& table) {
  (void)intersect_count(Exec(), table, table);
}

// Says: hashmill: the execution space cannot access the memory space of the keys or queries
void keys_out_of_reach(const FarKeys& keys) {
  const HashGraph<Key, Near, KeyRow<>, Murmur3Hash, KeyEqual, FarKeys> table(Exec(), keys);
}

// Says: hashmill: the execution space cannot access the memory space of the keys or queries
void queries_out_of_reach(const HashGraph<Key, Near>& table, const FarKeys& queries,
                          const Kokkos::View<bool*, Near>& out) {
  table.contains(Exec(), queries, out);
}

// Says: hashmill: the execution space cannot access the memory space of the results
void results_out_of_reach(const HashGraph<Key, Near>& table, const NearKeys& queries,
                          const Kokkos::View<bool*, FarSpace, Unmanaged>& out) {
  table.contains(Exec(), queries, out);
}

// Says: hashmill::partition: the execution space cannot access the views' memory space
void partition_out_of_reach(const FarKeys& keys) {
  Workspace<Near> workspace;
  (void)partition(Exec(), keys, keys, FirstPart{}, PartCount(1), {}, workspace);
}

// Says: hashmill::to_arrow: the Arrow C data interface is for the host's memory
void export_out_of_reach(const FarKeys& keys) { (void)to_arrow("keys", keys); }

}  // namespace hashmill::test
