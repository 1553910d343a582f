#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Instructions in user space for one prepared point select, counted by callgrind: dyno (a thread, and an event loop)
# against a raw loop over the same library. Each program runs twice with different numbers of operations; the difference
# leaves start and end out. Prints a Markdown table. Needs valgrind.
#   tests/bench/instructions.sh [EVENTS=4000]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
events=${1:-4000}
work=$(mktemp -d)
. "$here/server.sh"
start_server
uri="mysql://root@localhost/sbtest?socket=$socket"
params=(--param tables=1 --param table_size=10000 --param rand_type=uniform)
"$bin/dyno" prepare --target "$uri" --workload oltp_point_select "${params[@]}" 2>/dev/null
count() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ {print $4}'
}
# A long interval keeps sampling out of the count.
dyno() {
    count "$bin/dyno" run --target "$uri" --workload oltp_point_select --users 1 --events "$2" --interval 10 --executor "$1" \
        "${params[@]}" --quiet --json
}
raw() { count "$bin/raw_mysql" "$socket" "$1" 10000; }
each() { echo $((($2 - $1) / events)); }
small=1000 large=$((1000 + events))
r=$(each "$(raw $small)" "$(raw $large)")
t=$(each "$(dyno threads $small)" "$(dyno threads $large)")
l=$(each "$(dyno loops $small)" "$(dyno loops $large)")
echo "| instructions per point select | raw loop | dyno, thread | ÷ raw | dyno, event loop | ÷ raw |"
echo "|---|---|---|---|---|---|"
awk -v r="$r" -v t="$t" -v l="$l" 'BEGIN {printf "| | %d | %d | %.2f | %d | %.2f |\n", r, t, t/r, l, l/r}'
