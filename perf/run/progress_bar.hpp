#pragma once

#include <cstddef>
#include <string>

namespace hashmill::perf {

/// One line of progress on stderr: a bar that is redrawn in place on a terminal; elsewhere a plain
/// line for every tenth of the work. Nothing is written unless it is enabled.
class ProgressBar {
 public:
  ProgressBar(bool is_enabled, std::size_t num_steps);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Shows that step `step` (from 0) is at work on `what`.
  void show(std::size_t step, const std::string& what);

  /// Takes the bar off the terminal, so that other lines can be written; the next show() draws it
  /// again.
  void hide();

 private:
  bool is_enabled_;
  bool is_terminal_;
  bool is_drawn_ = false;
  std::size_t num_steps_;
  std::size_t tenths_shown_ = 0;
};

}  // namespace hashmill::perf
