// A cluster in a process of its own, for a test that kills it: runs one pod that ignores SIGTERM and tells its pid.
import { setTimeout as delay } from "node:timers/promises";
import { startCluster } from "../../../../src/cluster/start-cluster.ts";
import { Pod } from "../../../../src/kinds/builtin/core.ts";
import { clientOf } from "./cluster-client.ts";

const [directory = ""] = process.argv.slice(2);
const cluster = await startCluster({ directory, pods: "process" });
const client = await clientOf(cluster.kubeconfig);
const key = { namespace: "default", name: "stubborn" };
const command = ["sh", "-c", "trap '' TERM HUP; sleep 3600; sleep 3600"];
await client.create(Pod, {
  apiVersion: "v1",
  kind: "Pod",
  metadata: key,
  spec: { containers: [{ name: "main", image: "none", command }] },
});
for (;;) {
  const { status } = await client.get(Pod, key);
  const id = status?.containerStatuses?.[0]?.containerID;
  if (status?.phase === "Running" && id !== undefined) {
    process.send?.(Number(id.split("/").at(-1)));
    break;
  }
  await delay(50);
}
