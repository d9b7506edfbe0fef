#pragma once

#include <gtest/gtest.h>

#include <tuple>

namespace hashmill::test {

/// The types that a typed suite is instantiated with: all of them or, where a sanitizer's
/// instrumentation doubles the time to compile each, the first and the last.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
template <class... Type>
using SampledTypes = testing::Types<std::tuple_element_t<0, std::tuple<Type...>>,
                                    std::tuple_element_t<sizeof...(Type) - 1, std::tuple<Type...>>>;
#else
template <class... Type>
using SampledTypes = testing::Types<Type...>;
#endif

}  // namespace hashmill::test
