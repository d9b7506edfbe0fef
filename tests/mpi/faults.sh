#!/bin/sh
# faults.sh MPIEXEC HOW RANKS PROGRAM STEP...: the last of some ranks fails (see faulty_rank.cpp) in each of
# the steps. Every other rank must name it and the step within 10 s, and end. While ranks connect they do
# not know each other, so that the failed one is -1.
set -u
mpiexec=$1 how=$2 ranks=$3 program=$4
shift 4
# Lets ranks live on after one ended, which Open MPI's mpirun would otherwise end too. A stopped rank
# did not end, and is ended with the others.
recovery=--enable-recovery
[ "$how" != stop ] || recovery=
result=0
for step; do
  # shellcheck disable=SC2086
  output=$(timeout 30 "$mpiexec" $recovery -n "$ranks" "$program" "$how" "$step" 2>&1)
  rank=0
  failed=$((ranks - 1))
  [ "$step" != connect ] || failed=-1
  while [ "$rank" -lt $((ranks - 1)) ]; do
    seen=$(printf '%s\n' "$output" | grep "^rank $rank: step .*failed rank $failed, after [0-9]\.[0-9] s")
    if [ -z "$seen" ]; then
      echo "step $step: rank $rank did not name rank $failed within 10 s"
      result=1
    fi
    rank=$((rank + 1))
  done
  [ $result -eq 0 ] || printf '%s\n' "$output"
done
exit $result
