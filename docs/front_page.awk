# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Doxygen's filter for guide.md, the front page of the API reference. Headings get the anchors that GitHub makes, which Doxygen
# before 1.10 does not. Links to files outside the reference become their text.

/^```/ { inside = !inside; sub(/ program$/, "") }
inside { print; next }

/^#+ / {
  anchor = tolower($0)
  sub(/^#+ /, "", anchor)
  gsub(/[^a-z0-9 -]/, "", anchor)
  gsub(/ /, "-", anchor)
  if ($0 !~ /^# /) $0 = $0 " {#guide-" anchor "}"
}

{
  while (match($0, /\]\([^#)][^)]*\)/)) {
    opening = RSTART
    while (opening > 0 && substr($0, opening, 1) != "[") --opening
    $0 = substr($0, 1, opening - 1) substr($0, opening + 1, RSTART - opening - 1) substr($0, RSTART + RLENGTH)
  }
  gsub(/\]\(#/, "](#guide-")
  print
}
