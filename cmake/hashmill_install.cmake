# The installed package: headers, target and a config that finds again what this build was given.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(hashmill_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/hashmill)

string(TOUPPER ${hashmill_backend} hashmill_backend_device)
set(hashmill_find_features "")
if(HASHMILL_ENABLE_HWLOC)
  string(APPEND hashmill_find_features "list(PREPEND CMAKE_MODULE_PATH \"\${CMAKE_CURRENT_LIST_DIR}\")\n"
         "find_dependency(hwloc)\n")
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/Findhwloc.cmake DESTINATION ${hashmill_package_dir})
endif()
# Components: found again only where they are asked for.
if(hashmill_mpi)
  install(TARGETS hashmill_mpi EXPORT hashmillTargets)
  string(APPEND hashmill_find_features
         "set(hashmill_mpi_FOUND FALSE)\n"
         "if(\"mpi\" IN_LIST hashmill_FIND_COMPONENTS OR \"nccl\" IN_LIST hashmill_FIND_COMPONENTS)\n"
         "  set(MPI_CXX_SKIP_MPICXX ON)\n"
         "  find_package(MPI QUIET COMPONENTS CXX)\n"
         "  set(hashmill_mpi_FOUND \${MPI_CXX_FOUND})\n"
         "endif()\n")
endif()
if(HASHMILL_ENABLE_NCCL)
  install(TARGETS hashmill_nccl EXPORT hashmillTargets)
  string(APPEND hashmill_find_features
         "set(hashmill_nccl_FOUND FALSE)\n"
         "if(\"nccl\" IN_LIST hashmill_FIND_COMPONENTS AND hashmill_mpi_FOUND)\n"
         "  list(PREPEND CMAKE_MODULE_PATH \"\${CMAKE_CURRENT_LIST_DIR}\")\n"
         "  find_package(NCCL QUIET)\n"
         "  set(hashmill_nccl_FOUND \${NCCL_FOUND})\n"
         "endif()\n")
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/FindNCCL.cmake DESTINATION ${hashmill_package_dir})
endif()

install(TARGETS hashmill EXPORT hashmillTargets)
install(EXPORT hashmillTargets NAMESPACE hashmill:: DESTINATION ${hashmill_package_dir})
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/hashmillConfig.cmake.in ${PROJECT_BINARY_DIR}/hashmillConfig.cmake
  INSTALL_DESTINATION ${hashmill_package_dir})
set(hashmill_any_processor ARCH_INDEPENDENT)
if(HASHMILL_BUILD_INSTANCES)
  set(hashmill_any_processor "")
endif()
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/hashmillConfigVersion.cmake
  COMPATIBILITY SameMajorVersion ${hashmill_any_processor})
install(FILES ${PROJECT_BINARY_DIR}/hashmillConfig.cmake ${PROJECT_BINARY_DIR}/hashmillConfigVersion.cmake
        DESTINATION ${hashmill_package_dir})
