// floor-node: floor-go's work in plain Node: one list + one watch per kind, two writes per
// Widget, a fixed number of connections, no framework and no correctness.
import fs from "node:fs";
import https from "node:https";
import { load } from "js-yaml";

const workers = Number(process.env.BENCH_WORKERS || 16);
const cfg = load(fs.readFileSync(process.env.KUBECONFIG, "utf8"));
const base = new URL(cfg.clusters[0].cluster.server);
const ca = Buffer.from(cfg.clusters[0].cluster["certificate-authority-data"], "base64");
const auth = `Bearer ${cfg.users[0].user.token}`;
const agent = new https.Agent({ keepAlive: true, maxSockets: workers, ca, scheduling: "lifo" });
const watchAgent = new https.Agent({ keepAlive: true, ca });

function send(method, path, type, body) {
  return new Promise((ok, no) => {
    const headers = { authorization: auth, accept: "application/json" };
    if (body) {
      headers["content-type"] = type;
      headers["content-length"] = Buffer.byteLength(body);
    }
    const r = https.request({ host: base.hostname, port: base.port, method, path, headers, agent }, (res) => {
      const parts = [];
      res.on("data", (d) => parts.push(d));
      res.on("end", () => ok([res.statusCode, Buffer.concat(parts)]));
    });
    r.on("error", no);
    r.end(body);
  });
}

function watch(path, rv, f) {
  const url = `${path}?watch=1&allowWatchBookmarks=true&resourceVersion=${rv}`;
  const r = https.request(
    {
      host: base.hostname,
      port: base.port,
      path: url,
      headers: { authorization: auth, accept: "application/json" },
      agent: watchAgent,
    },
    (res) => {
      let tail = "";
      res.setEncoding("utf8");
      res.on("data", (d) => {
        const lines = (tail + d).split("\n");
        tail = lines.pop();
        for (const l of lines) {
          if (!l) continue;
          const e = JSON.parse(l);
          rv = e.object.metadata?.resourceVersion ?? rv;
          if (e.type !== "BOOKMARK") f(e.type, e.object);
        }
      });
      res.on("end", () => watch(path, rv, f));
    },
  );
  r.on("error", (e) => {
    console.error(e.message);
    setTimeout(() => watch(path, rv, f), 1000);
  });
  r.end();
}

const have = new Set(),
  ws = new Map(),
  jobs = [];
let head = 0,
  active = 0;
function pump() {
  while (active < workers && head < jobs.length) {
    const [w, only] = jobs[head++];
    if (head === jobs.length) {
      jobs.length = 0;
      head = 0;
    }
    active++;
    work(w, only)
      .catch((e) => console.error(e.message))
      .finally(() => {
        active--;
        pump();
      });
  }
}
async function work(w, only) {
  const { name, namespace, uid, generation } = w.metadata;
  const cm = `w-${name}`;
  const body = JSON.stringify({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: {
      name: cm,
      ownerReferences: [
        {
          apiVersion: "bench.example.com/v1",
          kind: "Widget",
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    data: { ...w.spec.payload, size: String(w.spec.size) },
  });
  const p = `/api/v1/namespaces/${namespace}/configmaps`;
  const [c, b] = have.has(cm)
    ? await send("PUT", `${p}/${cm}`, "application/json", body)
    : await send("POST", p, "application/json", body);
  if (c > 299) return console.error(c, b.toString());
  if (only) return;
  const [c2, b2] = await send(
    "PATCH",
    `/apis/bench.example.com/v1/namespaces/${namespace}/widgets/${name}/status`,
    "application/merge-patch+json",
    JSON.stringify({
      status: {
        observedGeneration: generation,
        conditions: [
          {
            type: "Ready",
            status: "True",
            reason: "Reconciled",
            message: "ConfigMap is up to date",
            lastTransitionTime: new Date().toISOString().replace(/\.\d+Z$/, "Z"),
          },
        ],
      },
    }),
  );
  if (c2 > 299) console.error(c2, b2.toString());
}
function onWidget(w, t) {
  if (t === "DELETED") {
    ws.delete(w.metadata.name);
    return;
  }
  ws.set(w.metadata.name, w);
  if (w.status?.observedGeneration !== w.metadata.generation) {
    jobs.push([w, false]);
    pump();
  }
}
function onCM(m, t) {
  if (t !== "DELETED") {
    have.add(m.metadata.name);
    return;
  }
  have.delete(m.metadata.name);
  const w = ws.get(m.metadata.ownerReferences?.[0]?.name);
  if (w) {
    jobs.push([w, true]);
    pump();
  }
}
async function follow(path, f) {
  const [c, b] = await send("GET", `${path}?resourceVersion=0`);
  if (c !== 200) throw new Error(`${path}: ${c}`);
  const l = JSON.parse(b.toString());
  for (const o of l.items) f(o, "ADDED");
  watch(path, l.metadata.resourceVersion, (t, o) => f(o, t));
}
await follow("/api/v1/configmaps", onCM);
await follow("/apis/bench.example.com/v1/widgets", onWidget);
