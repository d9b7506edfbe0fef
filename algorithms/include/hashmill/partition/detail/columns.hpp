#pragma once

#include <bit>
#include <hashmill/backends/fetch.hpp>
#include <hashmill/backends/publish.hpp>
#include <hashmill/options.hpp>
#include <hashmill/partition/detail/levels.hpp>
#include <hashmill/partition/partitioned.hpp>
#include <hashmill/primitives/detail/prefetch_elements.hpp>
#include <string>

namespace hashmill::detail {

/// The part number of a record. If it is not below `parts`, one such number + 1 is reported through
/// `wrong`, and part 0 is used. So a wrong `part_of` cannot cause writes out of range.
template <class PartOf, class KeyOf>
struct CheckedPart {
  PartOf part_of;
  KeyOf key_of;
  std::uint64_t parts;
  std::uint64_t* wrong;

  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION std::uint64_t operator()(const Record& record) const {
    const auto part = static_cast<std::uint64_t>(part_of(key_of(record)));
    if (part < parts) return part;
    backends::store_relaxed(wrong, part == ~std::uint64_t{0} ? part : part + 1);
    return 0;
  }
};

struct WholeRecord {
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION const Record& operator()(const Record& record) const {
    return record;
  }
};

struct FirstOfPair {
  template <class Record>
  KOKKOS_FORCEINLINE_FUNCTION decltype(auto) operator()(const Record& record) const {
    return first_of(record);
  }
};

/// Reads a column as records.
template <class Keys>
struct KeyColumnSource {
  using record_type = typename Keys::value_type;
  Keys keys;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const { return keys(i); }
  void prefetch(std::uint64_t i, std::uint64_t count) const { prefetch_elements(keys, i, count); }
};

/// Reads two columns as records.
template <class Keys, class Payloads>
struct ColumnSource {
  using record_type = TravellingPair<typename Keys::value_type, typename Payloads::value_type>;
  Keys keys;
  Payloads payloads;
  KOKKOS_FORCEINLINE_FUNCTION record_type operator()(std::uint64_t i) const {
    return {keys(i), payloads(i)};
  }
  void prefetch(std::uint64_t i, std::uint64_t count) const {
    prefetch_elements(keys, i, count);
    prefetch_elements(payloads, i, count);
  }
};

/// Writes records as two columns.
template <class Key, class Payload>
struct ColumnSink {
  Key* keys;
  Payload* payloads;
  KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint64_t i,
                                              const TravellingPair<Key, Payload>& record) const {
    keys[i] = first_of(record);
    payloads[i] = second_of(record);
  }
};

/// Copies an offset to the caller's wider type.
template <class Fine, class Offsets>
struct WidenOffset {
  Fine fine;
  Offsets offsets;
  KOKKOS_FUNCTION void operator()(const std::int64_t p) const { offsets(p) = fine(p); }
};

/// Partitions `n` records with offsets of type `Offset`, then widens the offsets to the caller's
/// type.
template <class Offset, bool Team, bool Stable, class Exec, class Source, class Sink, class PartOf,
          class Offsets, class MemorySpace>
void partition_with(const Exec& exec, std::uint64_t n, const Source& source, const Sink& sink,
                    const PartOf& part_of, const Offsets& offsets,
                    Workspace<MemorySpace>& workspace) {
  using Record = typename Source::record_type;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const LevelPlan plan(static_cast<unsigned>(std::bit_width(part_of.parts - 1)),
                       max_level_bits<Exec, Record, Team, Stable>(exec));
  const auto fine = workspace.template take<Offset>(exec, (std::uint64_t{1} << plan.bits) + 1);
  partition_whole<Team, Stable>(exec, n, part_of, plan, source, sink, fine.data(), workspace);
  Kokkos::parallel_for("hashmill::partition::widen_offsets",
                       backends::range(exec, offsets.extent(0)),
                       WidenOffset<decltype(fine), Offsets>{fine, offsets});
}

/// Selects the width of offsets, runs the partition and fences `exec`. Throws InvalidArgument for
/// part numbers out of range.
template <Engine Choice, class KeyOf, class Exec, class Source, class Sink, class PartOf,
          class MemorySpace>
