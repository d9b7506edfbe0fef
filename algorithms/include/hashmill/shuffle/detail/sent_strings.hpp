#pragma once

#include <hashmill/backends/execution.hpp>
#include <hashmill/backends/scan.hpp>
#include <hashmill/gather.hpp>
#include <hashmill/primitives/detail/place_strings.hpp>
#include <hashmill/shuffle/detail/sent_values.hpp>

namespace hashmill::detail {

/// Strings in some order, none of them null.
struct StringList {
  const StringView* strings;
  [[nodiscard]] KOKKOS_FORCEINLINE_FUNCTION bool is_null(std::uint64_t) const { return false; }
  KOKKOS_FORCEINLINE_FUNCTION StringView operator()(std::uint64_t i) const { return strings[i]; }
};

/// Strings: 8 bytes of length each, then the bytes of all.
template <class Exec, class Column>
class SentStrings : public SentColumnSteps<OwnedStrings<typename Exec::memory_space>> {
 public:
  explicit SentStrings(const Column& column) : column_(column) {}
  template <class Rows>
  void prepare(const Rows& rows) {
    validity_.prepare(rows);
    lengths_ = rows.template borrow<std::uint64_t>(rows.size());
    typename Workspace<MemorySpace>::Frame frame(rows.workspace);
    const auto ordered = rows.workspace.template take<StringView>(rows.exec, rows.size());
    put_in_order(rows, ValueOrZero<Column>{column_}, ordered.data());
    const StringList strings{ordered.data()};
    backends::for_each_index("hashmill::strings::measure", rows.exec, rows.size(),
                             MeasureString<StringList>{strings, rows.size(), lengths_.data()});
    copy_bytes(rows, strings);
  }
  template <class Rows>
  void exchange_sizes(CollectiveCall& call, const Rows& rows) {
    begins_.resize(rows.parts.out.size());  // zeros where `prepare` failed
    bytes_ = exchange_sizes_beside(call, rows.parts, begins_);
  }
  template <class Rows>
  void allocate(const Rows& rows) {
    validity_.allocate(rows);
    length_stops_ = borrow_stops<Lengths>(rows, rows.parts);
    byte_stops_ = borrow_stops<Bytes>(rows, bytes_);
    for (std::size_t round = 0; round < bytes_.in.size(); ++round) {
      received_rounds.push_back(allocate_strings<MemorySpace>(rows.exec, rows.received(round)));
      received_rounds.back().bytes =
          allocate_bytes<MemorySpace>(rows.exec, bytes_.in[round].back());
    }
  }
  template <class Rows>
  void fill(const Rows& rows) const {
    validity_.fill(rows, column_);
  }
  template <class Rows>
  void pack(const Rows& rows) {
    frames_.pack(rows, lengths_.data());
  }
  template <class Rows>
  void add_pieces_of(const Rows& rows, std::size_t round, TravellingPieces& pieces) const {
    const OwnedStrings<MemorySpace>& to = received_rounds[round];
    frames_.add_pieces_of(rows, round, lengths_, length_stops_[round], to.offsets, pieces);
    add_pieces(pieces, rows, bytes_, round, out_, byte_stops_[round], to.bytes);
    validity_.add_pieces_of(rows, round, pieces);
  }
  template <class Rows>
  void finish(const Rows& rows, std::size_t round) {
    const OwnedStrings<MemorySpace>& to = received_rounds[round];
    frames_.finish(rows, round, to.offsets.data());
    Kokkos::deep_copy(rows.exec, Kokkos::subview(to.offsets, rows.received(round)),
                      std::uint64_t{0});
    backends::exclusive_scan(rows.exec, to.offsets, rows.workspace);
    validity_.finish(rows, round, to.valid_bits.data());
  }

 private:
  using MemorySpace = typename Exec::memory_space;
  using Lengths = Kokkos::View<std::uint64_t*, MemorySpace>;
  using Bytes = Kokkos::View<char*, MemorySpace>;
  using SentColumnSteps<OwnedStrings<MemorySpace>>::received_rounds;

  /// Copies the bytes of strings, and finds where those of each part begin.
  template <class Rows>
  void copy_bytes(const Rows& rows, const StringList& strings) {
    const auto offsets = rows.workspace.template take<std::uint64_t>(
        rows.exec, checked_add(rows.size(), 1, "offsets of strings"));
    const std::uint64_t total = place_strings(rows.exec, strings, offsets, rows.workspace);
    out_ = allocate_bytes<MemorySpace>(rows.exec, total);
    copy_strings<backends::has_wide_teams<Exec>>(rows.exec, strings, offsets.data(), rows.size(),
                                                 total, out_.data());
    const auto begins = device_words(rows.exec, rows.parts.out, rows.workspace);
    const auto first_bytes =
        rows.workspace.template take<std::uint64_t>(rows.exec, begins.extent(0));
    gather(rows.exec, offsets, begins, first_bytes);
    begins_ = host_words(rows.exec, first_bytes);
  }

  Column column_;
  Lengths lengths_;
  std::vector<Stops<Lengths>> length_stops_;  // of each round
  FramesOf<Exec, std::uint64_t> frames_;      // of the lengths
  Bytes out_;
  std::vector<Stops<Bytes>> byte_stops_;  // of each round
  std::vector<std::uint64_t> begins_;     // of the bytes of each part in `out_`
  RowParts bytes_;
  SentValidity<Exec> validity_;
};

}  // namespace hashmill::detail
