#pragma once

#include <algorithm>
#include <hashmill/hash_family.hpp>
#include <hashmill/options.hpp>
#include <stdexcept>

#include "algorithms/support/keys.hpp"
#include "multi_map_table.hpp"

namespace hashmill::test {

/// Notes the rows of entries.
struct NoteRow {
  Kokkos::View<std::uint64_t*, Memory> rows;
  Kokkos::View<std::uint64_t, Memory> count;
  template <class Key, class Row>
  KOKKOS_FUNCTION void operator()(const Key&, Row row) const {
    rows(Kokkos::atomic_fetch_add(&count(), std::uint64_t{1})) = row;
  }
};

/// What `Base`, a MultiMapTable, asks of any table: `Owner`, one that satisfies MultiMap, with keys
/// of type `Key`. All operations run on the default instance of the default space.
template <class Base, class Key, class Owner>
class TypedMultiMap : public Base {
 public:
  using Columns = KeyColumns<Key>;
  static constexpr bool has_rows = Owner::has_rows;

  template <class Options>
  TypedMultiMap(const Numbers& keys, const Options& options)
      : columns_(keys), owner_(Exec(), columns_.source(), options) {}
  TypedMultiMap(Owner owner, const Columns& columns)
      : columns_(columns), owner_(std::move(owner)) {}

  std::uint64_t size() const override { return owner_.size(); }
  std::uint64_t bytes() const override { return owner_.bytes(); }

  std::vector<bool> contains(const Numbers& queries) const override {
    const Columns keys(queries);
    const Kokkos::View<bool*, Memory> out("hashmill::test::contains", queries.size());
    owner_.contains(Exec(), keys.source(), out);
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
    return std::vector<bool>(mirror.data(), mirror.data() + mirror.extent(0));
  }

  std::vector<std::uint64_t> count(const Numbers& queries) const override {
    const Columns keys(queries);
    const Kokkos::View<std::uint64_t*, Memory> out("hashmill::test::count", queries.size());
    owner_.count(Exec(), keys.source(), out);
    return to_host(out);
  }

  std::vector<std::uint64_t> find(const Numbers& queries) const override {
    if constexpr (has_rows) {
      const Columns keys(queries);
      const Kokkos::View<typename Owner::row_type*, Memory> out("hashmill::test::find",
                                                                queries.size());
      owner_.find(Exec(), keys.source(), out);
      return to_wide_host(out);
    } else {
      throw std::logic_error("this table has no rows");
    }
  }

  RowLists retrieve(const Numbers& queries) const override {
    if constexpr (has_rows) {
      const Columns keys(queries);
      const auto csr = owner_.retrieve(Exec(), keys.source());
      if (csr.num_queries() != queries.size()) throw std::logic_error("retrieve: lost queries");
      return {to_host(csr.offsets), to_wide_host(csr.rows)};
    } else {
      throw std::logic_error("this table has no rows");
    }
  }

  std::vector<NumberedRow> retrieve_all() const override {
    if constexpr (has_rows) {
      const auto all = owner_.retrieve_all(Exec());
      const auto keys = to_host(all.keys);
      const auto rows = to_wide_host(all.rows);
      std::vector<NumberedRow> entries(keys.size());
      for (std::size_t i = 0; i < keys.size(); ++i) entries[i] = {number_of(keys[i]), rows[i]};
      std::sort(entries.begin(), entries.end());
      return entries;
    } else {
      throw std::logic_error("this table has no rows");
    }
  }

  std::vector<std::uint64_t> each_row() const override {
    if constexpr (has_rows) {
      const Kokkos::View<std::uint64_t*, Memory> rows("hashmill::test::rows", size());
      const Kokkos::View<std::uint64_t, Memory> count("hashmill::test::count");
      owner_.for_each(Exec(), NoteRow{rows, count});
      std::vector<std::uint64_t> noted = to_host(rows);
      std::sort(noted.begin(), noted.end());
      return noted;
    } else {
      throw std::logic_error("this table has no rows");
    }
  }

  std::uint64_t erase(const Numbers& queries) override {
    return owner_.erase(Exec(), Columns(queries).source());
  }

 protected:
  Columns columns_;
  Owner owner_;
};

/// The hash of a number's key in a HashGraph or Chaining of so many buckets.
template <class Key, class Hash>
std::uint64_t hash_of_number(std::uint64_t number, std::uint64_t num_buckets) {
  return hash_at(Hash{}, HashLevel::buckets, num_buckets)(key_of<Key>(number));
}

/// Builds an adaptor with the table's own options, which have a load and a row base.
template <class Typed, class Options>
std::unique_ptr<MultiMapTable> make_typed(const Numbers& keys, double load,
                                          std::uint64_t row_base) {
  Options options;
  if constexpr (requires { options.load_factor; }) {
    options.load_factor = LoadFactor(load);
  } else {
    options.rows_per_bucket = RowsPerBucket(load);
  }
  options.row_base = row_base;
  return std::make_unique<Typed>(keys, options);
}

/// The case of one table. Those of unique keys, or for other loads, set that afterwards.
template <class Key, class Hash, class Owner, class Options>
MultiMapCase make_multi_map_case(std::string name, std::uint64_t most_keys) {
  return {.name = std::move(name),
          .has_rows = Owner::has_rows,
          .most_keys = most_keys,
          .normal = &normal_number<Key>,
          .hash = &hash_of_number<Key, Hash>,
          .make = &make_typed<TypedMultiMap<MultiMapTable, Key, Owner>, Options>};
}

}  // namespace hashmill::test
