#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired runs of dyno and of a bare loop over RocksDB's C++ interface: gets of YCSB's records (workload C, uniform keys), and
# puts of new ones. Prints a Markdown table of median ratios. The two run in turn, each on a copy of the same folder, and
# ratios are taken pair by pair. The CPU is that of the whole process, with the library's own threads.
#   tests/bench/vs_raw_rocksdb.sh [PAIRS=5] [SECONDS=8] [USERS="1 8"]
# ROWS: records that are there (100000). CACHE: MiB of block cache, which holds them all (256).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
dyno=${DYNO:-$bin/dyno} raw=${RAW:-$bin/raw_rocksdb}
pairs=${1:-5} seconds=${2:-8} users=${3:-1 8}
rows=${ROWS:-100000} cache=${CACHE:-256}
work=$(mktemp -d)
. "$here/server.sh"
trap 'rm -rf "$work"' EXIT
common=(--workload ycsb --param requestdistribution=uniform --param recordcount="$rows" --knob connection.block_cache="${cache}M")
puts=(--param workload=custom --param read_proportion=0 --param update_proportion=0 --param scan_proportion=0 --param insert_proportion=1)
value=1180 # bytes: ten fields of 100 characters, with their names and lengths
declare -A kind=([get]="--param workload=c" [put]="${puts[*]}")
TIMEFORMAT='%U %S'

# A folder for one run; the same for all, and warm in the system's cache.
fresh() { rm -rf "$work/run"; cp -r "$work/base-$1" "$work/run"; }
# Each prints "operations/s  CPU-µs-per-operation" of one run of KIND with USERS.
run_raw() { fresh "$1"; "$raw" "$work/run" "$rows" "$2" "$seconds" "$1" $value "$cache" | awk '{print $1, $2}'; }
run_dyno() {
    fresh "$1"
    # shellcheck disable=SC2086
    { time "$dyno" run --target "rocksdb:$work/run" "${common[@]}" ${kind[$1]} --users "$2" --time "$seconds" \
        --library "$work/library" --allow all --json --quiet >"$work/out.json" 2>"$work/log"; } 2>"$work/time"
    awk -v cpu="$(tail -1 "$work/time" | awk '{print $1+$2}')" -v q="$(json "$work/out.json" '$.points[0].runs[0].queries')" \
        -v qps="$(json "$work/out.json" '$.points[0].runs[0].qps')" 'BEGIN {print qps, cpu/q*1e6}'
}

echo "| calls | users | dyno, calls/s | raw loop, calls/s | throughput ratio | dyno, CPU µs/call | raw loop | CPU ratio |"
echo "|---|---|---|---|---|---|---|---|"
for what in get put; do
    # shellcheck disable=SC2086
    "$dyno" prepare --target "rocksdb:$work/base-$what" "${common[@]}" ${kind[$what]} >/dev/null 2>"$work/log" ||
        { cat "$work/log" >&2; exit 1; }
    for n in $users; do
        : >"$work/pairs"
        for pair in $(seq 1 "$pairs"); do
            if [ $((pair % 2)) = 1 ]; then a=$(run_dyno $what "$n"); b=$(run_raw $what "$n")
            else b=$(run_raw $what "$n"); a=$(run_dyno $what "$n"); fi
            echo "$a $b" >>"$work/pairs"
        done
        col() { awk "{print $1}" "$work/pairs" | median; }
        printf '| %s | %s | %.0f | %.0f | %.3f | %.2f | %.2f | %.3f |\n' $what "$n" "$(col '$1')" "$(col '$3')" \
            "$(col '$1/$3')" "$(col '$2')" "$(col '$4')" "$(col '$2/$4')"
    done
done
