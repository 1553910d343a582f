#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What it costs to observe: point selects against one private mariadbd with all counters of the server and of the host once a
# second, and without any, in pairs whose order alternates; prints medians of the pairs' ratios as a Markdown table. The goal is
# 1 % of the throughput and 1 % of a core of the generator.
#   tests/bench/observing_cost.sh [PAIRS=11] [SECONDS=10] [USERS="1 16"] [ROWS=10000]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-11} seconds=${2:-10} users=${3:-1 16} rows=${4:-10000}
work=$(mktemp -d)
. "$here/server.sh"
start_server
uri="mysql://root@localhost/sbtest?socket=$socket"
oltp=(--workload oltp_point_select --param tables=1 --param table_size="$rows" --param rand_type=uniform)
# run COUNTERS: prints "transactions/s CPU-µs-per-operation counters" of one run.
run() {
    "$dyno" run --target "$uri" "${oltp[@]}" --users "$n" --time "$seconds" --warmup 1 --counters "$1" --existing use \
        --library "$work/library" --json --quiet >"$work/out" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }
    local r='$.points[0].runs[0]'
    echo "$(json "$work/out" "$r.tps") $(json "$work/out" "$r.client.cpu_us_per_op")" \
        "$(sqlite3 "$work/library" 'SELECT count(*) FROM counter WHERE run = (SELECT max(key) FROM run)')"
}
"$dyno" prepare --target "$uri" "${oltp[@]}" >/dev/null 2>&1
echo "| users | counters kept | throughput, observed ÷ not | lowest and highest pair | generator's CPU, observed − not, % of a core |"
echo "|---|---|---|---|---|"
for n in $users; do
    : >"$work/pairs"
    for pair in $(seq 1 "$pairs"); do
        if [ $((pair % 2)) = 1 ]; then on=$(run true); off=$(run false)
        else off=$(run false); on=$(run true); fi
        echo "$on $off" >>"$work/pairs" # tps CPU counters tps CPU counters
    done
    col() { awk "{print $1}" "$work/pairs"; }
    [ "$(col '$6' | sort -u)" = 0 ] || { echo "counters were kept where none were wanted" >&2; exit 1; }
    # CPU of a second: transactions by the CPU of each; the observed run does not do the same number of them.
    printf '| %s | %s | %.4f | %s | %+.2f |\n' "$n" "$(col '$3' | median)" "$(col '$1/$4' | median)" \
        "$(col '$1/$4' | sort -g | awk 'NR == 1 {low = $1} {high = $1} END {printf "%.4f to %.4f", low, high}')" \
        "$(col '($2 - $5) * $4 / 1e4' | median)"
done
