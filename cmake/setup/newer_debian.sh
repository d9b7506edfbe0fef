# Sourced by run.sh: packages of newer Debian releases, from the mirror that this machine already
# uses, while its own sources stay as they are.

# The release and mirror of the first Debian main archive among apt's sources: "RELEASE URI".
debian_mirror() {
  # These are apt's own variables.
  # shellcheck disable=SC2016
  apt-get indextargets --format '$(COMPONENT) $(RELEASE) $(REPO_URI)' 'Created-By: Packages' |
    awk '$1 == "main" && $2 !~ /[-\/]/ { print $2, $3; exit }'
}

# Whether newer releases can be asked here, in $newer_mirror, else why not, in $no_newer.
can_install_newer() {
  newer_mirror=
  if ! is_debian_like || ! grep -q '^ID=debian$' /etc/os-release; then
    no_newer='only Debian has packages of it'
  elif [ "$(id -u)" -ne 0 ]; then
    no_newer='packages are installed by root: run sudo sh cmake/run.sh setup'
  else
    newer_mirror=$(debian_mirror)
    no_newer="apt's sources name no mirror of Debian"
  fi
  [ -n "$newer_mirror" ]
}

# Writes apt's view of the newer releases into a folder of its own. Priorities below 100 keep
# everything that is not asked for where it is.
write_newer_sources() {
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  mkdir -p "$newer/sources" "$newer/preferences" "$newer/lists/partial"
  for release in $(printf '%s\n' "$1" trixie sid | sort -u); do
    printf 'Types: deb\nURIs: %s\nSuites: %s\nComponents: main\n' "$2" "$release"
    [ ! -e $keyring ] || echo "Signed-By: $keyring"
    echo
  done >"$newer/sources/newer.sources"
  printf 'Package: *\nPin: release n=%s\nPin-Priority: %s\n\n' sid 50 trixie 60 >"$newer/preferences/newer"
}

# newer COMMAND...: an apt command that sees the newer releases.
newer() {
  program=$1
  shift
  DEBIAN_FRONTEND=noninteractive "$program" -o Dir::Etc::sourcelist=/dev/null \
    -o "Dir::Etc::sourceparts=$newer/sources" -o "Dir::Etc::preferencesparts=$newer/preferences" \
    -o "Dir::State::lists=$newer/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
    -o Dpkg::Options::=--force-confold "$@"
}

# with_newer COMMAND...: runs it where `newer` works; after can_install_newer.
with_newer() {
  newer=$(mktemp -d)
  chmod 755 "$newer"
  write_newer_sources "${newer_mirror% *}" "${newer_mirror#* }"
  "$@" && result=0 || result=$?
  rm -rf "$newer"
  return $result
}
