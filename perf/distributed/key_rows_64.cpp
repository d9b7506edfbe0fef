#include "key_rows_of.hpp"

namespace hashmill::perf {

KeyRows key_rows_64() { return key_rows_of<std::uint64_t>(); }

}  // namespace hashmill::perf
