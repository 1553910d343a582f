#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a workload of text costs more of the client's CPU than a built-in one that sends the same: oltp_point_select as a script of
# two lines, prepared, and as it is built in, in turn against one private mariadbd on one table; prints a Markdown table of
# medians of the pairs.
#   tests/bench/script_cost.sh [PAIRS=7] [SECONDS=3] [USERS="1 16 64"] [EXECUTORS="threads loops"] [ROWS=10000]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-7} seconds=${2:-3} users=${3:-1 16 64} executors=${4:-threads loops} rows=${5:-10000}
work=$(mktemp -d)
. "$here/server.sh"
start_server
uri="mysql://root@localhost/sbtest?socket=$socket"
oltp=(--workload oltp_point_select --param tables=1 --param table_size="$rows" --param rand_type=uniform)
cat >"$work/point.sql" <<END
\\set id random(1, $rows)
SELECT c FROM sbtest1 WHERE id=:id;
END
script=(--script "$work/point.sql" --param schema=none --param protocol=prepared)
# Prints "transactions/s CPU-µs-per-operation" of one run of the workload that follows.
run() {
    "$dyno" run --target "$uri" "$@" --users "$n" --time "$seconds" --executor "$executor" --existing use --library "$work/library" \
        --json --quiet >"$work/out" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }
    local r='$.points[0].runs[0]'
    echo "$(json "$work/out" "$r.tps") $(json "$work/out" "$r.client.cpu_us_per_op")"
}
"$dyno" prepare --target "$uri" "${oltp[@]}" >/dev/null 2>&1
echo "| users | executor | script, CPU µs/operation | built in | script ÷ built in | lowest and highest pair | transactions/s, script ÷ built in |"
echo "|---|---|---|---|---|---|---|"
for n in $users; do
    for executor in $executors; do
        : >"$work/pairs"
        for pair in $(seq 1 "$pairs"); do
            if [ $((pair % 2)) = 1 ]; then a=$(run "${script[@]}"); b=$(run "${oltp[@]}")
            else b=$(run "${oltp[@]}"); a=$(run "${script[@]}"); fi
            echo "$a $b" >>"$work/pairs"
        done
        col() { awk "{print $1}" "$work/pairs"; }
        printf '| %s | %s | %.2f | %.2f | %.3f | %s | %.3f |\n' "$n" "$executor" "$(col '$2' | median)" "$(col '$4' | median)" \
            "$(col '$2/$4' | median)" "$(col '$2/$4' | sort -g | awk 'NR == 1 {low = $1} {high = $1} END {printf "%.3f to %.3f", low, high}')" \
            "$(col '$1/$3' | median)"
    done
done
