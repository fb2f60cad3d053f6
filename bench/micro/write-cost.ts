// What each kind of write costs the API server and us, in milliseconds of CPU per request, measured from /proc: where
// create, merge patch, update and apply belong is decided by these figures. Needs the control plane of bench/cluster.sh.
//   node bench/micro/write-cost.ts [requests]
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { createKubeClient, loadConnection } from "xstate-operator/client";
import { ConfigMap } from "xstate-operator/kinds";
import type { KubeObject, Manifest } from "xstate-operator";
import type { KubeClient } from "xstate-operator/client";

const requests = Number(process.argv[2] ?? 1_000);
const connections = 16;
const build = process.env["BENCH_BUILD"] ?? join(tmpdir(), "bench-build");
const plane = process.env["CP_DIR"] ?? join(build, "cp");
const server = Number(readFileSync(join(plane, "kube-apiserver.pid"), "utf8"));
const fieldManager = "write-cost";

const client: KubeClient = createKubeClient(
  await loadConnection({ path: join(plane, "operator.kubeconfig"), env: {} }),
);

/** Seconds of CPU that a process has used; USER_HZ is 100 on every Linux that Node runs on. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Runs the write for each number, some at a time, and prints what one cost. */
async function measure(what: string, write: (index: number) => Promise<unknown>): Promise<void> {
  const before = { server: cpuOf(server), own: process.cpuUsage() };
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < requests) await write(next++);
  };
  await Promise.all(Array.from({ length: connections }, work));
  const own = process.cpuUsage(before.own);
  const each = (seconds: number): string => ((seconds * 1_000) / requests).toFixed(2);
  console.log(
    `${what.padEnd(28)} server ${each(cpuOf(server) - before.server)} ms   own ${each((own.user + own.system) / 1e6)} ms`,
  );
}

function manifest(index: number, round: string): Manifest & { readonly data: Record<string, string> } {
  const values = Array.from({ length: 8 }, (_, key) => [
    `key-${key}`,
    `value-${key}-of-${index}-xxxxxxxxxxxx`,
  ]);
  return {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: `write-cost-${index}`, namespace: "bench", labels: { made: "here" } },
    data: { ...Object.fromEntries(values), round },
  };
}
const keyOf = (index: number) => ({ namespace: "bench", name: `write-cost-${index}` });
const remove = () => measure("delete", (index) => client.delete(ConfigMap, keyOf(index)));

await measure("create (POST)", (index) => client.create(ConfigMap, manifest(index, "1"), { fieldManager }));
await measure("get", (index) => client.get(ConfigMap, keyOf(index)));
await measure("merge patch", (index) =>
  client.patch(ConfigMap, keyOf(index), { type: "merge", body: { data: { round: "2" } } }, { fieldManager }),
);
await measure("update (PUT)", (index) => client.update(ConfigMap, manifest(index, "3"), { fieldManager }));
await remove();
await measure("create by apply", (index) =>
  client.apply(ConfigMap, manifest(index, "1"), { fieldManager, force: true }),
);
await measure("change by apply", (index) =>
  client.apply(ConfigMap, manifest(index, "2"), { fieldManager, force: true }),
);
await measure("apply that changes nothing", (index) =>
  client.apply(ConfigMap, manifest(index, "2"), { fieldManager, force: true }),
);
await remove();

/** The type of bench/crd.yaml. */
const widgetType = {
  group: "bench.example.com",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
const widgets: KubeObject[] = [];
const payload = Object.fromEntries(Array.from({ length: 4 }, (_, at) => [`key-${at}`, "x".repeat(100)]));
await measure("create a Widget", async (index) => {
  const metadata = { namespace: "bench", name: `write-cost-${index}` };
  const widget = {
    apiVersion: "bench.example.com/v1",
    kind: "Widget",
    metadata,
    spec: { size: index, payload },
  };
  widgets[index] = await client.create(widgetType, widget, { fieldManager });
});
/** Writes each status anew, with two conditions, as a patch or whole. */
const writeStatuses = (what: string, message: string, isWhole: boolean): Promise<void> =>
  measure(what, async (index) => {
    const seen = widgets[index] as KubeObject;
    const { resourceVersion } = seen.metadata;
    const condition = {
      status: "True",
      reason: "Measured",
      message,
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const conditions = ["ReconciliationSuccess", "Ready"].map((type) => ({ type, ...condition }));
    const status = { observedGeneration: 1, conditions };
    const options = { subresource: "status", fieldManager } as const;
    const { managedFields: _, ...metadata } = seen.metadata;
    const body = { metadata: { resourceVersion }, status };
    widgets[index] = await (isWhole
      ? client.update(widgetType, { ...seen, metadata, status }, options)
      : client.patch(
          widgetType,
          { namespace: "bench", name: seen.metadata.name },
          { type: "merge", body },
          options,
        ));
  });
for (let turn = 0; turn < 6; turn += 1) {
  await writeStatuses("status by merge patch", `patch ${turn}`, false);
  await writeStatuses("status sent whole (PUT)", `whole ${turn}`, true);
}
await measure("delete a Widget", (index) =>
  client.delete(widgetType, { namespace: "bench", name: `write-cost-${index}` }),
);
await client.close();
