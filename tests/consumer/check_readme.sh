#!/bin/sh
# check_readme.sh README EXAMPLE...: the README's C++ blocks must be these files, which are tested.
set -eu
readme=$1
shift
block=0
for example; do
  block=$((block + 1))
  awk -v wanted=$block '
    /^```cpp$/ { inside = ++blocks == wanted; next }
    /^```$/ { inside = 0 }
    inside' "$readme" | diff - "$example"
done
