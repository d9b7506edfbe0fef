// See the instances.hpp of the folder.
#define HASHMILL_DEFINE_BACKENDS
#include <hashmill/backends/allocate.hpp>
