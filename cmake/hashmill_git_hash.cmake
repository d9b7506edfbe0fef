# Sets hashmill_git_hash to the commit being configured, "-dirty" when tracked files differ from it,
# and configures again after each commit so that programs never print an old one.

set(hashmill_git_hash unknown)
find_program(HASHMILL_GIT git)
mark_as_advanced(HASHMILL_GIT)
if(HASHMILL_GIT AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(
    COMMAND ${HASHMILL_GIT} -C ${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE hashmill_described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
    RESULT_VARIABLE hashmill_git_status)
  if(hashmill_git_status EQUAL 0)
    set(hashmill_git_hash ${hashmill_described})
  endif()
  if(EXISTS ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
    set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
                                                                 ${PROJECT_SOURCE_DIR}/.git/logs/HEAD)
  endif()
endif()
