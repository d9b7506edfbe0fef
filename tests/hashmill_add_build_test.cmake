# hashmill_add_build_test(NAME <test> TARGET <target> [LABELS <label>...])
#
# A test that passes when `target` builds; for what a plain build should not spend time on.
function(hashmill_add_build_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TARGET" "LABELS")
  if(NOT arg_LABELS)
    set(arg_LABELS smoke)
  endif()
  add_test(NAME ${arg_NAME} COMMAND ${CMAKE_COMMAND} --build ${PROJECT_BINARY_DIR} --target ${arg_TARGET} --config
                                    $<CONFIG>)
  # Two builds of one tree at once would disturb each other. What compiles takes longest: it starts first.
  set_tests_properties(${arg_NAME} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1500 RESOURCE_LOCK hashmill_build
                                              COST 1000)
endfunction()
