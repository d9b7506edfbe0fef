#include "key_rows_of.hpp"

namespace hashmill::perf {

KeyRows key_rows_32() { return key_rows_of<std::uint32_t>(); }

}  // namespace hashmill::perf
