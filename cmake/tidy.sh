#!/bin/sh
# tidy.sh BUILD: runs clang-tidy over all headers (.clang-tidy). Any fault fails. BUILD is a
# configured build tree with tests. Headers of the standard library are taken from the compiler of
# that tree, since clang's own choice may be a newer one that it cannot read.
set -eu
cd "$(dirname "$0")/.."
compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$1/CMakeCache.txt")
library=$("$compiler" -xc++ -E -v /dev/null 2>&1 |
  sed -n '/^#include </,/^End of/s|^ \(/.*c++.*\)|--extra-arg=-isystem\1|p')
# Options are separate words.
# shellcheck disable=SC2086
clang-tidy --quiet --warnings-as-errors='*' --extra-arg=-nostdinc++ $library -p "$1" \
  "$PWD/$1/tests/headers/all_headers.cpp"
