#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/primitives/detail/estimate_keys.hpp>
#include <hashmill/primitives/detail/keys_at.hpp>
#include <hashmill/primitives/detail/tally_outcomes.hpp>
#include <hashmill/tag_bucket/detail/storage.hpp>
#include <hashmill/tag_bucket/inserter.hpp>

namespace hashmill::detail {

/// How rows are inserted into a TagBucketStorage: how many at a time, and when the table grows.
template <class Storage>
struct TagBucketInsertion : Storage {
  using Row = typename Storage::row_type;
  using MemorySpace = typename Storage::memory_space;
  using Rows = RowList<Row>;
  using Pending = PendingRows<Row, MemorySpace>;
  using Storage::extend_links;
  using Storage::make_room;
  using Storage::next_rows;
  using Storage::num_keys;
  using Storage::num_linked;
  using Storage::num_rows;
  using Storage::num_slots;
  using Storage::options;
  using Storage::room;
  using Storage::tombstones;
  using Storage::writer;

  /// Inserts those rows of a range that are not in the table yet.
  template <class Exec>
  InsertResult insert_new(const Exec& exec, std::uint64_t first, std::uint64_t count, bool fresh,
                          Workspace<MemorySpace>& workspace) {
    extend_links(exec, first);
    Pending absent(Rows{nullptr, first, count});
    const std::uint64_t known = std::min(first + count, num_linked) - first;
    const std::uint64_t existing =
        known == 0 ? 0 : count_present(exec, first, known, next_rows.data());
    if (existing != 0) {
      extend_links(exec, first + count);
      absent = list_absent(exec, first, count, workspace);
    }
    num_linked = std::max(num_linked, first + count);
    const std::uint64_t failed = insert_absent(exec, absent, fresh, workspace);
    return {count - existing - failed, existing, failed};
  }

  /// Lists the rows of a range that are not in the table.
  template <class Exec>
  Pending list_absent(const Exec& exec, std::uint64_t first, std::uint64_t count,
                      Workspace<MemorySpace>& workspace) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const RowCollector<Row, MemorySpace> absent(exec, count, workspace);
    backends::for_each_index("hashmill::tag_bucket::list_absent", exec, count,
                             ListAbsent<Row>{next_rows.data(), first, absent.appender()});
    return Pending(absent.finish(exec));
  }

  /// Inserts rows that are not in the table and whose links may hold anything. Returns how many
  /// failed.
  template <class Exec>
  std::uint64_t insert_absent(const Exec& exec, const Pending& absent, bool fresh,
                              Workspace<MemorySpace>& workspace) {
    mark_present(exec, absent.rows, next_rows.data());
    std::uint64_t failed = 0;
    const auto give_up = [&](const Rows& rows) {
      mark_absent(exec, rows, next_rows.data());
      failed += rows.count;
    };
    insert_or_grow<OnSameKey::link>(exec, absent.rows, fresh, {}, give_up, workspace);
    num_rows += absent.rows.count - failed;
    exec.fence("hashmill::TagBucket: the workspace may go and errors must surface here");
    return failed;
  }

  /// Inserts one row per new key of a range of rows. `there` gets the row that stands for the key
  /// of each row.
  template <class Exec>
  InsertResult insert_keys(const Exec& exec, std::uint64_t first, std::uint64_t count, Row* there,
                           std::optional<std::uint64_t> expected_new,
                           Workspace<MemorySpace>& workspace) {
    extend_links(exec, first + count);
    const std::uint64_t keys_before = num_keys;
    const Representatives<Row> out{there, first};
    std::uint64_t failed = 0;
    const auto give_up = [&](const Rows& rows) {
      backends::for_each_index("hashmill::tag_bucket::represent_failed", exec, rows.count,
                               RepresentByNone<Row>{rows, out});
      failed += rows.count;
    };
    insert_or_grow<OnSameKey::represent>(exec, Rows{nullptr, first, count}, false, out, give_up,
                                         workspace, expected_new);
    const std::uint64_t inserted = num_keys - keys_before;
    num_rows += inserted;
    exec.fence("hashmill::TagBucket: the workspace may go and errors must surface here");
    return {inserted, count - inserted - failed, failed};
  }

