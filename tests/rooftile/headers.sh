#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# headers.sh COMPILER SOURCES alone|together OPTION…: compiles the public headers, and those of plan/, numerics/ and
# device/common/ for host compilers, without a warning. A user's project may turn warnings into errors. `alone` first
# compiles each public header on its own. Headers that need Kokkos, MPI or CUDA are left out if the OPTIONs do not
# provide them.
set -uo pipefail
compiler=$1 sources=$2 how=$3
shift 3
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wold-style-cast -Werror)
found() { echo "#include <$1>" | "$compiler" -std=c++20 -x c++ -fsyntax-only "${options[@]}" - 2>/dev/null; }
options=("$@")

# Clang before 16 cannot capture structured bindings in lambdas, which the headers do.
if ! "$compiler" -std=c++20 -x c++ -fsyntax-only - 2>/dev/null <<<'
  struct { int a, b; } x;
  int main() { const auto [a, b] = x; return [&] { return a; }(); }'; then
  echo "skipped: $compiler does not capture structured bindings"
  exit 0
fi
left_out='^rooftile/block_gemm[.]hpp'  # only for kernels
found mpi.h || left_out+='|^rooftile/distributed/'
found cuda_runtime_api.h || left_out+='|^rooftile/(cuda_native|distributed/cuda)[.]hpp'
found Kokkos_Core.hpp || left_out+='|^rooftile/(gemm|gemm_grouped|fused|team_gemm|epilogue|kokkosblas|detail/(operands|epilogue.*))[.]hpp'
compile() { "$compiler" -std=c++20 -x c++ -fsyntax-only "$@" "${options[@]}" -; }
mapfile -t headers < <(cd "$sources/src" && find rooftile plan numerics device/common -name '*.hpp' | sort | grep -vE "$left_out")
failed=0
if [[ $how == alone ]]; then
  for header in "${headers[@]}"; do
    [[ $header != rooftile/* ]] || compile <<<"#include <$header>" ||
      { echo "does not compile alone: $header" >&2; failed=1; }
  done
fi
printf '#include <%s>\n' "${headers[@]}" | compile "${warnings[@]}" || failed=1
echo "${#headers[@]} headers"
((${#headers[@]} > 0)) || failed=1
exit "$failed"
