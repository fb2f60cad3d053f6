// Human events: an annotation on the custom resource asks for one; who set it, and when, is in managedFields.
import type { KubeClient } from "../client/kube-client.ts";
import { isConflict, isInvalid, isNotFound } from "../client/api-error.ts";
import type { HumanRequest } from "../lifecycle/cycle-plan.ts";
import type { KubeObject } from "../meta/object.ts";
import { keyOf } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";

/** The annotation by which a person sends an event to the lifecycle; its value is the event without `human.`. */
export const humanEventAnnotation = "lifecycle.xstate-operator.dev/event";

/** What both functions need. */
export interface HumanEventTools {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly cr: KubeObject;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * The event that the annotation asks for, with its field manager and the time at which it was set: together they tell
 * this request from an earlier one. Undefined without the annotation; then no request is sent.
 *
 * **RBAC**: `get` on the custom resource, when the annotation is there: the cache keeps no managedFields.
 */
export async function readHumanRequest(tools: HumanEventTools): Promise<HumanRequest | undefined> {
  const { client, type, cr, signal } = tools;
  if (cr.metadata.annotations?.[humanEventAnnotation] === undefined) return undefined;
  const live = await client.get(type, keyOf(cr), { signal });
  return live.metadata.uid === cr.metadata.uid ? humanRequestOf(live) : undefined;
}

/** The event that an object's annotation asks for; the object must have its managedFields, so it must not be cached. */
export function humanRequestOf({ metadata }: KubeObject): HumanRequest | undefined {
  const event = metadata.annotations?.[humanEventAnnotation];
  if (event === undefined) return undefined;
  const entry = metadata.managedFields?.find(({ fieldsV1 }) => ownsAnnotation(fieldsV1));
  const by = entry?.manager;
  const at = entry?.time ?? metadata.resourceVersion;
  return {
    event,
    id: `${event}@${at}${by === undefined ? "" : ` by ${by}`}`,
    ...(by === undefined ? {} : { by }),
  };
}

/**
 * Removes the annotation, unless it asks for something else by now. Returns the object as written, or undefined when
 * there was nothing to remove.
 *
 * **RBAC**: `patch` on the custom resource.
 */
export async function removeHumanRequest(
  tools: HumanEventTools,
  event: string,
): Promise<KubeObject | undefined> {
  const { client, type, cr, fieldManager, signal } = tools;
  const path = `/metadata/annotations/${humanEventAnnotation.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  const body = [
    { op: "test", path, value: event },
    { op: "remove", path },
  ] as const;
  try {
    return await client.patch(type, keyOf(cr), { type: "json", body }, { fieldManager, signal });
  } catch (error) {
    // The test failed: the annotation is gone or asks for another event, which the next run looks at.
    if (isInvalid(error) || isNotFound(error) || isConflict(error)) return undefined;
    throw error;
  }
}

function ownsAnnotation(fields: unknown): boolean {
  let level: unknown = fields;
  for (const name of ["f:metadata", "f:annotations", `f:${humanEventAnnotation}`]) {
    if (typeof level !== "object" || level === null || !Object.hasOwn(level, name)) return false;
    level = (level as Readonly<Record<string, unknown>>)[name];
  }
  return true;
}