  /// Inserts those rows of a range for which a predicate holds and that are not in the table.
  /// Reports what became of each.
  template <class Exec, class Predicate, class Outcomes>
  InsertResult insert_wanted(const Exec& exec, std::uint64_t first, std::uint64_t count,
                             const Predicate& predicate, const Outcomes& outcomes,
                             Workspace<MemorySpace>& workspace) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const RowCollector<Row, MemorySpace> wanted(exec, count, workspace);
    extend_links(exec, first + count);
    std::uint64_t existing = 0;
    Kokkos::parallel_reduce("hashmill::tag_bucket::list_wanted", backends::range(exec, count),
                            ListWanted<Row, Predicate, Outcomes>{next_rows.data(), first, predicate,
                                                                 outcomes, wanted.appender()},
                            existing);
    const Pending absent(wanted.finish(exec));
    const std::uint64_t failed = insert_absent(exec, absent, false, workspace);
    if (failed != 0) {
      backends::for_each_index("hashmill::tag_bucket::tell_failed", exec, count,
                               TellFailed<Row, Outcomes>{next_rows.data(), first, outcomes});
      exec.fence("hashmill::TagBucket: results are handed to the caller");
    }
    return {absent.rows.count - failed, existing, failed};
  }

  /// Makes room for `rows` rows, each with a key of its own, if the table may grow.
  template <class Exec>
  void grow_for(const Exec& exec, std::uint64_t rows, Workspace<MemorySpace>& workspace) {
    this->ensure_arrays(exec);
    if (rows <= room()) return;
    this->settle(exec);
    if (rows <= room() || !options.growth) return;
    const std::uint64_t keys = checked_add(num_keys, rows, "keys of a TagBucket");
    this->rehash_to(exec, this->buckets_holding(keys), workspace);
  }
  /// The object with which kernels insert. Initialises the links of all keys. Asynchronous.
  template <class Exec>
  [[nodiscard]] auto inserter(const Exec& exec) {
    extend_links(exec, this->keys.size());
    return TagBucketInserter<typename Storage::Writer>(writer());
  }
  /// Inserts a range of rows one by one, without waiting. If the table may not grow and has no room
  /// for all, it waits and inserts those that fit.
  template <class Exec>
  void insert_async(const Exec& exec, std::uint64_t first, std::uint64_t count,
                    const OutcomeCounters& counters, Workspace<MemorySpace>& workspace) {
    if (room() < count) {
      return add_outcomes(exec, insert_new(exec, first, count, false, workspace), counters);
    }
    const auto rows = inserter(exec);
    tally_items("hashmill::tag_bucket::insert_async", exec, count,
                InsertEachRow<std::decay_t<decltype(rows)>>{rows, first}, counters);
    this->leave_uncounted(count);
  }

  /// How many rows the next step of an insertion takes, and whether it looks up their keys first.
  struct Step {
    std::uint64_t rows;
    bool look_up;
  };

  /// Chooses the next step. The first case that holds applies. `first`, which is set in the first
  /// step of a grouping, limits `rows` to 2^16 beforehand.
  ///
  ///     | case                         | rows                             | look up |
  ///     |------------------------------|----------------------------------|---------|
  ///     | `mostly_found`               | up to max(4 x slots, 2^22)       | yes     |
  ///     | all rows fit                 | all                              | no      |
  ///     | room is 1/4 of slots or more | as many as there is room for     | no      |
  ///     | otherwise                    | up to max(4 x slots, 2^16)       | yes     |
  ///
  /// Rows fit if there is room for them even if each had a key of its own. They go straight into
  /// their buckets. Looking keys up leaves the rows that require room. Few rows per look-up keep
  /// growing from nothing as cheap as the last doublings alone.
  ///
  /// `mostly_found`: most rows of the step before had keys that were found. Looking keys up is then
  /// cheaper than partitioning rows. Tests: TagBucketGrowthLarge, TagBucketGroupsLarge.
  [[nodiscard]] Step next_step(std::uint64_t rows, bool first, bool mostly_found) const {
    constexpr std::uint64_t few = std::uint64_t{1} << 16, many = std::uint64_t{1} << 22;
    if (mostly_found) return {std::min(rows, std::max(4 * num_slots(), many)), true};
    if (first) rows = std::min(rows, few);
    if (rows <= room()) return {rows, false};
    if (room() >= num_slots() / 4) return {room(), false};
    return {std::min(rows, std::max(4 * num_slots(), few)), true};
  }

  /// Doubles the table as often as new keys surely require: 9/10 of the number that is expected, or
  /// that a sample predicts.
  template <class Exec>
  void grow_ahead(const Exec& exec, const Rows& rows, std::optional<std::uint64_t> expected_new,
                  Workspace<MemorySpace>& workspace) {
    if (!options.growth || rows.count <= room()) return;
    if (!expected_new) {
      const auto keys = key_access(this->keys);
      const KnownTo<typename Storage::Ref> known{this->ref()};
      const KeysAt<decltype(keys), Rows, MemorySpace> new_keys{keys, rows, rows.count};
      expected_new = estimate_keys(exec, new_keys, this->hash, known, workspace);
    }
    std::uint64_t buckets = this->bits.num_buckets();
    while (Storage::most_taken_slots * buckets < num_keys + *expected_new / 10 * 9) buckets *= 2;
    if (buckets > this->bits.num_buckets()) this->rehash_to(exec, buckets, workspace);
  }

  /// Inserts rows and doubles the table as often as the number of their keys requires. Gives up
  /// rows that do not fit. When it throws, the table is valid, without the rows that were not
  /// inserted yet. If rows are represented, a small first step finds out whether keys repeat.
  template <OnSameKey Same, class Exec, class GiveUp>
  void insert_or_grow(const Exec& exec, Rows rows, bool fresh, const Representatives<Row>& there,
                      const GiveUp& give_up, Workspace<MemorySpace>& workspace,
                      std::optional<std::uint64_t> expected_new = {}) {
    constexpr bool represent = Same == OnSameKey::represent;
    Pending now;
    try {
      grow_ahead(exec, rows, expected_new, workspace);
      if (rows.count > room()) rows = rows.spread();
      bool mostly_found = false;
      for (bool first = represent; rows.count != 0; first = false) {
        const Step step = next_step(rows.count, first, mostly_found);
        now = Pending(rows.first_few(step.rows));
        rows = rows.without_first(step.rows);
        const std::uint64_t keys_before = num_keys;
        if (step.look_up) now = look_up<Same>(exec, now, there, workspace);
        insert_pending<Same>(exec, now, fresh, there, workspace);
        fresh = false;
        mostly_found = represent && num_keys - keys_before < step.rows / 2;
        if (now.rows.count == 0) continue;
        give_up(now.rows);
        exec.fence("hashmill::TagBucket: the list of rows given up goes");
      }
    } catch (...) {
      give_up(now.rows);
      give_up(rows);
      num_rows = count_present(exec, 0, num_linked, next_rows.data());
      throw;
    }
  }

  /// Lets rows join those with their keys. Returns the others.
  template <OnSameKey Same, class Exec>
  Pending look_up(const Exec& exec, const Pending& pending, const Representatives<Row>& there,
                  Workspace<MemorySpace>& workspace) {
    typename Workspace<MemorySpace>::Frame frame(workspace);
    const RowCollector<Row, MemorySpace> others(exec, pending.rows.count, workspace);
    join_or_list<Same>(exec, writer(there), pending.rows, pending.rows.count, others.appender());
    return Pending(others.finish(exec));
  }

  /// Inserts pending rows. If there are more of them than room, inserts a random subset of that
  /// size, as often as needed. If the distinct keys fit, each round cuts the remaining rows by a
  /// factor of e on average. If not, the rounds use up the room.
  template <OnSameKey Same, class Exec>
  void insert_pending(const Exec& exec, Pending& pending, bool fresh,
                      const Representatives<Row>& there, Workspace<MemorySpace>& workspace) {
    while (pending.rows.count != 0) {
      if (room() == 0) {
        if (tombstones == 0 && !options.growth) return;
        make_room(exec, workspace);
        continue;
      }
      TagTally tally;
      const Counted counted(*this, tally);
      if (pending.rows.count <= room()) {
        insert_rows<Same, Storage::engine>(exec, writer(there), pending, fresh, tally, workspace);
      } else {
        insert_sample<Same, Storage::engine>(exec, writer(there), room(), pending, tally,
                                             workspace);
      }
    }
  }

  /// Adds a tally to the counts of keys when it is destroyed, even while an exception passes.
  class Counted {
   public:
    Counted(Storage& storage, const TagTally& tally) : storage_(storage), tally_(tally) {}
    ~Counted() {
      storage_.num_keys += tally_.filled + tally_.reused;
      storage_.tombstones -= tally_.reused;
    }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;

   private:
    Storage& storage_;
    const TagTally& tally_;
  };
};

}  // namespace hashmill::detail
