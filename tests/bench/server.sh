# SPDX-License-Identifier: GPL-3.0-or-later
# Sourced by the benchmarks: one private server on a Unix socket below $work, stopped when the script ends; a mariadbd:
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

# A PostgreSQL with the database bench and its user postgres, who needs no password, in place of a mariadbd: start_postgresql
# CONNECTIONS [SETTING=VALUE…]. Gives: $socket (its folder: PGHOST is set to it, PGPORT and PGUSER too), $pgbench. The
# programs are those that tests unpack, else those of the system.
start_postgresql() {
    local connections=$1 programs setting arguments=() as=() i
    shift
    programs=$(find_postgresql) || { echo "no PostgreSQL with initdb, postgres and pgbench: ./test unpacks one" >&2; return 1; }
    pgbench=$programs/pgbench
    # It refuses to run as root, and the account nobody has to get to its folder.
    mkdir "$work/data" "$work/pg"
    if [ "$(id -u)" = 0 ]; then
        as=(setpriv --reuid=nobody --regid=nogroup --clear-groups)
        chown nobody:nogroup "$work/data" "$work/pg"
        chmod 711 "$work"
    fi
    chmod 700 "$work/data"
    (cd / && "${as[@]}" "$programs/initdb" --pgdata="$work/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C \
        --no-sync) >"$work/init.log" 2>&1 || { tail -5 "$work/init.log" >&2; return 1; }
    for setting in shared_buffers=1GB max_wal_size=8GB fsync=off synchronous_commit=off full_page_writes=off listen_addresses= \
        unix_socket_directories="$work/pg" max_connections="$connections" "$@"; do
        arguments+=(-c "$setting")
    done
    (cd / && exec "${as[@]}" "$programs/postgres" -D "$work/data" "${arguments[@]}") >"$work/err.log" 2>&1 &
    server=$!
    # At once, but it gives back its shared memory.
    trap 'kill -QUIT $server 2>/dev/null; wait $server 2>/dev/null; rm -rf "$work"' EXIT
    socket=$work/pg/.s.PGSQL.5432
    export PGHOST=$work/pg PGPORT=5432 PGUSER=postgres PGDATABASE=postgres
    echo "CREATE DATABASE bench" >"$work/create.sql"
    for i in $(seq 1 300); do
        if pg_script "$work/create.sql" 2>/dev/null; then export PGDATABASE=bench; return 0; fi
        kill -0 "$server" 2>/dev/null || { tail -5 "$work/err.log" >&2; return 1; }
        sleep 0.1
    done
    return 1
}
# find_postgresql: the folder of its programs.
find_postgresql() {
    local folder
    for folder in "${DYNO_TEST_POSTGRESQL:-$here/../../build/test-servers/postgresql}"/{bin,usr/lib/postgresql/*/bin} /usr/lib/postgresql/*/bin; do
        if [ -x "$folder/postgres" ] && [ -x "$folder/initdb" ] && [ -x "$folder/pgbench" ]; then echo "$folder"; return 0; fi
    done
    return 1
}
# pg_script FILE: runs its statements, a line each, once. By pgbench: the package of the server has no psql.
pg_script() { "$pgbench" --no-vacuum --client=1 --transactions=1 --file="$1" >"$work/script.log" 2>&1; }

# measured OUT COMMAND…: runs it, its output into OUT; prints "CPU-seconds largest-resident-MiB".
measured() {
    local out=$1 pid peak=0 now
    shift
    { time { "$@" >"$out" 2>"$out.err" & pid=$!
        while kill -0 $pid 2>/dev/null; do
            now=$(awk '/VmHWM/ {print $2}' /proc/$pid/status 2>/dev/null || true)
            [ -n "$now" ] && peak=$now
            sleep 0.2
        done
        wait $pid; echo "$peak" >"$out.peak"; }; } 2>"$out.time"
    echo "$(tail -1 "$out.time" | awk '{print $1+$2}') $(awk '{printf "%.1f", $1/1024}' "$out.peak")"
}

# json FILE PATH: one value of a JSON document.
json() { sqlite3 :memory: "SELECT json_extract(CAST(readfile('$1') AS TEXT), '$2')"; }

# median of the numbers on standard input
median() { sort -g | awk '{v[NR]=$1} END {if (NR % 2) print v[(NR+1)/2]; else print (v[NR/2]+v[NR/2+1])/2}'; }
