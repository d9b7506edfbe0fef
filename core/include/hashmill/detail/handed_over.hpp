#pragma once

#include <hashmill/error.hpp>
#include <utility>

namespace hashmill::detail {

/// What an owner holds. Moving it hands everything over. The source is left with what `emptied()`
/// returns or, without such a member, with a default-constructed value. Moving to itself changes
/// nothing.
///
/// This makes moved-from owners empty and usable. A Kokkos::View alone does not: a moved-from View
/// still points to memory that now belongs to another.
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

  /// Runs a change of the contents. CapacityError and InvalidArgument are thrown only while the
  /// contents are consistent. Any other exception may come between a kernel and the lines that
  /// record what it did, such as std::bad_alloc from the few bytes of a label. The state is then
  /// unknown, so the contents are left as a move leaves them.
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
  /// Runs what overwrites all of the contents. Any exception leaves them as a move does.
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
