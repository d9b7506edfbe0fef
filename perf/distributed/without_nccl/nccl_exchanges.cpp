#include "distributed/own_transport.hpp"

namespace hashmill::perf {

OwnTransport nccl_transport() { return {"NCCL", nullptr, nullptr}; }

}  // namespace hashmill::perf
