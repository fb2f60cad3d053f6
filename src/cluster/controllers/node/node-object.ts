// The one node of an embedded cluster, on which every pod runs.
import { builtin } from "../../../kinds/builtin/builtin-type.ts";
import { isAlreadyExists } from "../../../client/api-error.ts";
import { toTimestamp } from "../../../meta/condition.ts";
import type { ClusterObject, ManifestOf } from "../../../meta/object.ts";
import type { ControllerContext } from "../controller-context.ts";
import { runtimeAnnotation } from "../../node-runtime.ts";
import { ttlAnnotation } from "./node-ttl.ts";

/** The name of the node. */
export const nodeName = "xstate-operator-node";

/** A Node (core v1), as far as it is written here. */
interface Node extends ClusterObject {
  readonly spec?: object;
  readonly status?: object;
}

const Node = builtin<Node>("v1", "Node", "nodes", "Cluster");

const conditions = [
  ["MemoryPressure", "False", "KubeletHasSufficientMemory", "the node has sufficient memory available"],
  ["DiskPressure", "False", "KubeletHasNoDiskPressure", "the node has no disk pressure"],
  ["PIDPressure", "False", "KubeletHasSufficientPID", "the node has sufficient PID available"],
  ["Ready", "True", "KubeletReady", "the pod runtime is ready"],
] as const;

/** What a node says of itself that is well. */
export function nodeConditions(now: number): readonly object[] {
  const time = toTimestamp(now);
  return conditions.map(([type, status, reason, message]) => ({
    type,
    status,
    reason,
    message,
    lastHeartbeatTime: time,
    lastTransitionTime: time,
  }));
}

/** Creates the node, Ready, unless it is there. It sends no heartbeats: an idle cluster writes nothing. */
export async function registerNode({ client, clock }: ControllerContext, runtime: string): Promise<void> {
  const manifest: ManifestOf<Node> = {
    apiVersion: "v1",
    kind: Node.kind,
    metadata: {
      name: nodeName,
      labels: { "kubernetes.io/hostname": nodeName, "kubernetes.io/os": "linux" },
      annotations: { [ttlAnnotation]: "0", [runtimeAnnotation]: runtime },
    },
    spec: {},
  };
  await client.create(Node, manifest).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const resources = { cpu: "1000", memory: "4Ti", "ephemeral-storage": "100Ti", pods: "100000" };
  const status = {
    addresses: [
      { type: "InternalIP", address: "127.0.0.1" },
      { type: "Hostname", address: nodeName },
    ],
    capacity: resources,
    allocatable: resources,
    conditions: nodeConditions(clock.now()),
    daemonEndpoints: { kubeletEndpoint: { Port: 0 } },
    nodeInfo: {
      architecture: "amd64",
      bootID: "",
      containerRuntimeVersion: `xstate-operator://${runtime}`,
      kernelVersion: "",
      kubeProxyVersion: "",
      kubeletVersion: "v1.36.0",
      machineID: "",
      operatingSystem: "linux",
      osImage: "xstate-operator embedded cluster",
      systemUUID: "",
    },
  };
  // Like a kubelet, whose status is its own whatever others change of the node meanwhile.
  await client.patch(
    Node,
    { name: nodeName },
    { type: "merge", body: { status } },
    { subresource: "status" },
  );
}
