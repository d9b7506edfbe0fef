message(FATAL_ERROR "No Kokkos was found: pass -DKokkos_ROOT=<prefix>.")
