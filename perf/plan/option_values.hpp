#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
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

}  // namespace hashmill::perf
