#pragma once

#include <hashmill/arrow/view.hpp>
#include <utility>

namespace hashmill {

/// An ArrowSchema or an ArrowArray that the destructor releases, once. Move-only. Several threads
/// must not use it at once; any thread may destroy it.
template <class Struct>
class UniqueArrow {
  static_assert(std::is_same_v<Struct, ArrowSchema> || std::is_same_v<Struct, ArrowArray>,
                "hashmill::UniqueArrow: an ArrowSchema or an ArrowArray");

 public:
  UniqueArrow() = default;
  /// Moves it in and marks the source released. Given one that is already released, holds nothing.
  explicit UniqueArrow(Struct&& source) noexcept : held_(source) { source.release = nullptr; }
  UniqueArrow(UniqueArrow&& other) noexcept : UniqueArrow(std::move(other.held_)) {}
  UniqueArrow& operator=(UniqueArrow&& other) noexcept {
    UniqueArrow taken(std::move(other));
    std::swap(held_, taken.held_);
    return *this;
  }
  UniqueArrow(const UniqueArrow&) = delete;
  UniqueArrow& operator=(const UniqueArrow&) = delete;
  ~UniqueArrow() { release(); }

  /// Calls the producer's callback now, if there is something to release.
  void release() noexcept {
    if (held_.release != nullptr) held_.release(&held_);
    held_.release = nullptr;
  }
  /// Moves it out. What `*target` held is overwritten, not released, so `*target` need not be
  /// initialized.
  void move_to(Struct* target) noexcept {
    *target = held_;
    held_.release = nullptr;
  }

  /// Whether there is something that is not yet released.
  [[nodiscard]] explicit operator bool() const noexcept { return held_.release != nullptr; }
  /// The struct, which it keeps owning.
  [[nodiscard]] Struct& operator*() noexcept { return held_; }
  [[nodiscard]] const Struct& operator*() const noexcept { return held_; }
  [[nodiscard]] const Struct* operator->() const noexcept { return &held_; }

 private:
  Struct held_{};
};

/// An array and its schema, each released once by the destructor. Imports take one over, and
/// exports return one. Columns borrow from it and must not outlive it; moving it leaves them valid.
///
///     hashmill::ArrowOwner batch(std::move(schema), std::move(array));    // from a producer
///     const auto prices = hashmill::arrow_column<double>(batch.view().child("price"));
///
/// Where one schema serves many arrays, keep each in a UniqueArrow and make an ArrowView of both.
class ArrowOwner {
 public:
  /// Holds nothing.
  ArrowOwner() = default;
  /// Moves both in and marks the sources released. Throws InvalidArgument where one of them is
  /// already released; then neither is moved.
  ArrowOwner(ArrowSchema&& schema, ArrowArray&& array) {
    if (schema.release == nullptr) throw InvalidArgument("arrow: the schema is released");
    if (array.release == nullptr) throw InvalidArgument("arrow: the array is released");
    schema_ = UniqueArrow<ArrowSchema>(std::move(schema));
    array_ = UniqueArrow<ArrowArray>(std::move(array));
  }
  /// Moves both in, whatever they hold.
  ArrowOwner(UniqueArrow<ArrowSchema> schema, UniqueArrow<ArrowArray> array) noexcept
      : schema_(std::move(schema)), array_(std::move(array)) {}

  /// Calls both callbacks now. Columns that borrow from it dangle then.
  void release() noexcept {
    array_.release();
    schema_.release();
  }
  /// Hands both to a consumer, who must release them. What the targets held is overwritten, not
  /// released, so they need not be initialized.
  void move_to(ArrowSchema* schema, ArrowArray* array) noexcept {
    schema_.move_to(schema);
    array_.move_to(array);
  }

  /// Whether it holds both.
  [[nodiscard]] explicit operator bool() const noexcept {
    return static_cast<bool>(schema_) && static_cast<bool>(array_);
  }
  /// A view of both. Throws as ArrowView's constructor does.
  [[nodiscard]] ArrowView view() const& { return {*schema_, *array_}; }
  ArrowView view() const&& = delete;  // would dangle

  /// Each of the two, to look at or to move out.
  [[nodiscard]] UniqueArrow<ArrowSchema>& schema() noexcept { return schema_; }
  /// The schema alone, to look at.
  [[nodiscard]] const UniqueArrow<ArrowSchema>& schema() const noexcept { return schema_; }
  /// The array alone, to look at or to move out.
  [[nodiscard]] UniqueArrow<ArrowArray>& array() noexcept { return array_; }
  /// The array alone, to look at.
  [[nodiscard]] const UniqueArrow<ArrowArray>& array() const noexcept { return array_; }

 private:
  UniqueArrow<ArrowSchema> schema_;
  UniqueArrow<ArrowArray> array_;
};

}  // namespace hashmill
