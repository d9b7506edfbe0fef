#include "bins_made.hpp"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace hashmill::perf {
namespace {

std::string note_of(const CompareCase& row, std::uint64_t made) {
  return "--bins " + std::to_string(row.table.bins) + ": " + std::to_string(made) + " at n " +
         short_count(row.data.num_keys) + ", load factor " + plain_number(row.table.load_factor) +
         " on " + row.backend + ", as a bin holds a power of two of buckets";
}

}  // namespace

Plan with_bins_made(Plan plan, const std::function<std::uint64_t(const CompareCase&)>& planned) {
  Plan made;
  made.notes = std::move(plan.notes);
  std::set<std::string> seen;
  for (CompareCase& row : plan.cases) {
    if (row.algorithm->axes.bins && row.table.bins != 0) {
      const std::uint64_t bins = planned(row);
      const std::string note = note_of(row, bins);
      const bool is_new = std::ranges::find(made.notes, note) == made.notes.end();
      if (bins != row.table.bins && is_new) made.notes.push_back(note);
      row.table.bins = bins;
    }
    if (seen.insert(benchmark_name(row)).second) made.cases.push_back(std::move(row));
  }
  return made;
}

}  // namespace hashmill::perf
