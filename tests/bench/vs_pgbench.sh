#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Paired runs of dyno and of pgbench (-M prepared) against the same private PostgreSQL over its Unix socket, on the tables that
# pgbench -i made; prints a Markdown table of medians. The machine is noisy: the two run in turn, and ratios are taken pair by
# pair. Before each run the small tables are vacuumed and the history is emptied, as pgbench does it by itself, and it begins
# when the server has no other client left. pgbench gets a thread for each core, with which it does best; dyno chooses by itself
# between a thread a user and event loops on half the cores. CPU is that of the whole process, user and system, in its steady
# state: what either does before its users are connected and after its last second is not counted. Neither asks for the
# server's counters: what that costs is in observing_cost.sh. Memory: what a user more takes of the client, from the most that
# it had resident (VmHWM) with MEMORY users and with one.
#   tests/bench/vs_pgbench.sh [PAIRS=5] [SECONDS=12] [USERS="1 16 64 1000"] [SCRIPTS="select-only tpcb-like"] [MEMORY=2000] [SCALE=20]
# MEMORY=0: no memory. LOOPS: event loops of dyno. AS=script: dyno runs pgbench's script by its workload "script" (prepared), not by "tpcb".
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
dyno=${DYNO:-$bin/dyno}
pairs=${1:-5} seconds=${2:-12} users=${3:-1 16 64 1000} scripts=${4:-select-only tpcb-like} memory=${5:-2000} scale=${6:-20}
work=$(mktemp -d)
. "$here/server.sh"
ulimit -n "$(ulimit -Hn)"
most=$(printf '%s\n' $users "$memory" | sort -n | tail -1)
start_postgresql $((most + 50))
export XDG_DATA_HOME=$work/home
"$pgbench" --initialize --scale="$scale" --quiet bench >"$work/pgbench.log" 2>&1 || { cat "$work/pgbench.log" >&2; exit 1; }
uri="postgresql://postgres@localhost/bench?socket=$socket"

# Within one statement the picture of who is connected stays the same, unless it is thrown away.
cat >"$work/alone.sql" <<'END'
DO $$ DECLARE others int; BEGIN LOOP PERFORM pg_stat_clear_snapshot(); SELECT count(*) INTO others FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid(); EXIT WHEN others = 0; PERFORM pg_sleep(0.05); END LOOP; END $$;
END
cat >"$work/fresh.sql" <<'END'
VACUUM pgbench_branches;
VACUUM pgbench_tellers;
TRUNCATE pgbench_history;
CHECKPOINT;
END
ready() { pg_script "$work/alone.sql" && pg_script "$work/fresh.sql" || { cat "$work/script.log" >&2; return 1; }; }

