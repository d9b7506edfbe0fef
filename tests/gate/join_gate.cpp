// Instantiates joins through tables and columns of every kind for a GPU; compiled, never run. See
// CMakeLists.txt.

#include <hashmill/hashmill.hpp>

namespace hashmill::gate {

using Exec = Kokkos::Cuda;
using Memory = Kokkos::CudaSpace;
template <class T>
using View = Kokkos::View<T*, Memory>;

struct RowsDiffer {
  KOKKOS_FUNCTION bool operator()(std::uint64_t left, std::uint64_t right) const {
    return left != right;
  }
};

template <class Table, class Keys, class Condition>
void join_all(const Table& table, const Keys& keys, const Condition& condition) {
  const Exec exec;
  const View<bool> marks("hashmill::gate::marks", keys.size());
  (void)join_size(exec, JoinKind::full, keys, table, condition);
  const auto pairs = join(exec, JoinKind::full, keys, table, condition);
  join_in_chunks(exec, JoinKind::full, keys, table, condition, {1 << 20}, [](const auto&) {});
  mark_join(exec, keys, table, marks, condition);
  (void)anti_join(exec, keys, table, condition);
  const auto rows = semi_join(exec, keys, table, condition);
  const View<double> values("hashmill::gate::values", 1), out("hashmill::gate::out", rows.size());
  gather(exec, values, rows, out);
  gather(exec, values, pairs.right, out, 1.0);
}

void columns_of_every_kind() {
  const View<std::int32_t> ints("hashmill::gate::ints", 1), offsets("hashmill::gate::offsets", 2);
  const View<char> bytes("hashmill::gate::bytes", 1);
  const View<std::uint8_t> bits("hashmill::gate::bits", 1);
  const View<float> floats("hashmill::gate::floats", 1);
  const auto strings = string_column(offsets, bytes, validity(bits, 1));
  const auto keys = columns(ints, dictionary_column(column(ints), strings), column(floats));
  using Keys = std::decay_t<decltype(keys)>;
  const Exec exec;
  join_all(row_table(exec, keys), keys.nulls_equal(), EveryPair{});
  using Tags = TagBucket<Keys::key_type, Memory, std::uint64_t, RowHash, RowEqual, Keys>;
  join_all(Tags(exec, keys), keys, RowsDiffer{});
}

void numbers() {
  const Kokkos::View<const std::uint32_t*, Memory> keys;
  const Exec exec;
  join_all(HashGraph<std::uint32_t, Memory>(exec, keys), keys, EveryPair{});
  join_all(LinearProbing<std::uint32_t, Memory, RepeatedKeys>(exec, keys), keys, RowsDiffer{});
}

}  // namespace hashmill::gate
