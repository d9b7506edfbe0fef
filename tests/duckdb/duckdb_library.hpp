#pragma once

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace hashmill::test {

/// The result of a query in DuckDB's C interface (version 1).
struct DuckResult {
  std::uint64_t columns_unused = 0;
  std::uint64_t rows_unused = 0;
  std::uint64_t changed_unused = 0;
  void* data_unused = nullptr;
  char* error_unused = nullptr;
  void* internal = nullptr;
};

/// A cell: nothing where it is null. Numbers are compared as doubles, which hold integers of up to
/// 53 bits exactly.
using DuckRow = std::vector<std::optional<double>>;

/// An in-memory DuckDB, of a shared library that is looked for at run time: where the environment's
/// HASHMILL_DUCKDB says, or else where the system finds libduckdb.so. It ships, for example, in the
/// npm package @duckdb/node-bindings-linux-x64.
class DuckDb {
 public:
  /// Nothing where the library is not there.
  static std::unique_ptr<DuckDb> load() {
    const char* const path = std::getenv("HASHMILL_DUCKDB");
    void* const library = dlopen(path == nullptr ? "libduckdb.so" : path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) return nullptr;
    return std::unique_ptr<DuckDb>(new DuckDb(library));
  }
  DuckDb(const DuckDb&) = delete;
  DuckDb& operator=(const DuckDb&) = delete;
  ~DuckDb() {
    disconnect_(&connection_);
    close_(&database_);
  }

  void run(const std::string& sql) { (void)query(sql); }

  /// The connection, and functions of the library, for what else it can do.
  [[nodiscard]] void* connection() const { return connection_; }
  template <class Function>
  void find(const char* name, Function*& function) const {
    get(library_, name, function);
  }

  /// All rows of a query whose columns are numbers.
  std::vector<DuckRow> query(const std::string& sql) {
    DuckResult result;
    const bool failed = query_(connection_, sql.c_str(), &result) != 0;
    if (failed) {
      const std::string why = result_error_(&result);
      destroy_result_(&result);
      throw std::runtime_error("DuckDB: " + why);
    }
    const std::uint64_t columns = column_count_(&result);
    std::vector<DuckRow> rows(row_count_(&result), DuckRow(columns));
    for (std::uint64_t r = 0; r < rows.size(); ++r) {
      for (std::uint64_t c = 0; c < columns; ++c) {
        if (!is_null_(&result, c, r)) rows[r][c] = to_double_(&result, c, r);
      }
    }
    destroy_result_(&result);
    return rows;
  }

 private:
  explicit DuckDb(void* library) : library_(library) {
    get(library, "duckdb_open", open_);
    get(library, "duckdb_connect", connect_);
    get(library, "duckdb_disconnect", disconnect_);
    get(library, "duckdb_close", close_);
    get(library, "duckdb_query", query_);
    get(library, "duckdb_destroy_result", destroy_result_);
    get(library, "duckdb_result_error", result_error_);
    get(library, "duckdb_column_count", column_count_);
    get(library, "duckdb_row_count", row_count_);
    get(library, "duckdb_value_is_null", is_null_);
    get(library, "duckdb_value_double", to_double_);
    if (open_(nullptr, &database_) != 0 || connect_(database_, &connection_) != 0) {
      throw std::runtime_error("DuckDB does not open a database in memory");
    }
  }
  template <class Function>
  static void get(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("DuckDB has no ") + name);
  }

  void* library_;
  int (*open_)(const char*, void**);
  int (*connect_)(void*, void**);
  void (*disconnect_)(void**);
  void (*close_)(void**);
  int (*query_)(void*, const char*, DuckResult*);
  void (*destroy_result_)(DuckResult*);
  const char* (*result_error_)(DuckResult*);
  std::uint64_t (*column_count_)(DuckResult*);
  std::uint64_t (*row_count_)(DuckResult*);
  bool (*is_null_)(DuckResult*, std::uint64_t, std::uint64_t);
  double (*to_double_)(DuckResult*, std::uint64_t, std::uint64_t);
  void* database_ = nullptr;
  void* connection_ = nullptr;
};

}  // namespace hashmill::test
