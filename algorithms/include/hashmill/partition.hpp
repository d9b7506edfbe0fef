#pragma once

#include <hashmill/options.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/partition/partitioned.hpp>

namespace hashmill {

/// Groups keys and their payloads by `part_of(key)` on `exec`, and fences it. Never modifies its
/// input.
///
/// - keys, payloads: one-dimensional views with equal extent n that `exec` can read. Their elements
///   need not be adjacent.
/// - part_of: `KOKKOS_FUNCTION std::uint64_t (const Key&) const`, with results below `parts`.
/// - Returns newly allocated arrays; their offsets tell where each part lies.
///
/// Any number of parts works, and so does one part that holds everything. When one pass's fan-out
/// would not fit scratch (GPU) or cache (CPU), several passes sort by digits of the part number,
/// most significant first. Source: "multiple levels of binning", Green 2019, section IV.
///
/// Cost: each pass reads every key and payload twice (count, scatter) and writes them once. On GPUs
/// the parts of up to 2^16 are counted once for all passes, unless the partition is stable. Rows of
/// a part then come in another order each time. Temporary memory comes from `workspace`.
///
/// Throws InvalidArgument when the extents differ or a key's part is not below `parts`, and
/// CapacityError when memory does not suffice.
template <backends::ExecutionSpace Exec, class Keys, class Payloads, class PartOf,
          class MemorySpace = typename Keys::memory_space>
  requires Kokkos::is_view_v<Payloads>
[[nodiscard]] auto partition(const Exec& exec, const Keys& keys, const Payloads& payloads,
                             const PartOf& part_of, PartCount parts, PartitionOptions options,
                             Workspace<MemorySpace>& workspace) {
  return detail::partition_columns<detail::Engine::automatic>(exec, keys, payloads, part_of, parts,
                                                              options, workspace);
}

/// As above, with temporary memory of its own.
template <backends::ExecutionSpace Exec, class Keys, class Payloads, class PartOf>
  requires Kokkos::is_view_v<Payloads>
[[nodiscard]] auto partition(const Exec& exec, const Keys& keys, const Payloads& payloads,
                             const PartOf& part_of, PartCount parts,
                             PartitionOptions options = {}) {
  Workspace<typename Keys::memory_space> workspace;
  return partition(exec, keys, payloads, part_of, parts, options, workspace);
}

/// Groups keys without payloads; otherwise as above. Temporary memory is its own.
template <backends::ExecutionSpace Exec, class Keys, class PartOf>
  requires(!Kokkos::is_view_v<PartOf>)
[[nodiscard]] auto partition(const Exec& exec, const Keys& keys, const PartOf& part_of,
                             PartCount parts, PartitionOptions options = {}) {
  Workspace<typename Keys::memory_space> workspace;
  return detail::partition_keys<detail::Engine::automatic>(exec, keys, part_of, parts, options,
                                                           workspace);
}

}  // namespace hashmill
