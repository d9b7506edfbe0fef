#include <gtest/gtest.h>

#include <cstdint>
#include <hashmill/error.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>

namespace hashmill {
namespace {

static_assert(std::is_base_of_v<std::runtime_error, Error>);
static_assert(std::is_base_of_v<Error, InvalidArgument>);
static_assert(std::is_base_of_v<Error, CapacityError>);
static_assert(std::is_base_of_v<Error, BackendError>);
static_assert(std::is_base_of_v<Error, CommunicationError>);
static_assert(!std::is_base_of_v<InvalidArgument, CapacityError>);

TEST(Error, IsCaughtAsRuntimeError) {
  EXPECT_THROW(throw InvalidArgument("bins"), std::runtime_error);
  EXPECT_THROW(throw BackendError("driver"), Error);
  EXPECT_STREQ(Error("text").what(), "text");
}

TEST(Error, CapacityErrorKeepsItsFields) {
  const CapacityError error("table: 12 bytes needed", 12, 5);
  EXPECT_STREQ(error.what(), "table: 12 bytes needed");
  EXPECT_EQ(error.needed(), 12U);
  EXPECT_EQ(error.available(), 5U);
}

TEST(Error, CommunicationErrorKeepsItsFields) {
  const CommunicationError error("peer left", 3, std::string("exchange sizes"));
  EXPECT_STREQ(error.what(), "peer left");
  EXPECT_EQ(error.rank(), 3);
  EXPECT_EQ(error.phase(), "exchange sizes");
}

TEST(Error, CopiesKeepTheFields) {
  const CommunicationError original("peer left", 3, "exchange");
  const CommunicationError copy = original;
  EXPECT_STREQ(copy.what(), original.what());
  EXPECT_EQ(copy.phase(), "exchange");
}

}  // namespace
}  // namespace hashmill
