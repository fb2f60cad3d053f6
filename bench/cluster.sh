#!/usr/bin/env bash
# Start/stop a loopback-only Kubernetes control plane for benchmarks:
# etcd + kube-apiserver (+ kube-controller-manager with GC/namespace controllers only).
#   cluster.sh start | stop | status | info
# Everything is set by env; every process is stopped by the pid recorded here, never by name.
set -euo pipefail
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)

: "${BENCH_BUILD:=${TMPDIR:-/tmp}/bench-build}"
: "${CP_DIR:=$BENCH_BUILD/cp}"                 # certs, kubeconfigs, logs, pids
: "${CP_ETCD_DIR:=/dev/shm/bench-etcd-$(id -u)}" # tmpfs: no disk in the measured path
: "${KUBEBUILDER_ASSETS:?names no folder: it must hold etcd, kube-apiserver and kube-controller-manager (setup-envtest has the first two)}"
: "${ETCD_BIN:=$KUBEBUILDER_ASSETS/etcd}"
: "${APISERVER_BIN:=$KUBEBUILDER_ASSETS/kube-apiserver}"
: "${KCM_BIN:=$KUBEBUILDER_ASSETS/kube-controller-manager}"
: "${CP_ETCD_PORT:=23790}"
: "${CP_ETCD_PEER_PORT:=23800}"
: "${CP_API_PORT:=26443}"
: "${CP_KCM_PORT:=26257}"
: "${CP_KCM:=1}"            # 0: no controller manager
: "${CP_APF:=true}"         # API priority and fairness; users are system:masters = exempt level
: "${CP_MAX_INFLIGHT:=4000}"
: "${CP_MAX_MUTATING:=4000}"
: "${CP_API_EXTRA:=}"       # extra kube-apiserver flags
: "${CP_KEEP_DATA:=0}"      # 1: keep etcd data across start/stop

pidf() { echo "$CP_DIR/$1.pid"; }
alive() { local f; f=$(pidf "$1"); [[ -s $f ]] && kill -0 "$(cat "$f")" 2>/dev/null; }

certs() {
  local d=$CP_DIR/pki; mkdir -p "$d"; [[ -s $d/server.crt ]] && return 0
  openssl ecparam -name prime256v1 -genkey -noout -out "$d/ca.key" 2>/dev/null
  openssl req -x509 -new -key "$d/ca.key" -subj /CN=bench-ca -days 3650 -out "$d/ca.crt" 2>/dev/null
  openssl ecparam -name prime256v1 -genkey -noout -out "$d/server.key" 2>/dev/null
  openssl req -new -key "$d/server.key" -subj /CN=kube-apiserver -out "$d/server.csr" 2>/dev/null
  printf 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc\nextendedKeyUsage=serverAuth\n' > "$d/san"
  openssl x509 -req -in "$d/server.csr" -CA "$d/ca.crt" -CAkey "$d/ca.key" -CAcreateserial \
    -days 3650 -extfile "$d/san" -out "$d/server.crt" 2>/dev/null
  openssl genrsa -out "$d/sa.key" 2048 2>/dev/null
  openssl rsa -in "$d/sa.key" -pubout -out "$d/sa.pub" 2>/dev/null
}

kubeconfig() { # file user token
  cat > "$1" <<K
apiVersion: v1
kind: Config
clusters:
- name: bench
  cluster:
    server: https://127.0.0.1:$CP_API_PORT
    certificate-authority-data: $(base64 -w0 < "$CP_DIR/pki/ca.crt")
users:
- name: $2
  user:
    token: $3
contexts:
- name: bench
  context: {cluster: bench, user: $2, namespace: bench}
current-context: bench
K
  chmod 600 "$1"
}

wait_http() { # url what pidname [curl args]
  local url=$1 what=$2 p=$3 i; shift 3
  for i in $(seq 1 600); do
    curl -fsS -o /dev/null --max-time 2 "$@" "$url" 2>/dev/null && return 0
    alive "$p" || { echo "$what died; see $CP_DIR/$p.log" >&2; tail -5 "$CP_DIR/$p.log" >&2; return 1; }
    sleep 0.2
  done
  echo "$what not ready" >&2; return 1
}

