#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <hashmill/error.hpp>
#include <string>
#include <string_view>
#include <vector>

/// What the programs of this folder have in common: arguments, what they tell while they work, and
/// how they end.
namespace program {

/// An argument that is a number of 1 to `most`. Throws InvalidArgument unless all of the text is.
inline std::uint64_t number(std::string_view name, std::string_view text, std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < 1 || value > most) {
    throw hashmill::InvalidArgument(std::string(name) + " is '" + std::string(text) +
                                    "', not one of 1 to " + std::to_string(most));
  }
  return value;
}

/// A number with commas between its thousands: 1,234,567.
inline std::string with_commas(std::uint64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3;) digits.insert(i -= 3, 1, ',');
  return digits;
}

/// Does a step and returns its result. Prints what it is before, and the seconds that it took
/// after.
template <class Step>
auto timed(const char* what, const Step& step) {
  std::printf("%s ... ", what);
  std::fflush(stdout);
  const Kokkos::Timer timer;
  auto result = step();
  Kokkos::fence("program: the step is timed");
  std::printf("%.2f s\n", timer.seconds());
  return result;
}

/// A row of a table: a name of at most 34 letters and a number.
inline void print_row(const std::string& name, std::uint64_t value) {
  std::printf("  %-34s %15s\n", name.c_str(), with_commas(value).c_str());
}

/// The arguments after the program's name.
using Arguments = std::vector<std::string>;

/// Runs a program that takes no arguments or `num_arguments`: `run(arguments)`. Returns its exit
/// code: 0, 1 after an exception, or 2 with another number of arguments.
template <class Run>
int run(int argc, char** argv, std::size_t num_arguments, const char* usage, const Run& run) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Arguments arguments(argv + std::min(argc, 1), argv + argc);
  if (!arguments.empty() && arguments.size() != num_arguments) {
    std::fprintf(stderr, "usage: %s\n", usage);
    return 2;
  }
  try {
    run(arguments);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

}  // namespace program
