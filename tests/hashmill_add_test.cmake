find_package(GTest REQUIRED)
include(GoogleTest)

# What test programs have in common; and main and, on hosts, the headers of other libraries that test
# files include, compiled once. With ours they save no more time, and one change compiles every file anew.
add_library(hashmill_test_base INTERFACE)
target_link_libraries(hashmill_test_base INTERFACE hashmill_developer GTest::gtest)
target_include_directories(hashmill_test_base INTERFACE ${PROJECT_SOURCE_DIR}/tests)
# Programs for the thread sanitizer tell it what an OpenMP Kokkos does.
if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=thread")
  add_library(hashmill_tsan STATIC ${PROJECT_SOURCE_DIR}/tests/tsan/openmp_order.cpp)
  target_link_libraries(hashmill_tsan PUBLIC hashmill_developer ${CMAKE_DL_LIBS})
  get_target_property(hashmill_kokkos_include Kokkos::kokkoscore INTERFACE_INCLUDE_DIRECTORIES)
  list(GET hashmill_kokkos_include 0 hashmill_kokkos_include)
  target_compile_definitions(hashmill_tsan PRIVATE HASHMILL_KOKKOS_HEADERS="${hashmill_kokkos_include}")
  target_link_options(hashmill_tsan INTERFACE LINKER:--wrap=__tsan_atomic_thread_fence)
  target_link_libraries(hashmill_test_base INTERFACE hashmill_tsan)
endif()
add_library(hashmill_test_main OBJECT ${PROJECT_SOURCE_DIR}/tests/main.cpp)
target_link_libraries(hashmill_test_main PUBLIC hashmill_test_base)
if(NOT hashmill_backend MATCHES "^(cuda|hip|sycl)$")
  target_precompile_headers(hashmill_test_main PRIVATE <Kokkos_Core.hpp> <gtest/gtest.h>)
  # Two thirds of the time to compile. Fully optimised code is what hashmill-compare runs and checks.
  target_compile_options(hashmill_test_base INTERFACE $<$<CONFIG:Release>:-Og>)
elseif(hashmill_backend STREQUAL cuda)
  # nvcc has one level, of the hosts' code, and no -Og. This is five sixths of the time.
  string(REPLACE "-O3" "-O1" CMAKE_CXX_FLAGS_RELEASE "${CMAKE_CXX_FLAGS_RELEASE}")
endif()

# Lets a program that links hashmill_test_base use those headers.
function(hashmill_reuse_test_headers program)
  get_target_property(headers hashmill_test_main PRECOMPILE_HEADERS)
  if(headers)
    target_precompile_headers(${program} REUSE_FROM hashmill_test_main)
  endif()
endfunction()

# hashmill_add_test(NAME <component> SOURCES <file>... [UNLESS_QUICK <file>...] [LABELS <label>...])
#
# UNLESS_QUICK: more sources, left out with HASHMILL_QUICK_TESTS: long to compile, and of paths that others
# take.
#
# One test program per component, hashmill_<component>_test, on Kokkos::DefaultExecutionSpace. Labels:
# unit (the default), property, perf, application, mpi, gpu, smoke. Target hashmill_unit_tests builds the
# programs of the first two, which is what sanitizers are run on.
#
# To ctest each test is one by itself, or part of one of HASHMILL_TEST_SHARDS of its program: starting a
# process takes longer than most tests do, above all under a sanitizer.
option(HASHMILL_SANITIZED_TESTS "The tests are compiled with a sanitizer" OFF)
option(HASHMILL_QUICK_TESTS "Leave out unit tests that take long to compile, and whose paths others take" OFF)
set(HASHMILL_TEST_SHARDS 0 CACHE STRING "Processes that share the unit tests of a program; 0: one for each test")
mark_as_advanced(HASHMILL_SANITIZED_TESTS HASHMILL_QUICK_TESTS HASHMILL_TEST_SHARDS)
add_custom_target(hashmill_unit_tests)
function(hashmill_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME" "SOURCES;UNLESS_QUICK;LABELS")
  if(NOT arg_NAME OR NOT arg_SOURCES)
    message(FATAL_ERROR "hashmill_add_test needs NAME and SOURCES.")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  set(program hashmill_${arg_NAME}_test)
  set(sources ${arg_SOURCES})
  if(NOT HASHMILL_QUICK_TESTS)
    list(APPEND sources ${arg_UNLESS_QUICK})
  endif()
  add_executable(${program} ${sources})
  target_link_libraries(${program} PRIVATE hashmill_test_main)
  if(arg_LABELS MATCHES "unit|property")
    add_dependencies(hashmill_unit_tests ${program})
  endif()
  hashmill_reuse_test_headers(${program})
  # Tests run side by side, and OpenMP threads that spin while they wait slow the others down.
  set(environment OMP_WAIT_POLICY=PASSIVE)
  if(HASHMILL_TEST_SHARDS)
    math(EXPR last "${HASHMILL_TEST_SHARDS} - 1")
    foreach(shard RANGE ${last})
      add_test(NAME ${arg_NAME}.shard_${shard} COMMAND ${program})
      set_tests_properties(
        ${arg_NAME}.shard_${shard}
        PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1200 ENVIRONMENT
                   "${environment};GTEST_TOTAL_SHARDS=${HASHMILL_TEST_SHARDS};GTEST_SHARD_INDEX=${shard}")
    endforeach()
  else()
    gtest_discover_tests(
      ${program}
      TEST_PREFIX "${arg_NAME}."
      DISCOVERY_MODE PRE_TEST
      DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 600 ENVIRONMENT ${environment})
  endif()
  hashmill_register_tests(${arg_SOURCES} ${arg_UNLESS_QUICK})
endfunction()

# hashmill_register_tests(<file>...): files of tests that this build may leave out.
function(hashmill_register_tests)
  foreach(source IN LISTS ARGN)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE)
    set_property(GLOBAL APPEND PROPERTY HASHMILL_REGISTERED_TESTS ${source})
  endforeach()
endfunction()

# Stops when a *_test.cpp is in no hashmill_add_test: a test that is never run.
function(hashmill_check_registered)
  file(GLOB_RECURSE found CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/*_test.cpp)
  get_property(registered GLOBAL PROPERTY HASHMILL_REGISTERED_TESTS)
  foreach(file IN LISTS found)
    if(NOT file IN_LIST registered)
      message(FATAL_ERROR "${file} is in no hashmill_add_test(): name it in the CMakeLists.txt of its folder.")
    endif()
  endforeach()
endfunction()
