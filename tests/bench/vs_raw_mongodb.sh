#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired runs of dyno (YCSB C, uniform keys) and of a bare loop over libmongoc against the same server; prints a Markdown
# table of median ratios. The machine is noisy: the two run in turn, and ratios are taken pair by pair. The CPU is that of
# the whole process; the loop runs as long as dyno does, whose start and end are thus in its figure.
#   tests/bench/vs_raw_mongodb.sh [PAIRS=5] [SECONDS=8] [USERS="1 16 64 256"] [URI]
# URI: mongodb://host:port of a server to use, without a database; else a FerretDB is started (FERRETDB=program, or
# `ferretdb` on the path, or the one that the tests brought). CALL=cursor: the loop as most programs write it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
dyno=${DYNO:-$bin/dyno} raw=${RAW:-$bin/raw_mongodb}
pairs=${1:-5} seconds=${2:-8} users=${3:-1 16 64 256} uri=${4:-} call=${CALL:-command}
# FerretDB 1 on SQLite looks through all documents for one with a text as _id: few of them, or the client has nothing to do.
rows=${ROWS:-$([ -n "$uri" ] && echo 10000 || echo 100)}
work=$(mktemp -d)
. "$here/server.sh"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
if [ -z "$uri" ]; then
    ferretdb=${FERRETDB:-$(command -v ferretdb || echo "$here/../../build/test-servers/ferretdb/ferretdb")}
    port=$((20000 + RANDOM % 20000))
    "$ferretdb" --listen-addr=127.0.0.1:$port --listen-unix= --debug-addr= --handler=sqlite "--sqlite-url=file:$work/" \
        "--state-dir=$work" --telemetry=disable --log-level=error >"$work/server.log" 2>&1 &
    server=$!
    uri=mongodb://127.0.0.1:$port
    for _ in $(seq 1 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.1; done
fi
database=dynobench_vs_raw
common=(--target "$uri/$database" --workload ycsb --param workload=c --param requestdistribution=uniform --param recordcount="$rows")
"$dyno" prepare "${common[@]}" >/dev/null 2>&1
TIMEFORMAT='%U %S'

# Each prints "operations/s  client-CPU-µs-per-operation" of one run.
run_raw() { "$raw" "$uri" $database usertable "$rows" "$1" "$seconds" "$call" | awk '{print $1, $2}'; }
run_dyno() {
    { time "$dyno" run "${common[@]}" --users "$1" --time "$seconds" --library "$work/library" --json --quiet \
        >"$work/out.json" 2>/dev/null; } 2>"$work/time"
    awk -v cpu="$(tail -1 "$work/time" | awk '{print $1+$2}')" -v q="$(json "$work/out.json" '$.points[0].runs[0].queries')" \
        -v qps="$(json "$work/out.json" '$.points[0].runs[0].qps')" 'BEGIN {print qps, cpu/q*1e6}'
}

echo "| users | dyno, finds/s | raw loop, finds/s | throughput ratio | dyno, client CPU µs/find | raw loop | CPU ratio |"
echo "|---|---|---|---|---|---|---|"
for n in $users; do
    : >"$work/pairs"
    for pair in $(seq 1 "$pairs"); do
        if [ $((pair % 2)) = 1 ]; then a=$(run_dyno "$n"); b=$(run_raw "$n")
        else b=$(run_raw "$n"); a=$(run_dyno "$n"); fi
        echo "$a $b" >>"$work/pairs"
    done
    col() { awk "{print $1}" "$work/pairs" | median; }
    printf '| %s | %.0f | %.0f | %.3f | %.1f | %.1f | %.3f |\n' "$n" "$(col '$1')" "$(col '$3')" "$(col '$1/$3')" \
        "$(col '$2')" "$(col '$4')" "$(col '$2/$4')"
done
