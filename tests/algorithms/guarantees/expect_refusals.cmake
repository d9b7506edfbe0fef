# cmake -DBUILD=<folder> -DTARGET=<target> -DCONFIG=<configuration> -DSOURCE=<file> -P expect_refusals.cmake
#
# Builds a target that must fail to compile, with every sentence that its source names in a comment
# "Says: ...".
execute_process(
  COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target ${TARGET} --config ${CONFIG}
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output
  RESULT_VARIABLE result)
if(result EQUAL 0)
  message(FATAL_ERROR "${TARGET} compiled.")
endif()
file(STRINGS ${SOURCE} lines REGEX "^// Says: ")
if(NOT lines)
  message(FATAL_ERROR "${SOURCE} names no sentence.")
endif()
foreach(line IN LISTS lines)
  string(REPLACE "// Says: " "" sentence "${line}")
  string(FIND "${output}" "${sentence}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "The compiler did not say \"${sentence}\" but:\n${output}")
  endif()
endforeach()
