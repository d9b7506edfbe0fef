#include "progress_bar.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace hashmill::perf {
namespace {

constexpr std::size_t bar_width = 30;

}  // namespace

ProgressBar::ProgressBar(bool is_enabled, std::size_t num_steps)
    : is_enabled_(is_enabled),
      is_terminal_(isatty(STDERR_FILENO) != 0),
      num_steps_(std::max<std::size_t>(1, num_steps)) {}

ProgressBar::~ProgressBar() { hide(); }

void ProgressBar::show(std::size_t step, const std::string& what) {
  if (!is_enabled_) return;
  if (!is_terminal_) {
    const std::size_t tenths = 10 * step / num_steps_ + 1;
    if (tenths <= tenths_shown_) return;
    tenths_shown_ = tenths;
    std::fprintf(stderr, "%3zu %%  %zu/%zu  %s\n", 100 * step / num_steps_, step + 1, num_steps_,
                 what.c_str());
    return;
  }
  const std::size_t filled = bar_width * step / num_steps_;
  const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '.');
  std::fprintf(stderr, "\r\033[K[%s] %zu/%zu  %s", bar.c_str(), step + 1, num_steps_, what.c_str());
  std::fflush(stderr);
  is_drawn_ = true;
}

void ProgressBar::hide() {
  if (!is_drawn_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  is_drawn_ = false;
}

}  // namespace hashmill::perf
