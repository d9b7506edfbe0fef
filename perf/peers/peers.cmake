# hashmill_link_peers(TARGET): the tables that hashmill is compared with, as far as they are
# installed; hashmill_peers names them. They are no part of the library.

find_package(TBB QUIET)
find_package(absl QUIET)
find_package(Boost 1.81 CONFIG QUIET)
if(hashmill_backend STREQUAL cuda)
  find_package(cuco QUIET)
endif()

set(hashmill_peers "std::unordered_multimap, Kokkos::UnorderedMap, DuckDB where found at run time")
set(hashmill_peer_targets "")
set(hashmill_peer_definitions "")
foreach(peer IN ITEMS "TBB::tbb TBB oneTBB" "absl::flat_hash_map ABSL Abseil" "Boost::headers BOOST Boost"
                      "cuco::cuco CUCO cuCollections")
  string(REPLACE " " ";" peer ${peer})
  list(GET peer 0 peer_target)
  if(TARGET ${peer_target})
    list(GET peer 1 peer_macro)
    list(GET peer 2 peer_name)
    list(APPEND hashmill_peer_targets ${peer_target})
    list(APPEND hashmill_peer_definitions HASHMILL_PERF_HAS_${peer_macro})
    string(APPEND hashmill_peers ", ${peer_name}")
  endif()
endforeach()

if(TARGET Boost::headers AND Boost_VERSION VERSION_GREATER_EQUAL 1.85) # bulk visitation
  list(APPEND hashmill_peer_definitions HASHMILL_PERF_HAS_CONCURRENT_BOOST)
endif()

function(hashmill_link_peers target)
  target_link_libraries(${target} PRIVATE ${hashmill_peer_targets})
  target_compile_definitions(${target} PRIVATE ${hashmill_peer_definitions})
endfunction()
