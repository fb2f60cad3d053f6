#!/usr/bin/env bash
# Builds the driver, the floors and the operators into $BENCH_BUILD; nothing is built inside the tree.
#   build.sh [driver xstate-operator controller-runtime kube-rs kopf java-operator-sdk client-node pepr floor-node]
# Without arguments: all of them. Each needs only its own tool: Go, npm, cargo, pip or Maven.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
ROOT=$(dirname "$HERE")
export PATH=$ROOT/node_modules/.bin:$PATH
: "${BENCH_BUILD:=${TMPDIR:-/tmp}/bench-build}"
mkdir -p "$BENCH_BUILD/bin" "$BENCH_BUILD/npm"
want=("$@")
[[ $# -gt 0 ]] || want=(driver xstate-operator controller-runtime kube-rs kopf java-operator-sdk client-node pepr floor-node)

# A program of ours with its dependencies beside it, as a user would install them.
npm_program() { # name
  local to=$BENCH_BUILD/npm/$1
  mkdir -p "$to"
  cp -r "$HERE/src/$1/." "$to/"
  (cd "$to" && npm install --no-audit --no-fund --omit=dev > /dev/null)
}

# The library as it is published, packed from this checkout (its working tree, not the last commit).
library() {
  local package=$BENCH_BUILD/package to=$BENCH_BUILD/npm/xstate-operator
  # npm leaves a package of the same version as it is.
  rm -rf "$package" "$to/node_modules/xstate-operator"
  mkdir -p "$package" "$to"
  (cd "$ROOT" && npm pack --silent --pack-destination "$package" > /dev/null)
  cp -r "$HERE/src/xstate-operator/." "$to/"
  (cd "$to" && printf '{ "private": true, "type": "module" }\n' > package.json &&
    npm install --no-audit --no-fund --omit=dev "$package"/*.tgz zod rolldown > /dev/null &&
    node node_modules/xstate-operator/bin/xstate-operator.js build operator.ts --out dist > /dev/null &&
    node node_modules/xstate-operator/bin/xstate-operator.js build lifecycle.ts --out dist-lifecycle > /dev/null)
}

for part in "${want[@]}"; do
  echo "== $part"
  case $part in
    driver) (cd "$HERE/driver" && go build -o "$BENCH_BUILD/bin/driver" ./cmd/driver && go build -o "$BENCH_BUILD/bin/floor" ./cmd/floor) ;;
    xstate-operator) library ;;
    controller-runtime) (cd "$HERE/src/controller-runtime" && go build -o "$BENCH_BUILD/bin/widget-cr" .) ;;
    kube-rs) (cd "$HERE/src/kube-rs" && CARGO_TARGET_DIR="$BENCH_BUILD/cargo" cargo build --release --locked) ;;
    kopf)
      [[ -d $BENCH_BUILD/kopf-venv ]] || python3 -m venv "$BENCH_BUILD/kopf-venv"
      "$BENCH_BUILD/kopf-venv/bin/pip" install -q -r "$HERE/src/kopf/requirements.txt"
      ;;
    java-operator-sdk) (cd "$HERE/src/java-operator-sdk" && mvn -q -B package -Dbench.build="$BENCH_BUILD") ;;
    client-node | pepr | floor-node) npm_program "$part" ;;
    *) echo "unknown part $part" >&2; exit 2 ;;
  esac
done
