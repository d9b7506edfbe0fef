# Finds hwloc 2, the library that knows a machine's nodes, cores and caches: the target hwloc::hwloc.
# hwloc_ROOT names a prefix.

find_path(hwloc_INCLUDE_DIR hwloc.h)
find_library(hwloc_LIBRARY hwloc)
mark_as_advanced(hwloc_INCLUDE_DIR hwloc_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(hwloc REQUIRED_VARS hwloc_LIBRARY hwloc_INCLUDE_DIR)
if(hwloc_FOUND AND NOT TARGET hwloc::hwloc)
  add_library(hwloc::hwloc UNKNOWN IMPORTED)
  set_target_properties(hwloc::hwloc PROPERTIES IMPORTED_LOCATION ${hwloc_LIBRARY} INTERFACE_INCLUDE_DIRECTORIES
                                                                                  ${hwloc_INCLUDE_DIR})
endif()
