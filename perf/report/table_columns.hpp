#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "case/compare_case.hpp"
#include "machine/backend_info.hpp"

namespace hashmill::perf {

/// A column that describes a row: its heading and the text of each row of the plan.
struct TableColumn {
  std::string heading;
  std::vector<std::string> cells;  ///< one for each row of the plan
  bool is_numeric = false;         ///< aligned to the right

  /// Characters of the widest cell or the heading.
  std::size_t width() const;
};

/// The axes of a plan as the table shows them: those that vary become columns, the others one line
/// above it.
struct TableAxesView {
  std::string constant_line;
  std::vector<TableColumn> columns;
};

/// Operation, structure and backend columns, followed by the axes that vary within the plan.
TableAxesView describe_axes(const std::vector<CompareCase>& plan,
                            const std::vector<BackendInfo>& backends);

/// What a row runs on: its execution space, or the number of threads of a host peer.
std::string runs_on(const CompareCase& row, const std::vector<BackendInfo>& backends);

/// Number of characters a terminal shows for UTF-8 text.
std::size_t display_width(const std::string& text);

/// Text padded with spaces to a display width.
std::string padded(const std::string& text, std::size_t width, bool align_right);

/// A number with so many decimals, and more where two digits would not show.
std::string short_decimal(double value, int decimals);

/// Prints the headings and the rows of columns of the same length.
void print_table(std::ostream& out, const std::vector<TableColumn>& columns);

}  // namespace hashmill::perf
