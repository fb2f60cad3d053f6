// What the dashboard receives about one kind, whatever the source: a running operator from its caches, or a recording.
import type { ObjectEvent } from "../explain/explanation.ts";
import type { Child } from "../meta/child.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { MachineGraph } from "../statechart/graph.ts";

/** One kind of custom resource. */
export interface BoardSource {
  readonly type: ResourceType;
  /** Absent when the kind has no lifecycle. */
  readonly graph?: MachineGraph;
  /** The resources as they are known now. */
  list(): readonly KubeObject[];
  /** Tells of each change from now on; `gone` when the object is no more. */
  subscribe(listener: (object: KubeObject, gone: boolean) => void): () => void;
  /** What the object owns. */
  childrenOf(object: KubeObject): readonly Child[];
  /** What of it is not known here; default nothing. */
  unknownOf?(object: KubeObject): readonly string[];
  /** The Kubernetes Events about it. Rejects when they cannot be read. */
  eventsOf(object: KubeObject, signal: AbortSignal): Promise<readonly ObjectEvent[]>;
  /** Sends a human event on behalf of the viewer; absent: not allowed. Rejects when it cannot be sent. */
  readonly sendEvent?: (object: KubeObject, event: string) => Promise<void>;
}
