#include "budget_options.hpp"

#include <CLI/CLI.hpp>
#include <hashmill/backends/temporary_file.hpp>

#include "plan/amount.hpp"
#include "plan/option_group.hpp"

namespace hashmill::perf {
namespace {

constexpr Unit percents[] = {{"%", 1}};
constexpr Unit byte_units[] = {{"B", 1},        {"kB", 1e3},     {"MB", 1e6},
                               {"GB", 1e9},     {"TB", 1e12},    {"KiB", 0x1p10},
                               {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};

std::string check_memory_limit(const std::string& text) {
  if (parse_memory_limit(text)) return {};
  return "'" + text + "' is no budget, such as 25% or 512MiB";
}

}  // namespace

std::optional<MemoryLimit> parse_memory_limit(const std::string& text) {
  constexpr double most_percent = 1e6, most_bytes = 0x1p62;
  const double percent = parse_amount(text, percents);
  if (percent > 0 && percent <= most_percent) return MemoryLimit{percent, 0};
  const double bytes = parse_amount(text, byte_units);
  if (bytes >= 1 && bytes <= most_bytes) return MemoryLimit{0, static_cast<std::uint64_t>(bytes)};
  return std::nullopt;
}

void BudgetCommand::add_to(CLI::App& app, std::initializer_list<const char*> others) {
  const OptionGroup group(app, "Limited memory");
  CLI::Option* const budget =
      group.list("--budget", budgets_, "SIZE,...",
                 "Take no more memory than so many percent of the data, or bytes: 25%, 512MiB");
  budget->check(CLI::Validator(check_memory_limit, ""));
  for (const char* const other : others) budget->excludes(other);
  group
      .single("--budget-directory", directory_, "DIR",
              "Where the file of what does not fit is made [TMPDIR, else /var/tmp]")
      ->needs(budget);
}

BudgetOptions BudgetCommand::finish() const {
  BudgetOptions options;
  for (const std::string& text : budgets_) options.budgets.push_back(*parse_memory_limit(text));
  options.directory = directory_.empty() ? backends::temporary_directory() : directory_;
  if (options && !backends::is_directory(options.directory)) {
    throw InvalidArgument("--budget-directory: '" + options.directory + "' is no directory");
  }
  return options;
}

}  // namespace hashmill::perf
