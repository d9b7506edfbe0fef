#pragma once

namespace hashmill {

/// Whether rows go straight to their ranks, or by way of a rank between. With many ranks each sends
/// fewer and longer messages across nodes then: one for each other node in place of one for each
/// rank there. Bytes inside nodes travel twice.
///
///     | order               | first to              | then to            | rows for all ranks    |
///     |---------------------|-----------------------|--------------------|-----------------------|
///     | across_then_inside  | this slot, their node | their rank there   | go once to each node  |
///     | inside_then_across  | their slot, this node | their rank, across | go once to each rank  |
///
/// Nodes must have as many ranks, at least two, and be numbered node by node; else rows go
/// straight. Source: Gao & Sakharnykh, "Scaling Joins to a Thousand GPUs", two-level shuffle; the
/// second order is that of NCCL's PXN.
enum class ShuffleLevels {
  automatic,  ///< across_then_inside where that takes less time; see `shuffle` for the rule
  one,
  across_then_inside,
  inside_then_across
};

}  // namespace hashmill
