#pragma once

#include <hashmill/backends/workspace.hpp>
#include <hashmill/primitives/detail/bitmap.hpp>
#include <hashmill/tag_bucket/detail/writer.hpp>

namespace hashmill::detail {

/// What an erase removed, and the number of slots that it could not make empty.
struct ErasedKeys {
  std::uint64_t rows = 0;
  std::uint64_t keys = 0;
  std::uint64_t tombstones = 0;

  KOKKOS_FORCEINLINE_FUNCTION void add(const ErasedKeys& more) {
    rows += more.rows;
    keys += more.keys;
    tombstones += more.tombstones;
  }
};

/// First step of an erase, one thread per query: finds the slot of the query. The first thread to
/// mark a slot takes the rows of its chain out. Slots stay as they are, so that all queries find
/// them.
template <class Writer, class Queries>
struct MarkErasedSlots {
  Writer writer;
  Queries queries;
  Bitmap erased;  // one bit per slot

  KOKKOS_FUNCTION void operator()(std::int64_t q, std::uint64_t& rows) const {
    using Row = SecondOf<typename Writer::Record>;
    const auto place = writer.ref.locate(queries(static_cast<std::uint64_t>(q)));
    if (!place.found()) return;
    if (erased.test_and_set(place.bucket * tag_bucket_slots + place.slot)) return;
    std::uint64_t i = place.row - writer.ref.row_base();
    for (bool more = true; more; ++rows) {
      const std::uint64_t next = writer.next_rows[i];
      writer.next_rows[i] = no_row<Row>;
      more = next != i;
      i = next;
    }
  }
};

/// Empties the marked slots of a bucket. Only the thread that owns the bucket may call it. A bucket
/// with an empty slot was never full since the last rehash, so no key went past it. Slots of full
/// buckets become tombstones.
KOKKOS_FORCEINLINE_FUNCTION void empty_slots(TagBucketSlots& slots, std::uint32_t marked,
                                             ErasedKeys& sum) {
  const bool full = backends::TagGroup(slots.tags).match(empty_tag) == 0;
  for (std::uint32_t left = marked; left != 0; left &= left - 1) {
    slots.tags[backends::lowest_bit(left)] = full ? tombstone_tag : empty_tag;
    sum.keys += 1;
    sum.tombstones += full ? 1 : 0;
  }
  slots.chained &= ~marked;
}

/// Second step, one thread per bucket: empties its marked slots.
template <class Writer>
struct EmptyErasedSlots {
  using value_type = ErasedKeys;
  Writer writer;
  Bitmap erased;

  KOKKOS_FUNCTION void init(ErasedKeys& sum) const { sum = {}; }
  KOKKOS_FUNCTION void join(ErasedKeys& sum, const ErasedKeys& more) const { sum.add(more); }
  KOKKOS_FUNCTION void operator()(std::int64_t index, ErasedKeys& sum) const {
    const auto b = static_cast<std::uint64_t>(index);
    const std::uint32_t marked = erased.words[b / 2] >> (b % 2 * 16) & 0xFFFFU;
    if (marked != 0) empty_slots(writer.buckets[b], marked, sum);
  }
};

/// One thread per bucket: takes out the rows for which a predicate holds, then empties the slots
/// that have no rows left. The rows of one key are walked by one thread.
template <class Writer, class Predicate>
struct EraseRowsOfBucket {
  using value_type = ErasedKeys;
  using Row = SecondOf<typename Writer::Record>;
  Writer writer;
  Predicate predicate;

  KOKKOS_FUNCTION void init(ErasedKeys& sum) const { sum = {}; }
  KOKKOS_FUNCTION void join(ErasedKeys& sum, const ErasedKeys& more) const { sum.add(more); }
  KOKKOS_FUNCTION void operator()(std::int64_t b, ErasedKeys& sum) const {
    TagBucketSlots& slots = writer.buckets[b];
    std::uint32_t emptied = 0;
    for (std::uint32_t left = slots.occupied(); left != 0; left &= left - 1) {
      const unsigned slot = backends::lowest_bit(left);
      if (!keeps_rows(slots, slot, sum.rows)) emptied |= 1U << slot;
    }
    if (emptied != 0) empty_slots(slots, emptied, sum);
  }

 private:
  /// Links the rows of a slot that stay. Returns whether there are any.
  KOKKOS_FUNCTION bool keeps_rows(TagBucketSlots& slots, unsigned slot,
                                  std::uint64_t& erased) const {
    const std::uint64_t base = writer.ref.row_base();
    Row head = no_row<Row>, tail = no_row<Row>;
    auto i = static_cast<Row>(writer.ref.row_in(slots, slot) - base);
    for (bool more = true; more;) {
      const Row next = writer.next_rows[i];
      more = next != i;
      if (predicate(static_cast<Row>(base + i))) {
        writer.next_rows[i] = no_row<Row>;
        ++erased;
      } else {
        if (head == no_row<Row>) head = i;
        if (tail != no_row<Row>) writer.next_rows[tail] = i;
        tail = i;
      }
      i = next;
    }
    if (head == no_row<Row>) return false;
    writer.next_rows[tail] = tail;
    slots.set_word(slot, Writer::Ref::Words::with_row(slots.word(slot), base + head));
    if (head == tail) slots.chained &= ~(1U << slot);
    return true;
  }
};

/// Removes all rows whose key is among `queries`. `rows` becomes their number, and `slots` what
/// happened to slots. Each is a number, for which it waits, or a view of one, for which it does
/// not.
///
/// Looks every query up once, then reads 2 bytes per bucket. That is also its temporary memory,
/// which lies in the caller's frame of `workspace`. The rows of one key are walked by one thread.
template <class Exec, class Writer, class Queries, class Rows, class Slots, class MemorySpace>
void erase_keys(const Exec& exec, const Writer& writer, const Queries& queries, Rows& rows,
                Slots& slots, Workspace<MemorySpace>& workspace) {
  const std::uint64_t buckets = writer.ref.num_buckets();
  const auto words =
      workspace.template take<std::uint32_t>(exec, Bitmap::words_for(buckets * tag_bucket_slots));
  Kokkos::deep_copy(exec, words, 0U);
  const Bitmap erased{words.data()};
  Kokkos::parallel_reduce("hashmill::tag_bucket::erase_mark", backends::range(exec, queries.size()),
                          MarkErasedSlots<Writer, Queries>{writer, queries, erased}, rows);
  Kokkos::parallel_reduce("hashmill::tag_bucket::erase_slots", backends::range(exec, buckets),
                          EmptyErasedSlots<Writer>{writer, erased}, slots);
}

/// Removes all rows for which a predicate holds. Waits for `exec`. Walks every chain once.
template <class Exec, class Writer, class Predicate>
ErasedKeys erase_rows(const Exec& exec, const Writer& writer, const Predicate& predicate) {
  ErasedKeys result;
  Kokkos::parallel_reduce("hashmill::tag_bucket::erase_if",
                          backends::range(exec, writer.ref.num_buckets()),
                          EraseRowsOfBucket<Writer, Predicate>{writer, predicate}, result);
  return result;
}

}  // namespace hashmill::detail
