// Writing the status of a workload: only when it differs, counts of zero left out as the API's own types do, and
// conditions whose times move only when they should.
import { equal } from "../../schema/json-value.ts";
import type { WorkloadCondition } from "../../kinds/builtin/workload-condition.ts";
import { toTimestamp } from "../../meta/condition.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { ControllerContext } from "./controller-context.ts";

/**
 * Writes the status, and annotations that go with it, if they differ from the object's. The object as it then is.
 * The status endpoint of built-in types takes annotations too, without raising the generation.
 */
export async function writeStatus<T extends KubeObject & { readonly status?: object }>(
  { client }: Pick<ControllerContext, "client">,
  type: ResourceType<T>,
  object: T,
  status: NonNullable<T["status"]>,
  annotations: Readonly<Record<string, string>> = {},
): Promise<T> {
  const present = object.metadata.annotations ?? {};
  const isAnnotated = Object.entries(annotations).every(([name, value]) => present[name] === value);
  if (isAnnotated && equal(object.status ?? {}, status)) return object;
  const metadata = isAnnotated
    ? object.metadata
    : { ...object.metadata, annotations: { ...present, ...annotations } };
  // A plain update, guarded by the resourceVersion: a newer state of the object is computed again, not overwritten.
  return client.update<T>(type, { ...object, metadata, status }, { subresource: "status" });
}

/** The status without counts of zero and empty lists. */
export function withoutZeros<T extends object>(status: T): T {
  const kept = Object.entries(status).filter(
    ([, value]) => value !== undefined && value !== 0 && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept) as T;
}

/** The conditions with one set: unchanged when status and reason are the same, else with new times. */
export function withWorkloadCondition(
  conditions: readonly WorkloadCondition[],
  next: Pick<WorkloadCondition, "type" | "status" | "reason" | "message">,
  now: number,
  options: { readonly updateTime?: boolean } = {},
): readonly WorkloadCondition[] {
  const before = conditions.find((each) => each.type === next.type);
  if (before?.status === next.status && before.reason === next.reason) return conditions;
  const time = toTimestamp(now);
  const transition = before?.status === next.status ? (before.lastTransitionTime ?? time) : time;
  const condition = {
    ...next,
    ...(options.updateTime === true ? { lastUpdateTime: time } : {}),
    lastTransitionTime: transition,
  };
  return [...conditions.filter((each) => each !== before), condition];
}
