# shellcheck shell=bash
# How ./stance and ./test configure and build. Sourced, with $root set to the top of the repository.
: "${root:?tools/build.sh is sourced by ./stance and ./test}"

# count_jobs: as many as there are cores, but with 1.5 GB of memory for each.
count_jobs() {
  local cores memory_kb jobs
  cores=$(nproc 2>/dev/null || echo 2)
  memory_kb=$(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo 2>/dev/null || true)
  jobs=$((${memory_kb:-4000000} / 1500000))
  ((jobs < cores)) || jobs=$cores
  ((jobs > 0)) || jobs=1
  echo "$jobs"
}

# calc_fingerprint: what a configuration depends on besides the CMake files, which ninja watches by
# itself: the presets, and the packages of our list with their versions. A package installed after
# the first build is so taken up by the next one.
calc_fingerprint() {
  echo "$root"
  cksum <"$root/CMakePresets.json"
  if command -v dpkg-query >/dev/null; then
    # shellcheck disable=SC2016
    sed -e 's/#.*//' -e '/\[/d' "$root/tools/packages.txt" |
      xargs dpkg-query -W -f '${db:Status-Status} ${Package} ${Version}\n' 2>/dev/null || true
  fi
}

# show_failure LOG: the part of a build log that says what went wrong.
show_failure() {
  if grep -q '^FAILED:' "$1" && ! grep -q '^CMake Error' "$1"; then
    sed -n '/^FAILED:/,$p' "$1" | head -n 60
  else
    tail -n 40 "$1"
  fi
}

# describe_progress DONE ALL SECONDS: one line; how long it still takes once a twentieth is done.
describe_progress() {
  local done=$1 all=$2 seconds=$3 left
  printf 'stance: building %d of %d' "$done" "$all"
  ((20 * done >= all && done > 0)) || return 0
  left=$((seconds * (all - done) / done))
  if ((left >= 90)); then
    printf ', about %d min left' $(((left + 30) / 60))
  else
    printf ', about %d s left' $((left - left % 10 + 10))
  fi
}

# watch_progress LOG: says how far ninja is, by the [DONE/ALL] of its log: on a terminal in one line,
# elsewhere in one of every tenth of the work or every 15 s. Ends with ./stance or ./test.
watch_progress() {
  local log=$1 start=$SECONDS told=$SECONDS tenth=0 last='' done all
  while kill -0 "$$" 2>/dev/null; do
    sleep 1
    last=$(tail -c 4096 "$log" 2>/dev/null | sed -n 's/^\[\([0-9]*\)\/\([0-9]*\)\] .*/\1 \2/p' | tail -n 1)
    [[ -n $last ]] || continue
    read -r done all <<<"$last"
    if [[ -t 2 ]]; then
      printf '\r\e[K%s' "$(describe_progress "$done" "$all" $((SECONDS - start)))" >&2
    elif ((SECONDS - told >= 15 || (10 * done / all > tenth && SECONDS - told >= 5))); then
      tenth=$((10 * done / all)) told=$SECONDS
      printf '%s\n' "$(describe_progress "$done" "$all" $((SECONDS - start)))" >&2
    fi
  done
}

# run_logged LOG COMMAND...: the command's output goes to the log, and one is told how far it is; the
# telling part is shown on failure.
run_logged() {
  local log=$1 status=0 watcher
  shift
  : >"$log"
  watch_progress "$log" &
  watcher=$!
  "$@" >"$log" 2>&1 || status=1
  kill "$watcher" 2>/dev/null || true
  wait "$watcher" 2>/dev/null || true
  [[ ! -t 2 ]] || printf '\r\e[K' >&2
  ((!status)) || show_failure "$log" >&2
  return "$status"
}

# build PRESET TARGET...: configures and builds in build/PRESET what is not up to date; says nothing
# when there is nothing to do. One build at a time per preset.
build() {
  local preset=$1
  shift
  mkdir -p "$root/build"
  (
    if command -v flock >/dev/null && ! flock -n 9; then
      echo "stance: waiting for another build of '$preset' to end" >&2
      flock 9
    fi
    build_locked "$preset" "$@" 9>&-
  ) 9>"$root/build/$preset.lock"
}

# configure PRESET: by cmake, which tells its log.
configure() {
  mkdir -p "$root/build/$1"
  cmake --preset "$1" >"$root/build/$1/configure.log" 2>&1
}

build_locked() {
  local preset=$1 dir=$root/build/$1 fingerprint
  shift
  cd "$root" || return 1
  fingerprint=$(calc_fingerprint)
  if [[ ! -f $dir/build.ninja || ! -f $dir/configured || $(<"$dir/configured") != "$fingerprint" ]]; then
    echo "stance: configuring build/$preset" >&2
    # A build folder that came along with a moved or copied repository is of no use; nor is one that
    # can no longer be configured, as after a change of compilers.
    if [[ -f $dir/CMakeCache.txt ]] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$dir/CMakeCache.txt"; then
      rm -rf "$dir"
    fi
    rm -f "$dir/configured"
    configure "$preset" || { [[ -f $dir/CMakeCache.txt ]] && rm -rf "$dir" && configure "$preset"; } || {
      tail -n 40 "$dir/configure.log" >&2
      echo "stance: cmake failed; all it said is in build/$preset/configure.log," \
        "and what Stance is built from in tools/packages.txt" >&2
      return 1
    }
    printf '%s\n' "$fingerprint" >"$dir/configured"
  fi

  # A dry run tells whether there is anything to do; quicker than a build that finds nothing, and quiet.
  if [[ $(ninja -C "$dir" -n "$@" 2>/dev/null) == *'no work to do'* ]]; then return 0; fi
  echo "stance: building $* in build/$preset" >&2
  NINJA_STATUS='[%f/%t] ' run_logged "$dir/build.log" \
    cmake --build "$dir" --parallel "$(count_jobs)" --target "$@" || {
    echo "stance: the build failed" >&2
    return 1
  }
}
