# Optional libraries; each is required once it is asked for.

if(HASHMILL_ENABLE_HWLOC)
  list(PREPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
  find_package(hwloc REQUIRED)
  target_link_libraries(hashmill INTERFACE hwloc::hwloc)
  target_compile_definitions(hashmill INTERFACE HASHMILL_ENABLE_HWLOC)
endif()

if(HASHMILL_ENABLE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  target_link_libraries(hashmill INTERFACE MPI::MPI_CXX)
  target_compile_definitions(hashmill INTERFACE HASHMILL_ENABLE_MPI)
endif()

if(HASHMILL_ENABLE_NCCL)
  if(NOT hashmill_backend STREQUAL cuda)
    message(FATAL_ERROR "HASHMILL_ENABLE_NCCL=ON needs NVIDIA GPUs: add -DHASHMILL_BACKEND=cuda, not ${hashmill_backend}.")
  endif()
  list(PREPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
  find_package(NCCL REQUIRED)
  target_link_libraries(hashmill INTERFACE NCCL::nccl)
  target_compile_definitions(hashmill INTERFACE HASHMILL_ENABLE_NCCL)
endif()
