#pragma once

#include <hashmill/backends/index_loop.hpp>
#include <hashmill/distributed_join/detail/copied_columns.hpp>
#include <hashmill/distributed_join/detail/rows_here.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <memory>
#include <vector>

namespace hashmill::detail {

/// numbers[i] = first + i.
struct NumberRows {
  std::uint64_t first;
  std::uint64_t* numbers;
  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    numbers[i] = first + static_cast<std::uint64_t>(i);
  }
};

/// Column `I` of several batches as one: first the rows before `replicated` of each, then those.
/// `numbers` has room for the numbers of the latter.
template <class To, std::size_t I, class Exec, class Rows, class Memory>
[[nodiscard]] To concatenate_column(const Exec& exec, const std::vector<Rows>& batches,
                                    const std::vector<std::uint64_t>& begins,
                                    std::uint64_t* numbers, Workspace<Memory>& workspace) {
  using Access = decltype(key_access(std::get<I>(batches.front().columns)));
  std::vector<PickedPart<Access, std::uint64_t>> parts;
  for (const Rows& rows : batches)
    parts.push_back({key_access(std::get<I>(rows.columns)), nullptr});
  for (const Rows& rows : batches) {
    parts.push_back({key_access(std::get<I>(rows.columns)), numbers});
    numbers += rows.replicated.size();
  }
  return copy_column<To>(exec, parts, begins, workspace);
}

/// All columns of several batches. `begins` has the first row of each batch's rows before
/// `replicated`, then of each batch's `replicated`, and the end. Waits for `exec`.
template <class Copies, class Exec, class Rows>
void concatenate_columns(const Exec& exec, const std::vector<Rows>& batches,
                         const std::vector<std::uint64_t>& begins, Copies& copies,
                         Workspace<typename Exec::memory_space>& workspace) {
  const typename Workspace<typename Exec::memory_space>::Frame frame(workspace);
  const std::uint64_t alone = begins[batches.size()];
  const auto numbers = workspace.template take<std::uint64_t>(exec, begins.back() - alone);
  for (std::size_t b = 0; b < batches.size(); ++b) {
    const ReplicatedRows& rows = batches[b].replicated;
    backends::for_each_index(
        "hashmill::distributed_join::number_rows", exec, rows.size(),
        NumberRows{rows.begin, numbers.data() + (begins[batches.size() + b] - alone)});
  }
  [&]<std::size_t... Is>(std::index_sequence<Is...>) {
    ((std::get<Is>(copies) = concatenate_column<std::tuple_element_t<Is, Copies>, Is>(
          exec, batches, begins, numbers.data(), workspace)),
     ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Copies>>());
}

/// Rows that came in several batches as one. Rows that all ranks have lie behind all others, as in
/// each batch. A single batch is not copied. In a step of the call.
template <class Exec, class... Columns>
[[nodiscard]] RowsHere<std::tuple<Columns...>> concatenate(
    const Exec& exec, CollectiveCall& call, std::vector<RowsHere<std::tuple<Columns...>>> batches,
    Workspace<typename Exec::memory_space>& workspace) {
  using Memory = typename Exec::memory_space;
  using Copies = std::tuple<CopiedColumn<Memory, Columns>...>;
  if (batches.size() == 1) return std::move(batches.front());
  std::vector<std::uint64_t> begins{0};
  for (const auto& rows : batches) begins.push_back(begins.back() + rows.replicated.begin);
  const std::uint64_t alone = begins.back();
  for (const auto& rows : batches) begins.push_back(begins.back() + rows.replicated.size());
  const auto copies = std::make_shared<Copies>();
  call.step("concatenate", [&] { concatenate_columns(exec, batches, begins, *copies, workspace); });
  return {local_columns<Memory>(*copies), {alone, begins.back()}, copies};
}

}  // namespace hashmill::detail
