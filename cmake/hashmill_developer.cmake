# Flags of this project's own programs; never part of hashmill::hashmill.

add_library(hashmill_developer INTERFACE)
target_link_libraries(hashmill_developer INTERFACE hashmill::hashmill)
target_compile_options(hashmill_developer INTERFACE -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in every "text" + std::string (GCC bug 105329).
  target_compile_options(hashmill_developer INTERFACE -Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  # GCC sees an empty std::optional of a number used (GCC bug 80635).
  target_compile_options(hashmill_developer INTERFACE -Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT hashmill_backend STREQUAL cuda)
  # GCC collects its garbage only beyond 2 GB: a tenth of the time to compile, for 0.4 GB.
  target_compile_options(hashmill_developer INTERFACE --param=ggc-min-heapsize=2000000)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache")
  # Without it, ccache leaves files with precompiled headers alone.
  target_compile_options(hashmill_developer INTERFACE -fpch-preprocess)
endif()
if(hashmill_backend STREQUAL cuda)
  # nvcc's own pragmas, as the host compiler sees them.
  target_compile_options(hashmill_developer INTERFACE -Wno-unknown-pragmas)
endif()
