# Builds Kokkos as part of this build: from FETCHCONTENT_SOURCE_DIR_KOKKOS, else from the pinned
# release. Everything that fails here says in one sentence what to do next.

set(hashmill_kokkos_release 5.0.2)
set(hashmill_kokkos_commit dfceb77277e23361cccfbcf72c0468fd8475153e)
set(hashmill_kokkos_repository https://github.com/kokkos/kokkos.git)

include(FetchContent)
FetchContent_Declare(
  Kokkos
  GIT_REPOSITORY ${hashmill_kokkos_repository}
  GIT_TAG ${hashmill_kokkos_commit}
  SYSTEM)

if(FETCHCONTENT_SOURCE_DIR_KOKKOS)
  if(NOT EXISTS ${FETCHCONTENT_SOURCE_DIR_KOKKOS}/CMakeLists.txt)
    message(FATAL_ERROR "FETCHCONTENT_SOURCE_DIR_KOKKOS=${FETCHCONTENT_SOURCE_DIR_KOKKOS} holds no Kokkos sources: "
                        "name the folder that has Kokkos's CMakeLists.txt.")
  endif()
elseif(NOT EXISTS ${FETCHCONTENT_BASE_DIR}/kokkos-src/CMakeLists.txt)
  find_program(HASHMILL_GIT git)
  set(hashmill_git_status 1)
  if(HASHMILL_GIT)
    execute_process(
      COMMAND ${CMAKE_COMMAND} -E env GIT_TERMINAL_PROMPT=0 ${HASHMILL_GIT} ls-remote
              ${hashmill_kokkos_repository} HEAD
      TIMEOUT 30 RESULT_VARIABLE hashmill_git_status OUTPUT_QUIET ERROR_QUIET)
  endif()
  if(NOT hashmill_git_status STREQUAL 0)
    message(
      FATAL_ERROR
        "No Kokkos ${hashmill_kokkos_minimum} or newer is installed and ${hashmill_kokkos_repository} cannot be "
        "reached: pass -DKokkos_ROOT=<installed Kokkos> or -DFETCHCONTENT_SOURCE_DIR_KOKKOS=<its sources>, or "
        "run 'sh cmake/run.sh setup' on a Debian-like machine. ${Kokkos_NOT_FOUND_MESSAGE}")
  endif()
  message(STATUS "hashmill: no installed Kokkos, building release ${hashmill_kokkos_release} from "
                 "${hashmill_kokkos_repository}")
endif()

# What was asked for, and for a device always a host backend beside it.
set(hashmill_kokkos_enable openmp)
if(hashmill_backend)
  set(hashmill_kokkos_enable ${hashmill_backend})
endif()
if(hashmill_kokkos_enable MATCHES "^(cuda|hip|sycl)$")
  list(APPEND hashmill_kokkos_enable openmp serial)
endif()
string(TOUPPER "${hashmill_kokkos_enable}" hashmill_kokkos_enable)
foreach(device IN LISTS hashmill_kokkos_enable)
  set(Kokkos_ENABLE_${device} ON CACHE BOOL "Set for HASHMILL_BACKEND")
endforeach()
FetchContent_MakeAvailable(Kokkos)
