#pragma once

#include <hashmill/communicator.hpp>
#include <hashmill/distributed_join/detail/movement_plan.hpp>
#include <hashmill/distributed_join/detail/part_of_row.hpp>
#include <hashmill/join/detail/plan.hpp>
#include <hashmill/primitives/detail/on_device.hpp>
#include <optional>
#include <utility>

namespace hashmill::detail {

/// Which side a rule is for.
enum class JoinSideName { left, right };

/// Where the rows of a repartitioned join go, and the memory of what kernels read of that. `Filter`
/// is one of the right keys.
template <class MemorySpace, class Filter>
class JoinRouting {
 public:
  /// As `plan` says, by the keys alone.
  JoinRouting(JoinKind kind, const Communicator& ranks, const MovementPlan& plan)
      : kind_(kind),
        num_ranks_(static_cast<std::uint64_t>(ranks.size())),
        own_rank_(static_cast<std::uint64_t>(ranks.rank())),
        plan_(plan) {}

  /// Keeps rows with heavy keys where they are. Waits for `exec`.
  template <class Exec>
  void set_heavy(const Exec& exec, HeavyRoutes heavy) {
    routes_ = on_device<MemorySpace>(exec, heavy.routes);
    stays_ = on_device<MemorySpace>(exec, heavy.left_stays);
    bits_ = on_device<MemorySpace>(exec, heavy.bits());
    heavy_ = std::move(heavy);
  }
  [[nodiscard]] const HeavyRoutes& heavy() const { return heavy_; }
  /// Tells which left rows may have a partner, or nothing.
  void set_left_filter(std::optional<Filter> filter) { left_filter_ = std::move(filter); }
  [[nodiscard]] const std::optional<Filter>& left_filter() const { return left_filter_; }

  /// In how many rounds rows are sent.
  [[nodiscard]] std::uint64_t rounds() const { return plan_.rounds; }
  /// Whether rows of a part may come in any order.
  [[nodiscard]] bool any_order() const { return plan_.any_order; }
  /// What becomes of the rows of a side. `can_be_null`: whether nulls may keep a row from matching.
  [[nodiscard]] RowRules rules(JoinSideName side, bool can_be_null) const {
    const bool is_left = side == JoinSideName::left;
    RowRules rules{{num_ranks_, plan_.rounds}, own_rank_};
    rules.heavy = {routes_.data(), stays_.data(), bits_.data(),
                   static_cast<unsigned>(heavy_.routes.size())};
    rules.stays = is_left;
    rules.deals = is_left ? heavy_.deals_left : heavy_.deals_right;
    rules.keeps_strangers = is_left ? keeps_left(kind_) : keeps_right(kind_);
    rules.shape.for_all = heavy_.count(!is_left) > 0;
    // Rows that all ranks have belong to no cut.
    rules.shape.cuts = heavy_.routes.empty() ? plan_.cuts : 1;
    rules.shape.drops = !rules.keeps_strangers && (can_be_null || (is_left && left_filter_));
    return rules;
  }

 private:
  JoinKind kind_;
  std::uint64_t num_ranks_, own_rank_;
  MovementPlan plan_;
  HeavyRoutes heavy_;
  Kokkos::View<std::uint64_t*, MemorySpace> routes_;
  Kokkos::View<std::uint8_t*, MemorySpace> stays_;
  Kokkos::View<std::uint64_t*, MemorySpace> bits_;
  std::optional<Filter> left_filter_;
};

}  // namespace hashmill::detail
