# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the benchmarks: one private mariadbd on a Unix socket below $work, stopped when the script ends.
# Gives: $socket. Extra server options as arguments. stop_server and run_server stop it and start it again on what is in
# $work/data then.
start_server() {
    local user=
    [ "$(id -u)" = 0 ] && user=--user=root
    mariadb-install-db --no-defaults $user --datadir="$work/data" --auth-root-authentication-method=normal \
        --skip-test-db --skip-name-resolve >"$work/init.log" 2>&1
    run_server "$@"
}
stop_server() {
    kill "$server"
    wait "$server" 2>/dev/null || true
}
run_server() {
    local user=
    [ "$(id -u)" = 0 ] && user=--user=root
    socket=$work/s.sock
    local mariadbd
    mariadbd=$(command -v mariadbd || echo /usr/sbin/mariadbd)
    "$mariadbd" --no-defaults $user --datadir="$work/data" --socket="$socket" --skip-networking \
        --innodb-buffer-pool-size=1G --innodb-log-file-size=512M --innodb-flush-log-at-trx-commit=2 \
        --max-connections=2000 --max-prepared-stmt-count=200000 "$@" >"$work/err.log" 2>&1 &
    server=$!
    trap 'kill $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
    local i
    for i in $(seq 1 300); do
        mariadb --no-defaults -uroot -S "$socket" -e 'CREATE DATABASE IF NOT EXISTS sbtest' 2>/dev/null && return 0
        kill -0 $server 2>/dev/null || { tail -5 "$work/err.log" >&2; return 1; }
        sleep 0.1
    done
    return 1
}

# json FILE PATH: one value of a JSON document.
json() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$1') AS TEXT), '$2')"; }

# median of the numbers on standard input
median() { sort -g | awk '{v[NR]=$1} END {if (NR % 2) print v[(NR+1)/2]; else print (v[NR/2]+v[NR/2+1])/2}'; }
