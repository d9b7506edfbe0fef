#include <gtest/gtest.h>

#include <hashmill/arrow/import.hpp>

#include "arrow_producer.hpp"
#include "message_of.hpp"

namespace hashmill::test {
namespace {

constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

/// Of an InvalidArgument.
template <class Function>
std::string refusal(const Function& function) {
  return message_of<InvalidArgument>(function);
}
std::string refused(const Produced& from) {
  const ArrowOwner owner = produce(from);
  return refusal([&] { (void)owner.view(); });
}

Produced named(const std::string& name, Produced column) {
  column.name = name;
  return column;
}

Produced two_columns() {
  return produced_batch(3, {named("id", produced_numbers("i", std::vector<std::int32_t>{5, 6, 7})),
                            named("city", produced_strings("u", {"Ulm", "", "Bonn"}))});
}

TEST(ArrowView, RefusesNumbersThatNoArrayHas) {
  Produced bad = produced_numbers("l", std::vector<std::int64_t>{1, 2, 3});
  bad.name = "key";
  EXPECT_EQ(refused(bad), "");
  bad.length = -1;
  EXPECT_EQ(refused(bad), "arrow: column 'key': length is -1, expected 0 to 9223372036854775807");
  bad.length = 3;
  bad.offset = -2;
  EXPECT_EQ(refused(bad), "arrow: column 'key': offset is -2, expected 0 to 9223372036854775804");
  bad.offset = largest - 2;
  EXPECT_EQ(refused(bad),
            "arrow: column 'key': offset is 9223372036854775805, expected 0 to "
            "9223372036854775804");
  bad.offset = 0;
  for (const std::int64_t count : {std::int64_t{-2}, std::int64_t{4}, largest}) {
    bad.null_count = count;
    EXPECT_EQ(refused(bad),
              "arrow: column 'key': null_count is " + std::to_string(count) + ", expected -1 to 3");
  }
}

TEST(ArrowView, RefusesStructsThatAreReleasedOrHalf) {
  ArrowOwner owner = produce(two_columns());
  ArrowSchema schema = *owner.schema();
  ArrowArray array = *owner.array();
  const auto refused_both = [&] { return refusal([&] { (void)ArrowView(schema, array); }); };
  EXPECT_EQ(refused_both(), "");
  schema.release = nullptr;
  EXPECT_EQ(refused_both(), "arrow: the schema is released");
  schema = *owner.schema();
  array.release = nullptr;
  EXPECT_EQ(refused_both(), "arrow: the array is released");
  array = *owner.array();
  schema.format = nullptr;
  EXPECT_EQ(refused_both(), "arrow: the schema has no format");
  schema = *owner.schema();
  schema.name = nullptr;
  EXPECT_EQ(ArrowView(schema, array).name(), "");
  array.n_buffers = -1;
  EXPECT_EQ(refused_both(), "arrow: n_buffers is -1, expected 0 to 9223372036854775807");
  array.n_buffers = 1;
  array.buffers = nullptr;
  EXPECT_EQ(refused_both(), "arrow: there are no buffers");
  array = *owner.array();
  schema.dictionary = schema.children[0];
  EXPECT_EQ(refused_both(), "arrow: only the schema has a dictionary");
  schema.dictionary = nullptr;
  array.dictionary = array.children[0];
  EXPECT_EQ(refused_both(), "arrow: only the array has a dictionary");
}

TEST(ArrowView, GivesColumnsOfABatchByNumberAndName) {
  const ArrowOwner owner = produce(two_columns());
  const ArrowView batch = owner.view();
  EXPECT_EQ(batch.size(), 3U);
  EXPECT_EQ(batch.num_children(), 2U);
  EXPECT_EQ(batch.child(0).name(), "id");
  EXPECT_EQ(arrow_column<std::int32_t>(batch.child("id"))(2), 7);
  const auto cities = arrow_string_column(batch.child(std::string("city")));
  EXPECT_EQ(std::string(cities(2).data, cities(2).size), "Bonn");
  EXPECT_EQ(refusal([&] { (void)batch.child(2); }), "arrow: no column 2 among 2");
  EXPECT_EQ(refusal([&] { (void)batch.child("town"); }),
            "arrow: no column 'town' among 'id', 'city'");
  EXPECT_EQ(refusal([&] { (void)batch.child(0).child(0); }),
            "arrow: column 'id': format is 'i' (int32), expected '+s' (struct)");
  Produced twins = two_columns();
  twins.children[1].name = "id";
  const ArrowOwner same = produce(twins);
  EXPECT_EQ(refusal([&] { (void)same.view().child("id"); }),
            "arrow: several columns are named 'id'");
  EXPECT_EQ(same.view().child(1).format(), "u");
}

TEST(ArrowView, AddsTheOffsetsOfBatchAndColumn) {
  Produced column = produced_numbers("s", std::vector<std::int16_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  column.name = "x";
  column.offset = 2;
  column.length = 7;  // 2 to 8
  column.null_count = 1;
  column.buffers[0] = bitmap({true, true, true, true, true, true, false, true, true, true});
  Produced inner = produced_batch(6, {column});
  inner.name = "inner";
  inner.offset = 1;  // 3 to 8
  Produced outer = produced_batch(3, {inner});
  outer.offset = 2;  // 5 to 7
  const ArrowOwner owner = produce(outer);
  const ArrowView view = owner.view().child("inner").child("x");
  EXPECT_EQ(view.size(), 3U);
  EXPECT_EQ(view.first_row(), 5U);
  const auto read = arrow_column<std::int16_t>(view);
  EXPECT_EQ(read(0), 5);
  EXPECT_EQ(read(2), 7);
  EXPECT_FALSE(read.is_null(0));
  EXPECT_TRUE(read.is_null(1));
  outer.offset = 4;
  const ArrowOwner beyond = produce(outer);
  EXPECT_EQ(refusal([&] { (void)beyond.view().child(0); }),
            "arrow: column 'inner': 6 rows, in a batch that needs 4 + 3");
}

TEST(ArrowView, RefusesBatchesWithNullRows) {
  Produced batch = two_columns();
  batch.null_count = 1;
  const ArrowOwner missing = produce(batch);
  EXPECT_EQ(refusal([&] { (void)missing.view().child(0); }),
            "arrow: null_count is 1, but there is no bitmap of validity");
  batch.buffers[0] = bitmap({true, true, false});
  for (const std::int64_t count : {1, -1}) {
    batch.null_count = count;
    const ArrowOwner owner = produce(batch);
    EXPECT_EQ(refusal([&] { (void)owner.view().child(0); }),
              "arrow: row 2 of the batch itself is null");
    EXPECT_THROW((void)owner.view().child("id"), InvalidArgument);
  }
  batch.buffers[0] = bitmap({true, true, true});
  const ArrowOwner none = produce(batch);
  EXPECT_EQ(none.view().child(0).size(), 3U);
}

TEST(ArrowView, RefusesBatchesOfWhichAPartIsMissing) {
  ArrowOwner owner = produce(two_columns());
  ArrowSchema schema = *owner.schema();
  ArrowArray array = *owner.array();
  const auto refused_child = [&] {
    return refusal([&] { (void)ArrowView(schema, array).child(1); });
  };
  array.n_children = 1;
  EXPECT_EQ(refused_child(), "arrow: the array has 1 columns, its schema 2");
  array.n_children = schema.n_children = -1;
  EXPECT_EQ(refused_child(), "arrow: n_children is -1, expected 0 to 9223372036854775807");
  array.n_children = schema.n_children = 2;
  array.children = nullptr;
  EXPECT_EQ(refused_child(), "arrow: there are no children");
  ArrowArray* some[] = {owner.array()->children[0], nullptr};
  array.children = some;
  EXPECT_EQ(refused_child(), "arrow: column 1 is missing");
  ArrowArray released{};
  some[1] = &released;
  EXPECT_EQ(refused_child(), "arrow: the array is released");
}

}  // namespace
}  // namespace hashmill::test
