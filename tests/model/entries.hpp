#pragma once

#include <map>
#include <set>

#include "algorithms/support/keys.hpp"
#include "algorithms/support/views.hpp"
#include "fuzz/fuzz_step.hpp"

namespace hashmill::test {

/// What a table should hold: the rows of each key, which is a number (see keys.hpp).
template <class Key>
class Entries {
 public:
  using Rows = std::multiset<std::uint64_t>;

  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::map<std::uint64_t, Rows>& all() const { return rows_; }
  [[nodiscard]] const Rows& rows(std::uint64_t number) const {
    static const Rows none;
    const auto found = rows_.find(normal_number<Key>(number));
    return found == rows_.end() ? none : found->second;
  }

  void add(std::uint64_t number, std::uint64_t row) {
    rows_[normal_number<Key>(number)].insert(row);
    ++size_;
  }
  /// Erases keys and returns how many rows they had.
  std::uint64_t erase(const Numbers& numbers) {
    std::uint64_t erased = 0;
    for (const std::uint64_t number : numbers) {
      erased += rows(number).size();
      rows_.erase(normal_number<Key>(number));
    }
    size_ -= erased;
    return erased;
  }
  /// Erases the rows for which `predicate(row)` holds and returns how many they were.
  template <class Predicate>
  std::uint64_t erase_if(const Predicate& predicate) {
    const std::uint64_t before = size_;
    for (auto entry = rows_.begin(); entry != rows_.end();) {
      size_ -= std::erase_if(entry->second, predicate);
      entry = entry->second.empty() ? rows_.erase(entry) : std::next(entry);
    }
    return before - size_;
  }
  void clear() { *this = {}; }

 private:
  std::map<std::uint64_t, Rows> rows_;
  std::uint64_t size_ = 0;
};

/// Some keys that are there, some twice, and some that are not.
template <class Key>
Numbers some_queries(RandomSource& random, const Entries<Key>& entries, std::uint64_t most) {
  Numbers queries = random.numbers(most / 2);
  const std::uint64_t one_in = 1 + random.below(8);
  for (const auto& [number, rows] : entries.all()) {
    if (queries.size() >= most) break;
    if (random.chance(one_in)) queries.insert(queries.end(), 1 + random.below(2), number);
  }
  return queries;
}

/// Requires that look-ups of these keys answer what they should.
template <class Key, class Table>
void require_answers(const Table& table, const Entries<Key>& entries, const Numbers& queries) {
  const KeyColumns<Key> keys(queries);
  const Kokkos::View<bool*, Memory> contained("hashmill::test::contained", queries.size());
  const Kokkos::View<std::uint64_t*, Memory> counts("hashmill::test::counts", queries.size());
  const Kokkos::View<typename Table::row_type*, Memory> rows("hashmill::test::rows",
                                                             queries.size());
  table.contains(Exec(), keys.source(), contained);
  table.count(Exec(), keys.source(), counts);
  table.find(Exec(), keys.source(), rows);
  const auto csr = table.retrieve(Exec(), keys.source());
  const auto counted = to_host(counts), offsets = to_host(csr.offsets);
  const auto found = to_wide_host(rows), listed = to_wide_host(csr.rows);
  const auto is_there = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, contained);
  for (std::size_t q = 0; q < queries.size(); ++q) {
    const auto& expected = entries.rows(queries[q]);
    const std::string of = " of key " + std::to_string(queries[q]);
    require_equal("contains" + of, is_there(q), !expected.empty());
    require_equal("count" + of, counted[q], std::uint64_t{expected.size()});
    require_equal("find" + of, found[q] != no_row<std::uint64_t>, !expected.empty());
    if (!expected.empty()) require_equal("row" + of, expected.contains(found[q]), true);
    require_equal(
        "retrieve" + of,
        std::multiset<std::uint64_t>(listed.data() + offsets[q], listed.data() + offsets[q + 1]),
        expected);
  }
}

/// Requires that the table holds these entries and no others.
template <class Key, class Table>
void require_entries(const Table& table, const Entries<Key>& entries) {
  require_equal("size", table.size(), entries.size());
  const auto all = table.retrieve_all(Exec());
  const auto keys = to_host(all.keys);
  const auto rows = to_wide_host(all.rows);
  Entries<Key> held;
  for (std::size_t i = 0; i < keys.size(); ++i) held.add(number_of(keys[i]), rows[i]);
  require_equal("retrieve_all", held.all(), entries.all());
}

/// Erases the entries of some keys, of which a few are not there.
template <class Key, class Table>
void erase_some(Table& table, Entries<Key>& entries, RandomSource& random, std::uint64_t most) {
  const Numbers queries = some_queries(random, entries, most);
  const std::uint64_t erased = table.erase(Exec(), KeyColumns<Key>(queries).source());
  require_equal("erased", erased, entries.erase(queries));
}

/// Whether a row, or position, has a bit.
struct HasBit {
  std::uint64_t bit;
  KOKKOS_FUNCTION bool operator()(std::uint64_t number) const { return (number & bit) != 0; }
  template <class Key>
  KOKKOS_FUNCTION bool operator()(const Key&, std::uint64_t row) const {
    return (row & bit) != 0;
  }
};

/// Erases the entries whose rows have one of the lowest bits.
template <class Key, class Table>
void erase_some_if(Table& table, Entries<Key>& entries, RandomSource& random) {
  const HasBit unwanted{std::uint64_t{1} << random.below(4)};
  require_equal("erased", table.erase_if(Exec(), unwanted), entries.erase_if(unwanted));
}

}  // namespace hashmill::test
