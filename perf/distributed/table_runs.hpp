#pragma once

#include <hashmill/distributed_hash_graph.hpp>
#include <hashmill/distributed_intersect.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "rank_checks.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

/// Tallies the rows of each distinct key as a table gives them.
template <class Source, class Csr, class Keys>
struct TallyRowsOfKeys {
  Source source;
  RowsOverRanks places;
  Csr found;
  Keys keys;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    for (std::uint64_t at = found.offsets(i); at < found.offsets(i + 1); ++at) {
      add_entry(source, places.rows, keys(i), places(found.rows(at)), sum);
    }
  }
};

/// How tables of all ranks are made and intersected.
template <class Keys>
class RankTables {
 public:
  using Table = DistributedHashGraph<typename Keys::Key, typename Keys::memory_space>;
  using Row = GlobalRow;

  explicit RankTables(Communicator timed) : timed_(std::move(timed)) {}

  void make(const Keys& keys, std::optional<Table>& table) const {
    table.emplace(keys.exec(), timed_, keys.keys(), typename Table::options_type{}, *workspace_);
  }
  /// A table of the queries, with the splits of another.
  void make_like(const Table& other, const Keys& keys, std::optional<Table>& table) const {
    table.emplace(keys.exec(), timed_, keys.queries(), other.options_like());
  }

 private:
  Communicator timed_;
  KeptWorkspace<Keys> workspace_ = make_kept_workspace<Keys>();
};

/// How tables of one rank are.
template <class Keys>
class LocalTables {
 public:
  using Table = HashGraph<typename Keys::Key, typename Keys::memory_space>;
  using Row = std::uint32_t;

  void make(const Keys& keys, std::optional<Table>& table) const {
    table.emplace(keys.exec(), keys.keys(), HashGraphOptions{}, *workspace_);
  }
  void make_like(const Table& other, const Keys& keys, std::optional<Table>& table) const {
    HashGraphOptions options;
    options.buckets = BucketCount(other.num_buckets());
    table.emplace(keys.exec(), keys.queries(), options, other.hash());
  }

 private:
  KeptWorkspace<Keys> workspace_ = make_kept_workspace<Keys>();
};

/// A build of a table.
template <class Keys, class Tables>
class BuildRun final : public RankRun {
 public:
  BuildRun(std::shared_ptr<const Keys> keys, Tables tables)
      : keys_(std::move(keys)), tables_(std::move(tables)) {}

  void clear() override { table_.reset(); }
  void run() override {
    tables_.make(*keys_, table_);
    keys_->exec().fence("hashmill::perf::BuildRun: the clock stops");
  }
  std::uint64_t num_wrong() const override {
    const auto keys = keys_->identity_keys();
    const auto found = table_->retrieve(keys_->exec(), keys);
    using Found = std::remove_const_t<decltype(found)>;
    using DistinctKeys = std::remove_const_t<decltype(keys)>;
    const Tally sum = keys_->with_source([&]<class Source>(const Source& source) {
      using Functor = TallyRowsOfKeys<Source, Found, DistinctKeys>;
      return tally(keys_->exec(), keys.extent(0),
                   Functor{source, rows_over_ranks(*keys_), found, keys});
    });
    const bool has_all = table_->size() == keys_->axes().num_keys;
    return perf::num_wrong(keys_->ranks(), expected_entries(*keys_), sum) + (has_all ? 0 : 1);
  }

 private:
  std::shared_ptr<const Keys> keys_;
  Tables tables_;
  std::optional<typename Tables::Table> table_;
};

/// What other ranks do while one works.
class IdleRun final : public RankRun {
 public:
  void clear() override {}
  void run() override {}
  std::uint64_t num_wrong() const override { return 0; }
  std::optional<std::uint64_t> bytes_sent() const override { return 0; }
};

/// Look-up: whether each query has a match.
struct AskContains {
  template <class Row>
  using Answer = bool;
  template <class Table, class Exec, class Queries, class Answers>
  static void ask(const Table& table, const Exec& exec, const Queries& queries,
                  const Answers& answers) {
    table.contains(exec, queries, answers);
  }
  template <class Knowledge>
  KOKKOS_FUNCTION static bool is_right(const Knowledge& known, std::uint64_t query, bool answer) {
    return answer == (known.num_rows(query) != 0);
  }
};

