# Sourced by run.sh: how steps are printed, timed and logged.

mkdir -p build
setup_log=build/setup.log

say() { printf '==> %s\n' "$*"; }

# Fails with the next step to take.
stop() {
  printf '==> Stopped: %s\n' "$*" >&2
  exit 1
}

# step NAME COMMAND...: names a step, runs it, and says how long it took.
step() {
  name=$1
  shift
  say "$name"
  began=$(date +%s)
  "$@" || stop "'$name' failed; its command was: $*"
  printf '    %s: %s s\n' "$name" "$(($(date +%s) - began))"
}

# quiet_step NAME COMMAND...: as step; the output goes to the log and is shown when it fails.
quiet_step() {
  name=$1
  shift
  say "$name"
  began=$(date +%s)
  if ! "$@" >"$setup_log" 2>&1; then
    tail -n 30 "$setup_log" >&2
    stop "'$name' failed, as above; all of it is in $setup_log, and the command was: $*"
  fi
  printf '    %s: %s s\n' "$name" "$(($(date +%s) - began))"
}

# Sources differ from what clang-format 14 makes of them: each place, then failure.
check_format() {
  git ls-files -z '*.hpp' '*.cpp' | xargs -0 clang-format --dry-run --Werror
}
