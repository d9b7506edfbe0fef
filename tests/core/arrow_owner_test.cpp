#include <gtest/gtest.h>

#include "arrow_producer.hpp"
#include "message_of.hpp"

namespace hashmill::test {
namespace {

/// A batch of two columns, one with a dictionary: four structs of each kind.
Produced nested() {
  Produced codes = produced_numbers("i", std::vector<std::int32_t>{0, 0});
  codes.dictionary = std::make_shared<Produced>(produced_strings("u", {"a"}));
  return produced_batch(2, {codes, produced_numbers("l", std::vector<std::int64_t>{1, 2})});
}

void expect_released(const Releases& releases, int times) {
  EXPECT_EQ(releases.schemas, times);
  EXPECT_EQ(releases.arrays, times);
}

TEST(ArrowOwner, ReleasesOnceWhenItGoes) {
  Releases releases;
  {
    ArrowSchema schema = produce_struct<ArrowSchema>(nested(), releases.schemas);
    ArrowArray array = produce_struct<ArrowArray>(nested(), releases.arrays);
    const ArrowOwner owner(std::move(schema), std::move(array));
    EXPECT_EQ(schema.release, nullptr);
    EXPECT_EQ(array.release, nullptr);
    EXPECT_TRUE(owner);
    expect_released(releases, 0);
  }
  expect_released(releases, 4);
}

TEST(ArrowOwner, ReleasesOnceWhenToldTo) {
  Releases releases;
  {
    ArrowOwner owner = produce(nested(), releases);
    owner.release();
    expect_released(releases, 4);
    EXPECT_FALSE(owner);
    EXPECT_EQ(message_of<InvalidArgument>([&] { (void)owner.view(); }),
              "arrow: the schema is released");
    owner.release();
  }
  expect_released(releases, 4);
}

TEST(ArrowOwner, ReleasesOnceWhenMoved) {
  Releases first, second;
  {
    ArrowOwner owner = produce(nested(), first);
    const std::uint64_t rows = owner.view().size();
    ArrowOwner moved(std::move(owner));
    EXPECT_FALSE(owner);
    EXPECT_EQ(moved.view().size(), rows);
    ArrowOwner assigned = produce(nested(), second);
    assigned = std::move(moved);
    expect_released(second, 4);
    ArrowOwner& itself = assigned;
    assigned = std::move(itself);
    EXPECT_TRUE(assigned);
    expect_released(first, 0);
  }
  expect_released(first, 4);
  expect_released(second, 4);
}

TEST(ArrowOwner, HandsBothOut) {
  Releases releases;
  ArrowSchema schema;
  ArrowArray array;
  {
    ArrowOwner owner = produce(nested(), releases);
    owner.move_to(&schema, &array);
    EXPECT_FALSE(owner);
  }
  expect_released(releases, 0);
  schema.release(&schema);
  array.release(&array);
  expect_released(releases, 4);
  ArrowOwner().move_to(&schema, &array);
  EXPECT_EQ(schema.release, nullptr);
  EXPECT_EQ(array.release, nullptr);
}

TEST(ArrowOwner, LeavesBothWhereOneIsReleased) {
  Releases releases;
  ArrowSchema schema = produce_struct<ArrowSchema>(nested(), releases.schemas);
  ArrowArray array{};
  EXPECT_EQ(message_of<InvalidArgument>([&] { ArrowOwner(std::move(schema), std::move(array)); }),
            "arrow: the array is released");
  ASSERT_NE(schema.release, nullptr);
  EXPECT_EQ(releases.schemas, 0);
  schema.release(&schema);
  array = produce_struct<ArrowArray>(nested(), releases.arrays);
  EXPECT_EQ(message_of<InvalidArgument>([&] { ArrowOwner(std::move(schema), std::move(array)); }),
            "arrow: the schema is released");
  ASSERT_NE(array.release, nullptr);
  array.release(&array);
  expect_released(releases, 4);
}

TEST(UniqueArrow, KeepsASchemaForManyArrays) {
  Releases releases;
  {
    const UniqueArrow schema(produce_struct<ArrowSchema>(nested(), releases.schemas));
    for (int k = 0; k < 3; ++k) {
      const UniqueArrow array(produce_struct<ArrowArray>(nested(), releases.arrays));
      EXPECT_EQ(ArrowView(*schema, *array).child(1).size(), 2U);
    }
    EXPECT_EQ(releases.arrays, 12);
    EXPECT_EQ(releases.schemas, 0);
  }
  EXPECT_EQ(releases.schemas, 4);
}

}  // namespace
}  // namespace hashmill::test
