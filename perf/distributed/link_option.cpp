#include "link_option.hpp"

#include <cmath>
#include <hashmill/error.hpp>
#include <string_view>

#include "plan/amount.hpp"

namespace hashmill::perf {
namespace {

constexpr Unit rates[] = {{"B/s", 1}, {"kB/s", 1e3}, {"MB/s", 1e6}, {"GB/s", 1e9}, {"TB/s", 1e12}};
constexpr Unit times[] = {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}};

}  // namespace

backends::LinkSpeed parse_link(const std::string& text) {
  const std::string_view whole(text);
  const std::size_t comma = whole.find(',');
  const bool has_latency = comma != std::string_view::npos;
  const double rate = parse_amount(whole.substr(0, comma), rates);
  const double latency = has_latency ? parse_amount(whole.substr(comma + 1), times) : 0;
  if (!(rate > 0 && latency >= 0) || std::isinf(rate) || std::isinf(latency)) {
    throw InvalidArgument("--link: '" + text + "' is no link, such as 25GB/s,5us");
  }
  return {rate, std::chrono::duration<double>(latency)};
}

}  // namespace hashmill::perf
