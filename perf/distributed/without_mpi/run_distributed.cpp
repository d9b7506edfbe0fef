#include "distributed/run_distributed.hpp"

#include <hashmill/error.hpp>

namespace hashmill::perf {

int run_distributed(const DistributedOptions&) {
  throw InvalidArgument("distributed: this build has no MPI (HASHMILL_ENABLE_MPI)");
}

}  // namespace hashmill::perf
