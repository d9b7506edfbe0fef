#pragma once

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace hashmill::perf {

/// Accepts whole numbers from `least` on, also as "2^K", which it turns into the number: a
/// transformation.
CLI::Validator count_from(std::uint64_t least);

/// Accepts finite numbers above 0.
CLI::Validator positive_number();

/// Accepts finite numbers above 0, also as "2^K", which it turns into the number: a transformation.
CLI::Validator multiplicity();

/// Accepts numbers from 0 to 1.
CLI::Validator share();

/// Accepts exponents of Zipf distributions, from 0 to 4.
CLI::Validator zipf_exponent();

/// Accepts only the listed words.
CLI::Validator one_of(const std::vector<std::string>& words);

/// Those of `all` whose `to_string` is among `names`, in the order of `all`.
template <class Value>
std::vector<Value> called(std::initializer_list<Value> all, const std::vector<std::string>& names) {
  std::vector<Value> found;
  for (const Value value : all) {
    if (std::ranges::find(names, to_string(value)) != names.end()) found.push_back(value);
  }
  return found;
}

}  // namespace hashmill::perf
