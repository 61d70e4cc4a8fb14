#!/usr/bin/env bash
# Builds the reference of the public headers (include/stance) with Doxygen.
set -euo pipefail

usage() {
  cat <<'EOF'
usage: tools/reference.sh [FOLDER]    builds the reference of include/stance into FOLDER/html (build/reference)

Exits with 1 when Doxygen warns of anything, 2 when it is not installed.

example: tools/reference.sh && xdg-open build/reference/html/index.html
EOF
}

case ${1:-} in
  -h | --help) usage; exit 0 ;;
  -*) usage >&2; exit 2 ;;
esac
(($# <= 1)) || { usage >&2; exit 2; }
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
folder=$(realpath -m -- "${1:-$root/build/reference}")
cd "$root"

if ! command -v doxygen >/dev/null; then
  echo "tools/reference.sh: this needs doxygen; to install it: apt-get install doxygen" >&2
  exit 2
fi

version=$(sed -n 's/^#define STANCE_VERSION_\(MAJOR\|MINOR\|PATCH\) \([0-9]*\)$/\2/p' \
  src/stance/kernel/library_check.h | paste -sd .)
mkdir -p "$folder"
rm -rf "$folder/html"
warnings=$folder/warnings.txt
: >"$warnings"
headers=$(tools/doxygen_filter.py --headers)

status=0
{
  cat docs/reference/Doxyfile
  printf 'PROJECT_NUMBER = "%s"\n' "$version"
  printf 'OUTPUT_DIRECTORY = "%s"\n' "$folder"
  printf 'WARN_LOGFILE = "%s"\n' "$warnings"
  while read -r header; do printf 'INPUT += "%s"\n' "$header"; done <<<"$headers"
} | doxygen - || status=1
if ((status)) || [[ -s $warnings ]]; then
  cat "$warnings" >&2
  echo "tools/reference.sh: $(grep -c 'warning:\|error:' "$warnings" || true) warnings" >&2
  exit 1
fi
echo "$folder/html/index.html"
