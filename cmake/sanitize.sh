#!/bin/sh
# sh cmake/sanitize.sh TOOL PROGRAM...: GoogleTest programs of a CUDA build under compute-sanitizer.
# Tests of one parameter share their kernels, and instrumenting kernels takes the time, so each
# parameter is a process of its own, and JOBS of them (default: the processors) run side by side, on
# all GPUs in turn. So is each test of a memory budget, which launches more kernels than it has.
# Of the variants of a test a quarter is run (HASHMILL_SAMPLE_TESTS), and tests whose single threads
# walk a million entries are left out: here they take hours, and all they add is size. Errors that
# tests provoke in the CUDA API (memory that is not there) are theirs to check. What PASSED, a file
# with the output of an earlier run, says of the same programs is not run again.
set -eu
tool=$1
shift
export HASHMILL_SAMPLE_TESTS=1
export HASHMILL_MEMORY_CACHE=0 # what is freed is not to be used
limit=${LIMIT:-1800} # seconds a process
# The tools leave no room below a limit of addresses.
left_out='Large[.]|HoldsManyKeysThatCollide|HostMemory[.]EndsAt'
# racecheck looks at the kernels of teams (TeamPolicy, CudaTeam), the only ones of ours that share
# memory. (It reports a planted race in kernels of both kinds under this filter, and none under a name
# that nothing has.) It loses track of kernels that several threads launch, as ranks that are threads
# do. It sees ranks that are processes under mpirun.
kernels=
if [ "$tool" = racecheck ]; then
  kernels='--kernel-name kns=Team'
  left_out="$left_out|Thread[A-Z][a-z]*[.]Case/.*_[2-9]|Node[A-Z][a-z]*[.]Case|OverSeveralNodes"
  left_out="$left_out|DistributedJoinMemory|OfSeveralRanks|^Faults/|^Ranks/"
fi
log=$(mktemp -d)
trap 'rm -rf "$log"' EXIT

# One line a process: program, filter.
groups() {
  for program; do
    "$program" --gtest_list_tests | awk -v program="$program" -v left_out="$left_out" '
      /^[^ ]/ { suite = $1; typed = suite ~ /\/[0-9]+\.$/; next }
      /^  /   { group = suite
                if (!typed && $1 ~ /\//) { group = $1; sub(/^.*\//, "", group) }
                if (suite ~ /^(HybridHash|PartStore)/) group = suite $1
                if (suite $1 !~ left_out) filter[group] = filter[group] ":" suite $1 }
      END     { for (group in filter) print program, substr(filter[group], 2) }'
  done
}

# Those lines without the groups that an earlier run says have passed.
not_passed() {
  awk -v passed="${PASSED:-/dev/null}" '
    BEGIN {
      while ((getline line <passed) > 0) {
        if (split(line, word) == 5 && word[1] == "passed") done[word[4] " " word[5]]
      }
    }
    { name = $1; sub(/^.*\//, "", name); first = $2; sub(/:.*/, "", first) }
    !((name " " first) in done)'
}

cat >"$log/one" <<'SCRIPT'
tool=$1 kernels=$2 limit=$3 log=$4 program=$5 filter=$6
out=$log/$$
begin=$(date +%s)
status=passed
export CUDA_VISIBLE_DEVICES=$((SLOT % GPUS))
# Options are separate words.
# shellcheck disable=SC2086
timeout "$limit" compute-sanitizer --tool "$tool" $kernels --report-api-errors no --error-exitcode 9 \
  "$program" --gtest_filter="$filter" >"$out" 2>&1 || status="FAILED ($?)"
grep -q 'ERROR SUMMARY: 0 errors\|RACECHECK SUMMARY: 0 hazards' "$out" || status="FAILED $status"
printf '%s %4d s  %s %s\n' "$status" $(($(date +%s) - begin)) "${program##*/}" "${filter%%:*}"
[ "$status" = passed ] || { grep -v 'Host Frame\|OK \]' "$out" | tail -40; exit 1; }
SCRIPT

GPUS=$(nvidia-smi --list-gpus | wc -l)
export GPUS
groups "$@" | not_passed | xargs --process-slot-var=SLOT -P "${JOBS:-$(nproc)}" -L 1 sh "$log/one" "$tool" "$kernels" "$limit" "$log"
printf 'compute-sanitizer %s: no error\n' "$tool"