/// Look-up: one row of each query.
struct AskFind {
  template <class Row>
  using Answer = Row;
  template <class Table, class Exec, class Queries, class Answers>
  static void ask(const Table& table, const Exec& exec, const Queries& queries,
                  const Answers& answers) {
    table.find(exec, queries, answers);
  }
  template <class Knowledge, class Row>
  KOKKOS_FUNCTION static bool is_right(const Knowledge& known, std::uint64_t query, Row answer) {
    if (answer == no_row<Row>) return known.num_rows(query) == 0;
    return known.holds(answer, query);
  }
};

/// Look-up: the number of rows of each query.
struct AskCount {
  template <class Row>
  using Answer = std::uint64_t;
  template <class Table, class Exec, class Queries, class Answers>
  static void ask(const Table& table, const Exec& exec, const Queries& queries,
                  const Answers& answers) {
    table.count(exec, queries, answers);
  }
  template <class Knowledge>
  KOKKOS_FUNCTION static bool is_right(const Knowledge& known, std::uint64_t query,
                                       std::uint64_t answer) {
    return answer == known.num_rows(query);
  }
};

/// Tallies wrong answers as faults.
template <class Ask, class Knowledge, class Answers>
struct TallyWrongAnswers {
  Knowledge known;
  Answers answers;
  KOKKOS_FUNCTION void operator()(std::uint64_t query, Tally& sum) const {
    if (!Ask::is_right(known, query, answers(query))) ++sum.faults;
  }
};

/// Sets each answer to the complement of its bits, which is wrong wherever the answer is right.
template <class Answers>
struct SpoilAnswers {
  Answers answers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    using Answer = typename Answers::non_const_value_type;
    if constexpr (std::is_same_v<Answer, bool>) {
      answers(i) = !answers(i);
    } else {
      answers(i) = ~answers(i);
    }
  }
};

/// Looks all queries of a rank up in a table that is there.
template <class Ask, class Keys, class Tables>
class LookUpRun final : public RankRun {
  using Table = typename Tables::Table;
  using Answers = Kokkos::View<typename Ask::template Answer<typename Tables::Row>*,
                               typename Keys::memory_space>;

 public:
  LookUpRun(std::shared_ptr<const Keys> keys, const Tables& tables)
      : keys_(std::move(keys)),
        answers_(backends::allocate<Answers>(keys_->exec(), "hashmill::perf::answers",
                                             keys_->queries().extent(0))) {
    tables.make(*keys_, table_);
    Ask::ask(*table_, keys_->exec(), keys_->queries(), answers_);
  }

  void clear() override {
    Kokkos::parallel_for("hashmill::perf::spoil_answers",
                         backends::range(keys_->exec(), answers_.extent(0)),
                         SpoilAnswers<Answers>{answers_});
    keys_->exec().fence("hashmill::perf::LookUpRun: answers are spoilt before the clock starts");
  }
  void run() override {
    Ask::ask(*table_, keys_->exec(), keys_->queries(), answers_);
    keys_->exec().fence("hashmill::perf::LookUpRun: the clock stops");
  }
  std::uint64_t num_wrong() const override {
    return with_knowledge(*keys_, [&]<class Knowledge>(const Knowledge& known) {
      return tally(keys_->exec(), answers_.extent(0),
                   TallyWrongAnswers<Ask, Knowledge, Answers>{known, answers_})
          .faults;
    });
  }

 private:
  std::shared_ptr<const Keys> keys_;
  std::optional<Table> table_;
  Answers answers_;
};

/// Counts the pairs of a table of the keys and one of the queries, which are there.
template <class Keys, class Tables>
class IntersectRun final : public RankRun {
 public:
  IntersectRun(std::shared_ptr<const Keys> keys, const Tables& tables) : keys_(std::move(keys)) {
    tables.make(*keys_, left_);
    tables.make_like(*left_, *keys_, right_);
    const Tally mine = with_knowledge(*keys_, [&]<class Knowledge>(const Knowledge& known) {
      return tally(keys_->exec(), keys_->queries().extent(0), TallyMatchingRows<Knowledge>{known});
    });
    expected_ = sum_over(keys_->ranks(), mine).count;
  }

  void clear() override { pairs_ = ~expected_; }
  void run() override { pairs_ = intersect_count(keys_->exec(), *left_, *right_); }
  std::uint64_t num_wrong() const override { return pairs_ == expected_ ? 0 : 1; }

 private:
  std::shared_ptr<const Keys> keys_;
  std::optional<typename Tables::Table> left_, right_;
  std::uint64_t expected_ = 0, pairs_ = 0;
};

}  // namespace hashmill::perf
