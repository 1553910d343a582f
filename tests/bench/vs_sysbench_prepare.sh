#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired loads of 1 table × ROWS rows by dyno and by `sysbench prepare` on the same private mariadbd; seconds and ratio.
#   tests/bench/vs_sysbench_prepare.sh [PAIRS=3] [ROWS=1000000]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-3} rows=${2:-1000000}
work=$(mktemp -d)
. "$here/server.sh"
start_server
TIMEFORMAT=%R
drop() { mariadb --no-defaults -uroot -S "$socket" sbtest -e 'DROP TABLE IF EXISTS sbtest1'; }
load_sysbench() {
    drop
    { time sysbench oltp_read_write --mysql-socket="$socket" --mysql-user=root --mysql-db=sbtest --tables=1 \
        --table-size="$rows" --threads=4 prepare >/dev/null; } 2>&1 | tail -1
}
load_dyno() {
    drop
    { time "$dyno" prepare --target "mysql://root@localhost/sbtest?socket=$socket" --workload oltp_read_write \
        --param tables=1 --param table_size="$rows" >/dev/null 2>&1; } 2>&1 | tail -1
}
: >"$work/pairs"
for pair in $(seq 1 "$pairs"); do
    if [ $((pair % 2)) = 1 ]; then a=$(load_dyno); b=$(load_sysbench); else b=$(load_sysbench); a=$(load_dyno); fi
    echo "$a $b" >>"$work/pairs"
done
echo "| rows | dyno prepare, s | sysbench prepare, s | time ratio |"
echo "|---|---|---|---|"
col() { awk "{print $1}" "$work/pairs" | median; }
printf '| %s | %.2f | %.2f | %.3f |\n' "$rows" "$(col '$1')" "$(col '$2')" "$(col '$1/$2')"
