#!/bin/sh
# check_layering_test.sh CHECKER FOLDER: breaks each rule in a small tree made in FOLDER and expects
# CHECKER to name the file, and to accept the tree without it.
set -eu
checker=$1
tree=$2

# put FILE TEXT: a header with that line.
put() { printf '#pragma once\n%b\n' "$2" >"$tree/$1"; }
# expect_fault FILE TEXT: the checker must name the file.
expect_fault() {
  put "$1" "$2"
  if output=$(sh "$checker" "$tree"); then
    echo "not seen: $2 in $1"
    exit 1
  fi
  case $output in
    "$1":*) ;;
    *) echo "expected a fault of $1, got: $output" && exit 1 ;;
  esac
  rm "$tree/$1"
}

rm -rf "$tree"
for folder in core/include/hashmill backends/include/hashmill/backends algorithms/include/hashmill \
  tests perf cmake .ci; do
  mkdir -p "$tree/$folder"
done
core=core/include/hashmill
backends=backends/include/hashmill/backends
algorithms=algorithms/include/hashmill
touch "$tree/CMakeLists.txt" "$tree/README.md"
put $core/key.hpp '#include <cstdint>'
put $backends/scan.hpp '#include <hashmill/key.hpp>\n#include <cub/cub.cuh>\n#ifdef KOKKOS_ENABLE_CUDA\n#endif'
put $algorithms/chaining.hpp '#include <hashmill/backends/scan.hpp>'
mkdir -p "$tree/$algorithms/chaining/detail" "$tree/$algorithms/join/detail" "$tree/$algorithms/group_by"
put $algorithms/chaining/ref.hpp '#include <hashmill/key.hpp>'
put $algorithms/chaining/detail/link.hpp '#include <hashmill/chaining/ref.hpp>'
put $algorithms/hash_join.hpp '#include <hashmill/chaining.hpp>\n#include <hashmill/chaining/ref.hpp>'
put $algorithms/hashmill.hpp '#include <hashmill/hash_join.hpp>'
sh "$checker" "$tree" || { echo 'a tree without faults was rejected' && exit 1; }

expect_fault $core/a.hpp '#include <hashmill/backends/scan.hpp>'
expect_fault $core/a.hpp '#include <hashmill/chaining.hpp>'
expect_fault $backends/a.hpp '  #  include <hashmill/chaining.hpp>'
for folder in $core $algorithms/chaining; do
  expect_fault $folder/a.hpp '#include <cuda_runtime.h>'
  expect_fault $folder/a.hpp '#include <cub/device/device_scan.cuh>'
  expect_fault $folder/a.hpp '#include <immintrin.h>'
  expect_fault $folder/a.hpp '#ifdef KOKKOS_ENABLE_CUDA\n#endif'
  expect_fault $folder/a.hpp '#if defined(__CUDA_ARCH__)\n#endif'
done
expect_fault $algorithms/chaining/a.hpp '#include "chaining.hpp"'
# Up the list of folders, into a folder and to a face; to a face of its own; in no folder of the list.
expect_fault $algorithms/chaining/detail/a.hpp '#include <hashmill/join/detail/side.hpp>'
expect_fault $algorithms/chaining/detail/a.hpp '#include <hashmill/hash_join.hpp>'
expect_fault $algorithms/chaining/detail/a.hpp '#include <hashmill/chaining.hpp>'
expect_fault $algorithms/join.hpp '#include <hashmill/group_by.hpp>'
expect_fault $algorithms/join/detail/a.hpp '#include <hashmill/intersect.hpp>'
expect_fault $algorithms/key_mode.hpp '#include <hashmill/partition.hpp>'
expect_fault $algorithms/joins.hpp '#include <hashmill/key.hpp>'
expect_fault $backends/a.hpp '      KOKKOS_LAMBDA(int i) {'
expect_fault $backends/a.hpp "// TO""DO later"
expect_fault tests/a.hpp "$(yes x | head -n 800)"
printf 'int x;\n' >"$tree/$core/a.hpp"
if sh "$checker" "$tree" >"$tree/output"; then
  echo 'not seen: a header without #pragma once'
  exit 1
fi
