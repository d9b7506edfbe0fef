# generate_cuda_headers(<installed Kokkos headers> <folder>)
#
# Fills `folder` with copies of the few configuration headers of an installed Kokkos that say which
# backends it has, with CUDA for Hopper added. Put before the installed headers on the include path,
# it lets nvcc compile kernels (not link them) with a Kokkos that was built without CUDA.

# Copies a header; each further pair is a regular expression and what stands in its place.
function(copy_header_with installed folder header)
  file(READ ${installed}/${header} text)
  while(ARGN)
    list(POP_FRONT ARGN pattern replacement)
    string(REGEX REPLACE "${pattern}" "${replacement}" changed "${text}")
    if(changed STREQUAL text)
      message(FATAL_ERROR "${installed}/${header} has no '${pattern}': the CUDA gate does not know this Kokkos.")
    endif()
    set(text "${changed}")
  endwhile()
  file(CONFIGURE OUTPUT ${folder}/${header} CONTENT "@text@" @ONLY)
endfunction()

function(generate_cuda_headers installed folder)
  copy_header_with(
    ${installed} ${folder} KokkosCore_config.h
    "/\\* #undef KOKKOS_ENABLE_CUDA \\*/" "#define KOKKOS_ENABLE_CUDA"
    "/\\* #undef KOKKOS_ARCH_HOPPER \\*/" "#define KOKKOS_ARCH_HOPPER"
    "/\\* #undef KOKKOS_ARCH_HOPPER90 \\*/" "#define KOKKOS_ARCH_HOPPER90")
  copy_header_with(${installed} ${folder} desul/atomics/Config.hpp "/\\* #undef DESUL_ATOMICS_ENABLE_CUDA \\*/"
                   "#define DESUL_ATOMICS_ENABLE_CUDA")
  copy_header_with(${installed} ${folder} KokkosCore_Config_FwdBackend.hpp "#endif[ \n]*$"
                   "#include <fwd/Kokkos_Fwd_CUDA.hpp>\n#endif\n")
  copy_header_with(${installed} ${folder} KokkosCore_Config_SetupBackend.hpp "#endif[ \n]*$"
                   "#include <setup/Kokkos_Setup_Cuda.hpp>\n#endif\n")
  copy_header_with(${installed} ${folder} KokkosCore_Config_DeclareBackend.hpp "#endif[ \n]*$"
                   "#include <decl/Kokkos_Declare_CUDA.hpp>\n#endif\n")
endfunction()
