#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hashmill::perf {

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

/// A column of unsigned integers of 4 or 8 bytes in host memory.
struct DuckColumn {
  std::string name;
  const void* values = nullptr;
  unsigned bytes = 4;
};

/// A DuckDB, of a shared library that is looked for at run time: where the environment's
/// HASHMILL_DUCKDB says, or else where the system finds libduckdb.so. It ships, for example, in the
/// npm package @duckdb/node-bindings-linux-x64.
class DuckDb {
 public:
  /// Nothing where the library is not there. The database is in memory, or in a file where one is
  /// named, which is made if it is not there.
  static std::unique_ptr<DuckDb> load(const std::string& file = "") {
    void* const library = open_library();
    if (library == nullptr) return nullptr;
    return std::unique_ptr<DuckDb>(new DuckDb(library, file));
  }
  /// Whether `load` finds the library.
  static bool is_there() { return open_library() != nullptr; }

  DuckDb(const DuckDb&) = delete;
  DuckDb& operator=(const DuckDb&) = delete;
  ~DuckDb() {
    disconnect_(&connection_);
    close_(&database_);
  }

  void run(const std::string& sql) { (void)DuckTable(*this, sql); }

  /// All rows of a query whose columns are numbers.
  std::vector<DuckRow> query(const std::string& sql) {
    DuckTable table(*this, sql);
    const std::uint64_t columns = column_count_(&table.result);
    std::vector<DuckRow> rows(row_count_(&table.result), DuckRow(columns));
    for (std::uint64_t r = 0; r < rows.size(); ++r) {
      for (std::uint64_t c = 0; c < columns; ++c) {
        if (!is_null_(&table.result, c, r)) rows[r][c] = to_double_(&table.result, c, r);
      }
    }
    return rows;
  }

  /// The rows of a query, in memory and in DuckDB's own form until this goes.
  class DuckTable {
   public:
    DuckTable(DuckDb& duck, const std::string& sql) : duck_(duck) {
      if (duck.query_(duck.connection_, sql.c_str(), &result) == 0) return;
      const std::string why = duck.result_error_(&result);
      duck.destroy_result_(&result);
      throw std::runtime_error("DuckDB: " + why);
    }
    DuckTable(const DuckTable&) = delete;
    DuckTable& operator=(const DuckTable&) = delete;
    ~DuckTable() { duck_.destroy_result_(&result); }

    /// Calls `use(rows, columns)` for the rows in pieces, once: their number, and where the values
    /// of each column begin, which has the type that the query gives it and no nulls.
    template <class Use>
    void for_each_piece(const Use& use) {
      const std::uint64_t num_columns = duck_.column_count_(&result);
      std::vector<const void*> columns(num_columns);
      while (void* piece = duck_.fetch_(result)) {
        for (std::uint64_t c = 0; c < num_columns; ++c)
          columns[c] = duck_.vector_data_(duck_.chunk_vector_(piece, c));
        use(duck_.chunk_size_(piece), std::as_const(columns));
        duck_.destroy_chunk_(&piece);
      }
    }

   private:
    friend class DuckDb;
    DuckDb& duck_;
    DuckResult result;
  };

  /// The connection, and functions of the library, for what else it can do.
  [[nodiscard]] void* connection() const { return connection_; }
  template <class Function>
  void find(const char* name, Function*& function) const {
    get(library_, name, function);
  }

  /// Makes a table of columns of `rows` values.
  void create(const std::string& name, const std::vector<DuckColumn>& columns, std::uint64_t rows) {
    std::string sql;
    for (const DuckColumn& column : columns) {
      sql +=
          (sql.empty() ? "" : ", ") + column.name + (column.bytes == 4 ? " UINTEGER" : " UBIGINT");
    }
    run("CREATE OR REPLACE TABLE " + name + " (" + sql + ")");
    void* appender = nullptr;
    if (create_appender_(connection_, nullptr, name.c_str(), &appender) != 0)
      throw std::runtime_error("DuckDB does not append to " + name);
    const bool appended = append(appender, columns, rows);
    const bool closed = destroy_appender_(&appender) == 0;
    if (!appended || !closed) throw std::runtime_error("DuckDB has no memory for " + name);
  }

 private:
  static void* open_library() {
    const char* const path = std::getenv("HASHMILL_DUCKDB");
    return dlopen(path == nullptr ? "libduckdb.so" : path, RTLD_NOW | RTLD_LOCAL);
  }

  DuckDb(void* library, const std::string& file) : library_(library) {
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
    get(library, "duckdb_fetch_chunk", fetch_);
    get(library, "duckdb_vector_size", vector_size_);
    get(library, "duckdb_create_logical_type", create_type_);
    get(library, "duckdb_destroy_logical_type", destroy_type_);
    get(library, "duckdb_create_data_chunk", create_chunk_);
    get(library, "duckdb_destroy_data_chunk", destroy_chunk_);
    get(library, "duckdb_data_chunk_get_vector", chunk_vector_);
    get(library, "duckdb_data_chunk_get_size", chunk_size_);
    get(library, "duckdb_data_chunk_set_size", set_chunk_size_);
    get(library, "duckdb_vector_get_data", vector_data_);
    get(library, "duckdb_appender_create", create_appender_);
    get(library, "duckdb_append_data_chunk", append_chunk_);
    get(library, "duckdb_appender_destroy", destroy_appender_);
    const char* const name = file.empty() ? nullptr : file.c_str();
    if (open_(name, &database_) != 0 || connect_(database_, &connection_) != 0) {
      throw std::runtime_error("DuckDB does not open a database " +
                               (file.empty() ? "in memory" : "in " + file));
    }
  }
  template <class Function>
  static void get(void* library, const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("DuckDB has no ") + name);
  }

  /// Appends rows by the chunk, and says whether that went well.
  bool append(void* appender, const std::vector<DuckColumn>& columns, std::uint64_t rows) {
    constexpr int type_uinteger = 8, type_ubigint = 9;
    std::vector<void*> types;
    for (const DuckColumn& column : columns)
      types.push_back(create_type_(column.bytes == 4 ? type_uinteger : type_ubigint));
    void* chunk = create_chunk_(types.data(), types.size());
    const std::uint64_t most = vector_size_();
    bool went_well = true;
    for (std::uint64_t first = 0; first < rows && went_well; first += most) {
      const std::uint64_t count = std::min(most, rows - first);
      for (std::uint64_t c = 0; c < columns.size(); ++c) {
        std::memcpy(vector_data_(chunk_vector_(chunk, c)),
                    static_cast<const char*>(columns[c].values) + first * columns[c].bytes,
                    count * columns[c].bytes);
      }
      set_chunk_size_(chunk, count);
      went_well = append_chunk_(appender, chunk) == 0;
    }
    destroy_chunk_(&chunk);
    for (void*& type : types) destroy_type_(&type);
    return went_well;
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
  void* (*fetch_)(DuckResult);
  std::uint64_t (*vector_size_)();
  void* (*create_type_)(int);
  void (*destroy_type_)(void**);
  void* (*create_chunk_)(void**, std::uint64_t);
  void (*destroy_chunk_)(void**);
  void* (*chunk_vector_)(void*, std::uint64_t);
  std::uint64_t (*chunk_size_)(void*);
  void (*set_chunk_size_)(void*, std::uint64_t);
  void* (*vector_data_)(void*);
  int (*create_appender_)(void*, const char*, const char*, void**);
  int (*append_chunk_)(void*, void*);
  int (*destroy_appender_)(void**);
  void* database_ = nullptr;
  void* connection_ = nullptr;
};

}  // namespace hashmill::perf
