#include "scaling_summary.hpp"

#include <algorithm>
#include <cstdio>
#include <ostream>
#include <set>
#include <string>

#include "table_columns.hpp"

namespace hashmill::perf {
namespace {

constexpr std::size_t cell_width = 7;

/// A name, and what it came to with each number of threads, in times of one thread.
struct ScalingLine {
  std::string name;
  std::vector<std::string> cells;
};

bool same_work(const CompareCase& a, const CompareCase& b) {
  return a.algorithm == b.algorithm && a.backend == b.backend && a.data == b.data &&
         a.table == b.table && a.result == b.result;
}

/// The rates of an algorithm with so many threads over those with one, ascending.
std::vector<double> speedups(const std::vector<CompareResult>& results, const Algorithm& algorithm,
                             unsigned threads) {
  std::vector<double> found;
  for (const CompareResult& many : results) {
    if (many.row->algorithm != &algorithm || many.row->threads != threads || !many.has_figure())
      continue;
    for (const CompareResult& one : results) {
      if (one.row->threads != 1 || !one.has_figure() || !same_work(*many.row, *one.row)) continue;
      found.push_back(many.rate(RunMemory::kept) / one.rate(RunMemory::kept));
    }
  }
  std::ranges::sort(found);
  return found;
}

std::string times(double ratio) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.2f", ratio);
  return text;
}

std::string name_of(const Algorithm& algorithm) {
  return std::string(to_string(algorithm.kind)) + "  " + std::string(algorithm.structure);
}

/// The middle one of an algorithm's inputs for each number of threads; no cells without any.
ScalingLine line_of(const std::vector<CompareResult>& results, const Algorithm& algorithm,
                    const std::set<unsigned>& threads) {
  ScalingLine line{name_of(algorithm), {}};
  bool scales = false;
  for (const unsigned number : threads) {
    const auto found = speedups(results, algorithm, number);
    line.cells.push_back(found.empty() ? "-" : times(found[found.size() / 2]));
    scales = scales || !found.empty();
  }
  if (!scales) line.cells.clear();
  return line;
}

void print(std::ostream& out, const ScalingLine& line, std::size_t width) {
  out << padded(line.name, width, false);
  for (const std::string& cell : line.cells) out << "  " << padded(cell, cell_width, true);
  out << '\n';
}

}  // namespace

void print_scaling(std::ostream& out, const std::vector<CompareResult>& results,
                   const std::function<double(unsigned)>& arithmetic_of) {
  std::set<unsigned> threads;
  std::vector<const Algorithm*> algorithms;
  for (const CompareResult& result : results) {
    if (result.row->threads > 1) threads.insert(result.row->threads);
    if (std::ranges::find(algorithms, result.row->algorithm) == algorithms.end())
      algorithms.push_back(result.row->algorithm);
  }
  std::vector<ScalingLine> lines;
  for (const Algorithm* const algorithm : algorithms) {
    ScalingLine line = line_of(results, *algorithm, threads);
    if (!line.cells.empty()) lines.push_back(std::move(line));
  }
  if (lines.empty()) return;
  ScalingLine heading{"times as fast as with one thread, kept memory", {}};
  ScalingLine machine{"the machine: arithmetic in registers", {}};
  for (const unsigned number : threads) {
    heading.cells.push_back(std::to_string(number));
    machine.cells.push_back(times(arithmetic_of(number)));
  }
  lines.insert(lines.begin(), {heading, machine});
  std::size_t width = 0;
  for (const ScalingLine& line : lines) width = std::max(width, display_width(line.name));
  out << '\n';
  for (const ScalingLine& line : lines) print(out, line, width);
}

}  // namespace hashmill::perf
