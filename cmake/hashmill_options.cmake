# What a user can choose at configure time. Nothing here switches itself on because it was found.

option(HASHMILL_ENABLE_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(HASHMILL_ENABLE_PERF "Build the benchmarks and hashmill-compare" ${PROJECT_IS_TOP_LEVEL})
option(HASHMILL_QUICK_BENCHMARKS "Compile hashmill-compare as quickly as tests: its times mean nothing then" OFF)
option(HASHMILL_ENABLE_HWLOC "Read NUMA nodes and caches through hwloc, and place memory on nodes" OFF)
option(HASHMILL_BUILD_INSTANCES "Compile common instantiations into the library hashmill::instances" OFF)
set(HASHMILL_ENABLE_MPI
    OFF
    CACHE STRING "Offer hashmill::mpi, for ranks that talk through MPI; AUTO: where it is found")
set_property(CACHE HASHMILL_ENABLE_MPI PROPERTY STRINGS OFF ON AUTO)
option(HASHMILL_ENABLE_NCCL "Offer hashmill::nccl, for GPUs that talk through NCCL (needs MPI and the cuda backend)" OFF)

set(HASHMILL_BACKEND
    ""
    CACHE STRING "openmp, cuda, serial, threads, hip or sycl; empty: cuda where it is there, else openmp")
set(hashmill_backends openmp cuda serial threads hip sycl)
set_property(CACHE HASHMILL_BACKEND PROPERTY STRINGS "" ${hashmill_backends})

string(TOLOWER "${HASHMILL_BACKEND}" hashmill_backend)
if(hashmill_backend AND NOT hashmill_backend IN_LIST hashmill_backends)
  list(JOIN hashmill_backends ", " hashmill_choices)
  message(FATAL_ERROR "HASHMILL_BACKEND=${HASHMILL_BACKEND} is not a backend: use one of ${hashmill_choices}.")
endif()

if(PROJECT_IS_TOP_LEVEL)
  set(CMAKE_CXX_EXTENSIONS OFF)
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()
