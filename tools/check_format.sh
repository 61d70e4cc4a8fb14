#!/usr/bin/env bash
# Checks that the C and C++ files are as .clang-format wants them; --fix makes them so.
# Versions of clang-format differ in what they write, so only version 14 (Debian 12) counts.
set -euo pipefail

cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

case ${1:-} in
  '') mode=(--dry-run -Werror) ;;
  --fix) mode=(-i) ;;
  *) echo "usage: tools/check_format.sh [--fix]" >&2; exit 2 ;;
esac

tool=$(command -v clang-format-14 || command -v clang-format || true)
version=${tool:+$("$tool" --version)}
if [[ $version != *' version 14.'* ]]; then
  echo "SKIPPED: this needs clang-format 14, and here is ${version:-none}"
  exit 0
fi

folders=()
for folder in include src tests bench examples; do [[ ! -d $folder ]] || folders+=("$folder"); done
((${#folders[@]})) || { echo "no sources found: src, tests, bench" >&2; exit 1; }
mapfile -d '' files < <(find "${folders[@]}" -type d -name generated -prune -o \
  -type f \( -name '*.h' -o -name '*.cc' -o -name '*.c' \) -print0)
((${#files[@]})) || { echo "no C++ files in ${folders[*]}" >&2; exit 1; }

if ! log=$("$tool" --style=file "${mode[@]}" "${files[@]}" 2>&1); then
  # clang-format names every place; the files and their first places are enough.
  awk -F: '/-Wclang-format-violations/ { if (!n[$1]++) { order[++m] = $1; first[$1] = $2 } next }
           /: error:/ { print }
           END { for (i = 1; i <= m; i++) printf "%s:%d: not as .clang-format wants it (%d places)\n", order[i], first[order[i]], n[order[i]] }' <<<"$log" >&2
  echo "to fix: tools/check_format.sh --fix" >&2
  exit 1
fi
echo "${#files[@]} files"
