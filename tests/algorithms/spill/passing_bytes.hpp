#pragma once

#include <hashmill/spill/detail/spill_file.hpp>

#include "algorithms/support/views.hpp"

namespace hashmill::test {

/// Bytes of the host through which rows of a GPU pass to a file, with none left to keep rows in.
inline constexpr std::uint64_t only_passing_bytes =
    backends::is_host_memory<Memory> ? 0 : 6 * std::uint64_t{512};

}  // namespace hashmill::test
