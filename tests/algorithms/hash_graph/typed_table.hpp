#pragma once

#include <hashmill/hash_graph.hpp>
#include <hashmill/intersect.hpp>
#include <stdexcept>

#include "algorithms/multi_map/typed_multi_map.hpp"
#include "table.hpp"

namespace hashmill::test {

/// A Table of one combination. All operations run on the default instance of the default space.
template <class Key, class Layout, class Hash, class Equal>
class TypedTable final
    : public TypedMultiMap<
          Table, Key,
          HashGraph<Key, Memory, Layout, Hash, Equal, typename KeyColumns<Key>::Source>> {
  using Columns = KeyColumns<Key>;
  using Graph = HashGraph<Key, Memory, Layout, Hash, Equal, typename Columns::Source>;
  using Base = TypedMultiMap<Table, Key, Graph>;
  using Ref = typename Graph::ref_type;
  using Base::columns_;
  using Base::owner_;

 public:
  using Base::Base;
  using Base::has_rows;
  static constexpr bool stores_keys = Ref::layout_type::stores_keys;

  static std::uint64_t predicted_peak_bytes(std::uint64_t num_keys,
                                            const HashGraphOptions& options) {
    return Graph::predicted_peak_bytes(Exec(), num_keys, options);
  }
  static constexpr std::uint64_t entry_bytes() { return sizeof(typename Ref::Entry); }
  static constexpr std::uint64_t index_bytes() { return sizeof(typename Ref::Index); }

  std::uint64_t num_buckets() const override { return owner_.num_buckets(); }
  void rebuild(const Numbers& keys, const HashGraphOptions& options) override {
    Columns columns(keys);
    owner_.rebuild(Exec(), columns.source(), options, workspace_);
    columns_ = columns;
  }
  void compact() override { owner_.compact(Exec()); }
  HashGraphStatistics statistics() const override { return owner_.statistics(Exec()); }

  std::unique_ptr<Table> merge(const Table& other) const override {
    if constexpr (stores_keys) {
      return std::make_unique<TypedTable>(hashmill::merge(Exec(), owner_, typed(other).owner_),
                                          columns_);
    } else {
      throw std::logic_error("this layout stores no keys");
    }
  }

  std::uint64_t intersect_count(const Table& other) const override {
    return hashmill::intersect_count(Exec(), owner_, typed(other).owner_);
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> intersect(
      const Table& other) const override {
    if constexpr (has_rows) {
      const auto pairs = hashmill::intersect(Exec(), owner_, typed(other).owner_);
      const auto left = to_wide_host(pairs.left), right = to_wide_host(pairs.right);
      std::vector<std::pair<std::uint64_t, std::uint64_t>> result(pairs.size());
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = {left.at(i), right.at(i)};
      return result;
    } else {
      throw std::logic_error("this layout has no rows");
    }
  }

 private:
  static const TypedTable& typed(const Table& table) {
    return dynamic_cast<const TypedTable&>(table);
  }

  Workspace<Memory> workspace_;
};

template <class Typed>
std::unique_ptr<Table> build_typed(const Numbers& keys, const HashGraphOptions& options) {
  return std::make_unique<Typed>(keys, options);
}

/// The case of one combination.
template <class Key, class Layout, class Hash, class Equal = KeyEqual>
TableCase make_table_case(std::string name, std::uint64_t most_keys) {
  using Typed = TypedTable<Key, Layout, Hash, Equal>;
  return {{.name = std::move(name),
           .has_rows = Typed::has_rows,
           .most_keys = most_keys,
           .normal = &normal_number<Key>,
           .hash = &hash_of_number<Key, Hash>,
           .make = &make_typed<Typed, HashGraphOptions>},
          Typed::stores_keys,
          Typed::entry_bytes(),
          Typed::index_bytes(),
          &build_typed<Typed>,
          &Typed::predicted_peak_bytes};
}

}  // namespace hashmill::test
