// A host for pod runtimes without a server: pods live in a map, their status writes are recorded.
import type { SharedCache } from "../../../../src/cache/informer.ts";
import type { KubeClient } from "../../../../src/client/kube-client.ts";
import { ApiError } from "../../../../src/client/api-error.ts";
import type { PodHost, PodRuntime } from "../../../../src/cluster/pods/pod-runtime.ts";
import type { Pod } from "../../../../src/kinds/builtin/core.ts";
import type { PodSpec, PodStatus } from "../../../../src/kinds/builtin/parts.ts";
import type { KubeObject } from "../../../../src/meta/object.ts";
import type { ObjectKey } from "../../../../src/meta/object-key.ts";
import { silentLogger } from "../../../../src/ports/logger.ts";
import { createVirtualClock, type VirtualClock } from "../../../../src/testing/virtual-clock.ts";

export interface PodBench {
  readonly host: PodHost;
  readonly clock: VirtualClock;
  /** Every status write, in order. */
  readonly writes: readonly PodStatus[];
  /** Creates a pod that is bound to the node, and hands it to the runtime. */
  add(runtime: PodRuntime, name: string, spec: Partial<PodSpec>, metadata?: Partial<Pod["metadata"]>): Pod;
  /** Changes what a pod is to be, and hands it to the runtime. */
  change(runtime: PodRuntime, name: string, spec: Partial<PodSpec>): void;
  /** Asks for the deletion of a pod, as the API server does. */
  remove(runtime: PodRuntime, name: string, graceSeconds: number): void;
  pod(name: string): Pod | undefined;
}

export function createPodBench(): PodBench {
  const clock = createVirtualClock();
  const pods = new Map<string, Pod>();
  const writes: PodStatus[] = [];
  let version = 1;
  const store = (pod: Pod): Pod => {
    version += 1;
    const stored = { ...pod, metadata: { ...pod.metadata, resourceVersion: String(version) } };
    pods.set(pod.metadata.name, stored);
    return stored;
  };
  const find = (key: ObjectKey): Pod => {
    const pod = pods.get(key.name);
    if (pod !== undefined) return pod;
    const facts = { status: 404, reason: "NotFound", details: {}, retryAfter: undefined, request: "" };
    throw new ApiError("not found", facts);
  };
  const client = {
    async patch(_type: unknown, key: ObjectKey, patch: { body: { status: PodStatus } }) {
      const pod = find(key);
      writes.push(patch.body.status);
      const merged = Object.entries({ ...pod.status, ...patch.body.status }).filter(
        ([, value]) => value !== null,
      );
      return store({ ...pod, status: Object.fromEntries(merged) });
    },
    async delete(_type: unknown, key: ObjectKey): Promise<KubeObject | undefined> {
      const pod = find(key);
      if ((pod.metadata.finalizers?.length ?? 0) > 0) return pod;
      pods.delete(key.name);
      return undefined;
    },
  } as unknown as KubeClient;
  return {
    host: { client, cache: {} as SharedCache, clock, random: () => 0.5, log: silentLogger },
    clock,
    writes,
    add(runtime, name, spec, metadata = {}) {
      const pod = store({
        apiVersion: "v1",
        kind: "Pod",
        metadata: {
          namespace: "n",
          name,
          uid: `uid-${name}`,
          resourceVersion: "0",
          creationTimestamp: "2026-01-01T00:00:00Z",
          ...metadata,
        },
        spec: { containers: [{ name: "main", image: "app:1" }], nodeName: "node", ...spec },
      });
      runtime.sync(pod);
      return pod;
    },
    change(runtime, name, spec) {
      const pod = find({ name });
      runtime.sync(store({ ...pod, spec: { ...pod.spec, ...spec } }));
    },
    remove(runtime, name, graceSeconds) {
      const pod = find({ name });
      const deletionTimestamp = new Date(clock.now() + graceSeconds * 1000).toISOString();
      const metadata = { ...pod.metadata, deletionTimestamp, deletionGracePeriodSeconds: graceSeconds };
      runtime.sync(store({ ...pod, metadata }));
    },
    pod: (name) => pods.get(name),
  };
}
