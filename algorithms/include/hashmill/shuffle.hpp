#pragma once

#include <hashmill/backends/slices.hpp>
#include <hashmill/columns.hpp>
#include <hashmill/communicator.hpp>
#include <hashmill/global_row.hpp>
#include <hashmill/hash.hpp>
#include <hashmill/hash_family.hpp>
#include <hashmill/primitives/detail/row_keys.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/detail/columns_to_ranks.hpp>
#include <hashmill/shuffle/detail/exchange_columns.hpp>
#include <hashmill/shuffle/options.hpp>
#include <hashmill/shuffle/shuffled.hpp>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace hashmill {

namespace detail {

/// Sends row i of all columns to rank `rank_of(i)`.
template <class Exec, class RankOf, class... Columns>
auto shuffle_rows(const char* name, const Exec& exec, const Communicator& ranks, std::uint64_t rows,
                  const RankOf& rank_of, const ShuffleOptions& options,
                  Workspace<typename Exec::memory_space>& workspace, const Columns&... columns) {
  CollectiveCall call(ranks, name,
                      columns_signature<Columns...>(signature_of(
                          options.seed.value(), {static_cast<std::uint64_t>(options.levels)})));
  const PartShape shape{static_cast<std::uint64_t>(ranks.size())};
  auto received =
      ColumnsToRanks<Exec, Columns...>(exec, ranks, call, rows, shape, rank_of,
                                       {options.compression, options.levels}, workspace, columns...)
          .exchange();
  call.agree("agree on results");
  return received;
}

/// Sends the same rows of all columns: `begin_of(r, n)` is the first of their n rows for rank r,
/// and n for r = `ranks.size()`.
template <class Exec, class BeginOf, class... Columns>
auto send_slices(const char* name, const Exec& exec, const Communicator& ranks, int root,
                 const BeginOf& begin_of, const Columns&... columns) {
  require_columns<Exec, Columns...>();
  CollectiveCall call(ranks, name, columns_signature<Columns...>(static_cast<std::uint64_t>(root)));
  std::vector<std::uint64_t> begins(static_cast<std::size_t>(ranks.size()) + 1);
  call.step("check rows", [&] {
    if (root < 0 || root >= ranks.size()) {
      throw InvalidArgument(std::string(name) + ": there is no rank " + std::to_string(root) +
                            " of " + std::to_string(ranks.size()));
    }
    const std::tuple<const Columns&...> all(columns...);
    const std::uint64_t rows = std::get<0>(all).size();
    (same_length(name, "rows of the first column", rows, "rows of a column", columns), ...);
    for (int r = 0; r <= ranks.size(); ++r) begins[static_cast<std::size_t>(r)] = begin_of(r, rows);
  });
  const PartShape shape{static_cast<std::uint64_t>(ranks.size())};
  auto received = exchange_columns(exec, ranks, call, exchange_sizes(call, shape, begins),
                                   std::tuple<Columns...>(columns...), ReadyColumns{});
  call.agree("agree on results");
  return received;
}

}  // namespace detail

