#pragma once

#include <hashmill/tag_bucket.hpp>

#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// A TagBucket whose rows teams insert into buckets in their scratch, as on GPUs, on any execution
/// space. On hosts such teams have one thread, and ranges of 32 buckets.
template <class Key, class Row, class Hash>
class TeamTagBucket : public MultiMapLookups<TeamTagBucket<Key, Row, Hash>, Row, Memory> {
  using Keys = Kokkos::View<const Key*, Memory>;
  using Storage = detail::TagBucketInsertion<
      detail::TagBucketStorage<Key, Memory, Row, Hash, KeyEqual, Keys, detail::Engine::team>>;

 public:
  using key_type = Key;
  using memory_space = Memory;
  using row_type = Row;
  using ref_type = typename Storage::Ref;
  using Stage = detail::TagStage<Exec, typename Storage::Writer::Record>;
  static constexpr bool has_rows = true;
  static constexpr const char* label = "hashmill::test::TeamTagBucket";

  TeamTagBucket(const Exec& exec, const Keys& keys, const TagBucketOptions& options)
      : storage_{{keys, options, detail::own_hash(Hash{}, HashLevel::slots), KeyEqual{}}} {
    const std::uint64_t rows = options.initial_rows.value_or(keys.size());
    storage_.allocate(exec, storage_.choose_buckets(rows));
    const bool fresh = rows != 0 && rows <= storage_.room();
    if (!fresh) storage_.buckets.clear(exec);
    storage_.insert_new(exec, 0, rows, fresh, workspace_);
  }

  InsertResult insert(const Exec& exec, std::uint64_t first, std::uint64_t count) {
    return storage_.insert_new(exec, first, count, false, workspace_);
  }
  InsertResult find_or_insert(const Exec& exec, std::uint64_t first, std::uint64_t count,
                              const Kokkos::View<Row*, Memory>& there) {
    return storage_.insert_keys(exec, first, count, there.data(), {}, workspace_);
  }
  template <class Queries>
  std::uint64_t erase(const Exec& exec, const Queries& queries) {
    typename Workspace<Memory>::Frame frame(workspace_);
    std::uint64_t rows = 0;
    detail::ErasedKeys erased;
    detail::erase_keys(exec, storage_.writer(), queries, rows, erased, workspace_);
    erased.rows = rows;
    return storage_.forget(erased);
  }
  void rehash(const Exec& exec, std::uint64_t buckets) {
    storage_.rehash_to(exec, buckets, workspace_);
  }

  [[nodiscard]] ref_type ref() const { return storage_.ref(); }
  [[nodiscard]] std::uint64_t size() const { return storage_.num_rows; }
  [[nodiscard]] std::uint64_t num_keys() const { return storage_.num_keys; }
  [[nodiscard]] std::uint64_t tombstones() const { return storage_.tombstones; }
  [[nodiscard]] std::uint64_t num_buckets() const { return storage_.bits.num_buckets(); }
  [[nodiscard]] std::uint64_t bytes() const {
    return num_buckets() * sizeof(detail::TagBucketSlots);
  }
  /// The keys and tombstones that lie in the buckets.
  [[nodiscard]] detail::TagSlotCounts counted(const Exec& exec) const {
    detail::TagSlotCounts counts;
    Kokkos::parallel_reduce("hashmill::test::count_slots", backends::range(exec, num_buckets()),
                            detail::CountTagSlots{storage_.buckets.data()}, counts);
    return counts;
  }

 private:
  template <class, class, class>
  friend class hashmill::MultiMapLookups;
  [[nodiscard]] detail::LinkedEntries<ref_type> entry_parts() const {
    return {ref(), storage_.num_linked};
  }

  Workspace<Memory> workspace_;
  Storage storage_;
};

}  // namespace hashmill::test
