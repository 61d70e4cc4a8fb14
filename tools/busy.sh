#!/usr/bin/env bash
# Runs a command with busy loops beside it: tools/busy.sh [N] COMMAND... (4 of them unless told).
# A test that holds anywhere holds under it; what it ends with is what the command ends with.
set -euo pipefail

loops=4
if [[ ${1:-} =~ ^[0-9]+$ ]]; then
  loops=$1
  shift
fi
(($#)) || { echo "usage: tools/busy.sh [N] COMMAND...   (runs it beside N busy loops)" >&2; exit 2; }

started=()
stop() { ((!${#started[@]})) || kill "${started[@]}" 2>/dev/null || true; }
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
for ((k = 0; k < loops; ++k)); do
  # Each ends by itself with this script, even if it is killed.
  (while kill -0 "$$" 2>/dev/null; do for ((n = 0; n < 100000; ++n)); do :; done; done) &
  started+=($!)
done
status=0
"$@" || status=$?
exit "$status"
