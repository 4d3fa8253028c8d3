# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Makes a C++ source of the code blocks of Markdown files:
#   awk -f extract.awk -v lang=cpp README.md docs/guide.md > blocks.inc
# lang is the fence of the blocks: cpp, cuda, or program for the complete program in ```cpp program.
# Each block becomes a function that begins with the names of context.inc, or context_cuda.inc.

BEGIN {
  wanted = lang == "program" ? "cpp program" : lang
  context = lang == "cuda" ? "context_cuda.inc" : "context.inc"
}

/^```/ {
  inside = !inside
  taken = inside && substr($0, 4) == wanted
  if (taken && lang == "program") {
    body = body position(FNR + 1)
  } else if (taken) {
    name = "block_" NR  # unique, also in several documents
    names = names (names == "" ? "" : ", ") name
    body = body "\nstatic void " name "() {\n#include \"" context "\"\n" position(FNR + 1)
    is_open = 1
  } else if (is_open) {
    body = body "}\n"
    is_open = 0
  }
  next
}

# Includes and using-directives stand once, above all functions; an empty line keeps the count of lines.
taken && lang != "program" && /^(#include|using namespace) / {
  if (!($0 in seen)) {
    if (/^#/) includes = includes $0 "\n"
    else directives = directives $0 "\n"
  }
  seen[$0] = 1
  body = body "\n"
  next
}

taken { body = body $0 "\n" }

END {
  printf "%s%s%s", includes, directives, body
  if (lang != "program") printf "\n[[maybe_unused]] static void (*const blocks[])() = {%s};\n", names
}

function position(line) { return "#line " line " \"" FILENAME "\"\n" }
