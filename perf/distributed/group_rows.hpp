#pragma once

#include <hashmill/distributed_group_by.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/group_by.hpp>
#include <hashmill/shuffle.hpp>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#include "rank_checks.hpp"
#include "rank_row.hpp"

namespace hashmill::perf {

/// The rows of all ranks with each identity: how many, and the sum of their numbers.
template <class Keys>
struct IdentitySums {
  typename Keys::Counts counts, sums;
};
/// Adds the number of each row to its identity.
template <class Source, class Counts>
struct AddRowNumbers {
  Source source;
  Counts sums;
  KOKKOS_FUNCTION void operator()(std::int64_t row) const {
    const auto number = static_cast<std::uint64_t>(row);
    Kokkos::atomic_add(&sums(source.identity_of(number)), number);
  }
};
template <class Keys>
[[nodiscard]] IdentitySums<Keys> sum_row_numbers(const Keys& keys) {
  using Counts = typename Keys::Counts;
  const IdentitySums<Keys> result{keys.counts(),
                                  Counts("hashmill::perf::sums", keys.num_identities())};
  keys.with_source([&]<class Source>(const Source& source) {
    Kokkos::parallel_for("hashmill::perf::sum_row_numbers",
                         backends::range(keys.exec(), keys.axes().num_keys),
                         AddRowNumbers<Source, Counts>{source, result.sums});
  });
  keys.exec().fence("hashmill::perf::sum_row_numbers: sums are read by other instances");
  return result;
}

/// Groups of rows: key, number of rows and sum of their numbers.
template <class Keys>
struct FoundGroups {
  typename Keys::Keys keys;
  typename Keys::Counts counts, sums;
};

/// Tallies groups, from element `first` of counts and sums on. Those without rows are none.
template <class Keys, class Counts>
struct TallyGroups {
  Keys keys;
  Counts counts, sums;
  std::uint64_t first;
  KOKKOS_FUNCTION void operator()(std::uint64_t i, Tally& sum) const {
    const std::uint64_t rows = counts(first + i);
    if (rows != 0) sum.add(entry_weight(keys(i), sums(first + i) + row_weight(rows)));
  }
};
template <class Keys>
[[nodiscard]] Tally tally_groups(const typename Keys::Exec& exec, const FoundGroups<Keys>& groups,
                                 std::uint64_t first) {
  return tally(exec, groups.keys.extent(0),
               TallyGroups<typename Keys::Keys, typename Keys::Counts>{groups.keys, groups.counts,
                                                                       groups.sums, first});
}

/// Wrong groups of a rank, which are to be those of all rows, each on one rank. Collective.
template <class Keys>
[[nodiscard]] std::uint64_t num_wrong_groups(const Keys& keys, const FoundGroups<Keys>& found) {
  const IdentitySums<Keys> all = sum_row_numbers(keys);
  const FoundGroups<Keys> expected{keys.identity_keys(), all.counts, all.sums};
  const std::uint64_t first_identity =
      backends::slice_begin(static_cast<std::uint64_t>(keys.ranks().rank()),
                            static_cast<std::uint64_t>(keys.ranks().size()), keys.num_identities());
  return num_wrong(keys.ranks(), tally_groups(keys.exec(), expected, first_identity),
                   tally_groups(keys.exec(), found, 0));
}

/// Groups of all ranks at once.
template <class Keys>
class DistributedGroups {
 public:
  explicit DistributedGroups(Communicator timed) : timed_(std::move(timed)) {}
  FoundGroups<Keys> operator()(const Keys& keys, const typename Keys::Counts& numbers) {
    const auto found = distributed_group_by(keys.exec(), timed_, keys.keys(), {}, workspace_,
                                            agg::count(), agg::sum(numbers));
    return {std::get<0>(found.keys).values, std::get<0>(found.results).values,
            std::get<1>(found.results).values};
  }

 private:
  Communicator timed_;
  Workspace<typename Keys::memory_space> workspace_;
};

/// Groups of the rows that a rank has, with their keys.
template <class Keys>
class LocalGroups {
 public:
  FoundGroups<Keys> operator()(const Keys& keys, const typename Keys::Counts& numbers) {
    return group(keys.exec(), keys.keys(), numbers);
  }
  FoundGroups<Keys> group(const typename Keys::Exec& exec, const typename Keys::Keys& keys,
                          const typename Keys::Counts& numbers) {
    const auto found = group_by(exec, keys, workspace_, agg::count(), agg::sum(numbers));
    const auto of_groups = backends::allocate<typename Keys::Keys>(
        exec, "hashmill::perf::keys_of_groups", found.size());
    gather(exec, keys, found.representatives, of_groups);
    return {of_groups, std::get<0>(found.results).values, std::get<1>(found.results).values};
  }

 private:
  Workspace<typename Keys::memory_space> workspace_;
};

/// Rows that travel as they are, and are grouped where they arrive.
template <class Keys>
class ShuffledGroups {
 public:
  explicit ShuffledGroups(Communicator timed) : timed_(std::move(timed)) {}
  FoundGroups<Keys> operator()(const Keys& keys, const typename Keys::Counts& numbers) {
    const auto mine = shuffle(keys.exec(), timed_, keys.keys(), workspace_, keys.keys(), numbers);
    return local_.group(keys.exec(), mine.template column<0>(), mine.template column<1>());
  }

 private:
  Communicator timed_;
  Workspace<typename Keys::memory_space> workspace_;
  LocalGroups<Keys> local_;
};

/// Groups rows by their keys, counts them and adds their numbers.
template <class Keys, class Groups>
class GroupRun final : public RankRun {
 public:
  GroupRun(std::shared_ptr<const Keys> keys, Groups groups)
      : keys_(std::move(keys)), numbers_(keys_->row_numbers()), groups_(std::move(groups)) {}

  void clear() override { found_ = {}; }
  void run() override {
    found_ = groups_(*keys_, numbers_);
    keys_->exec().fence("hashmill::perf::GroupRun: the clock stops");
  }
  std::uint64_t num_wrong() const override { return num_wrong_groups(*keys_, found_); }

 private:
  std::shared_ptr<const Keys> keys_;
  typename Keys::Counts numbers_;
  Groups groups_;
  FoundGroups<Keys> found_;
};

/// Groups the rows of all ranks, beside other ways to do so, and beside group-bys of one rank's
/// rows, on all ranks at once.
template <class Exec, class Key>
std::vector<RankRow> group_rows(const Ranks& ranks, const RankCase& input) {
  using Keys = RankKeys<Exec, Key>;
  const RankAndLocalKeys<Keys> keys(input.keys, ranks.control);
  std::vector<RankRow> rows;
  const auto add = [&](const char* name, bool is_standard, const std::shared_ptr<const Keys>& of,
                       auto groups) {
    using Run = GroupRun<Keys, decltype(groups)>;
    rows.push_back(
        {name, is_standard, std::make_unique<Run>(of, std::move(groups)), of->num_rows()});
  };
  add("distributed_group_by", false, keys.all, DistributedGroups<Keys>(ranks.timed));
  add("shuffle, then group_by", false, keys.all, ShuffledGroups<Keys>(ranks.timed));
  add("group_by of a rank's rows", true, keys.local, LocalGroups<Keys>());
  return rows;
}

}  // namespace hashmill::perf
