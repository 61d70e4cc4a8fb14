#!/usr/bin/env bash
# Builds the page: tools/build_page.sh WEB OUT leaves OUT/page.cc, which has it in it. CMake calls it.
set -euo pipefail
web=$1 out=$2
mkdir -p "$out"
cd "$web"

# One at a time: builds of several presets share web/node_modules.
if command -v flock >/dev/null; then
  exec 9<package.json
  flock 9
fi

# Packages as package-lock.json has them. `npm ci` refuses a lock that was made where packages of other
# systems could not be had; an install takes the same versions.
stamp=node_modules/.stance.stamp
if [[ ! -f $stamp || package-lock.json -nt $stamp || ! -d node_modules/vite ]]; then
  rm -f "$stamp"
  if ! npm ci --no-audit --no-fund >"$out/npm.log" 2>&1; then
    mkdir -p node_modules
    if ! npm install --no-save --no-audit --no-fund >"$out/npm.log" 2>&1; then
      # No network, perhaps: the program is worth building all the same.
      tail -n 5 "$out/npm.log" >&2
      echo "warning: the packages of web/ cannot be had, so the program has no page; touch web/package.json to try again" >&2
      printf '#include "stance/view/page.h"\n%s\n' \
        'std::span<const stance::view::PageFile> stance::view::page_files() { return {}; }' >"$out/page.cc"
      exit 0
    fi
  fi
  mkdir -p node_modules && touch "$stamp"
fi
node node_modules/vite/bin/vite.js build --outDir "$out/dist" --emptyOutDir --logLevel error
node embed.mjs "$out/dist" "$out/page.cc"
