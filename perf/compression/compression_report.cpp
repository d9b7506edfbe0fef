#include "compression_report.hpp"

#include <algorithm>
#include <functional>
#include <ostream>

#include "report/table_columns.hpp"

namespace hashmill::perf {
namespace {

/// Fills the columns of a table, one row for each result.
void print_rows(std::ostream& out, std::vector<TableColumn> columns,
                const std::vector<CompressionResult>& results,
                const std::function<std::vector<std::string>(const CompressionResult&)>& cells) {
  for (const CompressionResult& result : results) {
    const std::vector<std::string> row = cells(result);
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].cells.push_back(row[c]);
  }
  print_table(out, columns);
}

std::string layers(bool has_one, bool has_two) { return has_two ? "2" : has_one ? "1" : "0"; }

}  // namespace

double CompressionResult::ratio() const {
  return static_cast<double>(value_bytes) / static_cast<double>(frame_bytes);
}

double CompressionResult::encoded_bytes_per_second() const {
  return static_cast<double>(value_bytes) / encode_seconds;
}

double CompressionResult::decoded_bytes_per_second() const {
  return static_cast<double>(value_bytes) / decode_seconds;
}

double copied_bytes_per_second(const CompressionResult& result,
                               const std::vector<BackendInfo>& backends) {
  const auto backend = std::ranges::find(backends, result.backend, &BackendInfo::name);
  return 0.5 * backend->copy_bytes_per_second;  // which count what is read and what is written
}

void print_compression(std::ostream& out, const std::vector<CompressionResult>& results,
                       const std::vector<BackendInfo>& backends) {
  const std::vector<TableColumn> columns{
      {"column", {}, false},     {"on", {}, false},         {"scheme", {}, false},
      {"ratio", {}, true},       {"encode GB/s", {}, true}, {"of copy", {}, true},
      {"decode GB/s", {}, true}, {"of copy", {}, true},     {"", {}, false}};
  print_rows(out, columns, results, [&](const CompressionResult& r) {
    const double copy = 1e-9 * copied_bytes_per_second(r, backends);
    const double encode = 1e-9 * r.encoded_bytes_per_second();
    const double decode = 1e-9 * r.decoded_bytes_per_second();
    return std::vector<std::string>{to_string(r.column),
                                    r.backend,
                                    std::string(name(r.scheme)),
                                    short_decimal(r.ratio(), 2),
                                    short_decimal(encode, 2),
                                    short_decimal(encode / copy, 2),
                                    short_decimal(decode, 2),
                                    short_decimal(decode / copy, 2),
                                    r.num_wrong != 0 ? std::to_string(r.num_wrong) + " VALUES WRONG"
                                    : r.is_chosen    ? "chosen"
                                                     : ""};
  });
}

void print_chosen_layers(std::ostream& out, const std::vector<CompressionResult>& results) {
  std::vector<CompressionResult> chosen;
  std::copy_if(results.begin(), results.end(), std::back_inserter(chosen),
               [](const CompressionResult& r) { return r.is_chosen; });
  if (chosen.empty()) return;
  out << "\nLayers that the sample chose (Gao & Sakharnykh, Table 1)\n";
  const std::vector<TableColumn> columns{{"column", {}, false},     {"on", {}, false},
                                         {"run lengths", {}, true}, {"deltas", {}, true},
                                         {"bit packing", {}, true}, {"ratio", {}, true}};
  print_rows(out, columns, chosen, [](const CompressionResult& r) {
    using enum CompressionScheme;
    const bool two = r.scheme == runs_delta_runs, delta_runs = r.scheme == runs_delta || two;
    return std::vector<std::string>{to_string(r.column),
                                    r.backend,
                                    layers(r.scheme == runs || delta_runs, two),
                                    layers(r.scheme == delta || delta_runs, false),
                                    layers(r.scheme != raw, false),
                                    short_decimal(r.ratio(), 2)};
  });
}

}  // namespace hashmill::perf
