#pragma once

#include <hashmill/columns.hpp>
#include <hashmill/distributed_group_by/options.hpp>
#include <hashmill/group_by/detail/fold.hpp>
#include <hashmill/group_by/detail/moments.hpp>
#include <hashmill/shuffle/detail/column_kind.hpp>

namespace hashmill::detail {

/// A number by which ranks compare their aggregations.
template <class Op>
inline constexpr std::uint64_t operation_number = 0;
template <>
inline constexpr std::uint64_t operation_number<CountOp> = 1;
template <class Value>
inline constexpr std::uint64_t operation_number<SumOp<Value>> = 2;
template <class Value>
inline constexpr std::uint64_t operation_number<MinOp<Value>> = 3;
template <class Value>
inline constexpr std::uint64_t operation_number<MaxOp<Value>> = 4;
template <class Value>
inline constexpr std::uint64_t operation_number<FirstOp<Value>> = 5;
template <class Value>
inline constexpr std::uint64_t operation_number<MeanOp<Value>> = 6;
template <class Value>
inline constexpr std::uint64_t operation_number<VarianceOp<Value>> = 7;

template <class Op, class Source, bool Nullable>
[[nodiscard]] std::uint64_t aggregation_signature(const Fold<Op, Source, Nullable>& fold) {
  std::uint64_t settings = 0;
  if constexpr (requires { fold.op().lost_degrees; }) settings = fold.op().lost_degrees;
  return signature_of(settings, {operation_number<Op>, type_number<typename Op::State>,
                                 type_number<typename Op::result_type>, Nullable});
}
/// A number by which ranks compare the types of key columns.
template <class Keys>
inline constexpr std::uint64_t keys_signature = 0;
template <class... Cols>
inline constexpr std::uint64_t keys_signature<Columns<Cols...>> =
    types_signature<typename Cols::value_type...>();

/// A number by which ranks compare what they group. Keys that came from a view travel otherwise.
template <class Keys, class... Aggregations>
[[nodiscard]] std::uint64_t group_by_signature(bool from_view,
                                               const DistributedGroupOptions& options,
                                               const Aggregations&... aggregations) {
  return signature_of(options.seed.value(), {keys_signature<Keys>, from_view ? 1U : 0U,
                                             static_cast<std::uint64_t>(options.levels),
                                             aggregation_signature(aggregations)...});
}

}  // namespace hashmill::detail
