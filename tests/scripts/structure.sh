#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Includes obey the dependency order, and scripts/structure reports one that does not.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }
scripts/structure --check || exit 1

tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
mkdir -p "$tree/src/rooftile" "$tree/src/plan"
touch "$tree/CMakeLists.txt" "$tree/src/plan/plan.hpp"
echo '#include "plan/plan.hpp"' >"$tree/src/rooftile/gemm.hpp"
if scripts/structure --check "$tree" 2>"$tree/found"; then
  echo "an include against the order was not found" >&2
  exit 1
fi
grep -q "src/rooftile/gemm.hpp includes src/plan/plan.hpp" "$tree/found"
