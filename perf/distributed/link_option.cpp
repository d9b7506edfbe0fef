#include "link_option.hpp"

#include <charconv>
#include <cmath>
#include <hashmill/error.hpp>
#include <span>
#include <string_view>

namespace hashmill::perf {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};
constexpr Unit rates[] = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

/// The amount that a number and a unit name; not a number if they name none.
double amount(std::string_view text, std::span<const Unit> units) {
  double number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nan("");
  text.remove_prefix(static_cast<std::size_t>(stop - text.data()));
  for (const Unit& unit : units) {
    if (unit.name == text) return number * unit.factor;
  }
  return std::nan("");
}

}  // namespace

backends::LinkSpeed parse_link(const std::string& text) {
  const std::string_view whole(text);
  const std::size_t comma = whole.find(',');
  const bool has_latency = comma != std::string_view::npos;
  const double rate = amount(whole.substr(0, comma), rates);
  const double latency = has_latency ? amount(whole.substr(comma + 1), times) : 0;
  if (!(rate > 0 && latency >= 0) || std::isinf(rate) || std::isinf(latency)) {
    throw InvalidArgument("--link: '" + text + "' is no link, such as 25GB/s,5us");
  }
  return {rate, std::chrono::duration<double>(latency)};
}

}  // namespace hashmill::perf
