# How Doxygen reads a header (cmake/Doxyfile): each has a page, which a comment above the header's first
# namespace describes, unless it is that of a macro or function. Keeps the numbers of lines.
{ lines[NR] = $0 }
END {
  if (lines[1] == "#pragma once") lines[1] = "/// \\file"
  for (i = 2; i < NR && lines[i] !~ /^namespace/; ++i) {
    if (lines[i] != "") continue
    for (end = i + 1; lines[end] ~ /^\/\/\//;) ++end
    if (end > i + 1 && (lines[end] == "" || lines[end] == "namespace hashmill {")) lines[i] = "/// \\file"
  }
  for (i = 1; i <= NR; ++i) print lines[i]
}