auto partition_checked(const Exec& exec, std::uint64_t n, const Source& source, const Sink& sink,
                       const PartOf& part_of, PartCount parts, PartitionOptions options,
                       Workspace<MemorySpace>& workspace) {
  using Offsets = Kokkos::View<std::uint64_t*, MemorySpace>;
  constexpr bool team = uses_team_engine<Exec, Choice>;
  typename Workspace<MemorySpace>::Frame frame(workspace);
  const auto wrong = workspace.template take<std::uint64_t>(exec, 1);
  Kokkos::deep_copy(exec, wrong, std::uint64_t{0});
  const CheckedPart<PartOf, KeyOf> checked{part_of, {}, parts.value(), wrong.data()};
  const auto offsets = backends::allocate<Offsets>(exec, "hashmill::partition::offsets",
                                                   checked_add(parts.value(), 1, "parts"));
  const auto run = [&]<class Offset, bool Stable>() {
    partition_with<Offset, team, Stable>(exec, n, source, sink, checked, offsets, workspace);
  };
  const bool narrow = n < std::numeric_limits<std::uint32_t>::max();
  if (options.stable) {  // the host engine is always stable: one version of it serves both
    narrow ? run.template operator()<std::uint32_t, team>()
           : run.template operator()<std::uint64_t, team>();
  } else {
    narrow ? run.template operator()<std::uint32_t, false>()
           : run.template operator()<std::uint64_t, false>();
  }
  const std::uint64_t found =
      backends::fetch(exec, wrong, 0, "hashmill::partition: results are handed to the caller");
  if (found != 0) {
    throw InvalidArgument("partition: a key has part number " + std::to_string(found - 1) +
                          ", which is not below the " + std::to_string(parts.value()) +
                          " parts asked for");
  }
  return offsets;
}

template <Engine Choice, class Exec, class Keys, class Payloads, class PartOf, class MemorySpace>
auto partition_columns(const Exec& exec, const Keys& keys, const Payloads& payloads,
                       const PartOf& part_of, PartCount parts, PartitionOptions options,
                       Workspace<MemorySpace>& workspace) {
  using Key = typename Keys::non_const_value_type;
  using Payload = typename Payloads::non_const_value_type;
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Keys::memory_space>::accessible &&
                    Kokkos::SpaceAccessibility<Exec, typename Payloads::memory_space>::accessible,
                "hashmill::partition: the execution space cannot access the views' memory space");
  static_assert(Partitionable<Key> && Partitionable<Payload>,
                "hashmill::partition: keys and payloads are trivially copyable, 1 to 16 bytes");
  const std::uint64_t n = keys.extent(0);
  same_length("partition", "keys", keys, "payloads", payloads);
  Kokkos::Profiling::ScopedRegion region("hashmill::partition");
  Partitioned<Key, Payload, MemorySpace> result;
  result.keys = backends::allocate<decltype(result.keys)>(exec, "hashmill::partition::keys", n);
  result.payloads =
      backends::allocate<decltype(result.payloads)>(exec, "hashmill::partition::payloads", n);
  result.offsets = partition_checked<Choice, FirstOfPair>(
      exec, n,
      ColumnSource<KeyAccess<Keys>, KeyAccess<Payloads>>{key_access(keys), key_access(payloads)},
      ColumnSink<Key, Payload>{result.keys.data(), result.payloads.data()}, part_of, parts, options,
      workspace);
  return result;
}

template <Engine Choice, class Exec, class Keys, class PartOf, class MemorySpace>
auto partition_keys(const Exec& exec, const Keys& keys, const PartOf& part_of, PartCount parts,
                    PartitionOptions options, Workspace<MemorySpace>& workspace) {
  using Key = typename Keys::non_const_value_type;
  static_assert(Kokkos::SpaceAccessibility<Exec, typename Keys::memory_space>::accessible,
                "hashmill::partition: the execution space cannot access the views' memory space");
  static_assert(Partitionable<Key>,
                "hashmill::partition: keys are trivially copyable, 1 to 16 bytes");
  require_one_dimension<Keys>();
  Kokkos::Profiling::ScopedRegion region("hashmill::partition");
  PartitionedKeys<Key, MemorySpace> result;
  const std::uint64_t n = keys.extent(0);
  result.keys = backends::allocate<decltype(result.keys)>(exec, "hashmill::partition::keys", n);
  result.offsets = partition_checked<Choice, WholeRecord>(
      exec, n, KeyColumnSource<KeyAccess<Keys>>{key_access(keys)},
      RecordSink<Key>{result.keys.data()}, part_of, parts, options, workspace);
  return result;
}

}  // namespace hashmill::detail
