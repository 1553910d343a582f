#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Where event loops begin to pay: the same run with a thread for each user and on event loops, in turn, against one
# private mariadbd; prints a Markdown table of medians. `--executor auto` takes loops from the border found here
# (kLoopsFrom in engine/load/executor/loop_executor.cpp).
#   tests/bench/executors.sh [PAIRS=5] [SECONDS=5] [USERS="1 4 16 32 64 128 256 512"] [WORKLOAD=oltp_point_select]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-5} seconds=${2:-5} users=${3:-1 4 16 32 64 128 256 512} workload=${4:-oltp_point_select}
work=$(mktemp -d)
. "$here/server.sh"
start_server
uri="mysql://root@localhost/sbtest?socket=$socket"
params=(--param tables=1 --param table_size=100000 --param rand_type=uniform)
"$dyno" prepare --target "$uri" --workload "$workload" "${params[@]}" 2>/dev/null
# Prints "queries/s CPU-µs-per-query p95-ms" of one run.
run() {
    "$dyno" run --target "$uri" --workload "$workload" --users "$2" --time "$seconds" --executor "$1" "${params[@]}" \
        --library "$work/library" --json --quiet >"$work/out"
    local r='$.points[0].runs[0]'
    echo "$(json "$work/out" "$r.qps") $(json "$work/out" "$r.client.cpu_us_per_op") $(json "$work/out" "$r.service_ms.p95")"
}
echo "| users | threads, queries/s | loops, queries/s | loops ÷ threads | threads, CPU µs/query | loops | loops ÷ threads | threads, p95 ms | loops |"
echo "|---|---|---|---|---|---|---|---|---|"
for n in $users; do
    : >"$work/pairs"
    for pair in $(seq 1 "$pairs"); do
        if [ $((pair % 2)) = 1 ]; then a=$(run threads "$n"); b=$(run loops "$n"); else b=$(run loops "$n"); a=$(run threads "$n"); fi
        echo "$a $b" >>"$work/pairs"
    done
    col() { awk "{print $1}" "$work/pairs" | median; }
    printf '| %s | %.0f | %.0f | %.2f | %.1f | %.1f | %.2f | %.2f | %.2f |\n' "$n" "$(col '$1')" "$(col '$4')" "$(col '$4/$1')" \
        "$(col '$2')" "$(col '$5')" "$(col '$5/$2')" "$(col '$3')" "$(col '$6')"
done
