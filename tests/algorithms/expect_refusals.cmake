# cmake -DBUILD=<folder> -DTARGET=<target> -DCONFIG=<configuration> -P expect_refusals.cmake
#
# Builds a target that must fail to compile with every one of these sentences.
execute_process(
  COMMAND ${CMAKE_COMMAND} --build ${BUILD} --target ${TARGET} --config ${CONFIG}
  OUTPUT_VARIABLE output
  ERROR_VARIABLE output
  RESULT_VARIABLE result)
if(result EQUAL 0)
  message(FATAL_ERROR "${TARGET} compiled.")
endif()
foreach(
  sentence IN
  ITEMS "hashmill: the execution space cannot access the table's memory space"
        "hashmill::HashGraph: the execution space cannot access the memory space of the keys"
        "hashmill: the execution space cannot access the memory space of the queries"
        "hashmill: the execution space cannot access the memory space of the results"
        "hashmill::partition: the execution space cannot access the views' memory space"
        "hashmill::to_arrow: the Arrow C data interface is for the host's memory")
  string(FIND "${output}" "${sentence}" position)
  if(position EQUAL -1)
    message(FATAL_ERROR "The compiler did not say \"${sentence}\" but:\n${output}")
  endif()
endforeach()
