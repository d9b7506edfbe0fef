#pragma once

#include <cstddef>
#include <hashmill/error.hpp>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// The order in which the functions of an operator are called, which ends with the first call that
/// fails. `Stage` counts from 0, and its last value is `failed`.
template <class Stage>
class CallOrder {
 public:
  /// The name of the operator, and where it is in each stage, such as "after finish_right".
  CallOrder(const char* name, std::vector<const char*> texts)
      : name_(name), texts_(std::move(texts)) {}

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
    if (stage_ != stage) {
      throw InvalidArgument(std::string(name_) + "::" + call + ": called " +
                            texts_[static_cast<std::size_t>(stage_)]);
    }
    return Attempt(*this);
  }

 private:
  const char* name_;
  std::vector<const char*> texts_;
  Stage stage_{};
};

}  // namespace hashmill::detail
