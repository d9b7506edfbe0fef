#include <hashmill/array_table.hpp>
#include <hashmill/multi_map.hpp>

#include "multi_map_cases.hpp"
#include "typed_multi_map.hpp"

namespace hashmill::test {
namespace {

/// Numbers stand for keys of 16 bits by their last 16.
std::uint64_t last_16_bits(std::uint64_t number) { return number & 0xFFFF; }

template <class Owner>
std::unique_ptr<MultiMapTable> make_array(const Numbers& keys, double, std::uint64_t row_base) {
  using Typed = TypedMultiMap<MultiMapTable, typename Owner::key_type, Owner>;
  return std::make_unique<Typed>(keys, ArrayTableOptions{.row_base = row_base});
}

template <class Key, class Row>
MultiMapCase array_case(const std::string& name) {
  using Table = ArrayTable<Key, Memory, Row>;
  static_assert(MultiMap<Table> && RowMultiMapRef<typename Table::ref_type>);
  return {.name = "ArrayTable_" + name,
          .has_rows = true,
          .most_keys = plenty,
          .loads = {1.0},
          .normal = &last_16_bits,
          .hash = [](std::uint64_t number, std::uint64_t) { return last_16_bits(number); },
          .make = &make_array<Table>};
}

std::vector<MultiMapCase> array_cases() {
  return {array_case<std::uint16_t, std::uint32_t>("u16"),
          array_case<std::int16_t, std::uint64_t>("i16")};
}

const MultiMapCases arrays(array_cases);

}  // namespace
}  // namespace hashmill::test
