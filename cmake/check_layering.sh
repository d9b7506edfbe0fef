#!/bin/sh
# Checks the rules that no compiler checks, over the source tree named by the first argument:
# includes run algorithms -> backends -> core only, and within algorithms down the list of folders
# below; what depends on a vendor or a backend stays in backends/; kernels of headers are functors;
# no file is longer than 800 lines. Prints each fault as FILE:LINE: text, then fails.
set -eu
cd "${1:?usage: check_layering.sh SOURCE_DIR}"

max_lines=800
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*'
# The folders of algorithms/include/hashmill. A file includes those of its own folder and of the
# folders above its own in this list. Behind a folder stand its faces, the headers beside it, besides
# that of its own name; files of a folder do not include its faces.
folders='
primitives     gather key_mode
compression    packed_column
row_container
partition
shuffle
multi_map
tag_bucket
bloom_filter
join_filter
hash_graph     row_table
chaining
array_table
linear_probing
join           hash_join intersect join_values mc_hash
distributed_hash_graph  distributed_intersect
distributed_join  distributed_join_operator distributed_semi_join
spill
hybrid_hash_join
group_by       aggregate aggregations distinct_counts group_rows hash_aggregation
distributed_group_by  distributed_aggregation
hybrid_hash_aggregation
hashmill
'
vendors='cub|thrust|cuda|cooperative_groups|hip|rocprim|hipcub|sycl|nccl|mpi|hwloc|omp|[a-z0-9]*intrin|arm_'
vendor_includes="$include<($vendors)[^>]*>"
vendor_macros='KOKKOS_ENABLE_(CUDA|HIP|SYCL|OPEN|THREADS|SERIAL|HPX)|__(CUDA|NVCC|HIP|SYCL|SSE|AVX|ARM_)|_OPENMP'
# Written so that this file does not contain them.
unfinished='TO''DO|FIX''ME|XX''X|HA''CK'

# The headers under a folder. File names in this project hold no blanks; the lists below rely on it.
headers() { find "$1" -name '*.hpp' -o -name '*.hpp.in' -o -name '*.h' | sort; }
# The include names of a folder's headers, as a pattern.
names() { (cd "$1/include" && find . -name '*.hpp' | sed 's|^\./||; s|[.+]|\\&|g' | paste -sd '|' -); }
# forbid TEXT PATTERN FILE...: a fault for each line that matches.
forbid() {
  text=$1
  pattern=$2
  shift 2
  [ $# -eq 0 ] && return
  grep -nHE "$pattern" "$@" | sed "s|^\([^:]*:[0-9]*:\).*|\1 $text|"
}

# A fault for each include of a folder's file that runs against the list.
check_folders() {
  root=algorithms/include/hashmill
  # The quotes keep awk's own variables.
  # shellcheck disable=SC2046
  printf '%s' "$folders" | awk -v root="$root/" -v include="$include" '
    FILENAME == "-" {
      if (NF) place[$1] = ++places
      for (i = 1; i <= NF; ++i) folder_of[$i] = $1
      next
    }
    function folder(path,  name) {
      name = path
      sub(/[\/.].*/, "", name)
      if (!(name in folder_of)) {
        if (path in known) print root path ":1: in no folder that check_layering.sh lists"
        return ""
      }
      return folder_of[name]
    }
    FNR == 1 { here = substr(FILENAME, length(root) + 1); known[here]; mine = folder(here) }
    mine != "" && $0 ~ include "<hashmill/" {
      there = $0
      sub(/^[^<]*<hashmill\//, "", there)
      sub(/>.*/, "", there)
      theirs = there ~ /^backends\// ? "" : folder(there)
      text = ""
      if (theirs != "" && place[theirs] > place[mine]) text = mine " must not include " theirs
      if (theirs == mine && here ~ /\// && there !~ /\//) text = "files of " mine " must not include its faces"
      if (text != "") print FILENAME ":" FNR ": " text
    }' - $(headers "$root")
}

check() {
  check_folders
  upper=$(names algorithms)
  middle=$(names backends)
  forbid 'core must not include backends' "$include<($middle)>" $(headers core)
  forbid 'core must not include algorithms' "$include<($upper)>" $(headers core)
  forbid 'backends must not include algorithms' "$include<($upper)>" $(headers backends)
  for folder in core algorithms; do
    forbid 'the header of a vendor belongs in backends' "$vendor_includes" $(headers $folder)
    forbid 'a choice by backend belongs in backends' "$vendor_macros" $(headers $folder)
  done
  for file in $(headers core) $(headers backends) $(headers algorithms); do
    forbid 'include public headers as <hashmill/...>' "$include\"" "$file"
    # nvcc keeps a lambda's host functions in variables of its own in each object file, while the
    # code that calls them is merged when linking, so that a program of two such files crashes.
    forbid 'a kernel of a header must be a functor' 'KOKKOS_(CLASS_)?LAMBDA' "$file"
    grep -q '^#pragma once' "$file" || echo "$file:1: no #pragma once"
  done
  for file in $(find core backends algorithms tests perf cmake .ci -type f) CMakeLists.txt README.md; do
    [ "$(wc -l <"$file")" -le $max_lines ] || echo "$file:$max_lines: the file is longer than that"
    forbid 'unfinished work belongs in an issue' "(^|[^A-Za-z])($unfinished)([^A-Za-z]|\$)" "$file"
  done
}

faults=$(check)
[ -z "$faults" ] && exit
printf '%s\n' "$faults"
exit 1