start() {
  alive kube-apiserver && { echo "already running (KUBECONFIG=$CP_DIR/operator.kubeconfig)"; return 0; }
  mkdir -p "$CP_DIR"; certs
  [[ $CP_KEEP_DATA == 1 ]] || rm -rf "$CP_ETCD_DIR"
  mkdir -p "$CP_ETCD_DIR"; chmod 700 "$CP_ETCD_DIR"
  printf 'driver-token,bench-driver,1,"system:masters"\noperator-token,bench-operator,2,"system:masters"\nkcm-token,bench-kcm,3,"system:masters"\n' > "$CP_DIR/tokens.csv"
  chmod 600 "$CP_DIR/tokens.csv"
  kubeconfig "$CP_DIR/driver.kubeconfig" bench-driver driver-token
  kubeconfig "$CP_DIR/operator.kubeconfig" bench-operator operator-token
  kubeconfig "$CP_DIR/kcm.kubeconfig" bench-kcm kcm-token

  setsid "$ETCD_BIN" --name bench --data-dir "$CP_ETCD_DIR" --unsafe-no-fsync \
    --listen-client-urls "http://127.0.0.1:$CP_ETCD_PORT" --advertise-client-urls "http://127.0.0.1:$CP_ETCD_PORT" \
    --listen-peer-urls "http://127.0.0.1:$CP_ETCD_PEER_PORT" --initial-advertise-peer-urls "http://127.0.0.1:$CP_ETCD_PEER_PORT" \
    --initial-cluster "bench=http://127.0.0.1:$CP_ETCD_PEER_PORT" \
    --quota-backend-bytes 8589934592 --snapshot-count 100000 --log-level warn \
    > "$CP_DIR/etcd.log" 2>&1 < /dev/null &
  echo $! > "$(pidf etcd)"
  wait_http "http://127.0.0.1:$CP_ETCD_PORT/health" etcd etcd
  echo "http://127.0.0.1:$CP_ETCD_PORT" > "$CP_DIR/etcd.address"

  # shellcheck disable=SC2086
  setsid "$APISERVER_BIN" \
    --etcd-servers="http://127.0.0.1:$CP_ETCD_PORT" \
    --bind-address=127.0.0.1 --advertise-address=127.0.0.1 --secure-port="$CP_API_PORT" \
    --endpoint-reconciler-type=none --service-cluster-ip-range=10.96.0.0/24 \
    --tls-cert-file="$CP_DIR/pki/server.crt" --tls-private-key-file="$CP_DIR/pki/server.key" \
    --service-account-issuer=https://kubernetes.default.svc \
    --service-account-key-file="$CP_DIR/pki/sa.pub" --service-account-signing-key-file="$CP_DIR/pki/sa.key" \
    --token-auth-file="$CP_DIR/tokens.csv" --authorization-mode=AlwaysAllow \
    --disable-admission-plugins=ServiceAccount,LimitRanger,ResourceQuota,DefaultStorageClass,DefaultTolerationSeconds,DefaultIngressClass,PersistentVolumeClaimResize,StorageObjectInUseProtection,TaintNodesByCondition,Priority,RuntimeClass,PodSecurity,CertificateApproval,CertificateSigning,CertificateSubjectRestriction \
    --max-requests-inflight="$CP_MAX_INFLIGHT" --max-mutating-requests-inflight="$CP_MAX_MUTATING" \
    --enable-priority-and-fairness="$CP_APF" --profiling=false $CP_API_EXTRA \
    > "$CP_DIR/kube-apiserver.log" 2>&1 < /dev/null &
  echo $! > "$(pidf kube-apiserver)"
  wait_http "https://127.0.0.1:$CP_API_PORT/readyz" kube-apiserver kube-apiserver --cacert "$CP_DIR/pki/ca.crt" -H "Authorization: Bearer driver-token"

  if [[ $CP_KCM == 1 && -x $KCM_BIN ]]; then
    setsid "$KCM_BIN" --kubeconfig="$CP_DIR/kcm.kubeconfig" --bind-address=127.0.0.1 --secure-port="$CP_KCM_PORT" \
      --cert-dir="$CP_DIR/pki/kcm" --leader-elect=false --use-service-account-credentials=false \
      --controllers=garbage-collector-controller,namespace-controller \
      --kube-api-qps=200 --kube-api-burst=400 \
      > "$CP_DIR/kcm.log" 2>&1 < /dev/null &
    echo $! > "$(pidf kcm)"
  else
    rm -f "$(pidf kcm)"; [[ $CP_KCM == 1 ]] && echo "note: no kube-controller-manager binary; running without GC" >&2
  fi

  api() { curl -fsS --cacert "$CP_DIR/pki/ca.crt" -H "Authorization: Bearer driver-token" -H 'Content-Type: application/yaml' "$@"; }
  printf 'apiVersion: v1\nkind: Namespace\nmetadata: {name: bench}\n' | api -X POST --data-binary @- -o /dev/null "https://127.0.0.1:$CP_API_PORT/api/v1/namespaces" || true
  api -X POST --data-binary @"$HERE/crd.yaml" -o /dev/null "https://127.0.0.1:$CP_API_PORT/apis/apiextensions.k8s.io/v1/customresourcedefinitions" || true
  for i in $(seq 1 100); do
    api -o /dev/null "https://127.0.0.1:$CP_API_PORT/apis/bench.example.com/v1/namespaces/bench/widgets?limit=1" 2>/dev/null && break; sleep 0.2
  done
  info > "$CP_DIR/info.txt"; cat "$CP_DIR/info.txt"
}

info() {
  echo "apiserver: k8s.io/kubernetes $(go version -m "$APISERVER_BIN" 2>/dev/null | awk '$2=="k8s.io/kubernetes"{print $3}') (self-reported: $("$APISERVER_BIN" --version))"
  echo "etcd: $("$ETCD_BIN" --version | head -1) --unsafe-no-fsync data=tmpfs"
  echo "kcm: $(alive kcm && echo "garbage-collector-controller,namespace-controller" || echo none)"
  echo "apf: $CP_APF (all bench users are system:masters, i.e. the exempt level) max-inflight=$CP_MAX_INFLIGHT/$CP_MAX_MUTATING"
  echo "authz: AlwaysAllow; tls: ECDSA P-256; extra: ${CP_API_EXTRA:-none}"
  echo "KUBECONFIG=$CP_DIR/operator.kubeconfig"
}

stop() {
  local p i pid
  for p in kcm kube-apiserver etcd; do
    if alive $p; then
      pid=$(cat "$(pidf $p)"); kill -TERM "$pid" 2>/dev/null || true
      for i in $(seq 1 40); do kill -0 "$pid" 2>/dev/null || break; sleep 0.1; done
      kill -0 "$pid" 2>/dev/null && kill -KILL "$pid" 2>/dev/null || true
    fi
    rm -f "$(pidf $p)"
  done
  [[ $CP_KEEP_DATA == 1 ]] || rm -rf "$CP_ETCD_DIR"
}

case ${1:-} in
  start) start ;;
  stop) stop ;;
  info) info ;;
  status) for p in etcd kube-apiserver kcm; do echo "$p: $(alive $p && cat "$(pidf $p)" || echo down)"; done ;;
  *) echo "usage: $0 start|stop|status|info" >&2; exit 2 ;;
esac
