#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Loads of 1 table × ROWS rows into the same private mariadbd, in turn: by dyno in bulk and with INSERTs, by the server
# itself from a file with the same rows (LOAD DATA INFILE, index made afterwards), and by `sysbench prepare`. Seconds from
# the command's start to its end; median ratios, pair by pair.
#   tests/bench/bulk_load.sh [PAIRS=3] [ROWS=1000000] [TABLE_OPTIONS=]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-3} rows=${2:-1000000} options=${3:-}
work=$(mktemp -d)
. "$here/server.sh"
start_server --secure-file-priv= --local-infile=1
chmod 755 "$work"
TIMEFORMAT=%R
query() { mariadb --no-defaults -uroot -S "$socket" sbtest -N -e "$1"; }
drop() { query 'DROP TABLE IF EXISTS sbtest1'; }
seconds() { { time "$@" >/dev/null 2>&1; } 2>&1 | tail -1; }
checksum() { query 'CHECKSUM TABLE sbtest1' | awk '{print $2}'; }
prepare() { "$dyno" prepare --target "mysql://root@localhost/sbtest?socket=$socket" --workload oltp_read_write \
    --param tables=1 --param table_size="$rows" --param create_table_options="$options" "$@"; }
server_load() {
    query "$create; LOAD DATA INFILE '$work/data/rows.txt' INTO TABLE sbtest1 (id, k, c, pad); CREATE INDEX k_1 ON sbtest1(k)"
}
load_bulk() { drop; seconds prepare; }
load_insert() { drop; seconds prepare --knob connection.bulk_load=off; }
load_server() { drop; seconds server_load; }
load_sysbench() { drop; seconds sysbench oltp_read_write --mysql-socket="$socket" --mysql-user=root --mysql-db=sbtest --tables=1 \
    --table-size="$rows" --threads=4 prepare; }

prepare >/dev/null 2>&1
right=$(checksum)
query "SELECT id, k, c, pad FROM sbtest1 ORDER BY id INTO OUTFILE '$work/data/rows.txt'"
create="CREATE TABLE sbtest1 (id INTEGER NOT NULL AUTO_INCREMENT, k INTEGER NOT NULL DEFAULT 0, c CHAR(120) NOT NULL \
DEFAULT '', pad CHAR(60) NOT NULL DEFAULT '', PRIMARY KEY (id)) ENGINE=innodb $options"
: >"$work/pairs"
for pair in $(seq 1 "$pairs"); do
    # Each goes first as often as the others do.
    order="bulk insert server sysbench"
    for turn in $(seq 2 "$pair"); do order="${order#* } ${order%% *}"; done
    for way in $order; do
        declare "t_$way=$(load_$way)"
        [ $way = sysbench ] || [ "$(checksum)" = "$right" ] || { echo "$way: other rows" >&2; exit 1; }
    done
    echo "$t_bulk $t_insert $t_server $t_sysbench" >>"$work/pairs"
done
echo "| rows | dyno bulk, s | dyno insert, s | server's LOAD DATA, s | sysbench prepare, s | bulk / LOAD DATA | insert / LOAD DATA | bulk / sysbench |"
echo "|---|---|---|---|---|---|---|---|"
col() { awk "{print $1}" "$work/pairs" | median; }
printf '| %s | %.2f | %.2f | %.2f | %.2f | %.3f | %.3f | %.3f |\n' "$rows" "$(col '$1')" "$(col '$2')" "$(col '$3')" "$(col '$4')" \
    "$(col '$1/$3')" "$(col '$2/$3')" "$(col '$1/$4')"
