#pragma once

#include <hashmill/join/detail/items.hpp>
#include <hashmill/join/options.hpp>
#include <type_traits>

namespace hashmill::detail {

/// The table of an item, in which matches of left rows are found. `Indexed`: yields the indices of
/// right rows in their item instead of their values.
template <class Exec, class Parts, class Match, bool Indexed = false>
class JoinItemTable {
  using Right = decltype(Parts::right);
  using Left = decltype(Parts::left);
  using RightRecord = typename Right::record_type;
  using LeftRecord = typename Left::record_type;

 public:
  template <class Member>
  KOKKOS_FORCEINLINE_FUNCTION JoinItemTable(const Member& team, const Parts& parts,
                                            const Match& match, const JoinItem& item)
      : parts_(parts),
        match_(match),
        left_rows_(parts.left_records + item.left_begin),
        table_(team, parts.items.plan, parts.right, parts.right_records + item.right_begin,
               item.right_count) {}

  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION LeftRecord left(std::uint32_t j) const {
    return left_rows_[j];
  }
  /// Returns how many right rows match.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION std::uint32_t count(const LeftRecord& left) const {
    if constexpr (std::is_same_v<Match, EveryPair>) {
      return table_.count(parts_.left, left);
    } else {
      std::uint32_t rows = 0;
      for_each_match(left, CountMatch{&rows});
      return rows;
    }
  }
  /// Returns the rows of the table that can match `left`: those of one bucket.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION JoinRun run(const LeftRecord& left) const {
    return table_.run(parts_.left.hash(left));
  }
  /// Whether row `j` of the table matches. Sets `value` to its value.
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool matches(const LeftRecord& left, std::uint32_t j,
                                                         typename Right::Value& value) const {
    const RightRecord right = table_.row(j);
    value = second_of(right);
    return parts_.right.same_key(right, parts_.left, left) &&
           match_(second_of(left), second_of(right));
  }
  /// Calls `use` with the value of each right row that matches. With `Indexed`, calls it with the
  /// row's index among the item's right rows.
  template <class Use>
  KOKKOS_FORCEINLINE_FUNCTION void for_each_match(const LeftRecord& left, const Use& use) const {
    table_.for_each_match(parts_.left, left, UseIfMatch<Use>{table_, match_, use, left});
  }

 private:
  using PartTable = JoinPartTable<Exec, Right, Indexed>;
  template <class Use>
  struct UseIfMatch {
    const PartTable& table;
    const Match& match;
    const Use& use;
    const LeftRecord& left;
    KOKKOS_FORCEINLINE_FUNCTION void operator()(std::uint32_t j, const RightRecord& right) const {
      if (!match(second_of(left), second_of(right))) return;
      if constexpr (Indexed) {
        use(table.index(j));
      } else {
        use(second_of(right));
      }
    }
  };
  struct CountMatch {
    std::uint32_t* rows;
    template <class Found>
    KOKKOS_FORCEINLINE_FUNCTION void operator()(const Found&) const {
      ++*rows;
    }
  };
  const Parts& parts_;
  const Match& match_;
  const LeftRecord* left_rows_;
  PartTable table_;
};

}  // namespace hashmill::detail
