# Sourced by run.sh: a Boost that has boost::concurrent_flat_map with bulk visitation, 1.85 or newer,
# which hashmill-compare compares with: one that CMake finds, or the package of Debian 13. Nothing
# stops without it.

need_boost() {
  grep -q '^old Boost' build/probe/probe.txt || return 0
  have=$(sed -n 's/^old Boost //p' build/probe/probe.txt)
  if ! can_install_newer; then
    say "Boost: $have, and what 1.85 added is not compared with ($no_newer)"
    return 0
  fi
  say 'Install Boost from Debian 13'
  if with_newer install_newer_boost >"$setup_log" 2>&1; then
    probe
  else
    say "Boost: $have, and what 1.85 added is not compared with: installing failed, see $setup_log"
  fi
}

install_newer_boost() {
  newer apt-get update || return # an unreadable or outdated mirror: apt has said so
  newer apt-get install -y --no-install-recommends -t trixie libboost1.88-dev
}
