# Sourced by run.sh: what a machine has compiled before, it need not compile again, in any clone.

# Lets CMake and GCC or Clang use ccache, where it is installed and nothing else is asked for.
use_ccache() {
  command -v ccache >/dev/null || return 0
  export CMAKE_CXX_COMPILER_LAUNCHER="${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}"
  # Paths below the clone count from it, so that another clone finds the same objects.
  export CCACHE_BASEDIR="$PWD" CCACHE_NOHASHDIR=1
  # Precompiled headers have no macros or times of their own that matter here.
  export CCACHE_SLOPPINESS=pch_defines,time_macros
  # -march=native is another machine's elsewhere, and the same text.
  CCACHE_NAMESPACE="hashmill $(c++ -march=native -Q --help=target 2>/dev/null | cksum)"
  export CCACHE_NAMESPACE
}
