#pragma once

#include <hashmill/arrow/owner.hpp>

#include "peers/duckdb_library.hpp"

namespace hashmill::test {

/// DuckDB as a producer and a consumer of the Arrow C data interface.
class DuckArrow {
 public:
  explicit DuckArrow(perf::DuckDb& duck) : duck_(&duck) {
    duck.find("duckdb_query_arrow", query_);
    duck.find("duckdb_query_arrow_schema", schema_);
    duck.find("duckdb_query_arrow_array", array_);
    duck.find("duckdb_query_arrow_error", error_);
    duck.find("duckdb_destroy_arrow", destroy_);
    duck.find("duckdb_arrow_array_scan", scan_);
    duck.find("duckdb_destroy_arrow_stream", destroy_stream_);
  }

  /// The result of a query, in batches, at least one.
  [[nodiscard]] std::vector<ArrowOwner> query(const std::string& sql) const {
    void* result = nullptr;
    if (query_(duck_->connection(), sql.c_str(), &result) != 0) {
      const std::string why = error_(result);
      destroy_(&result);
      throw std::runtime_error("DuckDB: " + why);
    }
    std::vector<ArrowOwner> batches;
    do {
      ArrowSchema schema{};
      ArrowArray array{};
      ArrowSchema* to_schema = &schema;
      ArrowArray* to_array = &array;
      if (schema_(result, &to_schema) != 0 || array_(result, &to_array) != 0) {
        throw std::runtime_error("DuckDB gives no array");
      }
      UniqueArrow type(std::move(schema));
      if (array.release == nullptr) break;  // no more
      batches.emplace_back(std::move(type), UniqueArrow(std::move(array)));
    } while (batches.back().array()->length > 0);
    destroy_(&result);
    return batches;
  }

  /// The result of a query of the view `name`, which shows the batch and goes with it.
  [[nodiscard]] std::vector<perf::DuckRow> query_batch(const std::string& name, ArrowOwner batch,
                                                       const std::string& sql) const {
    void* stream = nullptr;
    if (scan_(duck_->connection(), name.c_str(), &*batch.schema(), &*batch.array(), &stream) != 0) {
      throw std::runtime_error("DuckDB does not take the batch");
    }
    auto rows = duck_->query(sql);
    duck_->run("DROP VIEW " + name);
    destroy_stream_(&stream);
    return rows;
  }

 private:
  perf::DuckDb* duck_;
  int (*query_)(void*, const char*, void**);
  int (*schema_)(void*, ArrowSchema**);
  int (*array_)(void*, ArrowArray**);
  const char* (*error_)(void*);
  void (*destroy_)(void**);
  int (*scan_)(void*, const char*, ArrowSchema*, ArrowArray*, void**);
  void (*destroy_stream_)(void**);
};

}  // namespace hashmill::test
