// Human events: an annotation on the custom resource asks for one; who set it, and when, is in managedFields.
import type { KubeClient } from "../../client/kube-client.ts";
import { isConflict, isNotFound } from "../../client/api-error.ts";
import type { HumanRequest } from "../../lifecycle/cycle-plan.ts";
import { humanEventAnnotation, humanEventIdAnnotation } from "../../lifecycle/human-event-annotation.ts";
import type { KubeObject, ManagedFieldsEntry } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";

/** What both functions need. */
export interface HumanEventTools {
  readonly client: KubeClient;
  readonly type: ResourceType;
  readonly cr: KubeObject;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * The event that the annotation asks for, with its field manager and what tells it from an earlier one. Undefined without
 * the annotation; then no request is sent.
 *
 * **RBAC**: `get` on the custom resource, when the annotation is there: the cache keeps no managedFields.
 */
export async function readHumanRequest(tools: HumanEventTools): Promise<HumanRequest | undefined> {
  if (tools.cr.metadata.annotations?.[humanEventAnnotation] === undefined) return undefined;
  const live = await readLive(tools);
  return live === undefined ? undefined : humanRequestOf(live);
}

/**
 * The event that an object's annotation asks for; the object must have its managedFields, so it must not be cached.
 * Without an id beside it, its field manager and the second in which it was set tell it from others.
 */
export function humanRequestOf(object: KubeObject): HumanRequest | undefined {
  const { metadata } = object;
  const event = metadata.annotations?.[humanEventAnnotation];
  if (event === undefined) return undefined;
  const entry = ownerOf(object);
  const by = entry?.manager;
  const at = metadata.annotations?.[humanEventIdAnnotation] ?? entry?.time ?? metadata.resourceVersion;
  return {
    event,
    // What is longer could not be read back from the status.
    id: `${event}@${at}${by === undefined ? "" : ` by ${by}`}`.slice(0, 512),
    ...(by === undefined ? {} : { by }),
  };
}

/** Who has set the annotation, and when; undefined where the server does not say. */
export function ownerOf({ metadata }: KubeObject): ManagedFieldsEntry | undefined {
  return metadata.managedFields?.find(({ fieldsV1 }) => ownsAnnotation(fieldsV1));
}

/** How often a removal is tried when others write at the same time; then the next run goes on. */
const removals = 3;

/**
 * Removes the annotation of a request, and never that of a later one: the object is read again, and removed is only what it
 * says at that resourceVersion. The object as it is without the annotation; undefined while it could not be removed.
 *
 * **RBAC**: `get` and `patch` on the custom resource.
 */
export async function removeHumanRequest(
  tools: HumanEventTools,
  { id }: HumanRequest,
): Promise<KubeObject | undefined> {
  const { client, type, cr, fieldManager, signal } = tools;
  for (let tried = 0; tried < removals; tried += 1) {
    const live = await readLive(tools);
    if (live === undefined) return undefined;
    if (humanRequestOf(live)?.id !== id) return live;
    const { resourceVersion } = live.metadata;
    const annotations = { [humanEventAnnotation]: null, [humanEventIdAnnotation]: null };
    const body = { metadata: { resourceVersion, annotations } };
    try {
      return await client.patch(type, keyOf(cr), { type: "merge", body }, { fieldManager, signal });
    } catch (error) {
      if (isNotFound(error)) return undefined;
      if (!isConflict(error)) throw error;
    }
  }
  return undefined;
}

/** The object as the server has it; undefined when it is gone, or another one by now. */
async function readLive({ client, type, cr, signal }: HumanEventTools): Promise<KubeObject | undefined> {
  try {
    const live = await client.get(type, keyOf(cr), { signal });
    return live.metadata.uid === cr.metadata.uid ? live : undefined;
  } catch (error) {
    if (isNotFound(error)) return undefined;
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
