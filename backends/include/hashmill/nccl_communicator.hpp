#pragma once

#include <hashmill/backends/gpu_place.hpp>
#include <hashmill/backends/nccl_transport.hpp>
#include <hashmill/mpi_communicator.hpp>

namespace hashmill {

namespace backends {

/// What a rank tells the others before NCCL connects them.
struct NcclGreeting {
  /// What is wrong with a communicator of NCCL that it was given.
  enum class Fault { none, other_size, other_device };

  GpuPlace gpu;
  Fault fault;
  ncclUniqueId id;  ///< of rank 0
  ncclResult_t made_id;
};

/// The GPU of Kokkos.
[[nodiscard]] inline GpuPlace this_gpu() {
  GpuPlace place{this_process().machine, {}};
  require_cuda(cudaDeviceGetPCIBusId(place.name.data(), static_cast<int>(place.name.size()),
                                     Kokkos::Cuda().cuda_device()),
               "cudaDeviceGetPCIBusId");
  return place;
}

/// What is wrong with a communicator of NCCL, for ranks of MPI.
[[nodiscard]] inline NcclGreeting::Fault fault_of(ncclComm_t communicator, int size) {
  int count = 0, device = -1;
  if (ncclCommCount(communicator, &count) != ncclSuccess || count != size) {
    return NcclGreeting::Fault::other_size;
  }
  const bool same = ncclCommCuDevice(communicator, &device) == ncclSuccess &&
                    device == Kokkos::Cuda().cuda_device();
  return same ? NcclGreeting::Fault::none : NcclGreeting::Fault::other_device;
}

/// Throws InvalidArgument, on all ranks, where NCCL cannot connect them.
inline void require_nccl_ranks(std::span<const NcclGreeting> greetings) {
  std::vector<GpuPlace> gpus;
  for (std::size_t r = 0; r < greetings.size(); ++r) {
    gpus.push_back(greetings[r].gpu);
    const std::string rank = "nccl: rank " + std::to_string(r);
    if (greetings[r].fault == NcclGreeting::Fault::other_size) {
      throw InvalidArgument(rank + " gives a communicator of NCCL with other than the " +
                            std::to_string(greetings.size()) + " ranks of MPI");
    }
    if (greetings[r].fault == NcclGreeting::Fault::other_device) {
      throw InvalidArgument(rank + " gives a communicator of another GPU than the one of Kokkos");
    }
  }
  if (const auto shared = ranks_of_one_gpu(gpus)) {
    const auto [first, second] = *shared;
    throw InvalidArgument("nccl: ranks " + std::to_string(first) + " and " +
                          std::to_string(second) + " are both on GPU " +
                          gpus[static_cast<std::size_t>(first)].name.data() +
                          "; give each rank one of its own");
  }
}

/// Begins to connect the GPUs of ranks of MPI. A `parent` that is not null is split.
[[nodiscard]] inline std::unique_ptr<Transport> make_nccl_transport(MPI_Comm communicator,
                                                                    ncclComm_t parent,
                                                                    CommunicationOptions options) {
  options.gpu_aware = GpuAware::yes;  // MPI moves host memory only, so it needs no staging
  const Communicator control = mpi_communicator(communicator, options);
  NcclGreeting mine{this_gpu(), NcclGreeting::Fault::none, {}, ncclSuccess};
  if (parent != nullptr) mine.fault = fault_of(parent, control.size());
  if (parent == nullptr && control.rank() == 0) mine.made_id = ncclGetUniqueId(&mine.id);
  const std::vector<NcclGreeting> greetings = control.all_gather(mine, "find GPUs");
  require_nccl_ranks(greetings);
  if (greetings[0].made_id != ncclSuccess) {
    throw BackendError(std::string("nccl: ncclGetUniqueId failed on rank 0: ") +
                       ncclGetErrorString(greetings[0].made_id));
  }
  require_cuda(cudaSetDevice(Kokkos::Cuda().cuda_device()), "cudaSetDevice");
  const auto make_handle = [&] {
    return parent != nullptr ? NcclHandle(parent, control.rank())
                             : NcclHandle(control.size(), greetings[0].id, control.rank());
  };
  return std::make_unique<NcclTransport>(std::make_unique<MpiTransport>(communicator, options),
                                         make_handle);
}

/// Connects the GPUs of ranks of MPI. A `parent` that is not null is split.
[[nodiscard]] inline Communicator connect_nccl(MPI_Comm communicator, ncclComm_t parent,
                                               const CommunicationOptions& options) {
  try {
    const Communicator ranks(make_nccl_transport(communicator, parent, options), options);
    ranks.exchange({{}, {}, 0, MemoryKind::device}, "connect GPUs");
    return ranks;
  } catch (const TransportFailure& failure) {
    throw BackendError(failure.what());
  }
}

}  // namespace backends

/// The ranks of an MPI communicator, each with a GPU of its own, whose memory NCCL moves; MPI moves
/// the rest. Collective, with the conditions of `mpi_communicator`. The GPU of a rank is the one of
/// Kokkos. Copies of the result must be gone before Kokkos and MPI are finalized, on all ranks at
/// about the same time.
///
/// Exchanges of device memory are started in one order by all ranks that share them, also those of
/// different parts of the communicator.
///
/// Throws InvalidArgument where two ranks are on one GPU, BackendError where NCCL or CUDA fails on
/// this rank, CommunicationError where the ranks do not connect within `options.timeout`.
[[nodiscard]] inline Communicator nccl_communicator(MPI_Comm communicator,
                                                    const CommunicationOptions& options = {}) {
  return backends::connect_nccl(communicator, nullptr, options);
}

/// As above, with the connections of a communicator of NCCL that has the same ranks, in any order.
/// It stays the caller's: this splits it, and shares nothing with the part. Nothing is under way in
/// it.
[[nodiscard]] inline Communicator nccl_communicator(MPI_Comm communicator, ncclComm_t nccl,
                                                    const CommunicationOptions& options = {}) {
  if (nccl == nullptr) throw InvalidArgument("nccl: the communicator of NCCL is null");
  return backends::connect_nccl(communicator, nccl, options);
}

}  // namespace hashmill
