# Sourced by run.sh: the tools and libraries of a build, from Debian-like packages where root may
# install them, and otherwise by naming them.

is_debian_like() { command -v apt-get >/dev/null && command -v dpkg >/dev/null; }

# The Debian package of a tool or of a CMake package.
package_of() {
  case $1 in
    c++) echo g++ ;;
    clang-tidy) echo clang-tidy libomp-dev ;; # its <omp.h>
    git) echo git ca-certificates ;;
    ninja) echo ninja-build ;;
    gnuplot) echo gnuplot-nox ;;
    GTest) echo libgtest-dev ;;
    benchmark) echo libbenchmark-dev ;;
    CLI11) echo libcli11-dev ;;
    TBB) echo libtbb-dev ;;
    absl) echo libabsl-dev ;;
    hwloc) echo libhwloc-dev ;;
    MPI) echo libopenmpi-dev openmpi-bin ;;
    *) echo "$1" ;;
  esac
}

apt_install() {
  DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"
}
update_and_install() { apt-get update && apt_install "$@"; }

# install_missing NAME...: tools and CMake packages that were not found.
install_missing() {
  packages=$(for name in "$@"; do package_of "$name"; done | sort -u | paste -sd ' ' -)
  is_debian_like ||
    stop "install these, by the names your system gives them, and run this again: $*"
  [ "$(id -u)" -eq 0 ] || stop "as root, run: apt-get install -y $packages; then run this again"
  # Names are separate words.
  # shellcheck disable=SC2086
  quiet_step "Install $packages" update_and_install $packages
}

# need_command COMMAND NAME: finds a tool, or installs it.
need_command() { command -v "$1" >/dev/null || install_missing "$2"; }

# Writes build/probe/probe.txt anew, without what was found before and may be gone.
probe() {
  rm -f build/probe/probe.txt
  # shellcheck disable=SC2086
  cmake --fresh -S cmake/setup/probe -B build/probe -G Ninja ${HASHMILL_CMAKE_FLAGS:-} >"$setup_log" 2>&1 || {
    cat "$setup_log" >&2
    stop 'CMake or the C++ compiler does not work here, as above'
  }
}

need_packages() {
  missing=
  for tool in cmake ninja c++ git gnuplot python3; do
    command -v $tool >/dev/null || missing="$missing $tool"
  done
  case "$missing" in
    # Libraries can be looked for only once there are CMake and a compiler.
    *cmake* | *ninja* | *c++*) missing="$missing GTest benchmark CLI11 TBB absl hwloc MPI" ;;
    *)
      complete_kokkos_package
      probe
      missing="$missing$(sed -n 's/^missing / /p' build/probe/probe.txt | tr -d '\n')"
      ;;
  esac
  if [ -z "$missing" ]; then
    say 'Tools and libraries: all found'
    return
  fi
  # shellcheck disable=SC2086
  install_missing $missing
  complete_kokkos_package
  probe
  ! grep -q '^missing' build/probe/probe.txt || stop "CMake still does not find: $(cat build/probe/probe.txt)"
}
