// When what has changed the endpoints of a service happened, as an annotation says it: the time of the first change since the last look.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/endpointslice/util/trigger_time_tracker.go
import type { Pod, Service } from "../../../kinds/builtin/core.ts";
import { readyConditionOf } from "../../pods/pod-state.ts";

/** The annotation of Endpoints and EndpointSlices. */
const triggerTime = "endpoints.kubernetes.io/last-change-trigger-time";

interface Known {
  readonly service: number;
  readonly pods: ReadonlyMap<string, number>;
}

/** Remembers what was seen of services and their pods when their endpoints were last written. */
export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** The time to write down, in RFC 3339; undefined where nothing that has a time has changed. */
  timeOf(service: Service, pods: readonly Pod[]): string | undefined {
    const known = this.#known.get(keyOf(service));
    const { service: created, pods: times } = timesOf(service, pods);
    // A new service: its own time, whatever its pods are.
    if (known === undefined) return toSeconds(created);
    const changed = [...times].flatMap(([name, time]) => (time > (known.pods.get(name) ?? 0) ? [time] : []));
    if (created > known.service) changed.push(created);
    return changed.length === 0 ? undefined : toSeconds(Math.min(...changed));
  }

  /** What was seen is written down. */
  remember(service: Service, pods: readonly Pod[]): void {
    this.#known.set(keyOf(service), timesOf(service, pods));
  }

  /** The service is gone. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}

function keyOf({ metadata: { namespace, name } }: Service): string {
  return `${namespace}/${name}`;
}

function timesOf({ metadata }: Service, pods: readonly Pod[]): Known {
  const times = pods.flatMap((pod) => {
    const time = Date.parse(readyConditionOf(pod)?.lastTransitionTime ?? "");
    return Number.isNaN(time) ? [] : [[pod.metadata.name, time] as const];
  });
  return { service: Date.parse(metadata.creationTimestamp), pods: new Map(times) };
}

/** Annotations with the time, or without one. */
export function withTriggerTime(
  annotations: Readonly<Record<string, string>> | undefined,
  time: string | undefined,
): Readonly<Record<string, string>> {
  const { [triggerTime]: _, ...others } = annotations ?? {};
  return time === undefined ? others : { ...others, [triggerTime]: time };
}

function toSeconds(time: number): string {
  return new Date(time).toISOString().replace(/\.\d+/, "");
}
