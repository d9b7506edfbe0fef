#pragma once

#include <hashmill/error.hpp>

namespace hashmill::perf {

/// A case that a table cannot be used for by its design. Its row says why and counts as skipped,
/// not as failed.
class UnsupportedCase : public Error {
 public:
  using Error::Error;
};

}  // namespace hashmill::perf
