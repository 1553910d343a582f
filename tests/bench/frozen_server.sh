#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What load generators say of a server that freezes: a private mariadbd behind a proxy that forwards nothing for the
# first FREEZE of every EVERY milliseconds, measured by dyno and sysbench 1.0.20, closed loop and at a fixed rate. Beside
# them the truth for requests that come at that rate whatever the server does: of those that come in a freeze, each waits
# for its end, so the percentile q is FREEZE − (1 − q)·EVERY (the server's own time, well below a millisecond, left out).
#   tests/bench/frozen_server.sh [SECONDS=20] [USERS=16] [RATE=1000] [EVERY_MS=10000] [FREEZE_MS=1000]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
proxy=${PROXY:-$here/../../build/release/tests/dyno_fault_proxy}
seconds=${1:-20} users=${2:-16} rate=${3:-1000} every=${4:-10000} freeze=${5:-1000}
work=$(mktemp -d)
. "$here/server.sh"
start_server
"$proxy" --server "$socket" --listen "$work/proxy.sock" --freeze-every "$every" --freeze "$freeze" >"$work/proxy.log" &
proxy_pid=$!
trap 'kill $proxy_pid $server 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
until grep -qs port "$work/proxy.log"; do kill -0 $proxy_pid; sleep 0.1; done
common=(--mysql-user=root --mysql-db=sbtest --tables=1 --table-size=100000 --rand-type=uniform)
sysbench oltp_point_select --mysql-socket="$socket" "${common[@]}" prepare >/dev/null

row() { printf '| %s | %.0f | %.2f | %.1f | %.1f | %.1f | %.0f |\n' "$@"; }
# run_dyno NAME LATENCY ARGUMENTS…
run_dyno() {
    local name=$1 latency=$2
    shift 2
    "$dyno" run --target "mysql://root@localhost/sbtest?socket=$work/proxy.sock" --workload oltp_point_select \
        --param tables=1 --param table_size=100000 --param rand_type=uniform --users "$users" --time "$seconds" "$@" \
        --library "$work/library" --json --quiet >"$work/out.json" 2>/dev/null
    local r='$.points[0].runs[0]'
    row "$name" "$(json "$work/out.json" "$r.tps")" $(for p in p50 p95 p99 p999 max; do json "$work/out.json" "$r.$latency.$p"; done)
}
# run_sysbench NAME ARGUMENTS…: percentiles from its histogram
run_sysbench() {
    local name=$1
    shift
    sysbench oltp_point_select --mysql-socket="$work/proxy.sock" "${common[@]}" --threads="$users" --time="$seconds" \
        --histogram=on "$@" run >"$work/out" 2>&1 || { tail -3 "$work/out" >&2; echo "| $name | failed | | | | | |"; return; }
    row "$name" $(awk '
        /transactions:/ { gsub(/[^0-9. ]/, ""); tps = $2 }
        /^ *[0-9.]+ \|/ { split($0, part, "|"); value[++n] = part[1] + 0; count[n] = $NF; total += $NF }
        /^ *max:/ { max = $2 }
        END {
            printf "%s", tps
            split("0.5 0.95 0.99 0.999", q, " ")
            for (i = 1; i <= 4; i++) {
                sum = 0
                for (b = 1; b <= n; b++) { sum += count[b]; if (sum >= q[i] * total) break }
                printf " %s", value[b]
            }
            print " " max
        }' "$work/out")
}
echo "$users users, $freeze ms of every $every ms frozen; milliseconds"
echo
echo "| measured by | requests/s | p50 | p95 | p99 | p99.9 | max |"
echo "|---|---|---|---|---|---|---|"
truth() { awk -v q="$1" -v e="$every" -v f="$freeze" 'BEGIN { t = f - (1 - q) * e; print (t > 0 ? t : 0) }'; }
row "truth at $rate requests/s" "$rate" "$(truth 0.5)" "$(truth 0.95)" "$(truth 0.99)" "$(truth 0.999)" "$freeze"
run_dyno "dyno, $rate/s, response time" response_ms --rate "$rate"
run_sysbench "sysbench --rate=$rate" --rate="$rate"
run_dyno "dyno, closed loop" service_ms
run_sysbench "sysbench"
