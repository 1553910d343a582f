#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# What the open, drawing window costs: paired runs of the same plan (durability-sqlite) in the window (offscreen, drawn
# by the CPU) and on the command line; prints the median ratio of throughput per point. One core to spare is needed:
# only the points with one user are compared.
#   tests/bench/window_cost.sh [PAIRS=3] [SIZE=quick]
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
bin=${BIN:-$here/../../build/release/bin}
pairs=${1:-3} size=${2:-quick}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$here/server.sh" # json, median
export XDG_DATA_HOME=$work/data XDG_CONFIG_HOME=$work/config
# tps FILE.dyno: "label tps" of each run with one user
tps() {
    "$bin/dyno" show last --library "$1" --json >"$work/show.json"
    sqlite3 -separator ' ' :memory: "SELECT json_extract(p.value, '\$.cases.synchronous'), avg(json_extract(r.value, '\$.tps'))
        FROM json_each(CAST(readfile('$work/show.json') AS TEXT), '\$.points') p, json_each(p.value, '\$.runs') r
        WHERE json_extract(p.value, '\$.users') = 1 GROUP BY 1 ORDER BY 1"
}
window() {
    rm -rf "$work/out" "$work/w.lib"
    QT_QPA_PLATFORM=offscreen "$bin/dynobench" --library "$work/w.lib" quickstart --size "$size" --out "$work/out" >/dev/null 2>&1
    tps "$work/w.lib"
}
line() {
    rm -f "$work/l.lib"*
    "$bin/dyno" run durability-sqlite --size "$size" --library "$work/l.lib" --quiet >/dev/null 2>&1
    tps "$work/l.lib"
}
: >"$work/pairs"
for pair in $(seq 1 "$pairs"); do
    if [ $((pair % 2)) = 1 ]; then window >"$work/a"; line >"$work/b"; else line >"$work/b"; window >"$work/a"; fi
    join "$work/a" "$work/b" >>"$work/pairs"
done
echo "| synchronous | window, tps | dyno, tps | ratio |"
echo "|---|---|---|---|"
for label in $(awk '{print $1}' "$work/pairs" | sort -u); do
    col() { awk -v l="$label" "\$1 == l {print $1}" "$work/pairs" | median; }
    printf '| %s | %.0f | %.0f | %.3f |\n' "$label" "$(col '$2')" "$(col '$3')" "$(col '$2/$3')"
done
