#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/arrow/import.hpp>
#include <random>

#include "arrow_producer.hpp"
#include "message_of.hpp"

namespace hashmill::test {
namespace {

/// The message of the InvalidArgument that a function throws.
template <class Function>
std::string refusal(const Function& function) {
  return message_of<InvalidArgument>(function);
}

std::string text(const StringView& view) { return {view.data, view.size}; }

enum class Color : std::uint8_t { red, blue };

template <class Value>
class ArrowNumbers : public testing::Test {};
using Numbers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double, Color>;
TYPED_TEST_SUITE(ArrowNumbers, Numbers);

TYPED_TEST(ArrowNumbers, AreReadWhereTheyAre) {
  std::mt19937_64 random(7);
  for (const std::size_t rows : {0, 1, 8, 1001}) {
    for (const std::size_t offset : {0, 1, 13}) {
      for (const int nulls : {0, 1, 2}) {  // none, counted, not counted
        SCOPED_TRACE(rows * 100 + offset * 10 + static_cast<std::size_t>(nulls));
        std::vector<TypeParam> values(rows + offset);
        for (TypeParam& value : values) value = static_cast<TypeParam>(random() % 200);
        std::vector<bool> valid(rows);
        for (std::size_t i = 0; i < rows; ++i) valid[i] = random() % 3 != 0;
        Produced column = produced_numbers({detail::number_format<TypeParam>()}, values);
        column.length = static_cast<std::int64_t>(rows);
        column.offset = static_cast<std::int64_t>(offset);
        column.buffers[0] = bitmap(valid, offset);  // ignored where null_count is 0
        if (nulls == 1) column.null_count = std::count(valid.begin(), valid.end(), false);
        if (nulls == 2) column.null_count = -1;
        const ArrowOwner owner = produce(column);
        const auto read = arrow_column<TypeParam>(owner.view());
        ASSERT_EQ(read.size(), rows);
        for (std::size_t i = 0; i < rows; ++i) {
          ASSERT_EQ(read.is_null(i), nulls != 0 && !valid[i]);
          ASSERT_EQ(read(i), values[offset + i]);
        }
        if (rows > 0) {  // no copy
          const auto* const first = static_cast<const TypeParam*>(owner.array()->buffers[1]);
          EXPECT_EQ(read.address(0), first + offset);
        }
      }
    }
  }
}

TEST(ArrowColumn, TakesTimesAsTheIntegersThatTheyAre) {
  const std::vector<std::int32_t> narrow{-1, 7};
  for (const char* const format : {"i", "tdD", "tts", "ttm"}) {
    const ArrowOwner owner = produce(produced_numbers(format, narrow));
    EXPECT_EQ(arrow_column<std::int32_t>(owner.view())(0), -1) << format;
    EXPECT_THROW((void)arrow_column<std::int64_t>(owner.view()), InvalidArgument) << format;
  }
  const std::vector<std::int64_t> wide{-1, 7};
  for (const char* const format : {"l", "tdm", "ttu", "ttn", "tss:", "tsm:UTC", "tsu:Europe/Paris",
                                   "tsn:", "tDs", "tDm", "tDu", "tDn"}) {
    const ArrowOwner owner = produce(produced_numbers(format, wide));
    EXPECT_EQ(arrow_column<std::int64_t>(owner.view())(0), -1) << format;
    EXPECT_THROW((void)arrow_column<std::uint64_t>(owner.view()), InvalidArgument) << format;
    EXPECT_THROW((void)arrow_column<std::int32_t>(owner.view()), InvalidArgument) << format;
  }
}

TEST(ArrowColumn, RefusesOtherFormats) {
  Produced column = produced_numbers("g", std::vector<double>{1});
  column.name = "price";
  const ArrowOwner owner = produce(column);
  EXPECT_EQ(
      refusal([&] { (void)arrow_column<std::int64_t>(owner.view()); }),
      "arrow: column 'price': format is 'g' (float64), expected 'l' (int64) or what is stored "
      "as that");
  for (const char* const format : {"b", "n", "e", "u", "vu", "w:8", "d:9,2", "d:9,2,64", "tiM",
                                   "tin", "+s", "+l", "+ud:0,1", "ts", "tss", "ll", "", "?"}) {
    column.format = format;
    const ArrowOwner other = produce(column);
    EXPECT_THROW((void)arrow_column<double>(other.view()), InvalidArgument) << format;
    EXPECT_THROW((void)arrow_column<std::int64_t>(other.view()), InvalidArgument) << format;
    EXPECT_THROW((void)arrow_column<std::int32_t>(other.view()), InvalidArgument) << format;
  }
}

TEST(ArrowBooleanColumn, ReadsBits) {
  const std::vector<bool> values{true, false, false, true, true, false, true, true, false, true};
  for (const std::size_t offset : {0, 3, 9}) {
    Produced column{"b",
                    "",
                    10,
                    -1,
                    static_cast<std::int64_t>(offset),
                    {bitmap({true, true, false, true, true, true, true, true, false, true}, offset),
                     bitmap(values, offset)}};
    const ArrowOwner owner = produce(column);
    const auto read = arrow_boolean_column(owner.view());
    ASSERT_EQ(read.size(), 10U);
    for (std::size_t i = 0; i < 10; ++i) {
      EXPECT_EQ(read(i), values[i]);
      EXPECT_EQ(read.is_null(i), i == 2 || i == 8);
    }
  }
  const ArrowOwner none = produce(Produced{"b", "", 0, 0, 0, {Buffer(), Buffer()}});
  EXPECT_EQ(arrow_boolean_column(none.view()).size(), 0U);
}

TEST(ArrowBooleanColumn, RefusesOthers) {
  Produced column{"C", "", 1, 0, 0, {Buffer(), Buffer()}};
  const ArrowOwner bytes = produce(column);
  EXPECT_EQ(refusal([&] { (void)arrow_boolean_column(bytes.view()); }),
            "arrow: format is 'C' (uint8), expected 'b' (boolean)");
  column.format = "b";
  const ArrowOwner missing = produce(column);
  EXPECT_EQ(refusal([&] { (void)arrow_boolean_column(missing.view()); }),
            "arrow: buffer 1 is missing");
}

template <class Offset>
class ArrowStrings : public testing::Test {};
using Offsets = testing::Types<std::int32_t, std::int64_t>;
TYPED_TEST_SUITE(ArrowStrings, Offsets);

TYPED_TEST(ArrowStrings, AreReadWhereTheyAre) {
  const bool is_wide = sizeof(TypeParam) == 8;
  const std::vector<std::string> strings{"zero", "", "two", std::string("a\0b", 3), "", "last"};
  for (const char* const format : {is_wide ? "U" : "u", is_wide ? "Z" : "z"}) {
    for (const std::size_t offset : {0, 1, 5, 6}) {
      Produced column = produced_strings<TypeParam>(format, strings);
      column.offset = static_cast<std::int64_t>(offset);
      column.length -= column.offset;
      column.null_count = -1;
      column.buffers[0] = bitmap({true, true, false, true, true, true});
      const ArrowOwner owner = produce(column);
      const auto read = arrow_string_column<TypeParam>(owner.view());
      ASSERT_EQ(read.size(), strings.size() - offset);
      for (std::size_t i = 0; i < read.size(); ++i) {
        EXPECT_EQ(text(read(i)), strings[offset + i]);
        EXPECT_EQ(read.is_null(i), offset + i == 2);
      }
    }
  }
}

TYPED_TEST(ArrowStrings, MayHaveNoBuffersWhereTheyAreEmpty) {
  const char* const format = sizeof(TypeParam) == 8 ? "U" : "u";
  const ArrowOwner none = produce(Produced{format, "", 0, 0, 5, {Buffer(), Buffer(), Buffer()}});
  EXPECT_EQ(arrow_string_column<TypeParam>(none.view()).size(), 0U);
  Produced empty = produced_strings<TypeParam>(format, {"", "", ""});
  empty.buffers[2].reset();
  const ArrowOwner owner = produce(empty);
  const auto read = arrow_string_column<TypeParam>(owner.view());
  EXPECT_EQ(read.size(), 3U);
  EXPECT_TRUE(read(1) == read(2));
  EXPECT_EQ(read(2).size, 0U);
}

TYPED_TEST(ArrowStrings, AreCheckedAtBothEnds) {
  const char* const format = sizeof(TypeParam) == 8 ? "Z" : "z";
  Produced column = produced_strings<TypeParam>(format, {"a", "bc"});
  for (const auto& offsets : {std::vector<TypeParam>{-1, 0, 2}, {3, 3, 2}, {0, 1, -2}}) {
    column.buffers[1] = buffer(offsets);
    const ArrowOwner owner = produce(column);
    EXPECT_EQ(refusal([&] { (void)arrow_string_column<TypeParam>(owner.view()); }),
              "arrow: offsets of strings are " + std::to_string(offsets[0]) + " to " +
                  std::to_string(offsets[2]) + ", expected to ascend from 0 or above");
  }
  column.buffers[1] = buffer(std::vector<TypeParam>{0, 1, 3});
  column.buffers[2].reset();
  const ArrowOwner no_bytes = produce(column);
  EXPECT_EQ(refusal([&] { (void)arrow_string_column<TypeParam>(no_bytes.view()); }),
            "arrow: buffer 2 is missing");
  column.format = sizeof(TypeParam) == 8 ? "u" : "U";
  const ArrowOwner other = produce(column);
  EXPECT_THROW((void)arrow_string_column<TypeParam>(other.view()), InvalidArgument);
}

TEST(ArrowDictionaryColumn, ReadsCodesAndValues) {
  Produced column = produced_numbers("s", std::vector<std::int16_t>{9, 1, 0, 2, 9});
  column.offset = 1;
  column.length = 4;
  column.null_count = -1;
  column.buffers[0] = bitmap({true, true, true, true, false});
  column.dictionary = std::make_shared<Produced>(produced_strings("u", {"?", "no", "yes", ""}));
  column.dictionary->offset = 1;
  column.dictionary->length = 3;
  column.dictionary->null_count = 1;
  column.dictionary->buffers[0] = bitmap({true, true, true, false});
  const ArrowOwner owner = produce(column);
  const ArrowView view = owner.view();
  EXPECT_TRUE(view.has_dictionary());
  const auto read =
      arrow_dictionary_column<std::int16_t>(view, arrow_string_column(view.dictionary()));
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(text(read(0)), "yes");
  EXPECT_EQ(text(read(1)), "no");
  EXPECT_FALSE(read.is_null(1));
  EXPECT_TRUE(read.is_null(2));  // the value is null
  EXPECT_TRUE(read.is_null(3));  // the code is null
}

TEST(ArrowDictionaryColumn, IsNotTakenForItsCodes) {
  Produced column = produced_numbers("i", std::vector<std::int32_t>{0});
  const ArrowOwner plain = produce(column);
  EXPECT_EQ(refusal([&] { (void)plain.view().dictionary(); }), "arrow: there is no dictionary");
  EXPECT_THROW((void)arrow_dictionary_column<std::int32_t>(
                   plain.view(), arrow_column<std::int32_t>(plain.view())),
               InvalidArgument);
  column.dictionary = std::make_shared<Produced>(produced_strings("u", {"a", "b"}));
  const ArrowOwner owner = produce(column);
  EXPECT_EQ(refusal([&] { (void)arrow_column<std::int32_t>(owner.view()); }),
            "arrow: has a dictionary; arrow_dictionary_column takes it");
  EXPECT_THROW((void)arrow_string_column(owner.view()), InvalidArgument);
  EXPECT_THROW((void)arrow_boolean_column(owner.view()), InvalidArgument);
  const auto values = arrow_string_column(owner.view().dictionary());
  EXPECT_THROW((void)arrow_dictionary_column<std::uint32_t>(owner.view(), values), InvalidArgument);
  EXPECT_EQ(refusal([&] {
              (void)arrow_dictionary_column<std::int32_t>(owner.view(),
                                                          arrow_column<std::int32_t>(plain.view()));
            }),
            "arrow: a column of 1 rows is not that of its dictionary of 2");
}

TEST(ArrowColumn, RefusesBuffersThatCannotBe) {
  const Produced good = produced_numbers("l", std::vector<std::int64_t>{1, 2, 3});
  const auto refused = [](const Produced& column) {
    const ArrowOwner owner = produce(column);
    return refusal([&] { (void)arrow_column<std::int64_t>(owner.view()); });
  };
  EXPECT_EQ(refused(good), "");
  Produced bad = good;
  bad.buffers[1].reset();
  EXPECT_EQ(refused(bad), "arrow: buffer 1 is missing");
  bad.length = 0;
  EXPECT_EQ(refused(bad), "");
  bad = good;
  bad.buffers.pop_back();
  EXPECT_EQ(refused(bad), "arrow: n_buffers is 1, expected 2 for format 'l' (int64)");
  bad.buffers.clear();
  EXPECT_EQ(refused(bad), "arrow: n_buffers is 0, expected 2 for format 'l' (int64)");
  bad = good;
  bad.null_count = 2;
  EXPECT_EQ(refused(bad), "arrow: null_count is 2, but there is no bitmap of validity");
  bad.null_count = -1;
  EXPECT_EQ(refused(bad), "");
  bad = good;
  bad.length = std::int64_t{1} << 61;
  EXPECT_EQ(refused(bad),
            "arrow: offset 0 and 2305843009213693952 rows of 8 bytes exceed the memory");
  bad.offset = 1;
  bad.length = (std::int64_t{1} << 60) - 1;
  EXPECT_EQ(refused(bad),
            "arrow: offset 1 and 1152921504606846975 rows of 8 bytes exceed the memory");

  ArrowOwner owner = produce(good);
  const void* shifted[] = {nullptr, static_cast<const char*>(owner.array()->buffers[1]) + 4};
  ArrowArray unaligned = *owner.array();
  unaligned.buffers = shifted;
  EXPECT_EQ(refusal([&] {
              (void)arrow_column<std::int64_t>({*owner.schema(), unaligned});
            }),
            "arrow: buffer 1 is not aligned to 8 bytes");
}

}  // namespace
}  // namespace hashmill::test
