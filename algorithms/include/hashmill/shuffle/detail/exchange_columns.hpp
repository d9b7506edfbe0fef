#pragma once

#include <hashmill/backends/allocate.hpp>
#include <hashmill/capacity.hpp>
#include <hashmill/murmur.hpp>
#include <hashmill/shuffle/detail/collective_call.hpp>
#include <hashmill/shuffle/shuffled.hpp>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

namespace hashmill::detail {

/// A number by which ranks compare the types of their columns.
template <class... Values>
[[nodiscard]] constexpr std::uint64_t types_signature(std::uint64_t options = 0) {
  std::uint64_t signature = options;
  ((signature =
        murmur3_fmix64(signature + sizeof(Values) * 4 + std::is_floating_point_v<Values> * 2 +
                       std::is_signed_v<Values> + 1)),
   ...);
  return signature;
}

/// The rows that this rank has for each rank, and those that it receives from each: prefix sums.
struct RowOffsets {
  std::vector<std::uint64_t> out, in;
};

/// Tells all ranks how many rows they receive. `out` has zeros where the call fails.
inline RowOffsets exchange_sizes(const CollectiveCall& call, std::vector<std::uint64_t> out) {
  std::vector<std::uint64_t> counts(out.size() - 1), received(out.size() - 1);
  for (std::size_t r = 0; r < counts.size(); ++r) counts[r] = out[r + 1] - out[r];
  call.exchange_words(counts, received, "exchange sizes");
  RowOffsets offsets{std::move(out), {0}};
  for (const std::uint64_t rows : received) {
    offsets.in.push_back(checked_add(offsets.in.back(), rows, "rows that a rank receives"));
  }
  return offsets;
}

/// Starts to send the parts of an array and to receive those of another. Both views live until that
/// is done.
template <class From, class To>
[[nodiscard]] StartedExchange start_exchange(const Communicator& ranks, const RowOffsets& rows,
                                             const From& from, const To& to) {
  using Value = typename To::value_type;
  std::vector<backends::Send> sends;
  std::vector<backends::Receive> receives;
  // Each rank begins with the rank behind it, so that not all send to the same one.
  for (int k = 1; k <= ranks.size(); ++k) {
    const auto next = static_cast<std::size_t>((ranks.rank() + k) % ranks.size());
    const auto previous =
        static_cast<std::size_t>((ranks.rank() + ranks.size() - k) % ranks.size());
    if (const std::uint64_t n = rows.out[next + 1] - rows.out[next]; n != 0) {
      sends.push_back({static_cast<int>(next),
                       reinterpret_cast<const std::byte*>(from.data() + rows.out[next]),
                       n * sizeof(Value)});
    }
    if (const std::uint64_t n = rows.in[previous + 1] - rows.in[previous]; n != 0) {
      receives.push_back({static_cast<int>(previous),
                          reinterpret_cast<std::byte*>(to.data() + rows.in[previous]),
                          n * sizeof(Value)});
    }
  }
  return ranks.start({sends, receives, 0, backends::memory_kind<typename To::memory_space>,
                      std::make_shared<std::pair<From, To>>(from, to)},
                     "exchange rows");
}

/// Makes new views of one length.
template <class Exec, class Views>
void allocate_columns(const Exec& exec, Views& columns, std::uint64_t rows) {
  const auto allocate = [&](auto& view) {
    using View = std::decay_t<decltype(view)>;
    view = backends::allocate<View>(exec, "hashmill::shuffle::column", rows);
  };
  std::apply([&](auto&... views) { (allocate(views), ...); }, columns);
}

/// Prepares nothing.
struct ReadyColumns {
  template <std::size_t I>
  void operator()() const {}
};

/// Sends columns whose rows lie in the order of their ranks. `prepare.template operator()<I>()`
/// completes column I, while those before it are under way; it takes steps of the call.
template <class Exec, class... Views, class Prepare>
[[nodiscard]] auto exchange_columns(const Exec& exec, const Communicator& ranks,
                                    CollectiveCall& call, const RowOffsets& rows,
                                    const std::tuple<Views...>& out, const Prepare& prepare) {
  Shuffled<typename Exec::memory_space, typename Views::non_const_value_type...> result;
  call.step("allocate", [&] { allocate_columns(exec, result.columns, rows.in.back()); });
  call.agree("agree on memory");
  std::vector<StartedExchange> started;
  [&]<std::size_t... I>(std::index_sequence<I...>) {
    const auto send = [&](const auto& from, const auto& to) {
      started.push_back(start_exchange(ranks, rows, from, to));
    };
    ((prepare.template operator()<I>(), send(std::get<I>(out), std::get<I>(result.columns))), ...);
  }
  (std::index_sequence_for<Views...>{});
  for (StartedExchange& exchange : started) exchange.finish();
  call.agree("agree on results");
  result.offsets = rows.in;
  return result;
}

}  // namespace hashmill::detail
