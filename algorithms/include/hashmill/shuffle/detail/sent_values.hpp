#pragma once

#include <hashmill/owned_column.hpp>
#include <hashmill/shuffle/detail/sent_validity.hpp>

namespace hashmill::detail {

/// The steps of a column that travels, which its kind replaces where it has something to do. Those
/// that throw are local steps of a call. After `allocate` all arrays are there, so that `start` can
/// be called even where `fill` failed.
struct SentColumnSteps {
  template <class Rows>
  void prepare(const Rows&) {}  // what can be done before sizes are known
  template <class Rows>
  void exchange_sizes(CollectiveCall&, const Rows&) {}
  template <class Rows>
  void allocate(const Rows&) {}
  template <class Rows>
  void fill(const Rows&) {}
  template <class Rows>
  void finish(const Rows&) {}
};

/// A view of values in the order of their ranks, which are sent from where they lie.
template <class Exec, class View>
class SentView : public SentColumnSteps {
 public:
  explicit SentView(const View& view) : out_(view) {}
  template <class Rows>
  void allocate(const Rows& rows) {
    received_ =
        backends::allocate<Received>(rows.exec, "hashmill::shuffle::column", rows.received());
  }
  template <class Rows>
  void start(const Rows& rows, std::vector<StartedExchange>& started) const {
    started.push_back(start_exchange(rows.ranks, rows.offsets, out_, received_));
  }
  [[nodiscard]] const auto& received() const { return received_; }

 private:
  using Received = Kokkos::View<typename View::non_const_value_type*, typename Exec::memory_space>;
  View out_;
  Received received_;
};

/// Values that are copied in the order of their ranks.
template <class Exec, class Source>
class SentValues : public SentColumnSteps {
 public:
  template <class Column>
  explicit SentValues(const Column& column) : source_(key_access(column)) {}
  template <class Rows>
  void prepare(const Rows& rows) {
    out_ = backends::allocate<Values>(rows.exec, "hashmill::shuffle::column", rows.size());
  }
  template <class Rows>
  void allocate(const Rows& rows) {
    received_ = backends::allocate<Values>(rows.exec, "hashmill::shuffle::column", rows.received());
  }
  template <class Rows>
  void fill(const Rows& rows) const {
    put_in_order(rows.exec, rows.places, rows.size(), source_, out_.data());
  }
  template <class Rows>
  void start(const Rows& rows, std::vector<StartedExchange>& started) const {
    started.push_back(start_exchange(rows.ranks, rows.offsets, out_, received_));
  }
  [[nodiscard]] const auto& received() const { return received_; }

 private:
  using Values = Kokkos::View<KeyOf<Source>*, typename Exec::memory_space>;
  Source source_;
  Values out_, received_;
};

/// The values of a column, zero or empty where it is null, so that what travels is defined.
template <class Column>
struct ValueOrZero {
  using value_type = typename Column::value_type;
  Column column;
  KOKKOS_FORCEINLINE_FUNCTION value_type operator()(std::uint64_t i) const {
    return column.is_null(i) ? value_type{} : static_cast<value_type>(column(i));
  }
};

/// Values that may be null.
template <class Exec, class Column>
class SentNullable : public SentColumnSteps {
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
    received_.values = values_.received();
    received_.valid_bits = backends::allocate<decltype(received_.valid_bits)>(
        rows.exec, "hashmill::shuffle::valid_bits", (rows.received() + 7) / 8);
  }
  template <class Rows>
  void fill(const Rows& rows) const {
    values_.fill(rows);
    validity_.fill(rows, column_);
  }
  template <class Rows>
  void start(const Rows& rows, std::vector<StartedExchange>& started) const {
    values_.start(rows, started);
    validity_.start(rows, started);
  }
  template <class Rows>
  void finish(const Rows& rows) const {
    validity_.finish(rows, received_.valid_bits.data());
  }
  [[nodiscard]] const auto& received() const { return received_; }

 private:
  Column column_;
  SentValues<Exec, ValueOrZero<Column>> values_;
  SentValidity<Exec> validity_;
  OwnedColumn<typename Column::value_type, typename Exec::memory_space> received_;
};

}  // namespace hashmill::detail
