#include "table_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>
#include <ostream>

namespace hashmill::perf {
namespace {

/// An axis, how its value reads in a row, and whether the row depends on it.
struct AxisView {
  std::string heading;
  std::function<std::string(const CompareCase&)>
      cell;  ///< empty text: the row does not depend on the axis
};

std::vector<AxisView> all_axes() {
  return {
      {"threads",
       [](const CompareCase& row) {
         return row.threads == 0 ? std::string() : std::to_string(row.threads);
       }},
      {"n", [](const CompareCase& row) { return short_count(row.data.num_keys); }},
      {"|S|:|R|",
       [](const CompareCase& row) {
         if (!row.algorithm->axes.sides) return std::string();
         return plain_number(static_cast<double>(row.data.num_queries) /
                             static_cast<double>(row.data.num_keys));
       }},
      {"groups",
       [](const CompareCase& row) {
         return row.algorithm->axes.groups ? short_count(row.data.num_groups) : "";
       }},
      {"key bits", [](const CompareCase& row) { return std::to_string(row.data.key_bits); }},
      {"columns",
       [](const CompareCase& row) {
         const bool depends = row.algorithm->axes.sides || row.algorithm->axes.groups;
         return depends ? to_string(row.data.columns) : "";
       }},
      {"order",
       [](const CompareCase& row) { return row.data.file ? "" : to_string(row.data.order); }},
      {"multiplicity",
       [](const CompareCase& row) {
         const bool depends = !row.data.file && !row.algorithm->axes.groups;
         return depends ? plain_number(row.data.multiplicity) : "";
       }},
      {"load factor",
       [](const CompareCase& row) {
         return row.algorithm->axes.load_factor ? plain_number(row.table.load_factor) : "";
       }},
      {"fill",
       [](const CompareCase& row) {
         return row.algorithm->axes.fill ? plain_number(row.table.fill) : "";
       }},
      {"bins",
       [](const CompareCase& row) {
         if (!row.algorithm->axes.bins) return std::string();
         return row.table.bins == 0 ? "auto" : std::to_string(row.table.bins);
       }},
      {"hit rate",
       [](const CompareCase& row) {
         return row.algorithm->axes.queries ? plain_number(row.data.hit_rate) : "";
       }},
      {"zipf",
       [](const CompareCase& row) {
         const bool depends = row.algorithm->axes.sides || row.algorithm->axes.groups;
         return depends ? plain_number(row.data.skew) : "";
       }},
      {"kind",
       [](const CompareCase& row) {
         return row.algorithm->axes.sides ? to_string(row.result.kind) : "";
       }},
      {"payload",
       [](const CompareCase& row) {
         return row.algorithm->axes.sides ? to_string(row.result.output) : "";
       }},
      {"aggregate",
       [](const CompareCase& row) {
         return row.algorithm->axes.groups ? to_string(row.result.aggregates) : "";
       }},
      {"budget",
       [](const CompareCase& row) {
         return row.algorithm->axes.budget ? to_string(row.result.budget) : "";
       }},
  };
}

TableColumn make_column(const std::string& heading, const std::vector<CompareCase>& plan,
                        const std::function<std::string(const CompareCase&)>& cell) {
  TableColumn column{heading, {}, false};
  for (const CompareCase& row : plan) column.cells.push_back(cell(row));
  return column;
}

/// The one value of an axis over the plan, or "" if no row depends on it; `varies` tells that there
/// is more than one.
std::string only_value(const TableColumn& column, bool& varies) {
  std::string value;
  for (const std::string& cell : column.cells) {
    if (cell.empty() || cell == value) continue;
    varies = varies || !value.empty();
    value = cell;
  }
  return value;
}

}  // namespace

std::string runs_on(const CompareCase& row, const std::vector<BackendInfo>& backends) {
  const int num_threads = std::ranges::find(backends, row.backend, &BackendInfo::name)->num_threads;
  switch (row.algorithm->runs_on) {
    case RunsOn::every_backend:
    case RunsOn::gpu:
      return row.backend;
    case RunsOn::host_serial:
      return "1 thread";
    case RunsOn::host_threads:
      if (row.threads != 0) return row.backend;
      return std::to_string(num_threads) + (num_threads == 1 ? " thread" : " threads");
  }
  return "";
}

std::size_t TableColumn::width() const {
  std::size_t widest = display_width(heading);
  for (const std::string& cell : cells) widest = std::max(widest, display_width(cell));
  return widest;
}

TableAxesView describe_axes(const std::vector<CompareCase>& plan,
                            const std::vector<BackendInfo>& backends) {
  TableAxesView view;
  view.columns.push_back(make_column("operation", plan, [](const CompareCase& row) {
    return std::string(to_string(row.algorithm->kind));
  }));
  view.columns.push_back(make_column("structure", plan, [](const CompareCase& row) {
    return std::string(row.algorithm->structure);
  }));
  view.columns.push_back(
      make_column("runs on", plan, [&](const CompareCase& row) { return runs_on(row, backends); }));
  for (const AxisView& axis : all_axes()) {
    TableColumn column = make_column(axis.heading, plan, axis.cell);
    column.is_numeric =
        axis.heading != "order" && axis.heading != "kind" && axis.heading != "columns";
    bool varies = false;
    const std::string value = only_value(column, varies);
    if (varies) {
      view.columns.push_back(std::move(column));
    } else if (!value.empty()) {
      view.constant_line += (view.constant_line.empty() ? "" : " · ") + axis.heading + " " + value;
    }
  }
  return view;
}

std::size_t display_width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string padded(const std::string& text, std::size_t width, bool align_right) {
  const std::string space(width - std::min(width, display_width(text)), ' ');
  return align_right ? space + text : text + space;
}

std::string short_decimal(double value, int decimals) {
  const bool shows = value == 0 || value >= 10 * std::pow(10.0, -decimals);
  char text[64];
  std::snprintf(text, sizeof(text), shows ? "%.*f" : "%.*g", shows ? decimals : 2, value);
  return text;
}

void print_table(std::ostream& out, const std::vector<TableColumn>& columns) {
  const auto print_row = [&](const auto& text_of) {
    std::string line;
    for (const TableColumn& column : columns) {
      line += padded(text_of(column), column.width(), column.is_numeric) + "  ";
    }
    out << line.substr(0, line.find_last_not_of(' ') + 1) << '\n';
  };
  print_row([](const TableColumn& column) { return column.heading; });
  for (std::size_t r = 0; r < columns.front().cells.size(); ++r) {
    print_row([&](const TableColumn& column) { return column.cells[r]; });
  }
}

}  // namespace hashmill::perf
