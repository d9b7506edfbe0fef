#pragma once

#include <array>
#include <cstddef>
#include <hashmill/error.hpp>
#include <string>
#include <utility>

namespace hashmill::detail {

/// The order in which the functions of an operator are called, which ends with the first call that
/// fails. `Stage` counts from 0, and its last value is `failed`. Moving ends the source.
template <class Stage>
class CallOrder {
 public:
  /// Where an operator is in each stage but the last, such as "after finish_right".
  using Texts = std::array<const char*, static_cast<std::size_t>(Stage::failed)>;

  CallOrder(const char* name, const Texts& texts) : name_(name), texts_(texts) {}
  CallOrder(CallOrder&& other) noexcept
      : name_(other.name_),
        texts_(other.texts_),
        stage_(std::exchange(other.stage_, Stage::failed)) {}
  CallOrder& operator=(CallOrder&& other) noexcept {
    stage_ = std::exchange(other.stage_, Stage::failed);
    return *this;
  }
  ~CallOrder() = default;

  /// A call, after which the operator has ended unless it succeeded.
  class Attempt {
   public:
    explicit Attempt(CallOrder& order) : order_(order) {}
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() {
      if (!succeeded_) order_.stage_ = Stage::failed;
    }
    /// The stage that follows is that of the call, or another one.
    void succeeded() { succeeded_ = true; }
    void succeeded(Stage next) {
      succeeded_ = true;
      order_.stage_ = next;
    }

   private:
    CallOrder& order_;
    bool succeeded_ = false;
  };
  /// Begins a call. Throws InvalidArgument, and ends nothing, where it is not of this stage.
  [[nodiscard]] Attempt begin(Stage stage, const char* call) {
    require(stage, call);
    return Attempt(*this);
  }
  /// As above, for a call that leaves the operator as it was where it fails.
  void require(Stage stage, const char* call) const {
    if (stage_ == stage) return;
    throw InvalidArgument(std::string(name_) + "::" + call + ": called " + text());
  }

 private:
  [[nodiscard]] const char* text() const {
    if (stage_ == Stage::failed) return "after it was moved, or a call failed";
    return texts_[static_cast<std::size_t>(stage_)];
  }

  const char* name_;
  Texts texts_;
  Stage stage_{};
};

}  // namespace hashmill::detail
