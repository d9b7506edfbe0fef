#!/bin/sh
# Writes pages of the public headers to build/docs (cmake/Doxyfile). Prints each fault as
# FILE:LINE: text, then fails: whatever Doxygen warns of, and public classes, concepts and functions
# without a comment. Members whose name or class says all may go without one.
set -eu
cd "$(dirname "$0")/.."

# Types, fields and constants; operators; what is defaulted, or moves as a default would; the names
# that every column and option has.
plain='Member (size|is_null|value)\(|\((typedef|variable|friend)\) of (class|struct) |[^A-Za-z_]operator|=default \(function\)|\(([A-Za-z]+) &&other\)'

rm -rf build/docs
mkdir -p build/docs
HASHMILL_VERSION=$(sed -n 's/^ *VERSION \([0-9.]*\)$/\1/p' CMakeLists.txt) \
  doxygen cmake/Doxyfile 2>build/docs.log || {
  cat build/docs.log >&2
  exit 1
}
faults=$(sed "s|^$PWD/||; s|^\([^ ]*:[0-9]*:\) warning:|\1|" build/docs.log | grep -vE "($plain).*is not documented" || true)
[ -z "$faults" ] && exit
printf '%s\n' "$faults"
exit 1
