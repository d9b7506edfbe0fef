#include <gtest/gtest.h>

#include <algorithm>
#include <hashmill/arrow.hpp>
#include <random>
#include <thread>

#include "arrow_producer.hpp"
#include "message_of.hpp"

namespace hashmill::test {
namespace {

using Host = Kokkos::HostSpace;
using BitsView = Kokkos::View<std::uint8_t*, Host>;

template <class T>
Kokkos::View<T*, Host> to_view(const std::vector<T>& values) {
  Kokkos::View<T*, Host> view("hashmill::test::arrow", values.size());
  for (std::size_t i = 0; i < values.size(); ++i) view(i) = values[i];
  return view;
}

BitsView to_bits(const std::vector<bool>& valid) {
  BitsView bits("hashmill::test::bits", (valid.size() + 7) / 8);
  for (std::size_t i = 0; i < valid.size(); ++i) {
    if (valid[i]) bits(i / 8) = static_cast<std::uint8_t>(bits(i / 8) | 1U << (i % 8));
  }
  return bits;
}

/// Of an InvalidArgument.
template <class Function>
std::string refusal(const Function& function) {
  return message_of<InvalidArgument>(function);
}

std::string text(const StringView& view) { return {view.data, view.size}; }

ArrowOwner words(const char* name) {
  const std::string bytes = "noyes";
  return to_arrow_strings(name, to_view<std::int32_t>({0, 2, 5}),
                          to_view(std::vector<char>(bytes.begin(), bytes.end())));
}

enum class Color : std::int16_t { red, blue };

template <class Value>
class ToArrow : public testing::Test {};
using Numbers = testing::Types<std::int8_t, std::uint8_t, std::int16_t, std::uint16_t, std::int32_t,
                               std::uint32_t, std::int64_t, std::uint64_t, float, double, Color,
                               long long, char>;
TYPED_TEST_SUITE(ToArrow, Numbers);

TYPED_TEST(ToArrow, GivesBackWhatItTook) {
  std::mt19937_64 random(9);
  for (const std::size_t rows : {0, 1, 8, 1001}) {
    std::vector<TypeParam> values(rows);
    std::vector<bool> valid(rows);
    for (TypeParam& value : values) value = static_cast<TypeParam>(random() % 200);
    for (std::size_t i = 0; i < rows; ++i) valid[i] = random() % 3 != 0;
    const auto view = to_view(values);
    const ArrowOwner plain = to_arrow("plain", view);
    const auto bits = to_bits(valid);
    if (rows % 8 != 0) {  // bits of no row, which do not count
      bits(rows / 8) = static_cast<std::uint8_t>(bits(rows / 8) | 0xFFU << (rows % 8));
    }
    const ArrowOwner nullable = to_arrow("nullable", view, bits);
    EXPECT_EQ(plain.array()->null_count, 0);
    EXPECT_EQ(nullable.array()->null_count, std::count(valid.begin(), valid.end(), false));
    EXPECT_EQ(plain.schema()->flags, 0);
    EXPECT_EQ(nullable.schema()->flags, rows == 0 ? 0 : ARROW_FLAG_NULLABLE);
    EXPECT_EQ(nullable.view().name(), "nullable");
    const auto all = arrow_column<TypeParam>(plain.view());
    const auto some = arrow_column<TypeParam>(nullable.view());
    ASSERT_EQ(all.size(), rows);
    ASSERT_EQ(some.size(), rows);
    for (std::size_t i = 0; i < rows; ++i) {
      ASSERT_EQ(all(i), values[i]);
      ASSERT_EQ(some(i), values[i]);
      ASSERT_FALSE(all.is_null(i));
      ASSERT_EQ(some.is_null(i), !valid[i]);
    }
    if (rows > 0) {
      EXPECT_EQ(all.address(0), view.data());  // no copy
    }
  }
}

TEST(ToArrow, KeepsViewsUntilItIsReleased) {
  auto values = to_view<std::int64_t>({4, 5, 6});
  auto bits = to_bits({true, false, true});
  ArrowOwner owner = to_arrow("x", Kokkos::subview(values, std::pair(1, 3)), bits);
  EXPECT_EQ(values.use_count(), 2);
  EXPECT_EQ(bits.use_count(), 2);
  ArrowOwner moved(std::move(owner));
  EXPECT_EQ(values.use_count(), 2);
  moved.release();
  EXPECT_EQ(values.use_count(), 1);
  EXPECT_EQ(bits.use_count(), 1);
  moved = to_arrow("x", values, bits);
  values = {};
  bits = {};
  const auto read = arrow_column<std::int64_t>(moved.view());
  EXPECT_EQ(read(2), 6);
  EXPECT_TRUE(read.is_null(1));
}

TEST(ToArrow, MayBeReleasedByAnotherThread) {
  const auto values = to_view<std::int64_t>({4, 5, 6});
  ArrowOwner batch = to_arrow_batch(to_arrow("x", values), to_arrow("y", values));
  EXPECT_EQ(values.use_count(), 3);
  std::thread([&] { batch.release(); }).join();
  EXPECT_EQ(values.use_count(), 1);
}

TEST(ToArrow, TakesFormatsOfTheSameStorage) {
  const auto days = to_view<std::int32_t>({1, 2});
  const ArrowOwner dates = to_arrow({"day", "tdD"}, days);
  EXPECT_EQ(dates.view().format(), "tdD");
  EXPECT_EQ(arrow_column<std::int32_t>(dates.view())(1), 2);
  EXPECT_EQ(
      refusal([&] {
        (void)to_arrow({"day", "tdm"}, days);
      }),
      "to_arrow: column 'day': format is 'tdm' (date64 in milliseconds), expected 'i' (int32) "
      "or what is stored as that");
  EXPECT_THROW((void)to_arrow({"day", "u"}, days), InvalidArgument);
  EXPECT_THROW((void)to_arrow({"day", "nonsense"}, days), InvalidArgument);
}

TEST(ToArrow, RefusesMemoryThatMightGo) {
  const std::vector<double> values{1, 2};
  const Kokkos::View<const double*, Host, Kokkos::MemoryTraits<Kokkos::Unmanaged>> borrowed(
      values.data(), 2);
  const Kokkos::View<const double*, Host> pointer(values.data(), 2);
  const std::string why =
      "to_arrow: the view '' does not own its memory, which might go before its consumer is done "
      "with it";
  EXPECT_EQ(refusal([&] { (void)to_arrow("x", borrowed); }), why);
  EXPECT_EQ(refusal([&] { (void)to_arrow("x", pointer); }), why);
  const ArrowOwner empty = to_arrow("x", Kokkos::View<double*, Host>());
  EXPECT_EQ(arrow_column<double>(empty.view()).size(), 0U);
}

TEST(ToArrow, RefusesValidityThatIsTooShort) {
  const auto values = to_view(std::vector<float>(17));
  EXPECT_NE(refusal([&] { (void)to_arrow("x", values, BitsView("bits", 2)); }), "");
  EXPECT_EQ(refusal([&] { (void)to_arrow("x", values, BitsView("bits", 3)); }), "");
  EXPECT_EQ(values.use_count(), 1);
}

TEST(ToArrowStrings, GiveBackWhatTheyTook) {
  const std::string bytes = "..Ulm\0Bonn";
  const auto there = to_view(std::vector<char>(bytes.begin(), bytes.end()));
  const auto expect_strings = [&](const ArrowOwner& owner, const auto& read) {
    EXPECT_EQ(owner.array()->buffers[2], there.data());
    ASSERT_EQ(read.size(), 3U);
    EXPECT_EQ(text(read(0)), "Ulm");
    EXPECT_EQ(read(1).size, 0U);
    EXPECT_TRUE(read.is_null(1));
  };
  const auto bits = to_bits({true, false, true});
  const ArrowOwner narrow = to_arrow_strings("s", to_view<std::int32_t>({2, 5, 5, 5}), there, bits);
  EXPECT_EQ(narrow.view().format(), "u");
  expect_strings(narrow, arrow_string_column(narrow.view()));
  const ArrowOwner wide =
      to_arrow_strings({"s", "Z"}, to_view<std::int64_t>({2, 5, 5, 5}), there, bits);
  EXPECT_EQ(wide.view().format(), "Z");
  expect_strings(wide, arrow_string_column<std::int64_t>(wide.view()));
  const ArrowOwner none =
      to_arrow_strings("s", to_view<std::int32_t>({0}), Kokkos::View<char*, Host>());
  EXPECT_EQ(arrow_string_column(none.view()).size(), 0U);
}

TEST(ToArrowStrings, RefuseOffsetsBeyondTheBytes) {
  const auto bytes = to_view<char>({'a', 'b'});
  for (const auto& offsets : {std::vector<std::int32_t>{0, 3}, {-1, 2}, {2, 1}}) {
    EXPECT_EQ(refusal([&] { (void)to_arrow_strings("s", to_view(offsets), bytes); }),
              "to_arrow: column 's': offsets of strings are " + std::to_string(offsets[0]) +
                  " to " + std::to_string(offsets[1]) + ", expected to ascend within 0 to 2");
  }
  EXPECT_THROW((void)to_arrow_strings("s", to_view<std::int64_t>({}), bytes), InvalidArgument);
  EXPECT_THROW((void)to_arrow_strings({"s", "U"}, to_view<std::int32_t>({0, 1}), bytes),
               InvalidArgument);
}

TEST(ToArrowDictionary, GivesBackCodesAndValues) {
  const auto codes = to_view<std::uint8_t>({1, 0, 1, 0});
  const ArrowOwner owner =
      to_arrow_dictionary("answer", codes, words("words"), to_bits({true, true, true, false}));
  EXPECT_EQ(owner.view().format(), "C");
  const auto read = arrow_dictionary_column<std::uint8_t>(
      owner.view(), arrow_string_column(owner.view().dictionary()));
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(text(read(0)), "yes");
  EXPECT_EQ(text(read(1)), "no");
  EXPECT_TRUE(read.is_null(3));
  EXPECT_EQ(refusal([&] { (void)to_arrow_dictionary("answer", codes, ArrowOwner()); }),
            "arrow: the schema is released");
}

TEST(ToArrowBatch, HoldsColumnsOfEveryProducer) {
  Releases releases;
  {
    Produced foreign = produced_numbers("l", std::vector<std::int64_t>{0, 7, 8});
    foreign.name = "foreign";
    foreign.offset = 1;
    foreign.length = 2;
    const auto values = to_view<double>({0.5, 1.5});
    ArrowOwner owner =
        to_arrow_batch(to_arrow("own", values), produce(foreign, releases),
                       to_arrow_dictionary("codes", to_view<std::int32_t>({1, 1}), words("")));
    ArrowSchema schema;
    ArrowArray array;
    owner.move_to(&schema, &array);
    EXPECT_EQ(array.n_buffers, 1);
    EXPECT_EQ(values.use_count(), 2);
    {
      const ArrowOwner consumer(std::move(schema), std::move(array));
      const ArrowView batch = consumer.view();
      EXPECT_EQ(batch.size(), 2U);
      EXPECT_EQ(arrow_column<double>(batch.child("own"))(1), 1.5);
      EXPECT_EQ(arrow_column<std::int64_t>(batch.child("foreign"))(1), 8);
      EXPECT_TRUE(batch.child("codes").has_dictionary());
      EXPECT_EQ(releases.arrays, 0);
    }
    EXPECT_EQ(values.use_count(), 1);
  }
  EXPECT_EQ(releases.schemas, 1);
  EXPECT_EQ(releases.arrays, 1);
}

TEST(ToArrowBatch, LetsConsumersMoveColumnsOut) {
  Releases releases;
  const auto values = to_view<std::int32_t>({3, 4});
  ArrowOwner batch =
      to_arrow_batch(to_arrow("kept", values),
                     produce(produced_numbers("i", std::vector<std::int32_t>{1, 2}), releases));
  const UniqueArrow column(std::move(*batch.array()->children[0]));
  const UniqueArrow type(std::move(*batch.schema()->children[0]));
  batch.release();
  EXPECT_EQ(releases.arrays, 1);
  EXPECT_EQ(releases.schemas, 1);
  EXPECT_EQ(values.use_count(), 2);
  EXPECT_EQ(arrow_column<std::int32_t>({*type, *column})(1), 4);
}

TEST(ToArrowBatch, TakesNoColumnsAndNoRows) {
  const ArrowOwner nothing = to_arrow_batch();
  EXPECT_EQ(nothing.view().size(), 0U);
  EXPECT_EQ(nothing.view().num_children(), 0U);
  EXPECT_THROW((void)nothing.view().child(0), InvalidArgument);
  const ArrowOwner empty = to_arrow_batch(to_arrow("x", to_view<float>({})));
  EXPECT_EQ(arrow_column<float>(empty.view().child("x")).size(), 0U);
}

TEST(ToArrowBatch, RefusesColumnsThatDoNotFit) {
  Releases releases;
  const auto two = to_view<float>({1, 2}), three = to_view<float>({1, 2, 3});
  EXPECT_EQ(refusal([&] {
              (void)to_arrow_batch(
                  produce(produced_numbers("f", std::vector<float>{8, 9}), releases),
                  to_arrow("b", three), to_arrow("c", two));
            }),
            "arrow: column 'b': 3 rows, in a batch whose first column has 2");
  EXPECT_EQ(releases.arrays, 1);
  EXPECT_EQ(releases.schemas, 1);
  EXPECT_EQ(refusal([&] { (void)to_arrow_batch(to_arrow("a", two), ArrowOwner()); }),
            "arrow: the schema is released");
  EXPECT_EQ(two.use_count(), 1);
  EXPECT_EQ(three.use_count(), 1);
}

}  // namespace
}  // namespace hashmill::test
