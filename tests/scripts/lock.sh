#!/usr/bin/env bash
# SPDX-FileCopyrightText: The Rooftile authors
# SPDX-License-Identifier: Apache-2.0
# Two processes with the same task in one folder: the second waits and names the first, until the first ends or is
# killed.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
if ! command -v flock >/dev/null; then
  echo "skipped: no flock"
  exit
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

bash -c ". scripts/lock; hold_lock $folder set-up; touch $folder/held; exec sleep 600" first &
first=$!
until [[ -e $folder/held ]]; do sleep 0.1; done
bash -c ". scripts/lock; hold_lock $folder set-up; touch $folder/held_again" second 2>"$folder/says" &
second=$!
until [[ -s $folder/says ]]; do sleep 0.1; done
[[ ! -e $folder/held_again ]]
kill -9 $first
wait $second
[[ -e $folder/held_again ]]
cat "$folder/says"
grep -q "second: waiting for another set-up in this folder: first, process $first, since" "$folder/says"
grep -q "^second, process $second, since" "$folder/lock"
