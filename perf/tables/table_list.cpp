#include "table_list.hpp"

#include <string>

namespace hashmill::perf {
namespace {

/// The group size of cuCollections that its names need not say: its default.
constexpr int usual_group_size = 4;

std::string name_of(const TableRow& table, OperationKind kind, bool is_peer,
                    std::string_view suffix) {
  std::string name(table.name);
  if (table.group_size != 0 && table.group_size != usual_group_size)
    name.append("-").append(std::to_string(table.group_size));
  if (!suffix.empty()) return name.append("-").append(suffix);
  if (kind == OperationKind::build && !is_peer) return name;
  return name.append("-").append(to_string(kind));
}

std::string title_of(const TableRow& table) {
  std::string title(table.title);
  if (table.group_size != 0) title.append(", groups of ").append(std::to_string(table.group_size));
  return title;
}

}  // namespace

Algorithm algorithm_of(const TableRow& table, OperationKind kind, RunsOn where, unsigned widest_key,
                       bool is_peer, DefaultRun default_run, std::string_view suffix) {
  Algorithm row;
  row.name = name_of(table, kind, is_peer, suffix);
  row.kind = kind;
  row.structure = title_of(table);
  row.axes = table.axes;
  row.axes.queries = kind >= OperationKind::contains;
  row.runs_on = where == RunsOn::host_serial && row.axes.queries ? RunsOn::host_threads : where;
  row.is_peer = is_peer;
  row.default_run = default_run;
  row.limits = {.fill = table.most_fill, .key_bits = widest_key};
  return row;
}

Algorithm graph_algorithm(std::string_view name, OperationKind kind, std::string_view title,
                          UsedAxes axes, DefaultRun default_run) {
  Algorithm row;
  row.name = name;
  row.kind = kind;
  row.structure = title;
  row.axes = axes;
  row.default_run = default_run;
  return row;
}

Algorithm partition_algorithm(std::string_view name, OperationKind kind, std::string_view title,
                              bool is_peer) {
  Algorithm row;
  row.name = name;
  row.kind = kind;
  row.structure = title;
  row.is_peer = is_peer;
  return row;
}

}  // namespace hashmill::perf
