# Flags of this project's own programs; never part of hashmill::hashmill.

add_library(hashmill_developer INTERFACE)
target_link_libraries(hashmill_developer INTERFACE hashmill::hashmill)
target_compile_options(hashmill_developer INTERFACE -Wall -Wextra)
