#include "amount.hpp"

#include <charconv>
#include <cmath>

namespace hashmill::perf {

double parse_amount(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nan("");
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  for (const Unit& unit : units) {
    if (unit.name == text) return number * unit.factor;
  }
  return std::nan("");
}

}  // namespace hashmill::perf
