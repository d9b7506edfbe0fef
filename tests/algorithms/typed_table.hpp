#pragma once

#include <hashmill/hash_graph.hpp>
#include <hashmill/intersect.hpp>
#include <stdexcept>

#include "algorithms/keys.hpp"
#include "algorithms/table.hpp"

namespace hashmill::test {

/// A Table of one combination. All operations run on the default instance of the default space.
template <class Key, class Layout, class Hash, class Equal>
class TypedTable final : public Table {
  using Columns = KeyColumns<Key>;
  using Graph = HashGraph<Key, Memory, Layout, Hash, Equal, typename Columns::Source>;
  using Ref = typename Graph::ref_type;
  using Row = typename Graph::row_type;

 public:
  static constexpr bool has_rows = Ref::layout_type::has_rows;
  static constexpr bool stores_keys = Ref::layout_type::stores_keys;

  TypedTable(const Numbers& keys, const HashGraphOptions& options)
      : columns_(keys), graph_(Exec(), columns_.source(), options) {}
  TypedTable(Graph graph, const Columns& columns) : columns_(columns), graph_(std::move(graph)) {}

  static std::uint64_t predicted_peak_bytes(std::uint64_t num_keys,
                                            const HashGraphOptions& options) {
    return Graph::predicted_peak_bytes(Exec(), num_keys, options);
  }
  static constexpr std::uint64_t entry_bytes() { return sizeof(typename Ref::Entry); }
  static constexpr std::uint64_t index_bytes() { return sizeof(typename Ref::Index); }

  std::uint64_t size() const override { return graph_.size(); }
  std::uint64_t num_buckets() const override { return graph_.num_buckets(); }
  std::uint64_t bytes() const override { return graph_.bytes(); }

  std::vector<bool> contains(const Numbers& queries) const override {
    const Columns keys(queries);
    const Kokkos::View<bool*, Memory> out("hashmill::test::contains", queries.size());
    graph_.contains(Exec(), keys.source(), out);
    const auto mirror = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, out);
    return std::vector<bool>(mirror.data(), mirror.data() + mirror.extent(0));
  }

  std::vector<std::uint64_t> count(const Numbers& queries) const override {
    const Columns keys(queries);
    const Kokkos::View<std::uint64_t*, Memory> out("hashmill::test::count", queries.size());
    graph_.count(Exec(), keys.source(), out);
    return to_host(out);
  }

  std::vector<std::uint64_t> find(const Numbers& queries) const override {
    if constexpr (has_rows) {
      const Columns keys(queries);
      const Kokkos::View<Row*, Memory> out("hashmill::test::find", queries.size());
      graph_.find(Exec(), keys.source(), out);
      return to_wide_host(out);
    } else {
      throw std::logic_error("this layout has no rows");
    }
  }

  RowLists retrieve(const Numbers& queries) const override {
    if constexpr (has_rows) {
      const Columns keys(queries);
      const auto csr = graph_.retrieve(Exec(), keys.source());
      if (csr.num_queries() != queries.size()) throw std::logic_error("retrieve: lost queries");
      return {to_host(csr.offsets), to_wide_host(csr.rows)};
    } else {
      throw std::logic_error("this layout has no rows");
    }
  }

  void rebuild(const Numbers& keys, const HashGraphOptions& options) override {
    Columns columns(keys);
    graph_.rebuild(Exec(), columns.source(), options, workspace_);
    columns_ = columns;
  }
  std::uint64_t erase(const Numbers& queries) override {
    return graph_.erase(Exec(), Columns(queries).source());
  }
  void compact() override { graph_.compact(Exec()); }
  HashGraphStatistics statistics() const override { return graph_.statistics(Exec()); }

  std::unique_ptr<Table> merge(const Table& other) const override {
    if constexpr (stores_keys) {
      return std::make_unique<TypedTable>(hashmill::merge(Exec(), graph_, typed(other).graph_),
                                          columns_);
    } else {
      throw std::logic_error("this layout stores no keys");
    }
  }

  std::uint64_t intersect_count(const Table& other) const override {
    return hashmill::intersect_count(Exec(), graph_, typed(other).graph_);
  }

  std::vector<std::pair<std::uint64_t, std::uint64_t>> intersect(
      const Table& other) const override {
    if constexpr (has_rows) {
      const auto pairs = hashmill::intersect(Exec(), graph_, typed(other).graph_);
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

  Columns columns_;
  Graph graph_;
  Workspace<Memory> workspace_;
};

template <class Key, class Hash>
std::uint64_t hash_of_number(std::uint64_t number) {
  return Hash{}(key_of<Key>(number));
}

template <class Typed>
std::unique_ptr<Table> build_typed(const Numbers& keys, const HashGraphOptions& options) {
  return std::make_unique<Typed>(keys, options);
}

/// The case of one combination.
template <class Key, class Layout, class Hash, class Equal = KeyEqual>
TableCase make_table_case(std::string name, std::uint64_t most_keys) {
  using Typed = TypedTable<Key, Layout, Hash, Equal>;
  return {.name = std::move(name),
          .has_rows = Typed::has_rows,
          .stores_keys = Typed::stores_keys,
          .entry_bytes = Typed::entry_bytes(),
          .index_bytes = Typed::index_bytes(),
          .most_keys = most_keys,
          .normal = &normal_number<Key>,
          .hash = &hash_of_number<Key, Hash>,
          .build = &build_typed<Typed>,
          .predicted_peak_bytes = &Typed::predicted_peak_bytes};
}

}  // namespace hashmill::test
