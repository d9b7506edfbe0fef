#pragma once

#include <hashmill/error.hpp>
#include <utility>

namespace hashmill::detail {

/// What an owner holds: moving it hands everything over, and leaves behind what `emptied()` gives
/// or, where there is no such member, what a new one is. Moving to itself changes nothing.
///
/// This is what makes owners empty and usable once they were moved from. A Kokkos::View alone does
/// not: moved from, it still points to memory that is another's.
template <class Contents>
class HandedOver : public Contents {
 public:
  HandedOver() = default;
  HandedOver(Contents contents) : Contents(std::move(contents)) {}

  HandedOver(HandedOver&& other) noexcept : HandedOver(other, left_by(other)) {}
  HandedOver& operator=(HandedOver&& other) noexcept {
    if (this == &other) return *this;
    Contents left = left_by(other);
    contents() = std::move(other.contents());
    other.contents() = std::move(left);
    return *this;
  }

  /// Runs a change of what is held. CapacityError and InvalidArgument come where that is in order.
  /// After any other exception, such as std::bad_alloc of a label's few bytes between a kernel and
  /// the lines that record what it did, nobody knows: what moving leaves is left.
  template <class Change>
  decltype(auto) change(const Change& change_held) {
    try {
      return change_held();
    } catch (const CapacityError&) {
      throw;
    } catch (const InvalidArgument&) {
      throw;
    } catch (...) {
      leave();
      throw;
    }
  }
  /// Runs what writes over all that is held; any exception leaves what moving leaves.
  template <class Change>
  void overwrite(const Change& write_over) {
    try {
      write_over();
    } catch (...) {
      leave();
      throw;
    }
  }

 private:
  void leave() noexcept { contents() = left_by(*this); }

  HandedOver(HandedOver& other, Contents left) noexcept : Contents(std::move(other.contents())) {
    other.contents() = std::move(left);
  }

  [[nodiscard]] Contents& contents() noexcept { return *this; }
  [[nodiscard]] static Contents left_by(const Contents& held) noexcept {
    if constexpr (requires { held.emptied(); }) {
      return {held.emptied()};
    } else {
      return {};
    }
  }
};

}  // namespace hashmill::detail
