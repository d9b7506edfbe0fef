#pragma once

#include <CLI/CLI.hpp>

namespace hashmill::perf {

/// Adds options that --help shows together.
class OptionGroup {
 public:
  OptionGroup(CLI::App& app, const char* name) : app_(app), name_(name) {}

  /// A list whose values are separated by commas; `text` stands for them in --help.
  template <class Values>
  CLI::Option* list(const char* option, Values& target, const char* text, const char* what) const {
    return single(option, target, text, what)->delimiter(',');
  }
  /// One value.
  template <class Value>
  CLI::Option* single(const char* option, Value& target, const char* text, const char* what) const {
    return app_.add_option(option, target, what)->option_text(text)->group(name_);
  }
  /// A flag.
  void flag(const char* option, bool& target, const char* what) const {
    app_.add_flag(option, target, what)->group(name_);
  }

 private:
  CLI::App& app_;
  const char* name_;
};

}  // namespace hashmill::perf
