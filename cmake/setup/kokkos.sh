# Sourced by run.sh: a Kokkos. In this order: one that CMake finds; the pinned release, which CMake
# builds where its repository can be reached; on Debian as root, the packages of newer Debian
# releases, from the mirror that this machine already uses.

# kokkos_has BACKEND: whether the Kokkos that was found has it.
kokkos_has() { grep -qE "^kokkos .*[ ,]$1(,|\$)" build/probe/probe.txt; }

need_kokkos() {
  if grep -q '^kokkos' build/probe/probe.txt; then
    say "Kokkos: $(sed -n 's/^kokkos //p' build/probe/probe.txt) found"
  elif release_reachable; then
    say 'Kokkos: none installed; CMake builds the pinned release'
  else
    install_kokkos_packages
    complete_kokkos_package
    probe
    grep -q '^kokkos' build/probe/probe.txt || stop "CMake does not find the Kokkos just installed: see $setup_log"
  fi
}

release_reachable() {
  repository=$(sed -n 's/^set(hashmill_kokkos_repository \(.*\))/\1/p' cmake/hashmill_fetch_kokkos.cmake)
  GIT_TERMINAL_PROMPT=0 timeout 20 git ls-remote "$repository" HEAD >/dev/null 2>&1
}

# Debian's CMake files name two libraries that no package ships, as all of theirs is in headers:
# without empty archives in their place find_package(Kokkos) fails.
complete_kokkos_package() {
  core=$(dpkg -L libkokkos-dev 2>/dev/null | grep '/libkokkoscore\.so$') || return 0
  for name in kokkosalgorithms kokkossimd; do
    archive=$(dirname "$core")/lib$name.a
    [ ! -e "$archive" ] || continue
    ar rcs "$archive" 2>/dev/null || stop "as root, run: ar rcs $archive; then run this again"
  done
}

# How to go on where nothing more can be done here.
no_kokkos() {
  stop "no Kokkos 4.6 to 5 was found and its repository cannot be reached ($1): pass an installed one as" \
    "Kokkos_ROOT=<prefix> sh cmake/run.sh ..., or its sources as" \
    "HASHMILL_CMAKE_FLAGS=-DFETCHCONTENT_SOURCE_DIR_KOKKOS=<folder> sh cmake/run.sh ..."
}

# Debian 13's C runtime (not a newer one: nvcc 13.0 cannot read the headers of glibc 2.42), and
# Kokkos from unstable, both libraries at the version that unstable has now.
install_newer_kokkos() {
  newer apt-get update || return # an unreadable or outdated mirror: apt has said so
  version=$(newer apt-cache madison libkokkos-dev | awk '$0 ~ / sid\// { print $3; exit }')
  if ! dpkg --compare-versions "${version:-0}" ge 4.6 || ! dpkg --compare-versions "$version" lt 6; then
    echo "libkokkos-dev in unstable is '$version', not 4.6 to 5"
    return 1
  fi
  runtime=$(newer apt-cache show "libkokkos-dev=$version" |
    sed -n 's/^Depends:.*\(libkokkos[0-9][0-9.]*\) (=.*/\1/p' | head -n 1)
  newer apt-get install -y --no-install-recommends -t trixie libc6-dev libstdc++6 libgomp1 \
    "libkokkos-dev=$version" ${runtime:+"$runtime=$version"}
}

install_kokkos_packages() {
  can_install_newer || no_kokkos "$no_newer"
  with_newer quiet_step "Install Kokkos from Debian unstable, with Debian 13's C runtime" install_newer_kokkos
}
