#include "algorithm_choice.hpp"

#include <algorithm>
#include <hashmill/error.hpp>
#include <iostream>

namespace hashmill::perf {
namespace {

bool names_it(const std::string& name, const Algorithm& algorithm) {
  if (name == "all") return true;
  if (name == "ours" || name == "peers") return (name == "peers") == algorithm.is_peer;
  return algorithm.name == name;
}

}  // namespace

std::vector<const Algorithm*> select_algorithms(std::span<const Algorithm> all,
                                                const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const bool is_group = name == "all" || name == "ours" || name == "peers";
    if (!is_group && std::ranges::find(all, name, &Algorithm::name) == all.end()) {
      throw InvalidArgument("--algorithm: there is no '" + name +
                            "' (--list-algorithms lists them)");
    }
  }
  std::vector<const Algorithm*> chosen;
  for (const Algorithm& algorithm : all) {
    const auto is_it = [&](const std::string& name) { return names_it(name, algorithm); };
    if (std::ranges::any_of(names, is_it)) chosen.push_back(&algorithm);
  }
  return chosen;
}

void list_algorithms(std::span<const Algorithm> all) {
  std::size_t width = 0;
  for (const Algorithm& algorithm : all) width = std::max(width, algorithm.name.size());
  for (const Algorithm& algorithm : all) {
    std::cout << algorithm.name << std::string(width + 2 - algorithm.name.size(), ' ')
              << to_string(algorithm.kind) << " · " << algorithm.structure << '\n';
  }
}

}  // namespace hashmill::perf
