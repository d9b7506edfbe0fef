#!/bin/sh
# check_readme.sh README EXAMPLE: the README's first C++ block must be EXAMPLE, which is tested.
set -eu
awk '/^```cpp$/ { inside = 1; next } /^```$/ && inside { exit } inside' "$1" | diff - "$2"
