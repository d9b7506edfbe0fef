#pragma once

#include <cstdint>
#include <hashmill/error.hpp>
#include <memory>
#include <string>

#include "duckdb_library.hpp"
#include "machine/free_memory.hpp"

namespace hashmill::perf {

/// Ends "DuckDB is left out".
inline constexpr const char* duckdb_is_missing =
    ": libduckdb.so is not found (name it in the environment as HASHMILL_DUCKDB)";

/// A DuckDB with so many threads that stays within the memory that is free: it writes nothing to
/// disk. Throws `CapacityError` unless there is room for tables of `bytes`, for what queries of
/// them hold, about six times as much again, and for results of `result_bytes`.
inline std::unique_ptr<DuckDb> open_duckdb(int num_threads, std::uint64_t bytes,
                                           std::uint64_t result_bytes = 0) {
  require_free_memory<Kokkos::HostSpace>(7 * bytes + result_bytes, "DuckDB");
  const std::uint64_t available = backends::free_bytes<Kokkos::HostSpace>();
  auto duck = DuckDb::load();
  if (!duck) throw Error(std::string("DuckDB is left out") + duckdb_is_missing);
  duck->run("SET threads = " + std::to_string(num_threads));
  duck->run("SET memory_limit = '" + std::to_string(available >> 20) + "MiB'");
  duck->run("SET temp_directory = ''");
  return duck;
}

}  // namespace hashmill::perf
