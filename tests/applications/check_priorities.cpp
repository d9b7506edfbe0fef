// check_priorities [SCALE]: TPC-H's query 4, order priority checking, of the third quarter of 1993.

#include <array>

#include "program.hpp"
#include "tpch.hpp"

namespace {

constexpr std::uint32_t first_of_july_1993 = 547, days_of_quarter = 92;

void run(const program::Arguments& arguments) {
  const std::uint64_t scale = arguments.empty() ? 1 : program::number("SCALE", arguments[0], 1000);
  const tpch::Exec exec;
  const std::uint64_t count = scale * tpch::orders_per_scale;
  const auto tables = program::timed("make orders and line items", [&] {
    return std::pair(tpch::make_orders(exec, 0, count), tpch::make_line_items(exec, 0, count));
  });
  const auto& [orders, items] = tables;
  program::print_row("orders", count);
  program::print_row("line items", items.order_keys.extent(0));
  const auto answer = program::timed("query 4", [&, &orders = orders, &items = items] {
    return tpch::order_priority_checking(exec, orders, items, first_of_july_1993, days_of_quarter);
  });
  const auto to_host = [](const auto& view) {
    return Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  };
  const auto priorities = to_host(std::get<0>(answer.results).values);
  const auto counts = to_host(std::get<1>(answer.results).values);
  constexpr std::array names{"1-URGENT", "2-HIGH", "3-MEDIUM", "4-NOT SPECIFIED", "5-LOW"};
  std::printf("orders of the quarter with a late line item, by priority:\n");
  std::array<std::uint64_t, names.size()> found{};
  for (std::uint64_t g = 0; g < answer.size(); ++g) found[priorities(g)] = counts(g);
  for (std::size_t p = 0; p < names.size(); ++p) program::print_row(names[p], found[p]);
}

}  // namespace

int main(int argc, char** argv) {
  return program::run(argc, argv, 1, "check_priorities [SCALE]", run);
}
