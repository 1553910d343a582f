#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What a workload costs the client, against a plain C loop over Connector/C that sends the same statements with the same values
# in the same order (raw_replay): one user, a private mariadbd on its Unix socket, as many transactions as dyno does in about
# SECONDS. The statements are taken from the server's general log of a run with the same seed; each run begins with a copy of
# the same loaded data. The loop draws no values, keeps no histograms, sees no errors.
# The server has the second core for itself and the client the first, so that each answer wakes another core: left to the scheduler
# some runs share one, and waking costs more than the rest.
# CPU is that of the whole process for dyno (less that of a run of one transaction: starting, looking at the server) and of
# the loop alone for raw_replay (of fulltext_queries with the one statement that loads its documents). Prints a Markdown table of medians
# of pairs of runs taken in turn.
#   tests/bench/vs_raw_loop.sh [PAIRS=3] [SECONDS=4] [WORKLOADS="tpcb sensordata iibench linkbench tpcc brokerage …"]
# With PAIRS=count: instructions in user space instead, counted by callgrind (which must be there), nearly the same each time: what
# 500 transactions and SECONDS × 500 more take more than 500, of dyno's user all, of the loop those of sending and fetching.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
dyno=${DYNO:-$bin/dyno} raw=${RAW:-$bin/raw_replay}
pairs=${1:-3} seconds=${2:-4}
workloads=${3:-tpcb sensordata sensordata_queries iibench iibench_queries linkbench tpcc brokerage large_values fulltext_queries oltp_analytic
    oltp_reads_outside oltp_point_query oltp_increment}
work=$(mktemp -d)
. "$here/server.sh"
start_server
sql() { mariadb --no-defaults -uroot -S "$socket" -N -B -e "$1"; }
uri="mysql://root@localhost/sbtest?socket=$socket"
TIMEFORMAT='%U %S'
export XDG_DATA_HOME=$work/home

params_of() {
    case $1 in
    tpcb) echo "--param scale=1" ;;
    sensordata) echo "--param sensors=100 --param rows_per_insert=100" ;;
    iibench) echo "--param rows_per_commit=100 --param secondary_at=start" ;;
    linkbench) echo "--param nodes=20000" ;;
    tpcc) echo "--param warehouses=1" ;;
    brokerage) echo "--param customers=500 --param days=20 --param trades_per_day=10" ;;
    sensordata_queries) echo "--param sensors=100 --param initial_rows=100000 --param query_users=1" ;;
    fulltext_queries) echo "--param documents=500 --param passes=one --param second_index=off" ;;
    iibench_queries) echo "--param initial_rows=20000 --param query_users=1" ;;
    large_values) echo "--param rows=1000" ;;
    oltp_analytic) echo "--param table_size=1000" ;;
    oltp_*) echo "--param table_size=10000" ;;
    esac
}
of() { echo "--workload ${1%_queries} $(params_of "$1")"; }
# So many transactions. A list of steps has a first one that loads, and then rounds of four searches.
much() { case $1 in fulltext_queries) echo "--param rounds=$(($2 / 4))" ;; *) echo "--events $2" ;; esac; }
mark() { case $1 in fulltext_queries) echo MATCH ;; esac; } # is in what is sent as text alone
fresh() { # the loaded data, and a server on it
    stop_server
    rm -rf "$work/data"
    cp -a "$work/base" "$work/data"
    run_server "$@"
    taskset --all-tasks --pid --cpu-list 1 "$server" >/dev/null
}
# record WORKLOAD EVENTS: the statements of such a run in $log; its number of transactions in $done
record() {
    rm -f "$log"
    fresh --general-log=0 --general-log-file="$log"
    sql "SET GLOBAL general_log = 1"
    run_dyno "$1" "$2"
    sql "SET GLOBAL general_log = 0"
    done=$(json "$work/out.json" '$.points[0].runs[0].transactions')
}
instructions() { valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null | awk '/Collected/ {print $4}'; }
# The user's thread alone, from connecting on.
# shellcheck disable=SC2046
dyno_instructions() {
    instructions '--toggle-collect=*ThreadExecutor::live*' "$dyno" run --target "$uri" $(of "$1") $(much "$1" "$2") --users 1 --interval 10 \
        --executor threads --library "$work/library" --json --quiet
}
# shellcheck disable=SC2046
loop_instructions() { instructions --toggle-collect=execute --toggle-collect=query "$raw" "$socket" sbtest "$log" $(mark "$1"); }
# Of both the transactions after the first ones, the same on both sides: a single one may fetch thousands of rows.
count() {
    local few=500 many=$((500 + seconds * 500)) a b c first
    record "$1" $few
    fresh # never in a subshell, which would stop the server at its end
    first=$(loop_instructions "$1")
    record "$1" "$many"
    fresh
    a=$(dyno_instructions "$1" $few)
    fresh
    b=$(dyno_instructions "$1" "$many")
    fresh
    c=$(loop_instructions "$1")
    awk -v w="$1" -v a="$a" -v b="$b" -v c="$c" -v first="$first" -v n=$((many - few)) \
        'BEGIN {printf "| %s | %.0f | %.0f | %.2f |\n", w, (b-a)/n, (c-first)/n, (b-a)/(c-first)}'
}
# run_dyno WORKLOAD EVENTS: user and system seconds of the process on the last line of $work/time, its document in $work/out.json
run_dyno() {
    # shellcheck disable=SC2046
    { time taskset --cpu-list 0 "$dyno" run --target "$uri" $(of "$1") $(much "$1" "$2") --users 1 --executor threads \
        --library "$work/library" --json --quiet >"$work/out.json"; } 2>"$work/time"
}
cpu_us() { tail -1 "$work/time" | awk '{printf "%.0f %.0f", $1*1e6, $2*1e6}'; } # user, system

