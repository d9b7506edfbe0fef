#pragma once

#include <string>

namespace hashmill::test {

/// The message of the `Exception` that `function()` throws; empty if it throws none.
template <class Exception, class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Exception& exception) {
    return exception.what();
  }
  return {};
}

}  // namespace hashmill::test
