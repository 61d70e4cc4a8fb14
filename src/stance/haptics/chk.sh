#!/bin/bash
cd /work/main
F="-std=c++20 -Isrc -isystem /usr/include/eigen3 -isystem /usr/include/hdf5/serial -DFMT_SHARED -march=x86-64-v3 -Wall -Wextra -Wpedantic -Wshadow -Wno-psabi -include /tmp/h/pre.h -fsyntax-only -O0 -Itests -Itests/io -Ibench -Iexamples/ball_and_brick -Iexamples/biped_walk -I."
printf '%s\n' "$@" | nice -n -15 xargs -P2 -I{} sh -c "g++ $F {} 2>&1 | grep -E 'error|warning:' | head -${N:-12}"
