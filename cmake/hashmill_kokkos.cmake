# Provides Kokkos::kokkos and settles hashmill_backend. In this order: a Kokkos that the enclosing
# project already has, the sources named by FETCHCONTENT_SOURCE_DIR_KOKKOS, an installed Kokkos, the
# pinned release. Kokkos's own rule picks its default execution space; the backend must be that one.
#
# A TU that links Kokkos goes through nvcc by Kokkos's own launcher when Kokkos has CUDA and the C++
# compiler is not nvcc_wrapper, so nothing needs to be said for that.

set(hashmill_kokkos_minimum 4.6)
set(hashmill_kokkos_below 6)
# The order in which Kokkos itself prefers its backends as the default execution space.
set(hashmill_kokkos_preference CUDA HIP SYCL OPENMP THREADS SERIAL)

if(NOT TARGET Kokkos::kokkos AND NOT FETCHCONTENT_SOURCE_DIR_KOKKOS)
  find_package(Kokkos ${hashmill_kokkos_minimum}...<${hashmill_kokkos_below} CONFIG QUIET)
endif()
if(NOT TARGET Kokkos::kokkos)
  include(${CMAKE_CURRENT_LIST_DIR}/hashmill_fetch_kokkos.cmake)
endif()

set(hashmill_kokkos_has "")
foreach(device IN LISTS hashmill_kokkos_preference)
  if(Kokkos_ENABLE_${device} OR device IN_LIST Kokkos_DEVICES)
    list(APPEND hashmill_kokkos_has ${device})
  endif()
endforeach()
string(TOLOWER "${hashmill_kokkos_has}" hashmill_kokkos_has)
list(GET hashmill_kokkos_has 0 hashmill_kokkos_default)
list(JOIN hashmill_kokkos_has ", " hashmill_kokkos_listed)
set(hashmill_kokkos_where "${Kokkos_DIR}")
if(Kokkos_SOURCE_DIR)
  set(hashmill_kokkos_where "${Kokkos_SOURCE_DIR}")
  get_directory_property(Kokkos_VERSION DIRECTORY ${Kokkos_SOURCE_DIR} DEFINITION Kokkos_VERSION)
endif()
if(Kokkos_VERSION AND (Kokkos_VERSION VERSION_LESS hashmill_kokkos_minimum
                       OR NOT Kokkos_VERSION VERSION_LESS hashmill_kokkos_below))
  message(
    FATAL_ERROR
      "The Kokkos at ${hashmill_kokkos_where} is ${Kokkos_VERSION}: hashmill needs ${hashmill_kokkos_minimum} or newer, "
      "below ${hashmill_kokkos_below}; pass another through -DKokkos_ROOT=<prefix>.")
endif()

if(NOT hashmill_backend)
  set(hashmill_backend openmp)
  if(hashmill_kokkos_default STREQUAL cuda)
    set(hashmill_backend cuda)
  endif()
endif()

if(NOT hashmill_backend IN_LIST hashmill_kokkos_has)
  string(TOUPPER ${hashmill_backend} hashmill_device)
  message(
    FATAL_ERROR
      "The Kokkos at ${hashmill_kokkos_where} has ${hashmill_kokkos_listed} and not ${hashmill_backend}: "
      "use -DHASHMILL_BACKEND=${hashmill_kokkos_default}, or "
      "-DKokkos_ROOT=<Kokkos built with -DKokkos_ENABLE_${hashmill_device}=ON>, or "
      "-DCMAKE_DISABLE_FIND_PACKAGE_Kokkos=ON to build the pinned release.")
endif()
if(NOT hashmill_backend STREQUAL hashmill_kokkos_default)
  message(
    FATAL_ERROR
      "The Kokkos at ${hashmill_kokkos_where} has ${hashmill_kokkos_listed} and runs on "
      "${hashmill_kokkos_default} by default: use -DHASHMILL_BACKEND=${hashmill_kokkos_default}, or "
      "a Kokkos without ${hashmill_kokkos_default} through -DKokkos_ROOT=<prefix>.")
endif()
if(hashmill_backend MATCHES "^(cuda|hip|sycl)$" AND NOT hashmill_kokkos_has MATCHES "openmp|serial|threads")
  message(
    FATAL_ERROR
      "The Kokkos at ${hashmill_kokkos_where} has ${hashmill_kokkos_listed} and no host backend: "
      "rebuild it with -DKokkos_ENABLE_OPENMP=ON.")
endif()
message(STATUS "hashmill: backend ${hashmill_backend}, Kokkos ${Kokkos_VERSION} (${hashmill_kokkos_listed}) at "
               "${hashmill_kokkos_where}")