/// Sends rows to the ranks that own their keys: equal keys meet on one rank. Collective over
/// `ranks`, on `exec`; returns when this rank has what is its own.
///
/// - keys: n rows of keys that `exec` can read: a view, a column, `columns(...)`, or another key
///   source (see HashGraph). They only decide; name them among the columns to send them too. Nulls
///   are equal to each other, and so are NaNs.
/// - columns: n rows each, of any of the kinds below. Ranks give columns of the same kinds and
///   types; their dictionaries and the widths of their offsets may differ.
/// - options: the seed and the levels are equal on all ranks.
///
/// Returns new columns on each rank. Rows come by the rank that sent them, then in its order.
///
///     | column                         | received as  | bytes that travel per row     |
///     |--------------------------------|--------------|-------------------------------|
///     | view of values                 | Kokkos::View | those of a value              |
///     | source, such as GlobalRows     | Kokkos::View | those of a value              |
///     | column, with nulls or without  | OwnedColumn  | those of a value, 1 bit       |
///     | strings, with nulls or without | OwnedStrings | those of the string, 8, 1 bit |
///     | dictionary                     | its values   | as its values                 |
///
/// Values are trivially copyable. A source has no nulls.
///
/// Ranks may have any numbers of rows, also none. A rank owns about as many distinct keys as any
/// other one, and all rows of them, however many they are.
///
/// Numbers, and the lengths of strings, may travel compressed. `Compression::automatic` does so
/// where this rank sends 16 MiB or more and, by a sample of a column, that saves a fifth of its
/// time:
///
///     frame bytes / link + value bytes / encoder's rate + value bytes / decoder's rate
///
/// The first call with so much to send measures the link (a few milliseconds), unless the
/// communicator's options tell its rate. A column that is compressed takes memory for its frames
/// from `workspace`, and two control messages. Frames are not checked on arrival, as values are
/// not.
///
/// Where nodes have several ranks, rows may travel in two levels; see ShuffleLevels. For N nodes of
/// M ranks, P in all, `ShuffleLevels::automatic` does so where
///
///     (P - M - N + 1) x 5 us > S (1 - 1/M - (M - 1)/P) / (8 x link)
///
/// S are the most bytes that a rank sends. A rank then takes memory for what it passes on, about
/// as much as it receives.
///
/// Cost: reads each key once and writes 2 bytes per row. On devices with up to 2^8 parts, which are
/// ranks times rounds, each column of b bytes per row reads b + 2 bytes and writes b. Elsewhere
/// rows have places of 4 bytes (8 beyond 2^32 rows), which each column reads too. Then about (1 - 1
/// / ranks) of that is sent and received. While a column of values is under way the next one is
/// brought into order. On devices, rows from other ranks come to memory of `workspace` and are
/// copied from there: 2 b bytes more. Strings also take 32 bytes per row that are written and read
/// before any column leaves. Takes new memory for what is received. Takes from `workspace` as much
/// as is sent, up to 6 bytes per row, and on devices as much as comes from other ranks. Strings
/// take 24 more there while they are copied, and nulls 1. Bytes of strings that are sent take new
/// memory.
///
/// Throws on all ranks, after which the communicator can be used again: InvalidArgument where
/// lengths differ, or columns of other types or kinds come from different ranks; CapacityError
/// where memory is short. On ranks that did not fail it is a CommunicationError, which names one
/// that did. Source: Gao and Sakharnykh, "Scaling Joins to a Thousand GPUs", the partition and
/// all-to-all of the repartitioned join.
///
///     const auto mine = hashmill::shuffle(exec, ranks, keys, workspace, keys, prices, names);
///     const auto my_keys = mine.column<0>(), my_prices = mine.column<1>();  // views
///     const auto my_names = mine.column<2>().column();                      // of OwnedStrings
template <backends::ExecutionSpace Exec, class Keys, class... Columns>
[[nodiscard]] auto shuffle(const Exec& exec, const Communicator& ranks, const Keys& keys,
                           const ShuffleOptions& options,
                           Workspace<typename Exec::memory_space>& workspace,
                           const Columns&... columns) {
  const auto source = detail::group_keys(keys);
  const detail::GroupHash<detail::KeyOf<decltype(source)>> hash(options.seed);
  const detail::RankOfKey<decltype(source), decltype(hash)> owner{
      source, hash, static_cast<std::uint32_t>(ranks.size())};
  return detail::shuffle_rows("shuffle", exec, ranks, source.size(), owner, options, workspace,
                              columns...);
}

/// As above, with default options.
template <backends::ExecutionSpace Exec, class Keys, class... Columns>
[[nodiscard]] auto shuffle(const Exec& exec, const Communicator& ranks, const Keys& keys,
                           Workspace<typename Exec::memory_space>& workspace,
                           const Columns&... columns) {
  return shuffle(exec, ranks, keys, ShuffleOptions{}, workspace, columns...);
}

/// Sends row i to rank `rank_of_row(i)`, a number below `ranks.size()`. Otherwise as `shuffle`.
/// Throws InvalidArgument for other numbers.
///
/// - rank_of_row: a view of n numbers, or another source of them.
template <backends::ExecutionSpace Exec, class RankOfRow, class... Columns>
[[nodiscard]] auto shuffle_to(const Exec& exec, const Communicator& ranks,
                              const RankOfRow& rank_of_row, const ShuffleOptions& options,
                              Workspace<typename Exec::memory_space>& workspace,
                              const Columns&... columns) {
  return detail::shuffle_rows("shuffle_to", exec, ranks, rank_of_row.size(),
                              detail::key_access(rank_of_row), options, workspace, columns...);
}

/// As above, with default options.
template <backends::ExecutionSpace Exec, class RankOfRow, class... Columns>
[[nodiscard]] auto shuffle_to(const Exec& exec, const Communicator& ranks,
                              const RankOfRow& rank_of_row,
                              Workspace<typename Exec::memory_space>& workspace,
                              const Columns&... columns) {
  return shuffle_to(exec, ranks, rank_of_row, ShuffleOptions{}, workspace, columns...);
}

/// Sends all rows to rank `root`, where they lie by rank. Other ranks get none. Collective. Columns
/// are as those of `shuffle`; contiguous views are sent from where they lie, others are copied
/// first. Throws as `shuffle`, and InvalidArgument where there is no such rank.
template <backends::ExecutionSpace Exec, class... Columns>
[[nodiscard]] auto collect(const Exec& exec, const Communicator& ranks, int root,
                           const Columns&... columns) {
  const auto begin_of = [&](int r, std::uint64_t rows) { return r > root ? rows : 0; };
  return detail::send_slices("collect", exec, ranks, root, begin_of, columns...);
}

/// Divides the rows of rank `root` among all ranks: equal numbers of consecutive rows, but for one
/// more on some. Rows of other ranks are divided likewise, so they usually have none. Otherwise as
/// `collect`.
template <backends::ExecutionSpace Exec, class... Columns>
[[nodiscard]] auto distribute(const Exec& exec, const Communicator& ranks, int root,
                              const Columns&... columns) {
  const auto begin_of = [&](int r, std::uint64_t rows) {
    return backends::slice_begin(static_cast<std::uint64_t>(r),
                                 static_cast<std::uint64_t>(ranks.size()), rows);
  };
  return detail::send_slices("distribute", exec, ranks, root, begin_of, columns...);
}

}  // namespace hashmill
