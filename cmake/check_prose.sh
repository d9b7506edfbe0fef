#!/bin/sh
# Checks the comments of the C++ sources under the directory named by the first argument: sentences
# of at most 35 words, and "8 bytes per row" where a ratio is meant, not "8 bytes a row". Prints each
# fault as FILE:LINE: text, then fails. Pictures, tables and code, indented by four blanks, are read
# by nobody as sentences.
set -eu
cd "${1:?usage: check_prose.sh SOURCE_DIR}"

# shellcheck disable=SC2046
faults=$(awk '
  function fault(text) { print FILENAME ":" line ": " text }
  function read(sentence,  words, list) {
    words = split(sentence, list, / +/)
    if (list[words] == "") --words
    if (words > 35) fault(words " words in: " substr(sentence, 1, 60) "...")
    if (match(sentence, ratio)) fault("\"per\" for a ratio: " substr(sentence, RSTART, RLENGTH))
  }
  # Reads the sentences that have come, all but the last, or all at the end of a comment.
  function read_sentences(at_end,  end) {
    while (match(text, /[.!?][)"`]*( |$)/)) {
      end = RSTART + RLENGTH - 1
      read(substr(text, 1, end))
      text = substr(text, end + 1)
      line = FNR
    }
    if (!at_end) return
    read(text)
    text = ""
  }
  BEGIN {
    quantity = "(bytes?|bits?|words?|numbers?|lines?|(one|two|[0-9]+) (random )?(access|atomic|load|read|write)(e?s)?|sizeof\\([A-Za-z_:]*\\)|[0-9]+)"
    thing = "(row|key|slot|bucket|bin|group|entry|item|tile|query|pair|tuple|value|thread|team|lane|pass|level|window|block|part|record|column|node|position|string|element)"
    ratio = "(^|[^A-Za-z])" quantity " an? " thing "($|[^A-Za-z\47-])"
  }
  FNR == 1 { text = "" }
  {
    is_comment = match($0, /\/\/[\/!]?<?/) && $0 !~ /"[^"]*\/\/[^"]*"/
    if (is_comment) {
      own_line = substr($0, 1, RSTART - 1) !~ /[^ ]/
      said = substr($0, RSTART + RLENGTH)
      if (!own_line) read_sentences(1)
      if (said ~ /^     *[^ ]/ && own_line || said ~ /^ *[|]/ || said ~ /^ *clang-format/) { read_sentences(1); next }
      if (said !~ /[^ ]/) { read_sentences(1); next }
      if (said ~ /^ *- /) read_sentences(1)
      gsub(/^ +| +$/, "", said)
      gsub(/ - /, " ", said)
      if (text == "") line = FNR
      text = text (text == "" ? "" : " ") said
      read_sentences(!own_line)
    } else read_sentences(1)
  }' $(find core backends algorithms perf tests -name '*.hpp' -o -name '*.cpp' | sort))
[ -z "$faults" ] && exit
printf '%s\n' "$faults"
exit 1
