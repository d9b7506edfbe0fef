#include "compare_case.hpp"

#include <bit>
#include <cmath>
#include <cstdio>

namespace hashmill::perf {
std::string plain_number(double value) {
  const bool is_whole = value == std::floor(value) && std::abs(value) < 1e15;
  char text[32];
  std::snprintf(text, sizeof(text), is_whole ? "%.0f" : "%g", value);
  return text;
}

std::string to_string(KeyOrder order) {
  switch (order) {
    case KeyOrder::sequential:
      return "sequential";
    case KeyOrder::random:
      return "random";
    case KeyOrder::dense:
      return "dense";
    case KeyOrder::zipf:
      return "zipf";
    case KeyOrder::drawn:
      return "drawn";
    case KeyOrder::tpch:
      return "tpch";
  }
  return "";
}

std::string to_string(KeyColumns columns) {
  switch (columns) {
    case KeyColumns::one:
      return "one";
    case KeyColumns::two:
      return "two";
    case KeyColumns::strings:
      return "strings";
    case KeyColumns::nulls:
      return "nulls";
  }
  return "";
}

std::string to_string(JoinOutput output) {
  if (output == JoinOutput::count) return "count";
  if (output == JoinOutput::rows) return "rows";
  return std::to_string(static_cast<int>(output));
}

std::string to_string(JoinKind kind) {
  switch (kind) {
    case JoinKind::inner:
      return "inner";
    case JoinKind::left:
      return "left";
    case JoinKind::right:
      return "right";
    case JoinKind::full:
      return "full";
  }
  return "";
}

std::string to_string(Aggregates aggregates) {
  switch (aggregates) {
    case Aggregates::count:
      return "count";
    case Aggregates::sum:
      return "sum";
    case Aggregates::all:
      return "all";
  }
  return "";
}

std::string short_count(std::uint64_t count) {
  if (count >= 1024 && std::has_single_bit(count))
    return "2^" + std::to_string(std::countr_zero(count));
  return std::to_string(count);
}

std::string grouped_count(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3) {
    digits.insert(static_cast<std::size_t>(at), 1, ' ');
  }
  return digits;
}

std::string benchmark_name(const CompareCase& row) {
  std::string name(row.algorithm->name);
  name.append("/").append(row.backend).append("/u").append(std::to_string(row.data.key_bits));
  name.append("/").append(row.data.file ? "file" : to_string(row.data.order));
  name += "/n:" + std::to_string(row.data.num_keys);
  if (row.algorithm->axes.groups) {
    name += "/groups:" + std::to_string(row.data.num_groups) +
            "/zipf:" + plain_number(row.data.skew) +
            "/aggregate:" + to_string(row.result.aggregates);
  } else if (!row.data.file) {
    name += "/multiplicity:" + plain_number(row.data.multiplicity);
  }
  if (row.algorithm->axes.load_factor) name += "/load:" + plain_number(row.table.load_factor);
  if (row.algorithm->axes.fill) name += "/fill:" + plain_number(row.table.fill);
  if (row.algorithm->axes.queries) {
    name += "/queries:" + std::to_string(row.data.num_queries) +
            "/hit:" + plain_number(row.data.hit_rate);
  }
  if (row.algorithm->axes.sides) {
    name += "/zipf:" + plain_number(row.data.skew) + "/kind:" + to_string(row.result.kind) +
            "/payload:" + to_string(row.result.output);
  }
  if (row.algorithm->axes.budget) name += "/budget:" + to_string(row.result.budget);
  if (row.data.columns != KeyColumns::one) name += "/columns:" + to_string(row.data.columns);
  if (row.algorithm->axes.bins && row.table.bins != 0)
    name += "/bins:" + std::to_string(row.table.bins);
  if (row.threads != 0) name += "/threads:" + std::to_string(row.threads);
  return name;
}

}  // namespace hashmill::perf
