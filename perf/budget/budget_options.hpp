#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "case/memory_limit.hpp"

namespace CLI {
class App;
}

namespace hashmill::perf {

/// How much memory the operations of a command may take.
struct BudgetOptions {
  std::vector<MemoryLimit> budgets;  ///< empty: they are not limited
  std::string directory;             ///< where the file of what does not fit is made

  /// Whether memory is limited.
  explicit operator bool() const { return !budgets.empty(); }
  /// The limits, or the one that is none.
  std::vector<MemoryLimit> limits() const {
    return budgets.empty() ? std::vector<MemoryLimit>(1) : budgets;
  }
};

/// The limit that "25%" or "512MiB" stands for, if any.
std::optional<MemoryLimit> parse_memory_limit(const std::string& text);

/// The options of BudgetOptions, for CLI11.
class BudgetCommand {
 public:
  /// Lets `app` take the options, but not beside `others`, which `app` has already. This must
  /// outlive it.
  void add_to(CLI::App& app, std::initializer_list<const char*> others);

  /// What was asked for, once `app` has parsed. Throws `InvalidArgument` where there is no such
  /// directory.
  BudgetOptions finish() const;

 private:
  std::vector<std::string> budgets_;
  std::string directory_;
};

}  // namespace hashmill::perf
