#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the MySQL driver's direct path saves of the client's CPU: runs with connection.direct=always and =off in turn against one private
# mariadbd; prints a Markdown table of medians of the pairs. The path stays only where it saves 10 % or more: for statements of
# kDirectFrom values and more (mysql_direct.h). sensordata:10 inserts 10 rows, of 8 values each, a statement.
#   tests/bench/direct.sh [PAIRS=7] [SECONDS=3] [USERS="1 8"] [EXECUTORS="threads loops"]
#       [WORKLOADS="oltp_point_select oltp_update_index sensordata iibench"]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-7} seconds=${2:-3} users=${3:-1 8} executors=${4:-threads loops}
workloads=${5:-oltp_point_select oltp_update_index sensordata iibench}
work=$(mktemp -d)
. "$here/server.sh"
start_server
uri="mysql://root@localhost/sbtest?socket=$socket"
params_of() {
    case $1 in
    sensordata:*) echo "--param sensors=100 --param rows_per_insert=${1#*:}" ;;
    sensordata) echo "--param sensors=100 --param rows_per_insert=100" ;;
    iibench) echo "--param rows_per_commit=100 --param secondary_at=start" ;;
    *) echo "--param tables=1 --param table_size=10000" ;;
    esac
}
# Prints "transactions/s CPU-µs-per-operation" of one run.
# shellcheck disable=SC2046
run() {
    "$dyno" run --target "$uri" --workload "${workload%:*}" $(params_of "$workload") --users "$n" --time "$seconds" --executor "$executor" \
        --knob connection.direct="$1" --existing rebuild --library "$work/library" --json --quiet >"$work/out"
    local r='$.points[0].runs[0]'
    echo "$(json "$work/out" "$r.tps") $(json "$work/out" "$r.client.cpu_us_per_op")"
}
echo "| workload | users | executor | direct, CPU µs/operation | public calls | direct ÷ public | lowest and highest pair | transactions/s, direct ÷ public |"
echo "|---|---|---|---|---|---|---|---|"
for workload in $workloads; do
    mariadb --no-defaults -uroot -S "$socket" -e "DROP DATABASE sbtest; CREATE DATABASE sbtest"
    # shellcheck disable=SC2046
    "$dyno" prepare --target "$uri" --workload "${workload%:*}" $(params_of "$workload") >/dev/null 2>&1
    for n in $users; do
        for executor in $executors; do
            : >"$work/pairs"
            for pair in $(seq 1 "$pairs"); do
                if [ $((pair % 2)) = 1 ]; then a=$(run always); b=$(run off); else b=$(run off); a=$(run always); fi
                echo "$a $b" >>"$work/pairs"
            done
            col() { awk "{print $1}" "$work/pairs"; }
            printf '| %s | %s | %s | %.1f | %.1f | %.2f | %.2f to %.2f | %.2f |\n' "$workload" "$n" "$executor" "$(col '$2' | median)" \
                "$(col '$4' | median)" "$(col '$2/$4' | median)" "$(col '$2/$4' | sort -g | head -1)" "$(col '$2/$4' | sort -g | tail -1)" \
                "$(col '$1/$3' | median)"
        done
    done
done
