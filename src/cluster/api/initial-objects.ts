// What exists before the first request: the namespaces of every cluster.
import { timestampOf, type ApiCore } from "./api-core.ts";

const names = ["default", "kube-node-lease", "kube-public", "kube-system"];

/** Creates the initial namespaces. */
export function createInitialNamespaces(core: ApiCore): void {
  for (const name of names) {
    core.store.put("namespaces", {
      kind: "Namespace",
      apiVersion: "v1",
      metadata: {
        name,
        uid: core.newUid(),
        creationTimestamp: timestampOf(core),
        labels: { "kubernetes.io/metadata.name": name },
      },
      spec: { finalizers: ["kubernetes"] },
      status: { phase: "Active" },
    });
  }
}
