#pragma once

#include <hashmill/options.hpp>
#include <hashmill/partition/detail/columns.hpp>
#include <hashmill/partition/partitioned.hpp>

namespace hashmill {

/// Groups keys and their payloads by `part_of(key)`, on `exec`, and fences it.
///
/// keys, payloads: one-dimensional views of equal extent n that `exec` can read, whose elements may
/// lie apart; unchanged.
/// part_of: `KOKKOS_FUNCTION std::uint64_t (const Key&) const`, below `parts`.
/// Returns newly allocated arrays; offsets tell each part's place. Any number of parts: when one
/// pass's fan-out would not fit scratch (GPU) or cache (CPU), digits of the part number are sorted
/// by in several passes, most significant first ("multiple levels of binning", Green 2019, section
/// IV). Right also when one part holds everything.
/// Cost: each pass reads every key and payload twice (count, scatter) and writes them once.
/// Throws InvalidArgument when the extents differ or a key's part is not below `parts`, and
/// CapacityError when memory is short; the input is never modified.
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

/// Groups keys without payloads; otherwise as above.
template <backends::ExecutionSpace Exec, class Keys, class PartOf>
  requires(!Kokkos::is_view_v<PartOf>)
[[nodiscard]] auto partition(const Exec& exec, const Keys& keys, const PartOf& part_of,
                             PartCount parts, PartitionOptions options = {}) {
  Workspace<typename Keys::memory_space> workspace;
  return detail::partition_keys<detail::Engine::automatic>(exec, keys, part_of, parts, options,
                                                           workspace);
}

}  // namespace hashmill
