// What is remembered of a change until its key is reconciled: enough to say later whether it belongs to a circle, and
// whether the controller made it itself. Made by request-sources.ts, read by hot-loop-guard.ts.
import { controllerOf } from "../../meta/controller-reference.ts";
import type { Change } from "../../cache/informer.ts";
import { changedPaths } from "../../meta/changed-paths.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf, type ObjectKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { intentHashAnnotation } from "../../reconcile/comparison/intent-hash.ts";
import { humanEventAnnotation } from "../application/human-event.ts";

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
  /** The change itself, of the custom resource. */
  readonly change?: Change<KubeObject>;
}

/** Stands for the fields of an object that is new, or gone. */
export const addedField = "(added)";
export const deletedField = "(deleted)";
/** Changes when an object begins to be deleted. */
export const deletionField = "metadata.deletionTimestamp";

const depth = 3;
/** Our bookkeeping, which changes whenever what we declare does, and says nothing by itself. */
const hashPath = `metadata.annotations.${intentHashAnnotation}`;

/** The note of a change; `primary` when the object is the custom resource itself. */
export function noteOf(change: Change<KubeObject>, type: ResourceType, primary: boolean): ChangeNote {
  const { metadata, kind } = change.object;
  const key = keyOf(change.object);
  return {
    type,
    key,
    object: `${kind} ${formatKey(key)}`,
    uid: metadata.uid,
    version: metadata.resourceVersion,
    fields: fieldsOf(change, primary),
    urgent: primary && isUrgent(change),
    ...(primary ? {} : createdBy(change)),
    ...(primary ? { change } : {}),
  };
}

/** Identifies the state of an object. */
export function stateOf(uid: string, version: string): string {
  return `${uid}@${version}`;
}

function fieldsOf(change: Change<KubeObject>, primary: boolean): readonly string[] {
  if (change.type === "added" && change.initial) return [];
  if (change.type !== "modified") return [change.type === "added" ? addedField : deletedField];
  const paths = changedPaths(change.old, change.object, depth).filter((path) => path !== hashPath);
  return primary ? paths : paths.filter((path) => path !== "status" && !path.startsWith("status."));
}

function createdBy(change: Change<KubeObject>): Pick<ChangeNote, "created"> {
  const { kind } = change.object;
  const owner = controllerOf(change.object);
  if (change.type !== "added" || change.initial || owner === undefined) return {};
  return { created: { kind, owner: owner.name } };
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
