#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired runs of dyno (YCSB C, uniform keys) and of a bare loop over libmongoc against the same server; prints a Markdown
# table of median ratios. The machine is noisy: the two run in turn, and ratios are taken pair by pair. The CPU is that of
# the whole process; the loop runs as long as dyno does, whose start and end are thus in its figure.
#   tests/bench/vs_raw_mongodb.sh [PAIRS=5] [SECONDS=8] [USERS="1 16 64 256"] [URI]
#   tests/bench/vs_raw_mongodb.sh sweep [SECONDS=8] [USERS="1 2 4 8 16 32 64 128 256 512"] [URI]
# The sweep has no bare loop: per number of users throughput, the client's CPU per operation and in cores, the server's CPU
# in cores (of a server that is started here) and whether the generator says that it was the limit: where throughput stands
# still, what the client takes and what is left for the server tell which of the two it is.
# URI: mongodb://host:port of a server to use, without a database; else one is started: the mongod that MONGOD names (or
# DYNO_TEST_MONGOD, or `mongod` on the path), else a FerretDB (FERRETDB=program, or `ferretdb` on the path, or the one that
# the tests brought). CALL=cursor: the loop as most programs write it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
dyno=${DYNO:-$bin/dyno} raw=${RAW:-$bin/raw_mongodb}
if [ "${1:-}" = sweep ]; then
    sweep=1 pairs=0 seconds=${2:-8} users=${3:-1 2 4 8 16 32 64 128 256 512} uri=${4:-}
else
    sweep= pairs=${1:-5} seconds=${2:-8} users=${3:-1 16 64 256} uri=${4:-}
fi
call=${CALL:-command}
mongod=
[ -n "$uri" ] || mongod=${MONGOD:-${DYNO_TEST_MONGOD:-$(command -v mongod || true)}}
# FerretDB 1 on SQLite looks through all documents for one with a text as _id: few of them, or the client has nothing to do.
rows=${ROWS:-$([ -n "$uri$mongod" ] && echo 10000 || echo 100)}
work=$(mktemp -d)
. "$here/server.sh"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$work"' EXIT
if [ -n "$mongod" ]; then
    port=$((20000 + RANDOM % 20000))
    mkdir "$work/data"
    "$mongod" --dbpath "$work/data" --port $port --bind_ip 127.0.0.1 --unixSocketPrefix "$work" >"$work/server.log" 2>&1 &
    server=$!
    uri=mongodb://127.0.0.1:$port
    for _ in $(seq 1 100); do (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && break; sleep 0.1; done
elif [ -z "$uri" ]; then
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

# CPU seconds that the server has used; 0 when it is not ours.
server_cpu() {
    [ -n "$server" ] || { echo 0; return; }
    awk -v tick="$(getconf CLK_TCK)" '{sub(/^.*\) /, ""); print ($12+$13)/tick}' "/proc/$server/stat"
}

if [ -n "$sweep" ]; then
    echo "| users | dyno, finds/s | client CPU µs/find | client, cores | server, cores | generator the limit |"
    echo "|---|---|---|---|---|---|"
    for n in $users; do
        before=$(server_cpu)
        read -r qps cpu < <(run_dyno "$n")
        used=$(awk -v a="$(server_cpu)" -v b="$before" -v s="$seconds" 'BEGIN {print (a-b)/s}')
        limited=$(json "$work/out.json" '$.points[0].runs[0].client.limited')
        awk -v n="$n" -v q="$qps" -v c="$cpu" -v u="$used" -v ours="$server" -v l="$limited" \
            'BEGIN {printf "| %d | %.0f | %.1f | %.2f | %s | %s |\n", n, q, c, q*c/1e6, ours == "" ? "–" : sprintf("%.2f", u), l == 1 || l == "true" ? "yes" : "no"}'
    done
    exit
fi

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