cores=$(nproc)
# The time of pgbench begins before it connects, that of dyno afterwards: it gets what connecting takes more (its transactions a
# second are without it). connecting USERS: those seconds, tried once for each number.
declare -A connects
connecting() {
    [ -n "${connects[$1]:-}" ] && return 0
    pgbench_command select-only "$1" 0
    "${command[@]/--time=*/--transactions=1}" >"$work/out" 2>"$work/errors" || { cat "$work/errors" >&2; return 1; }
    connects[$1]=$(awk '/^initial connection time = / {print int($5 / 1000 * 1.5 + 0.9)}' "$work/out")
}
# Each sets $command for SCRIPT USERS, of pgbench with the seconds of connecting.
pgbench_command() {
    command=("$pgbench" --no-vacuum --protocol=prepared --builtin="$1" --client="$2" --jobs=$(($2 < cores ? $2 : cores))
        --time=$((seconds + $3)) bench)
}
dyno_command() {
    local what=(--workload tpcb --param script="$1")
    [ "${AS:-}" != script ] || what=(--builtin "$1" --param protocol=prepared)
    command=("$dyno" run --target "$uri" "${what[@]}" --param scale="$scale" --users "$2" --time "$seconds"
        --loops "${LOOPS:-0}" --existing use --counters false --library "$work/library" --json --quiet)
}
# steady SECONDS-OF-CONNECTING COMMAND…: runs it, its output goes to $work/out; $cpu: its user and system time a second, between
# two moments of its steady state (from two seconds after it has connected to half a second before it ends).
steady() {
    local connecting=$1 client first last from to hz
    shift
    hz=$(getconf CLK_TCK)
    used() { awk '{sub(/.*\) /, ""); print $12 + $13}' "/proc/$client/stat"; }
    "$@" >"$work/out" 2>"$work/errors" &
    client=$!
    sleep $((connecting + 2))
    from=$EPOCHREALTIME first=$(used)
    sleep "$(awk "BEGIN {print $seconds - 2.5 - $connecting}")"
    to=$EPOCHREALTIME last=$(used)
    wait "$client" || { cat "$work/errors" "$work/out" >&2; return 1; }
    cpu=$(awk "BEGIN {print ($last - $first) / $hz / ($to - $from)}")
}
# Each prints "transactions/s  client-CPU-µs-per-transaction" of one run.
run_pgbench() {
    ready
    pgbench_command "$@" "${connects[$2]}"
    steady "${connects[$2]}" "${command[@]}"
    awk -v cpu="$cpu" '/^tps = / {tps = $3} END {if (!tps) exit 1; print tps, cpu / tps * 1e6}' "$work/out" ||
        { cat "$work/out" "$work/errors" >&2; return 1; }
}
run_dyno() {
    ready
    dyno_command "$@"
    steady "${connects[$2]}" "${command[@]}"
    [ "$(json "$work/out" '$.points[0].runs[0].status')" = done ] || { cat "$work/errors" "$work/out" >&2; return 1; }
    awk -v cpu="$cpu" -v tps="$(json "$work/out" '$.points[0].runs[0].tps')" 'BEGIN {print tps, cpu / tps * 1e6}'
}
# peak WHICH SCRIPT USERS: MiB
peak() {
    local both
    connecting "$3"
    ready
    "$1_command" "$2" "$3" "${connects[$3]}"
    both=$(measured "$work/peak" "${command[@]}") || { cat "$work/peak.err" >&2; return 1; }
    echo "${both#* }"
}

echo "| script | users | dyno, transactions/s | pgbench, transactions/s | throughput ratio | lowest and highest pair | dyno, client CPU µs/transaction | pgbench | CPU ratio | lowest and highest pair |"
echo "|---|---|---|---|---|---|---|---|---|---|"
for script in $scripts; do
    for n in $users; do
        connecting "$n"
        : >"$work/pairs"
        for pair in $(seq 1 "$pairs"); do
            if [ $((pair % 2)) = 1 ]; then a=$(run_dyno "$script" "$n"); b=$(run_pgbench "$script" "$n")
            else b=$(run_pgbench "$script" "$n"); a=$(run_dyno "$script" "$n"); fi
            echo "$a $b" >>"$work/pairs"
        done
        col() { awk "{print $1}" "$work/pairs"; }
        range() { col "$1" | sort -g | awk 'NR == 1 {low = $1} {high = $1} END {printf "%.3f to %.3f", low, high}'; }
        printf '| %s | %s | %.0f | %.0f | %.3f | %s | %.1f | %.1f | %.3f | %s |\n' "$script" "$n" "$(col '$1' | median)" \
            "$(col '$3' | median)" "$(col '$1/$3' | median)" "$(range '$1/$3')" "$(col '$2' | median)" "$(col '$4' | median)" \
            "$(col '$2/$4' | median)" "$(range '$2/$4')"
    done
done
[ "$memory" -gt 1 ] || exit 0
echo
echo "| client | 1 user, MiB | $memory users, MiB | KiB a user |"
echo "|---|---|---|---|"
for client in dyno pgbench; do
    few=$(peak $client select-only 1)
    many=$(peak $client select-only "$memory")
    awk -v c=$client -v f="$few" -v m="$many" -v n="$memory" 'BEGIN {printf "| %s | %.1f | %.1f | %.1f |\n", c, f, m, (m-f)*1024/(n-1)}'
done
