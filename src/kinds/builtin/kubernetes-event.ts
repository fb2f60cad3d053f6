// Event of events.k8s.io/v1: what `kubectl describe` and `kubectl get events` show.
import type { NamespacedObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { builtin } from "./builtin-type.ts";
import type { ObjectReference } from "./local-reference.ts";

/** An Event (events.k8s.io v1). */
export interface KubernetesEvent extends NamespacedObject {
  /** RFC 3339 with exactly six digits of fraction: metav1.MicroTime. */
  readonly eventTime: string;
  readonly type?: "Normal" | "Warning";
  /** Why: one PascalCase word; at most 128 characters. */
  readonly reason?: string;
  /** What was done or failed, machine-readable; at most 128 characters. */
  readonly action?: string;
  /** A sentence for people; at most 1 kB. */
  readonly note?: string;
  readonly regarding?: ObjectReference;
  readonly related?: ObjectReference;
  /** Name of the component, for instance `example.com/database-operator`. */
  readonly reportingController?: string;
  /** Identity of the process; at most 128 characters. */
  readonly reportingInstance?: string;
  /** Set once the same has happened again. */
  readonly series?: { readonly count: number; readonly lastObservedTime: string };
  readonly deprecatedCount?: number;
  readonly deprecatedFirstTimestamp?: string;
  readonly deprecatedLastTimestamp?: string;
  readonly deprecatedSource?: { readonly component?: string; readonly host?: string };
}

/** The type of {@link KubernetesEvent}. */
export const KubernetesEvent: ResourceType<KubernetesEvent> = builtin<KubernetesEvent>(
  "events.k8s.io/v1",
  "Event",
  "events",
);
