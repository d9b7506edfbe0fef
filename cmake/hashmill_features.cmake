# Optional communication layers; each is required once it is asked for.

if(HASHMILL_ENABLE_MPI)
  find_package(MPI REQUIRED COMPONENTS CXX)
  target_link_libraries(hashmill INTERFACE MPI::MPI_CXX)
  target_compile_definitions(hashmill INTERFACE HASHMILL_ENABLE_MPI)
endif()
