#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# A wrong product is reported and ends nothing: later steps run, and all output is packed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

refused() { if "$@"; then exit 1; fi; }

# program NAME TEXT STATUS: creates a stub of a build's program.
program() {
  printf '#!/bin/sh\necho "%s" "$@"\nexit %d\n' "$2" "$3" >"$folder/bin/$1"
  chmod +x "$folder/bin/$1"
}
mkdir "$folder/bin"
program ladder_hip "All tests passed" 0
program properties_hip "2000 random cases" 0
for other in ladder_openmp properties_openmp properties_broken properties_draws properties_hip_delays; do
  program "$other" "never run here" 1
done
program rooftile "rooftile" 0
scripts/first-run "$folder" --shape 64 >"$folder/right"
cat "$folder/right"
refused grep FAILED "$folder/right"

program properties_hip "wrong: element (0,0)" 1
refused scripts/first-run "$folder" --shape 64 >"$folder/wrong"
grep -E '^random products hip +FAILED .*wrong: element' "$folder/wrong"
tar -C "$folder" -xzf "$folder/first-run.tar.gz" --one-top-level=sent
refused grep -r "never run here" "$folder/sent"
grep -q -- "bench --json .* --shape 64" "$folder/sent/first-run/bench.log"

refused scripts/first-run "$folder/sent" 2>"$folder/says"
grep "no program, or no tests of a GPU, in $folder/sent" "$folder/says"
