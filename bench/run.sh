#!/usr/bin/env bash
# run.sh [-q] OP...    run operators (names of operators/*.env, or paths of such files) side by side,
# interleaved, and print the table. Knobs (env):
#   REPS=3 N=2000 N3=10000 N5=100000 DUR=30s RATE=40 HEAL=200 W="W0,W1,W2,W4,W3" OUT=$BENCH_BUILD/results/<session>.json
#   W=W5 REPS=1                     200,000 objects: 8 GiB of memory, 10 minutes for two operators
#   MAX_FOREIGN=0.12 MAX_WAIT=20s   before each workload wait (bounded) for others to be quiet
#   NICE=0                          nice value of control plane, driver and operators
#   KEEP=0                          1: leave the control plane running
# -q  quick mode: N=300, N3=300, 1 repetition, short W2; two operators finish within a minute.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export BENCH_DIR=$HERE
# The Node of this repository for every operator in JavaScript.
export PATH=$(dirname "$HERE")/node_modules/.bin:$PATH
export BENCH_BUILD=${BENCH_BUILD:-${TMPDIR:-/tmp}/bench-build}
export CP_DIR=${CP_DIR:-$BENCH_BUILD/cp}
export BENCH_WORKERS=${BENCH_WORKERS:-16}
if [[ ${1:-} == -q ]]; then
  shift
  : "${REPS:=1}" "${N:=300}" "${N3:=300}" "${N5:=600}" "${DUR:=4s}" "${HEAL:=30}" "${MAX_WAIT:=0s}" "${SETTLE:=1s}" "${LIMIT:=60s}"
fi
: "${REPS:=3}" "${N:=2000}" "${N3:=10000}" "${N5:=100000}" "${DUR:=30s}" "${RATE:=40}" "${HEAL:=200}" "${MAX_WAIT:=20s}" "${MAX_FOREIGN:=0.12}"
: "${SETTLE:=3s}" "${LIMIT:=300s}" "${W:=W0,W1,W2,W4,W3}" "${NICE:=0}" "${KEEP:=0}"
[[ $# -gt 0 ]] || { sed -n '2,10p' "$0"; echo "operators: $(cd "$HERE/operators" && ls | sed 's/\.env$//' | tr '\n' ' ')"; exit 2; }
session=$(date -u +%Y%m%dT%H%M%SZ)
: "${OUT:=$BENCH_BUILD/results/$session.json}"
mkdir -p "$(dirname "$OUT")"
logs=$BENCH_BUILD/logs/$session; mkdir -p "$logs"
D=(nice -n "$NICE" "$BENCH_BUILD/bin/driver")
def() { [[ -f $1 ]] && realpath "$1" || echo "$HERE/operators/$1.env"; }
for op in "$@"; do [[ -f $(def "$op") ]] || { echo "no operator $op" >&2; exit 2; }; done

started=0
if [[ $("$HERE/cluster.sh" status | grep -c down) -ge 2 ]]; then nice -n "$NICE" "$HERE/cluster.sh" start >&2; started=1; fi
finish() { if [[ $started == 1 && $KEEP != 1 ]]; then "$HERE/cluster.sh" stop; fi; }
trap finish EXIT
"$HERE/cluster.sh" info > "$logs/info.txt"

common=(-out "$OUT" -session "$session" -logs "$logs" -n "$N" -n3 "$N3" -dur "$DUR" -rate "$RATE" -heal "$HEAL"
  -settle "$SETTLE" -limit "$LIMIT" -max-foreign "$MAX_FOREIGN" -max-wait "$MAX_WAIT")
live=$(tr ',' '\n' <<< "$W" | grep -v 'W[35]' | paste -sd, || true)
if [[ -n $live ]]; then
  for rep in $(seq 1 "$REPS"); do
    ops=("$@")
    for i in "${!ops[@]}"; do # rotate the order so that no operator always goes first
      op=${ops[$(((i + rep - 1) % ${#ops[@]}))]}
      "${D[@]}" session -op "$(def "$op")" -w "$live" -rep "$rep" "${common[@]}" || true
    done
  done
  "${D[@]}" clean
fi
# One population for all, on which each operator that keeps marks of its own (PRIME_W3=1) has left them before anything is measured:
# a correct operator leaves it untouched.
restarts() { # workload, Widgets, limit, how many of them the API server makes (the others are copies; 0: all)
  local same=("${common[@]}" -n3 "$2" -limit "$3" -from "$4") marked="" op rep i
  "${D[@]}" populate "${same[@]}"
  for op in "${ops[@]}"; do
    if grep -q '^PRIME_W3=1' "$(def "$op")"; then "${D[@]}" prime -op "$(def "$op")" "${same[@]}"; marked+=,$(def "$op"); fi
  done
  "${D[@]}" copy -marked "$marked" "${same[@]}"
  for rep in $(seq 1 "$REPS"); do
    for i in "${!ops[@]}"; do
      op=${ops[$(((i + rep - 1) % ${#ops[@]}))]}
      "${D[@]}" session -op "$(def "$op")" -w "$1" -rep "$rep" "${same[@]}" || true
    done
  done
}
ops=("$@")
if [[ ",$W," == *,W3,* ]]; then
  restarts W3 "$N3" "$LIMIT" 0
  "${D[@]}" clean
fi
if [[ ",$W," == *,W5,* ]]; then
  restarts W5 "$N5" 900s 1000
  # A control plane that ends forgets them; to delete them would take minutes.
  if [[ $started != 1 || $KEEP == 1 ]]; then "${D[@]}" clean; fi
fi
cat "$logs/info.txt"
"${D[@]}" report "$OUT"
echo; echo "results: $OUT"
