#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired runs of dyno (event loops) and sysbench 1.0.20 with many users on the same private mariadbd over its Unix socket
# (thread_handling=pool-of-threads), prepared point selects on one table; prints a Markdown table of median ratios.
# CPU and memory are the whole process's, connecting included.
#   tests/bench/many_users.sh [PAIRS=3] [SECONDS=10] [USERS="1000 8000"] [ALONE="16000"] [TLS="4000"]
# ALONE: numbers of users that dyno runs without sysbench beside it; TLS: the same, encrypted, over TCP on 127.0.0.1.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-3} seconds=${2:-10} users=${3:-1000 8000} alone=${4:-16000} tls=${5:-4000}
work=$(mktemp -d)
. "$here/server.sh"
ulimit -n "$(ulimit -Hn)"
openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=bench-ca -keyout "$work/ca.key" -out "$work/ca.pem" 2>/dev/null
openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout "$work/server.key" -out "$work/server.csr" 2>/dev/null
openssl x509 -req -in "$work/server.csr" -CA "$work/ca.pem" -CAkey "$work/ca.key" -CAcreateserial -days 2 -out "$work/server.pem" 2>/dev/null
port=$((20000 + RANDOM % 10000))
start_server --skip-networking=0 --bind-address=127.0.0.1 --port=$port \
    --ssl-ca="$work/ca.pem" --ssl-cert="$work/server.pem" --ssl-key="$work/server.key" --thread-handling=pool-of-threads --max-connections=18000 --max-prepared-stmt-count=1000000 --back-log=4096
rows=100000
uri="mysql://root@localhost/sbtest?socket=$socket"
common=(--mysql-socket="$socket" --mysql-user=root --mysql-db=sbtest --tables=1 --table-size=$rows --rand-type=uniform)
sysbench oltp_read_write "${common[@]}" prepare >/dev/null
TIMEFORMAT='%U %S'

# Each prints "queries/s CPU-µs-per-query MiB".
run_sysbench() {
    local cost
    cost=$(measured "$work/s" sysbench oltp_point_select "${common[@]}" --threads="$1" --time="$seconds" run)
    grep -q queries: "$work/s" || { cat "$work/s" "$work/s.err" >&2; return 1; }
    awk -v cost="$cost" '/queries:/ {gsub(/[^0-9. ]/,""); split(cost, c, " "); print $2, c[1]/$1*1e6, c[2]}' "$work/s"
}
run_dyno() {
    local cost
    cost=$(measured "$work/d" "$dyno" run --target "${2:-$uri}" --workload oltp_point_select --users "$1" --time "$seconds" \
        --param tables=1 --param table_size=$rows --param rand_type=uniform --library "$work/library" --json --quiet)
    [ "$(json "$work/d" '$.points[0].runs[0].status')" = done ] || { cat "$work/d" "$work/d.err" >&2; return 1; }
    awk -v cost="$cost" -v q="$(json "$work/d" '$.points[0].runs[0].queries')" -v qps="$(json "$work/d" '$.points[0].runs[0].qps')" \
        'BEGIN {split(cost, c, " "); print qps, c[1]/q*1e6, c[2]}'
}

echo "| users | dyno, queries/s | sysbench, queries/s | throughput ratio | dyno, client CPU µs/query | sysbench | CPU ratio | dyno, MiB | sysbench | memory ratio | dyno, KiB a user |"
echo "|---|---|---|---|---|---|---|---|---|---|---|"
for n in $users; do
    : >"$work/pairs"
    for pair in $(seq 1 "$pairs"); do
        if [ $((pair % 2)) = 1 ]; then a=$(run_dyno "$n"); b=$(run_sysbench "$n"); else b=$(run_sysbench "$n"); a=$(run_dyno "$n"); fi
        echo "$a $b" >>"$work/pairs"
    done
    col() { awk "{print $1}" "$work/pairs" | median; }
    printf '| %s | %.0f | %.0f | %.2f | %.1f | %.1f | %.2f | %.0f | %.0f | %.2f | %.1f |\n' "$n" "$(col '$1')" "$(col '$4')" \
        "$(col '$1/$4')" "$(col '$2')" "$(col '$5')" "$(col '$2/$5')" "$(col '$3')" "$(col '$6')" "$(col '$3/$6')" "$(col "\$3*1024/$n")"
done
# by_itself USERS LABEL [URI]
by_itself() {
    local a
    a=($(run_dyno "$1" "${3:-$uri}"))
    printf '| %s | %.0f | – | – | %.1f | – | – | %.0f | – | – | %.1f |\n' "$2" "${a[0]}" "${a[1]}" "${a[2]}" \
        "$(awk -v m="${a[2]}" -v n="$1" 'BEGIN {print m*1024/n}')"
}
for n in $alone; do by_itself "$n" "$n"; done
if [ -n "$tls" ]; then
    mariadb --no-defaults -uroot -S "$socket" -e "CREATE USER 'bench'@'127.0.0.1'; GRANT ALL ON sbtest.* TO 'bench'@'127.0.0.1'"
    for n in $tls; do by_itself "$n" "$n, TLS" "mysql://bench@127.0.0.1:$port/sbtest?tls=required&tls_ca=$work/ca.pem"; done
fi
