# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Generates a source from the code blocks of Markdown files:
#   awk -f extract.awk -v lang=cpp README.md docs/guide.md > blocks.inc
# lang selects the fence of the blocks: c, cpp, cuda or fortran; program, mpi and nccl for `cpp program`, `cpp mpi` and
# `cpp nccl`. A block of C, C++ or CUDA becomes a function that begins with the names of context_LANG.inc. A block of
# Fortran becomes a subroutine that uses the module docs_names.

BEGIN {
  wanted = lang ~ /^(program|mpi|nccl)$/ ? "cpp " lang : lang
  context = "context_" lang ".inc"
}

/^```/ {
  inside = !inside
  taken = inside && substr($0, 4) == wanted
  if (taken && lang == "program") {
    body = body position(FNR + 1)
  } else if (taken) {
    name = "block_" NR  # unique across documents
    names = names (names == "" ? "" : ", ") name
    if (lang == "fortran") body = body "subroutine " name "()\nuse docs_names\n"
    else body = body "\nstatic void " name "(" (lang == "c" ? "void" : "") ") {\n#include \"" context "\"\n" position(FNR + 1)
    is_open = 1
  } else if (is_open) {
    body = body (lang == "fortran" ? "end subroutine\n" : "}\n")
    is_open = 0
  }
  next
}

# Includes and using-directives move to the top, once each. An empty line preserves the line count.
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
  if (lang == "c") printf "\nvoid (*const blocks[])(void) = {%s};\n", names
  else if (lang !~ /^(program|fortran)$/) printf "\n[[maybe_unused]] static void (*const blocks[])() = {%s};\n", names
}

function position(line) { return "#line " line " \"" FILENAME "\"\n" }