log=$work/statements.log
if [ "$pairs" = count ]; then
    echo "| workload | dyno, instructions a transaction | plain loop | ratio |"
    echo "|---|---|---|---|"
else
    echo "| workload | transactions | statements each | dyno, client CPU µs/transaction | of it user | plain loop | of it user | CPU ratio | of user CPU | transactions/s, ratio |"
    echo "|---|---|---|---|---|---|---|---|---|---|"
fi
for workload in $workloads; do
    sql "DROP DATABASE sbtest; CREATE DATABASE sbtest"
    # shellcheck disable=SC2046
    "$dyno" prepare --target "$uri" $(of "$workload") >/dev/null 2>"$work/prepare.log" ||
        { cat "$work/prepare.log" >&2; exit 1; }
    stop_server
    rm -rf "$work/base"
    cp -a "$work/data" "$work/base"
    run_server
    if [ "$pairs" = count ]; then
        count "$workload"
        continue
    fi
    run_dyno "$workload" 300 # how many fit into the time
    events=$(json "$work/out.json" '$.points[0].runs[0].tps' | awk -v s="$seconds" '{n = int($1 * s); print (n > 100 ? n : 100)}')
    record "$workload" "$events"
    : >"$work/pairs"
    for pair in $(seq 1 "$pairs"); do
        fresh
        run_dyno "$workload" 1
        base=$(cpu_us)
        fresh
        # shellcheck disable=SC2046
        run_raw() { taskset --cpu-list 0 "$raw" "$socket" sbtest "$log" $(mark "$workload"); }
        if [ $((pair % 2)) = 1 ]; then
            run_dyno "$workload" "$events"
            fresh
            run_raw >"$work/raw"
        else
            run_raw >"$work/raw"
            fresh
            run_dyno "$workload" "$events"
        fi
        tps=$(json "$work/out.json" '$.points[0].runs[0].tps')
        echo "$(cpu_us) $base $(cat "$work/raw") $tps" >>"$work/pairs"
    done
    # dyno's user and system CPU, those of starting, statements, the loop's user and system CPU, its seconds, dyno's transactions a second
    col() { awk -v n="$done" "{print $1}" "$work/pairs" | median; }
    printf '| %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %.2f | %.2f | %.2f |\n' "$workload" "$done" "$(col '$5/n')" \
        "$(col '($1+$2-$3-$4)/n')" "$(col '($1-$3)/n')" "$(col '($6+$7)/n')" "$(col '$6/n')" \
        "$(col '($1+$2-$3-$4)/($6+$7)')" "$(col '($1-$3)/$6')" "$(col '$9/(n/$8)')"
done
