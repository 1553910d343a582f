#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired runs of dyno and sysbench 1.0.20 against the same private mariadbd over its Unix socket; prints a Markdown
# table of median ratios. The machine is noisy: the two run in turn, and ratios are taken pair by pair. For point selects
# a bare loop over the same library runs beside them (raw_mysql): the floor that no client of this library gets below.
# Of bulk_insert rows are counted in place of queries, each run on new, empty tables.
#   tests/bench/vs_sysbench.sh [PAIRS=5] [SECONDS=8] [USERS="1 16 64"] [WORKLOADS="oltp_point_select oltp_read_write"] [MEMORY=0]
# AS=lua: dyno runs sysbench's own script by its workload "lua". MEMORY: so many users for a table of what both have resident
# at most (VmHWM), with point selects.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
dyno=${DYNO:-$bin/dyno} raw=${RAW:-$bin/raw_mysql}
pairs=${1:-5} seconds=${2:-8} users=${3:-1 16 64} workloads=${4:-oltp_point_select oltp_read_write} memory=${5:-0}
work=$(mktemp -d)
. "$here/server.sh"
start_server
tables=4 rows=100000
uri="mysql://root@localhost/sbtest?socket=$socket"
common=(--mysql-socket="$socket" --mysql-user=root --mysql-db=sbtest --tables=$tables --table-size=$rows --rand-type=uniform)
bulk=(--mysql-socket="$socket" --mysql-user=root --mysql-db=bulk)
new_database() { mariadb --no-defaults -uroot -S "$socket" -e 'DROP DATABASE IF EXISTS bulk; CREATE DATABASE bulk'; }
sysbench oltp_read_write "${common[@]}" prepare >/dev/null
TIMEFORMAT='%U %S'

tables_of() { case $1 in select_random_*) echo 1 ;; *) echo $tables ;; esac; } # these have no more
# Each prints "queries/s  client-CPU-µs-per-query" of one run.
run_sysbench() {
    local counted=queries
    if [ "$1" = bulk_insert ]; then
        counted=transactions
        new_database
        sysbench "$1" "${bulk[@]}" --threads="$2" prepare >/dev/null
        set -- "$@" "${bulk[@]}"
    else
        set -- "$@" "${common[@]}"
    fi
    { time sysbench "$1" "${@:3}" --threads="$2" --time="$seconds" run >"$work/out"; } 2>"$work/time"
    awk -v cpu="$(awk '{print $1+$2}' "$work/time")" "/$counted:/"' {gsub(/[^0-9. ]/,""); print $2, cpu/$1*1e6}' "$work/out"
}
# Sets $what for a WORKLOAD.
dyno_workload() {
    what=(--workload "$1" --param tables="$(tables_of "$1")" --param table_size=$rows --param rand_type=uniform)
    [ "${AS:-}" != lua ] || what=(--lua "/usr/share/sysbench/$1.lua"
        --lua-options "tables=$(tables_of "$1") table_size=$rows rand-type=uniform")
}
run_dyno() {
    local target=$uri count=queries rate=qps what
    dyno_workload "$1"
    if [ "$1" = bulk_insert ]; then
        target=${uri/sbtest/bulk} count=transactions rate=tps what=(--workload "$1")
        [ "${AS:-}" != lua ] || what=(--lua "/usr/share/sysbench/$1.lua")
        new_database
        "$dyno" prepare --target "$target" --workload "$1" --users "$2" >/dev/null 2>"$work/prepare.log"
    fi
    { time "$dyno" run --target "$target" "${what[@]}" --users "$2" --time "$seconds" \
        --library "$work/library" --json --quiet >"$work/out.json"; } 2>"$work/time"
    awk -v cpu="$(tail -1 "$work/time" | awk '{print $1+$2}')" -v q="$(json "$work/out.json" "\$.points[0].runs[0].$count")" \
        -v qps="$(json "$work/out.json" "\$.points[0].runs[0].$rate")" 'BEGIN {print qps, cpu/q*1e6}'
}
# The floor; "nan nan" where there is no such loop.
run_raw() {
    if [ "$1" = oltp_point_select ] && [ -x "$raw" ]; then "$raw" "$socket" 0 $rows "$2" "$seconds" $tables; else echo nan nan; fi
}

echo "| workload | users | dyno, queries/s | sysbench, queries/s | throughput ratio | dyno, client CPU µs/query | sysbench | CPU ratio | bare loop: throughput ratio | CPU ratio |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for workload in $workloads; do
    for n in $users; do
        : >"$work/pairs"
        for pair in $(seq 1 "$pairs"); do
            if [ $((pair % 2)) = 1 ]; then a=$(run_dyno "$workload" "$n"); b=$(run_sysbench "$workload" "$n"); c=$(run_raw "$workload" "$n")
            else c=$(run_raw "$workload" "$n"); b=$(run_sysbench "$workload" "$n"); a=$(run_dyno "$workload" "$n"); fi
            echo "$a $b $c" >>"$work/pairs"
        done
        col() { awk "{print $1}" "$work/pairs" | median; }
        printf '| %s | %s | %.0f | %.0f | %.3f | %.2f | %.2f | %.3f | %.3f | %.3f |\n' "$workload" "$n" "$(col '$1')" "$(col '$3')" \
            "$(col '$1/$3')" "$(col '$2')" "$(col '$4')" "$(col '$2/$4')" \
            "$(col '$5/$3')" "$(col '$6/$4')"
    done
done
[ "$memory" -gt 0 ] || exit 0
dyno_workload oltp_point_select
echo
echo "| client | users | most resident, MiB |"
echo "|---|---|---|"
for client in dyno sysbench; do
    command=(sysbench oltp_point_select "${common[@]}" --threads="$memory" --time="$seconds" run)
    [ $client = sysbench ] || command=("$dyno" run --target "$uri" "${what[@]}" --users "$memory" --time "$seconds"
        --library "$work/library" --json --quiet)
    both=$(measured "$work/peak" "${command[@]}") || { cat "$work/peak.err" >&2; exit 1; }
    echo "| $client | $memory | ${both#* } |"
done
