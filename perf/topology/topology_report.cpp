#include "topology_report.hpp"

#include <cstdio>
#include <fstream>
#include <hashmill/backends/numa_placement.hpp>
#include <ostream>

#include "report/table_columns.hpp"

namespace hashmill::perf {
namespace {

std::string plural(std::uint64_t count, const std::string& word) {
  return std::to_string(count) + " " + word + (count == 1 ? "" : "s");
}

std::string range_text(std::uint64_t begin, std::uint64_t end) {
  if (begin == end) return "none";
  return end - begin == 1 ? std::to_string(begin)
                          : std::to_string(begin) + "-" + std::to_string(end - 1);
}

void print_line(std::ostream& out, const std::string& name, const std::string& text) {
  out << padded(name, 12, false) << text << '\n';
}

std::string caches_text(const backends::Topology& machine) {
  std::string text;
  for (const backends::CacheLevel& cache : machine.caches) {
    if (!text.empty()) text += ", ";
    text.append("L").append(std::to_string(cache.level)).append(" ");
    text.append(readable_bytes(cache.bytes));
    if (cache.cores == 1) {
      text.append(" a core");
    } else {
      text.append(" for ").append(std::to_string(cache.cores)).append(" cores");
    }
  }
  if (text.empty()) return "not told";
  const std::uint64_t counted = machine.last_level_cache_bytes();
  if (counted < machine.caches.back().bytes) {
    text.append(", of which ").append(readable_bytes(counted)).append(" count");
  }
  return text;
}

std::string mode_text(const backends::NumaPlan& plan) {
  const std::string mode = to_string(plan.mode());
  return plan.num_nodes() == 1 ? mode + "; one node works, so nothing is placed" : mode;
}

std::string arrays_text(const backends::NumaPlan& plan) {
  if (!plan.places()) return "where the system puts them";
  const std::string large = "of " + readable_bytes(backends::placed_array_bytes) + " and more: ";
  return large + (plan.mode() == backends::NumaMode::local
                      ? "each thread's slice next to it"
                      : "page by page on " + plural(plan.num_nodes(), "node") + " in turn");
}

std::string passes_text(const backends::NumaPlan& plan, std::uint64_t records) {
  const std::uint64_t tile = backends::host_tile_records(records, plan.num_threads());
  std::string text = "up to " + std::to_string(plan.pass_bits()) + " bits (" +
                     std::to_string(1U << plan.pass_bits()) + " parts); tiles of " +
                     std::to_string(tile) + " records of " + std::to_string(records);
  if (plan.sorts_by_node()) text += "; the first on each node, then one exchange of runs";
  return text;
}

void print_nodes(std::ostream& out, const backends::Topology& machine,
                 const backends::NumaPlan& plan) {
  const std::uint64_t bins = std::uint64_t{1} << plan.pass_bits();
  std::vector<TableColumn> columns{
      {"node", {}, true},     {"cores", {}, true},
      {"memory", {}, true},   {"hardware threads", {}, false},
      {"threads", {}, false}, {"bins of " + std::to_string(bins), {}, false}};
  for (const backends::NumaNode& node : machine.nodes) {
    unsigned k = 0;
    while (k < plan.num_nodes() && plan.node(k) != node.index) ++k;
    const bool works = k < plan.num_nodes();
    const std::string cells[] = {
        std::to_string(node.index),
        std::to_string(node.cores),
        readable_bytes(node.memory_bytes),
        readable_numbers(node.threads),
        works ? range_text(plan.first_thread(k), plan.first_thread(k + 1)) : "none",
        works ? range_text(plan.slice_begin(k, bins), plan.slice_begin(k + 1, bins)) : "none"};
    for (std::size_t c = 0; c < columns.size(); ++c) columns[c].cells.push_back(cells[c]);
  }
  print_table(out, columns);
}

}  // namespace

HostSettings read_host_settings() {
  HostSettings settings;
  std::ifstream file("/sys/kernel/mm/transparent_hugepage/enabled");
  std::string words;
  std::getline(file, words);
  const auto begin = words.find('['), end = words.find(']');
  if (begin < end && end != std::string::npos) {
    const std::string word = words.substr(begin + 1, end - begin - 1);
    settings.huge_pages = word + (word == "never" ? ": not used" : ": used by large arrays");
  }
  settings.binding = backends::host_threads_are_bound()
                         ? "bound to their cores"
                         : "not bound; local placement needs OMP_PROC_BIND=spread";
  return settings;
}

void print_topology(std::ostream& out, const backends::Topology& machine,
                    const backends::NumaPlan& plan, const HostSettings& settings,
                    std::uint64_t num_records) {
  print_line(out, "machine",
             plural(machine.nodes.size(), "node") + ", " + plural(machine.num_cores(), "core") +
                 ", " + plural(machine.num_threads(), "hardware thread") + ", as " +
                 machine.source + (machine.source.starts_with("'") ? " describes" : " tells"));
  print_line(out, "caches", caches_text(machine));
  if (!settings.huge_pages.empty()) print_line(out, "huge pages", settings.huge_pages);
  print_line(out, "threads",
             std::to_string(plan.num_threads()) +
                 (settings.binding.empty() ? "" : ", " + settings.binding));
  print_line(out, "NUMA mode", mode_text(plan));
  print_line(out, "arrays", arrays_text(plan));
  print_line(out, "passes", passes_text(plan, num_records));
  out << '\n';
  print_nodes(out, machine, plan);
}

std::string readable_bytes(std::uint64_t bytes) {
  constexpr const char* units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  unsigned unit = 0;
  double value = static_cast<double>(bytes);
  for (; value >= 1024 && unit < 6; ++unit) value /= 1024;
  const bool whole = bytes % (std::uint64_t{1} << (10 * unit)) == 0;
  char text[32];
  std::snprintf(text, sizeof(text), whole ? "%.0f %s" : "%.1f %s", value, units[unit]);
  return text;
}

std::string readable_numbers(const std::vector<unsigned>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += range_text(numbers[i], std::uint64_t{numbers[end - 1]} + 1);
    i = end;
  }
  return text.empty() ? "none" : text;
}

}  // namespace hashmill::perf
