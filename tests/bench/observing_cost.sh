#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What it costs to observe: point selects against one private mariadbd, beside a second dyno that keeps all counters of the
# server and of the host once a second, as it does for each run. Whole runs with and without differ by more than the one per
# cent that is asked for, so that the second one is stopped (SIGSTOP) and goes on again in blocks of some seconds within one run
# of the first; which of a pair of blocks comes first is drawn. Prints, as a Markdown table, the median of the pairs' ratios
# with a 95 % interval (order statistics of the sign test, which asks nothing of the distribution). The second dyno makes a
# transaction a second of its own and writes its own library: what it takes is a little more than what a run's own
# observing takes. The goal is 1 % of the throughput and 1 % of a core of the generator. Leave the machine alone meanwhile.
#   tests/bench/observing_cost.sh [PAIRS=100] [BLOCK_SECONDS=2] [USERS="1 16"] [ROWS=10000]
# NULL=1: the second dyno stays stopped in both kinds of blocks, which shows what the machine's noise alone makes of it.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
dyno=${DYNO:-$here/../../build/release/bin/dyno}
pairs=${1:-100} block=${2:-2} users=${3:-1 16} rows=${4:-10000}
work=$(mktemp -d)
. "$here/server.sh"
start_server
uri="mysql://root@localhost/sbtest?socket=$socket"
oltp=(--workload oltp_point_select --param tables=1 --param table_size="$rows" --param rand_type=uniform --existing use)
"$dyno" prepare --target "$uri" "${oltp[@]:0:8}" >/dev/null 2>&1
now() { date +%s.%N; }
nap() { sleep "$block"; }
signal() { [ -n "${NULL:-}" ] || kill "-$1" "$observer"; }
echo "| users | counters | pairs | throughput, observed ÷ not | 95 % interval | middle half of the pairs | observer's CPU, % of a core |"
echo "|---|---|---|---|---|---|---|"
for n in $users; do
    long=$(awk "BEGIN {print int($pairs * 2 * $block + 6)}")
    "$dyno" run --target "$uri" "${oltp[@]}" --users "$n" --time "$long" --warmup 1 --interval 0.25 --counters false \
        --library "$work/load" --json --quiet >"$work/load.json" 2>"$work/errors" &
    load=$!
    "$dyno" run --target "$uri" "${oltp[@]}" --users 1 --rate 1 --time "$((long + 30))" --counters true \
        --library "$work/observed" --json --quiet >"$work/observed.json" 2>"$work/errors2" &
    observer=$!
    trap 'kill -CONT $observer 2>/dev/null; kill $load $observer $server 2>/dev/null; wait 2>/dev/null; rm -rf "$work"' EXIT
    sleep 4
    kill -STOP $observer
    cpu() { awk -v hz="$(getconf CLK_TCK)" '{sub(/.*\) /, ""); print ($12 + $13) / hz}' "/proc/$observer/stat"; }
    before=$(cpu)
    : >"$work/blocks" # pair, observed, from, to by the clock
    for pair in $(seq 1 "$pairs"); do
        order="1 0"
        [ $((RANDOM % 2)) = 0 ] || order="0 1"
        for on in $order; do
            if [ "$on" = 1 ]; then signal CONT; fi
            from=$(now)
            nap
            echo "$pair $on $from $(now)" >>"$work/blocks"
            if [ "$on" = 1 ]; then signal STOP; fi
        done
    done
    core=$(awk "BEGIN {printf \"%.2f\", ($(cpu) - $before) / ($pairs * $block) * 100}")
    kill -CONT $observer
    kill -INT $observer
    wait $load || { cat "$work/errors" >&2; exit 1; }
    wait $observer || true
    # An interval belongs to the block that has it wholly.
    sqlite3 -separator ' ' "$work/load" "SELECT (json_extract(r.summary, '\$.started_ms') + json_extract(r.summary, '\$.began_after_ms')) / 1000.0 + i.t_ns / 1e9,
        i.length_ns / 1e9, sum(o.count) FROM interval i JOIN interval_op o ON o.run = i.run AND o.interval = i.idx JOIN run r ON r.key = i.run
        WHERE i.run = (SELECT max(key) FROM run) GROUP BY i.idx ORDER BY i.idx" >"$work/intervals"
    awk 'NR == FNR {t[NR] = $1; l[NR] = $2; c[NR] = $3; n = NR; i = 1; next}
        {while (i <= n && t[i] < $3) i++
         count = 0; time = 0
         while (i <= n && t[i] + l[i] <= $4) {count += c[i]; time += l[i]; i++}
         if (time > 0) rate[$1, $2] = count / time
         last = $1}
        END {for (p = 1; p <= last; p++) if (rate[p, 0] > 0 && rate[p, 1] > 0) printf "%.6f\n", rate[p, 1] / rate[p, 0]}' \
        "$work/intervals" "$work/blocks" | sort -g >"$work/ratios"
    kept=$(sqlite3 "$work/observed" 'SELECT count(*) FROM counter WHERE run = (SELECT max(key) FROM run)')
    awk -v users="$n" -v kept="$kept" -v core="$core" '{v[NR] = $1}
        END {m = NR; half = 0.98 * sqrt(m); low = int(m / 2 - half); high = int(m / 2 + half + 1)
             if (low < 1) low = 1; if (high > m) high = m
             median = m % 2 ? v[(m + 1) / 2] : (v[m / 2] + v[m / 2 + 1]) / 2
             printf "| %s | %s | %d | %.4f | %.4f to %.4f | %.3f to %.3f | %s |\n", users, kept, m, median, v[low], v[high],
                 v[int(m / 4) + 1], v[int(m * 3 / 4) + 1], core}' "$work/ratios"
    rm -f "$work/load" "$work/observed"
done
