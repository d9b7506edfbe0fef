#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/shuffle/detail/or_over_ranks.hpp>
#include <hashmill/shuffle/detail/row_parts.hpp>

namespace hashmill::detail {

/// A flag of one byte for each of some rows that all ranks have. Ranks combine the flags, so that
/// each knows what the others have found for its copy of a row.
template <class MemorySpace>
class ReplicatedFlags {
 public:
  using Flags = Kokkos::View<bool*, MemorySpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// Makes room for the flags of these rows, all of one value. Asynchronous.
  template <class Exec>
  void allocate(const Exec& exec, const ReplicatedRows& rows, bool value) {
    const std::uint64_t eight_flags = value ? 0x0101010101010101 : 0;
    words_ =
        backends::allocate<Words>(exec, "hashmill::distributed_join::flags", (rows.size() + 7) / 8);
    Kokkos::deep_copy(exec, words_, eight_flags);
    flags_ = Flags(reinterpret_cast<bool*>(words_.data()), rows.size());
  }
  /// Flag i is of the rows' i-th.
  [[nodiscard]] const Flags& flags() const { return flags_; }
  /// Sets what is set on any rank. Part of a collective call.
  template <class Exec>
  void combine(const Exec& exec, const Communicator& ranks, CollectiveCall& call) const {
    or_over_ranks(exec, ranks, call, words_);
  }

 private:
  using Words = Kokkos::View<std::uint64_t*, MemorySpace>;
  Words words_;
  Flags flags_;
};

}  // namespace hashmill::detail
