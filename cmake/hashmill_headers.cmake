include_guard()
include(GNUInstallDirs)

# Makes the headers under `directory` part of hashmill::hashmill, built and installed.
function(hashmill_add_headers directory)
  target_include_directories(hashmill INTERFACE $<BUILD_INTERFACE:${directory}>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  install(DIRECTORY ${directory}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
endfunction()
