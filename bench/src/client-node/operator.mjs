// A typical hand-written Node operator: makeInformer for both kinds, a small keyed
// work queue with N workers, the typed API for writes, PUT on the status subresource.
import * as k8s from "@kubernetes/client-node";

const GROUP = "bench.example.com",
  VERSION = "v1",
  PLURAL = "widgets";
const workers = Number(process.env.BENCH_WORKERS || 16);
const kc = new k8s.KubeConfig();
kc.loadFromDefault();
if (process.env.BENCH_KEEPALIVE === "1") {
  // variant: one agent for all requests instead of one per request
  const create = kc.createAgent.bind(kc);
  let agent;
  kc.createAgent = (cluster, o) =>
    (agent ??= create(cluster, { ...o, keepAlive: true, maxSockets: workers + 4 }));
}
const core = kc.makeApiClient(k8s.CoreV1Api);
const custom = kc.makeApiClient(k8s.CustomObjectsApi);

const widgets = k8s.makeInformer(kc, `/apis/${GROUP}/${VERSION}/${PLURAL}`, () =>
  custom.listClusterCustomObject({ group: GROUP, version: VERSION, plural: PLURAL }),
);
const cms = k8s.makeInformer(kc, "/api/v1/configmaps", () => core.listConfigMapForAllNamespaces());

// keyed queue: one run per key at a time, re-run if it got dirty meanwhile
const queue = [],
  queued = new Set(),
  running = new Set(),
  dirty = new Set();
let active = 0;
function enqueue(key) {
  if (running.has(key)) {
    dirty.add(key);
    return;
  }
  if (queued.has(key)) return;
  queued.add(key);
  queue.push(key);
  pump();
}
let head = 0;
function pump() {
  while (active < workers && head < queue.length) {
    const key = queue[head++];
    if (head > 4096 && head * 2 > queue.length) {
      queue.splice(0, head);
      head = 0;
    }
    queued.delete(key);
    running.add(key);
    active++;
    reconcile(key)
      .catch((e) => {
        if (e.code !== 409) console.error(key, e.code, e.message);
        setTimeout(() => enqueue(key), 200);
      })
      .finally(() => {
        running.delete(key);
        active--;
        if (dirty.delete(key)) enqueue(key);
        pump();
      });
  }
}

const same = (a, b) => {
  const ka = Object.keys(a ?? {});
  return ka.length === Object.keys(b).length && ka.every((k) => a[k] === b[k]);
};

async function reconcile(key) {
  const [namespace, name] = key.split("/");
  const w = widgets.get(name, namespace);
  if (!w || w.metadata.deletionTimestamp) return;
  const data = { ...w.spec.payload, size: String(w.spec.size) };
  const want = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: `w-${name}`,
      namespace,
      ownerReferences: [
        {
          apiVersion: `${GROUP}/${VERSION}`,
          kind: "Widget",
          name,
          uid: w.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data,
  };
  const have = cms.get(`w-${name}`, namespace);
  if (!have) {
    await core.createNamespacedConfigMap({ namespace, body: want });
  } else if (
    !same(have.data, data) ||
    !have.metadata.ownerReferences?.some((o) => o.controller && o.uid === w.metadata.uid)
  ) {
    want.metadata.resourceVersion = have.metadata.resourceVersion;
    await core.replaceNamespacedConfigMap({ name: `w-${name}`, namespace, body: want });
  }
  const old = w.status?.conditions?.find((c) => c.type === "Ready");
  if (w.status?.observedGeneration !== w.metadata.generation || old?.status !== "True") {
    const status = {
      observedGeneration: w.metadata.generation,
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "Reconciled",
          message: "ConfigMap is up to date",
          lastTransitionTime:
            old?.status === "True"
              ? old.lastTransitionTime
              : new Date().toISOString().replace(/\.\d+Z$/, "Z"),
        },
      ],
    };
    await custom.replaceNamespacedCustomObjectStatus({
      group: GROUP,
      version: VERSION,
      namespace,
      plural: PLURAL,
      name,
      body: { ...w, status },
    });
  }
}

const ofWidget = (w) => enqueue(`${w.metadata.namespace}/${w.metadata.name}`);
const ofCM = (m) => {
  const o = m.metadata.ownerReferences?.find((o) => o.controller && o.kind === "Widget");
  if (o) enqueue(`${m.metadata.namespace}/${o.name}`);
};
let synced = false; // no reconciling before both caches are filled
for (const [inf, f] of [
  [widgets, ofWidget],
  [cms, ofCM],
]) {
  for (const ev of ["add", "update", "delete"])
    inf.on(ev, (o) => {
      if (synced) f(o);
    });
  inf.on("error", (e) => {
    console.error("watch", e?.message ?? e);
    setTimeout(() => inf.start(), 1000);
  });
}
await cms.start();
await widgets.start();
synced = true;
for (const w of widgets.list()) ofWidget(w);
