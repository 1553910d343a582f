#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# tests/bench/import_big.sh [MB [DYNO]]: imports sysbench logs of MB megabytes (1024), as they should be and damaged, and
# tells the time, the most memory that dyno held, and what it said. Needs three times as much room below $TMPDIR.
set -euo pipefail
mb=${1:-1024}
dyno=${2:-$(cd "$(dirname "$0")/../.." && pwd)/build/release/bin/dyno}
folder=$(mktemp -d "${TMPDIR:-/tmp}/dyno-import.XXXXXX")
trap 'rm -rf "$folder"' EXIT

# A log of an endless run: an interim line a second.
log() {
    awk -v bytes=$((mb * 1024 * 1024)) 'BEGIN {
        head = "sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nRunning the test with following options:\nNumber of threads: 16\n\nThreads started!\n\n"
        printf "%s", head
        for (size = length(head); size < bytes; size += length(line)) {
            ++s
            line = sprintf("[ %ds ] thds: 16 tps: %.2f qps: %.2f (r/w/o: %.2f/%.2f/%.2f) lat (ms,95%%): %.2f err/s: 0.00 reconn/s: 0.00\n",
                s, 900 + s % 97, 18000 + s % 97 * 20, 12600 + s % 97, 3600 + s % 97, 1800 + s % 97, 20 + s % 13)
            printf "%s", line
        }
    }'
}

import() { # NAME: imports $folder/run.log
    rm -f "$folder"/library.dynolib*
    local from to most=0 now code=0
    from=$(date +%s.%N)
    "$dyno" import "$folder/run.log" --format sysbench --library "$folder/library.dynolib" >"$folder/said" 2>&1 &
    local pid=$!
    while kill -0 $pid 2>/dev/null; do
        now=$(awk '/VmHWM/ {print $2}' /proc/$pid/status 2>/dev/null || true)
        [ -n "$now" ] && most=$now
        sleep 0.1
    done
    wait $pid || code=$?
    to=$(date +%s.%N)
    printf '%-28s %6.1f s  %4d MB at most  exit %d  %s\n' "$1" "$(echo "$to - $from" | bc)" $((most / 1024)) $code "$(tail -1 "$folder/said" | cut -c1-120)"
}

printf '%s megabytes each, %s\n' "$mb" "$("$dyno" --version | head -1)"
log >"$folder/run.log"
import "whole"
head -c $((mb * 1024 * 1024 - 40)) "$folder/run.log" >"$folder/half" && mv "$folder/half" "$folder/run.log"
import "cut off in a line"
head -c $((mb * 1024 * 1024)) /dev/zero | tr '\0' 'x' >>"$folder/run.log"
import "then one endless line"
log | head -c 100000 >"$folder/run.log"
head -c $((mb * 1024 * 1024)) /dev/urandom >>"$folder/run.log"
import "100 kB, then random bytes"
head -c $((mb * 1024 * 1024)) /dev/zero >"$folder/run.log"
import "zeros"
