#pragma once

#include <hashmill/owned_column.hpp>
#include <hashmill/primitives/detail/value_or_zero.hpp>
#include <hashmill/shuffle/detail/sent_frames.hpp>
#include <hashmill/shuffle/detail/sent_validity.hpp>

namespace hashmill::detail {

/// The steps of a column that travels, which its kind replaces where it has something to do. Those
/// that throw are local steps of a call, but for `exchange_sizes` and `pack`, in which ranks agree.
/// After `allocate` all arrays are there, so that pieces can be sent even where `fill` failed.
/// `Received` is what arrives in a round.
template <class Received>
class SentColumnSteps {
 public:
  template <class Rows>
  void prepare(const Rows&) {}  // what can be done before sizes are known
  template <class Rows>
  void exchange_sizes(CollectiveCall&, const Rows&) {}
  template <class Rows>
  void fill(const Rows&) {}
  template <class Rows>
  void pack(const Rows&) {}  // compresses what `fill` wrote
  template <class Rows>
  void finish(const Rows&, std::size_t) {}
  /// What has arrived in a round, which this lets go of.
  [[nodiscard]] Received take(std::size_t round) {
    return std::exchange(received_rounds.at(round), {});
  }

 protected:
  std::vector<Received> received_rounds;  // of each round
};

/// The memory of received values.
template <class View, class Rows>
[[nodiscard]] std::vector<View> allocate_received(const Rows& rows) {
  std::vector<View> received;
  for (std::size_t round = 0; round < rows.parts.shape.rounds; ++round) {
    received.push_back(
        rows.template make_received<View>("hashmill::shuffle::column", rows.received(round)));
  }
  return received;
}

/// A view of values in the order of their parts, which are sent from where they lie.
template <class Exec, class View>
class SentView
    : public SentColumnSteps<
          Kokkos::View<typename View::non_const_value_type*, typename Exec::memory_space>> {
 public:
  explicit SentView(const View& view) : out_(view) {}
  template <class Rows>
  void allocate(const Rows& rows) {
    received_rounds = allocate_received<Received>(rows);
    stops_ = borrow_stops<Received>(rows, rows.parts);
  }
  template <class Rows>
  void add_pieces_of(const Rows& rows, std::size_t round, TravellingPieces& pieces) const {
    add_pieces(pieces, rows, rows.parts, round, out_, stops_[round], received_rounds[round]);
  }

 private:
  using Received = Kokkos::View<typename View::non_const_value_type*, typename Exec::memory_space>;
  using SentColumnSteps<Received>::received_rounds;
  View out_;
  std::vector<Stops<Received>> stops_;  // of each round
};

/// Values that are copied in the order of their parts.
template <class Exec, class Source>
class SentValues
    : public SentColumnSteps<Kokkos::View<KeyOf<Source>*, typename Exec::memory_space>> {
 public:
  using Received = Kokkos::View<KeyOf<Source>*, typename Exec::memory_space>;

  template <class Column>
  explicit SentValues(const Column& column) : source_(key_access(column)) {}
  template <class Rows>
  void prepare(const Rows& rows) {
    out_ = rows.template borrow<KeyOf<Source>>(rows.size());
  }
  template <class Rows>
  void allocate(const Rows& rows) {
    received_rounds = allocate_received<Received>(rows);
    stops_ = borrow_stops<Received>(rows, rows.parts);
  }
  template <class Rows>
  void fill(const Rows& rows) const {
    put_in_order(rows, source_, out_.data());
  }
  /// Where `fill` writes, for those who bring several columns into order together.
  [[nodiscard]] KeyOf<Source>* sent() const { return out_.data(); }
  template <class Rows>
  void pack(const Rows& rows) {
    frames_.pack(rows, out_.data());
  }
  template <class Rows>
  void add_pieces_of(const Rows& rows, std::size_t round, TravellingPieces& pieces) const {
    frames_.add_pieces_of(rows, round, out_, stops_[round], received_rounds[round], pieces);
  }
  template <class Rows>
  void finish(const Rows& rows, std::size_t round) {
    frames_.finish(rows, round, received_rounds[round].data());
  }

 private:
  using SentColumnSteps<Received>::received_rounds;
  Source source_;
  Received out_;
  std::vector<Stops<Received>> stops_;  // of each round
  FramesOf<Exec, KeyOf<Source>> frames_;
};

/// Values that may be null.
template <class Exec, class Column>
class SentNullable : public SentColumnSteps<
                         OwnedColumn<typename Column::value_type, typename Exec::memory_space>> {
 public:
  explicit SentNullable(const Column& column)
      : column_(column), values_(ValueOrZero<Column>{column}) {}
  template <class Rows>
  void prepare(const Rows& rows) {
    values_.prepare(rows);
    validity_.prepare(rows);
  }
  template <class Rows>
  void allocate(const Rows& rows) {
    values_.allocate(rows);
    validity_.allocate(rows);
    for (std::size_t round = 0; round < rows.parts.shape.rounds; ++round) {
      Received& received = received_rounds.emplace_back();
      received.valid_bits = rows.template make_received<decltype(received.valid_bits)>(
          "hashmill::shuffle::valid_bits", (rows.received(round) + 7) / 8);
    }
  }
  template <class Rows>
  void fill(const Rows& rows) const {
    values_.fill(rows);
    validity_.fill(rows, column_);
  }
  template <class Rows>
  void pack(const Rows& rows) {
    values_.pack(rows);
  }
  template <class Rows>
  void add_pieces_of(const Rows& rows, std::size_t round, TravellingPieces& pieces) const {
    values_.add_pieces_of(rows, round, pieces);
    validity_.add_pieces_of(rows, round, pieces);
  }
  template <class Rows>
  void finish(const Rows& rows, std::size_t round) {
    values_.finish(rows, round);
    received_rounds[round].values = values_.take(round);
    validity_.finish(rows, round, received_rounds[round].valid_bits.data());
  }

 private:
  using Received = OwnedColumn<typename Column::value_type, typename Exec::memory_space>;
  using SentColumnSteps<Received>::received_rounds;
  Column column_;
  SentValues<Exec, ValueOrZero<Column>> values_;
  SentValidity<Exec> validity_;
};

}  // namespace hashmill::detail
