#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <hashmill/error.hpp>
#include <memory>
#include <string>
#include <utility>

#include "answers/tally.hpp"
#include "duckdb_peer.hpp"

namespace hashmill::perf {

/// A directory of its own in another, which vanishes with this and all that is in it.
class OwnDirectory {
 public:
  /// Throws `InvalidArgument` where none can be made.
  explicit OwnDirectory(const std::string& parent) : name_(parent + "/hashmill-compare-XXXXXX") {
    if (mkdtemp(name_.data()) == nullptr)
      throw InvalidArgument("no directory can be made in '" + parent + "'");
  }
  OwnDirectory(OwnDirectory&& other) noexcept : name_(std::exchange(other.name_, {})) {}
  OwnDirectory& operator=(OwnDirectory&&) = delete;
  ~OwnDirectory() {
    std::error_code ignored;
    if (!name_.empty()) std::filesystem::remove_all(name_, ignored);
  }
  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// A DuckDB whose tables are in a file, and which may take little memory: what does not fit goes to
/// files in the same directory. All of them vanish with this.
class DuckDbDatabase {
 public:
  /// `fill(duck)` makes the tables, with as much memory as it takes.
  template <class Fill>
  DuckDbDatabase(const std::string& directory, int num_threads, std::uint64_t budget,
                 const Fill& fill)
      : directory_(directory) {
    open();
    fill(*duck_);
    duck_->run("CHECKPOINT");
    open();  // again, as its caches count
    duck_->run("SET threads = " + std::to_string(num_threads));
    duck_->run("SET memory_limit = '" + std::to_string(budget >> 10) + "KiB'");
    duck_->run("SET temp_directory = '" + directory_.name() + "/temporary'");
    duck_->run("SET preserve_insertion_order = false");
  }

  /// The rows of a query, see DuckDb. Throws `CapacityError` where its memory does not suffice.
  std::vector<DuckRow> query(const std::string& sql) {
    try {
      return duck_->query(sql);
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      if (text.find("Out of Memory") == std::string::npos) throw;
      throw CapacityError(text.substr(0, text.find('\n')), 0, 0);
    }
  }

  /// The tally of a query of one row: `count`, and `sum`, a HUGEINT. Throws as `query`.
  Tally sum(const std::string& sql) {
    // The sum has more bits than a number that DuckDb tells.
    const auto rows =
        query("SELECT count, (sum >> 32) & 4294967295, sum & 4294967295 FROM (" + sql + ")");
    const auto number = [&](std::size_t column) {
      return static_cast<std::uint64_t>(rows.at(0).at(column).value());
    };
    return {number(0), number(1) << 32 | number(2), 0};
  }

 private:
  void open() {
    duck_.reset();
    duck_ = DuckDb::load(directory_.name() + "/database");
    if (!duck_) throw Error(std::string("DuckDB is left out") + duckdb_is_missing);
  }

  OwnDirectory directory_;  // first: it goes last
  std::unique_ptr<DuckDb> duck_;
};

}  // namespace hashmill::perf
