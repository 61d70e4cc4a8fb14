#!/usr/bin/env bash
# Installs the Debian packages that are missing: tools/setup.sh SECTION...
# The sections are those of tools/packages.txt. Silent and quick when nothing is missing.
# STANCE_NO_SETUP=1 skips it all, for those who bring the packages themselves.
set -euo pipefail

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd -P)
list="$root/tools/packages.txt"
notes="$root/build/.setup"  # what we already said or tried, so as not to do it at each call

say() { printf 'setup: %s\n' "$*" >&2; }

# read_section NAME: sets packages=(...) and optional=yes|no.
read_section() {
  local name=$1 line words here=no found=no
  packages=() optional=no
  while IFS= read -r line || [[ -n $line ]]; do
    line=${line%%#*}
    read -ra words <<<"${line//[\[\]]/}"
    ((${#words[@]})) || continue
    if [[ $line == *\[*\]* ]]; then
      here=no
      if [[ ${words[0]} == "$name" ]]; then
        here=yes found=yes
        [[ ${words[1]:-} != optional ]] || optional=yes
      fi
    elif [[ $here == yes ]]; then
      packages+=("${words[@]}")
    fi
  done <"$list"
  [[ $found == yes ]] || { say "no section [$name] in tools/packages.txt"; exit 2; }
}

# find_missing PACKAGE...: sets missing=(...) to those that are not installed.
find_missing() {
  local installed package
  installed=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null || true)
  missing=()
  for package in "$@"; do
    [[ $'\n'$installed$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
}

# find_elevation: sets elevate=(...), the words before a command that needs root; 1 if there is none.
find_elevation() {
  elevate=(env)
  [[ $(id -u) != 0 ]] || return 0
  command -v sudo >/dev/null || return 1
  elevate=(sudo env)
  sudo -n true 2>/dev/null || [[ -t 0 && -t 2 ]]
}

apt_get() {
  "${elevate[@]}" DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=600 \
    -o Dpkg::Use-Pty=0 "$@"
}

# try_install PACKAGE...: apt-get's own words appear only when it fails. Runs with apt-get's lists
# refreshed, once per call of this script.
updated=no
try_install() {
  local log=$notes/apt.log
  if [[ $updated == no ]]; then
    apt_get update >"$log" 2>&1 </dev/null || say "apt-get update had trouble, going on (see ${log#"$root"/})"
    updated=yes
  fi
  apt_get install -y --no-install-recommends "$@" >"$log" 2>&1 </dev/null
}

# do_section NAME: 0 when its packages are there, or when it is optional and they cannot be had.
do_section() {
  local name=$1 command package
  read_section "$name"

  # Another system: name what is needed once, and let the build tell what it does not find.
  if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
    if [[ ! $notes/named-$name -nt $list ]]; then
      say "this system has no apt-get; [$name] needs what Debian calls: ${packages[*]}"
      mkdir -p "$notes" && touch "$notes/named-$name"
    fi
    return 0
  fi

  find_missing "${packages[@]}"
  ((${#missing[@]})) || return 0

  # One installation at a time; whoever waited looks again.
  mkdir -p "$notes"
  if command -v flock >/dev/null; then
    exec 8>"$notes/lock"
    flock 8
    find_missing "${packages[@]}"
    ((${#missing[@]})) || return 0
  fi

  # Optional packages that failed before are not tried at each call.
  local refused=$notes/refused-$name
  if [[ $optional == yes && $refused -nt $list && $(<"$refused") == "${missing[*]}" ]]; then
    say "going on without ${missing[*]} (optional; to try again: rm ${refused#"$root"/})"
    return 0
  fi

  command="apt-get install -y --no-install-recommends ${missing[*]}"
  if ! find_elevation; then
    if [[ $optional == yes ]]; then
      say "going on without ${missing[*]} (optional). To have them, run as root: $command"
      return 0
    fi
    say "Stance needs packages that are not installed, and installing them takes root (or sudo)."
    say "Run this as root, then try again:"
    printf '  apt-get update && %s\n' "$command" >&2
    return 1
  fi

  say "installing ${missing[*]} ([$name] in tools/packages.txt; this can take some minutes)"
  if [[ ${elevate[0]} == sudo ]] && ! sudo -n true 2>/dev/null; then
    sudo -v || true  # asks for the password here, where it can be seen
  fi
  try_install "${missing[@]}" && find_missing "${packages[@]}" && ((!${#missing[@]})) && return 0

  # Some of the optional ones are better than none.
  if [[ $optional == yes ]]; then
    for package in "${missing[@]}"; do try_install "$package" || true; done
    find_missing "${packages[@]}"
    ((${#missing[@]})) || return 0
    printf '%s\n' "${missing[*]}" >"$refused"
    say "going on without ${missing[*]}: they cannot be installed here (optional; see ${notes#"$root"/}/apt.log)"
    return 0
  fi
  tail -n 20 "$notes/apt.log" >&2 || true
  say "apt-get failed. Run this by hand to see why: $command"
  return 1
}

(($#)) || { say "usage: tools/setup.sh SECTION...   (sections of tools/packages.txt)"; exit 2; }
[[ ${STANCE_NO_SETUP:-} != 1 ]] || exit 0
for section in "$@"; do do_section "$section" || exit 1; done
