#include "option_values.hpp"

#include <algorithm>
#include <charconv>
#include <hashmill/detail/floating_bits.hpp>
#include <limits>

namespace hashmill::perf {
namespace {

/// The whole of `text` as a number; false if it is none.
template <class Number>
bool parse_whole(const char* first, const char* last, Number& number) {
  const auto [stop, error] = std::from_chars(first, last, number);
  return error == std::errc{} && stop == last && first != last;
}

/// Turns "2^27" into its number in place. Returns what is wrong, or nothing.
std::string check_count(std::string& text, std::uint64_t least) {
  const char* const end = text.data() + text.size();
  std::uint64_t count = 0;
  unsigned exponent = 0;
  if (text.starts_with("2^") && parse_whole(text.data() + 2, end, exponent) && exponent < 64) {
    count = std::uint64_t{1} << exponent;
  } else if (!parse_whole(text.data(), end, count)) {
    return "'" + text + "' is not a count, such as 1000000 or 2^27";
  }
  if (count < least) return "'" + text + "' is too small, at least " + std::to_string(least);
  text = std::to_string(count);
  return {};
}

/// Checks that `text` is a number in (0, most], or in [0, most] with `allows_zero`.
std::string check_number(const std::string& text, bool allows_zero, double most) {
  double number = -1;
  if (!parse_whole(text.data(), text.data() + text.size(), number)) {
    return "'" + text + "' is not a number";
  }
  const double least = allows_zero ? 0.0 : std::numeric_limits<double>::min();
  if (detail::is_within(number, least, most)) return {};
  if (allows_zero) return "'" + text + "' is not between 0 and " + std::to_string(int(most));
  return "'" + text + "' is not above 0";
}

}  // namespace

CLI::Validator count_from(std::uint64_t least) {
  return CLI::Validator([least](std::string& text) { return check_count(text, least); }, "");
}

CLI::Validator positive_number() {
  return CLI::Validator(
      [](std::string& text) {
        return check_number(text, false, std::numeric_limits<double>::max());
      },
      "");
}

CLI::Validator multiplicity() {
  return CLI::Validator(
      [](std::string& text) {
        if (text.starts_with("2^")) return check_count(text, 1);
        return check_number(text, false, std::numeric_limits<double>::max());
      },
      "");
}

CLI::Validator share() {
  return CLI::Validator([](std::string& text) { return check_number(text, true, 1.0); }, "");
}

CLI::Validator zipf_exponent() {
  return CLI::Validator([](std::string& text) { return check_number(text, true, 4.0); }, "");
}

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& text) -> std::string {
        if (std::ranges::find(words, text) != words.end()) return {};
        std::string list;
        for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
        return "'" + text + "' is none of " + list;
      },
      "");
}

}  // namespace hashmill::perf
