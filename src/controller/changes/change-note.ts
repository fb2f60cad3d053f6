// What a change is to the controller, worked out once: the cause of the run that it asks for, and what is remembered of it
// until then, enough to say later whether it belongs to a circle, and whether the controller made it itself.
// Made by request-sources.ts, read by hot-loop-guard.ts.
import { controllerOf } from "../../meta/controller-reference.ts";
import type { Change } from "../../cache/informer.ts";
import { changedFields, dotted } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { Cause } from "../../queue/cause.ts";
import { intentHashAnnotation } from "../../reconcile/comparison/intent-hash.ts";
import { humanEventAnnotation } from "../../lifecycle/human-event-annotation.ts";
import { lowestPriority, startPriorityOf } from "./start-priority.ts";

/** A change as it is noted. */
export interface ChangeNote {
  readonly type: ResourceType;
  readonly key: ObjectKey;
  /** `Kind namespace/name`. */
  readonly object: string;
  /** Identifies the state that the change led to. */
  readonly uid: string;
  readonly version: string;
  /** What changed, three levels deep; nothing for the mere status of an object that is not the custom resource. */
  readonly fields: readonly string[];
  /** The custom resource has a new generation, is being deleted, is new, or is sent a human event. */
  readonly urgent: boolean;
  /** Of a child that is new: its kind, and the name of the resource that controls it. */
  readonly created?: { readonly kind: string; readonly owner: string };
  /** Of a child that is there: the run that wrote it may have seen it. */
  readonly isOfChild?: true;
  /** The change itself, of the custom resource. */
  readonly change?: Change<KubeObject>;
  /** Why the key is reconciled. */
  readonly cause: Cause;
  /** How soon. */
  readonly priority: number;
}

/** Stands for the fields of an object that is new, or gone. */
export const addedField = "(added)";
export const deletedField = "(deleted)";
/** Changes when an object begins to be deleted. */
export const deletionField = "metadata.deletionTimestamp";

/** Levels of the fields that are remembered, and of those that a cause names. */
const depth = 3;
/** Fields of one change that are noted; of more, those that they are in. */
const mostFields = 64;
const causeDepth = 2;
/** Fields that a cause names. */
const namedFields = 5;
/** Our bookkeeping, which changes whenever what we declare does, and says nothing by itself. */
const hashPath = `metadata.annotations.${intentHashAnnotation}`;

/** What an object is to the custom resource: that itself, a child of it, or anything else that is watched. */
export type Relation = "itself" | "child" | "other";

/** The note of a change. */
export function noteOf(change: Change<KubeObject>, type: ResourceType, relation: Relation): ChangeNote {
  const primary = relation === "itself";
  const { object } = change;
  const { kind, metadata } = object;
  const key = keyOf(object);
  const name = formatKey(key);
  const initial = change.type === "added" && change.initial;
  const changed = change.type === "modified" ? changedIn(change.old, object) : [];
  const owner = primary || change.type !== "added" || initial ? undefined : controllerOf(object);
  return {
    type,
    key,
    object: `${kind} ${name}`,
    uid: metadata.uid,
    version: metadata.resourceVersion,
    fields: fieldsOf(change, changed, primary),
    urgent: primary && isUrgent(change),
    ...(owner === undefined ? {} : { created: { kind, owner: owner.name } }),
    ...(primary ? { change } : {}),
    ...(relation === "child" && change.type !== "deleted" ? { isOfChild: true } : {}),
    cause: {
      reason: initial ? "initialList" : change.type,
      kind,
      object: name,
      ...(changed.length === 0 ? {} : { detail: summaryOf(changed) }),
    },
    priority: !initial ? 0 : primary ? startPriorityOf(object) : lowestPriority,
  };
}

type Paths = readonly (readonly string[])[];

/** The fields that differ, with fewer levels where there are many. */
function changedIn(before: KubeObject, after: KubeObject): Paths {
  const fields = changedFields(before, after, depth);
  if (fields.length <= mostFields) return fields;
  const outer = new Map<string, readonly string[]>();
  for (const path of fields) {
    // Annotations that say something by themselves are looked for by name.
    const levels = path[0] === "metadata" ? depth : 1;
    const shorter = path.slice(0, levels);
    outer.set(dotted(shorter), shorter);
  }
  return [...outer.values()];
}

function fieldsOf(change: Change<KubeObject>, changed: Paths, primary: boolean): readonly string[] {
  if (change.type === "added") return change.initial ? [] : [addedField];
  if (change.type === "deleted") return [deletedField];
  const relevant = primary ? changed : changed.filter(([first]) => first !== "status");
  return relevant
    .map(dotted)
    .filter((path) => path !== hashPath)
    .sort();
}

function summaryOf(changed: Paths): string {
  const named = new Set(changed.map((path) => dotted(path.slice(0, causeDepth))));
  return [...named].sort().slice(0, namedFields).join(", ");
}

function isUrgent(change: Change<KubeObject>): boolean {
  if (change.type !== "modified") return true;
  const [before, after] = [change.old.metadata, change.object.metadata];
  const human = after.annotations?.[humanEventAnnotation];
  return (
    before.generation !== after.generation ||
    before.deletionTimestamp !== after.deletionTimestamp ||
    (human !== undefined && human !== before.annotations?.[humanEventAnnotation])
  );
}
