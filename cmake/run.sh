#!/bin/sh
# One command from a clone to results:
#   sh cmake/run.sh compare [OPTION...]   set up, build and run hashmill-compare (which has --help)
#   sh cmake/run.sh test [OPTION...]      set up, build and run every test; options go to ctest
#   sh cmake/run.sh asan [OPTION...]      the unit tests under the address and undefined sanitizers
#   sh cmake/run.sh tsan [OPTION...]      the operations of each table under the thread sanitizer
#   sh cmake/run.sh sanitize [TOOL]       the unit tests of the cuda preset under compute-sanitizer
#   sh cmake/run.sh format                check that sources are formatted
#   sh cmake/run.sh prose                 check the sentences of comments
#   sh cmake/run.sh tidy                  check the headers with clang-tidy
#   sh cmake/run.sh docs                  write pages of the public headers to build/docs
#   sh cmake/run.sh setup                 only find or install what the others need
# Each step is named once, with the seconds it took; what is there already is not done again.
#
# From the environment:
#   HASHMILL_BACKEND      a backend; by default cuda where nvcc and a CUDA Kokkos are found, else openmp
#   HASHMILL_CMAKE_FLAGS  more flags for configuring, such as -DKokkos_ROOT=/opt/kokkos
#   Kokkos_ROOT           an installed Kokkos
# This is `cmake --workflow --preset compare` and `--preset test`, with the machine set up before.
set -eu
cd "$(dirname "$0")/.."
. cmake/setup/steps.sh
. cmake/setup/packages.sh
. cmake/setup/newer_debian.sh
. cmake/setup/boost.sh
. cmake/setup/kokkos.sh
. cmake/setup/ccache.sh

command -v nvcc >/dev/null || PATH=$PATH:/usr/local/cuda/bin
# Bound threads would leave one core to the peers, which make threads of their own.
export OMP_PROC_BIND="${OMP_PROC_BIND:-false}"

setup() {
  need_packages
  need_boost
  need_kokkos
}

# The preset of HASHMILL_BACKEND, or of what the machine has.
choose_preset() {
  case ${HASHMILL_BACKEND:-} in
    openmp | cuda) echo "$HASHMILL_BACKEND" ;;
    '') if kokkos_has cuda; then echo cuda; else echo openmp; fi ;;
    *) stop "HASHMILL_BACKEND=$HASHMILL_BACKEND has no preset: use openmp or cuda, or call cmake yourself (README.md)" ;;
  esac
}

# build PRESET [TARGET...]
build() {
  preset=$1
  shift
  # nvcc compiles a file once for each architecture and once for hosts, of which ccache would see one.
  case $preset in cuda*) ;; *) use_ccache ;; esac
  # Flags are separate words.
  # shellcheck disable=SC2086
  step "Configure build/$preset" cmake --preset "$preset" ${HASHMILL_CMAKE_FLAGS:-}
  step "Build build/$preset" cmake --build --preset "$preset" ${1:+--target "$@"}
}

run_tests() {
  preset=$1
  shift
  step "Test build/$preset" ctest --preset "$preset" --output-log "build/$preset/tests.log" "$@"
}

[ $# -gt 0 ] || set -- help
command=$1
shift
case $command in
  setup) setup ;;
  compare)
    setup
    preset=$(choose_preset)
    build "$preset" hashmill-compare
    step 'Compare' "build/$preset/perf/hashmill-compare" "$@"
    ;;
  test)
    setup
    preset=$(choose_preset)
    build "$preset"
    run_tests "$preset" "$@"
    ;;
  asan)
    setup
    build asan
    run_tests asan "$@"
    ;;
  tsan)
    # The preset builds and runs all unit tests and the fuzzer, as CMake is called by itself; these
    # are those that do the most in the least time.
    setup
    build tsan hashmill_model_test hashmill_seen_races
    run_tests tsan -R '^(model|tsan)\.' "$@"
    ;;
  sanitize)
    setup
    build cuda
    for tool in "${1:-memcheck}" ${1:-racecheck}; do
      step "Check with $tool" sh cmake/sanitize.sh "$tool" build/cuda/tests/*/hashmill_*_test
    done
    ;;
  format)
    need_command clang-format clang-format
    step 'Check the format' check_format
    ;;
  prose) step 'Check the comments' sh cmake/check_prose.sh . ;;
  tidy)
    setup
    need_command clang-tidy clang-tidy
    # Flags are separate words.
    # shellcheck disable=SC2086
    quiet_step 'Configure build/openmp' cmake --preset openmp ${HASHMILL_CMAKE_FLAGS:-}
    quiet_step 'Check the headers with clang-tidy' sh cmake/tidy.sh build/openmp
    ;;
  docs)
    need_command doxygen doxygen
    step 'Write build/docs/index.html' sh cmake/docs.sh
    ;;
  *)
    sed -n '2,/^set -eu/{/^set/d;s/^# \{0,1\}//p}' cmake/run.sh
    [ "$command" = help ] || stop "no command '$command'"
    ;;
esac
