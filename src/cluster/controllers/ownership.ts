// Which objects a controller owns: by controller reference, by adopting what its selector matches, by releasing what it no
// longer matches. Decisions are pure; `claim` carries them out.
import { controllerOf } from "../../meta/controller-reference.ts";
import type { Informer } from "../../cache/informer.ts";
import type { LabelSelector } from "../../kinds/builtin/parts.ts";
import type { KubeObject, NamespacedObject, OwnerReference } from "../../meta/object.ts";
import { keyOf } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import type { ControllerContext } from "./controller-context.ts";
import { isSelectedBy } from "../../kinds/selector-match.ts";

/** The key of the controller of an object, when it is of this type: what brings the owner into the queue. */
export function controllerKeyOf(object: KubeObject, type: ResourceType): readonly string[] {
  const owner = controllerOf(object);
  if (owner === undefined || owner.kind !== type.kind || owner.apiVersion !== apiVersionOf(type)) return [];
  return [`${object.metadata.namespace}/${owner.name}`];
}

/** The keys of the owners that an object brings into the queue: its controller, or, while it has none, those whose selectors match it. */
export function claimantKeysOf<T extends KubeObject>(
  object: NamespacedObject,
  { type, lister }: Pick<Informer<T>, "type" | "lister">,
  selectorOf: (owner: T) => LabelSelector,
): readonly string[] {
  if (controllerOf(object) !== undefined) return controllerKeyOf(object, type);
  const { namespace, labels = {} } = object.metadata;
  if (Object.keys(labels).length === 0) return [];
  return lister
    .list({ namespace })
    .filter((owner) => isSelectedBy(selectorOf(owner), labels))
    .map(({ metadata }) => `${namespace}/${metadata.name}`);
}

const controllerIndex = "controller";

/** Lets {@link candidatesOf} find the objects of an owner without looking at all of its namespace. */
export function indexByController<T extends KubeObject>(informer: Informer<T>): Informer<T> {
  informer.addIndex(controllerIndex, (object) => [
    controllerOf(object)?.uid ?? freeIn(object.metadata.namespace),
  ]);
  return informer;
}

/** What an owner may have a claim on: the objects that it controls, and those of its namespace that nobody controls. */
export function candidatesOf<T extends KubeObject>(informer: Informer<T>, owner: KubeObject): readonly T[] {
  const { uid, namespace } = owner.metadata;
  const { lister } = informer;
  return [...lister.byIndex(controllerIndex, uid), ...lister.byIndex(controllerIndex, freeIn(namespace))];
}

/** The objects that somebody controls, by uid. */
export function controlledBy<T extends KubeObject>(informer: Informer<T>, uid: string): readonly T[] {
  return informer.lister.byIndex(controllerIndex, uid);
}

/** No uid looks like it. */
function freeIn(namespace: string | undefined): string {
  return `free in ${namespace}`;
}

/** A controller reference to an object of a type. */
export function controllerReference(type: ResourceType, owner: KubeObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(type),
    kind: type.kind,
    name: owner.metadata.name,
    uid: owner.metadata.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** What is to be done with an object that may belong to an owner. */
export type Claim = "keep" | "adopt" | "release" | "ignore";

/** The claim of an owner on one object of its namespace. */
export function claimOn(owner: KubeObject, selector: LabelSelector, object: KubeObject): Claim {
  const controller = controllerOf(object);
  const matches = isSelectedBy(selector, object.metadata.labels ?? {});
  if (controller !== undefined) {
    if (controller.uid !== owner.metadata.uid) return "ignore";
    return matches ? "keep" : "release";
  }
  const free =
    owner.metadata.deletionTimestamp === undefined && object.metadata.deletionTimestamp === undefined;
  return matches && free ? "adopt" : "ignore";
}

/** Whose the objects are. */
export interface Claimant {
  readonly type: ResourceType;
  readonly object: KubeObject;
  readonly selector: LabelSelector;
  /** What each object that is adopted gets; default none. */
  readonly finalizer?: string;
}

/** The objects that belong to an owner, after adopting and releasing what the selector says. */
export async function claim<T extends KubeObject>(
  context: ControllerContext,
  owner: Claimant,
  type: ResourceType<T>,
  candidates: readonly T[],
): Promise<readonly T[]> {
  const owned: T[] = [];
  for (const object of candidates) {
    const verdict = claimOn(owner.object, owner.selector, object);
    const references = object.metadata.ownerReferences ?? [];
    if (verdict === "keep") owned.push(object);
    else if (verdict === "adopt") {
      const reference = controllerReference(owner.type, owner.object);
      const { finalizers = [] } = object.metadata;
      const kept = owner.finalizer === undefined ? {} : { finalizers: [...finalizers, owner.finalizer] };
      owned.push(await writeOwners(context, type, object, [...references, reference], kept));
    } else if (verdict === "release" && object.metadata.deletionTimestamp === undefined) {
      const { uid } = owner.object.metadata;
      const others = references.filter((each) => each.uid !== uid);
      await writeOwners(context, type, object, others);
    }
  }
  return owned;
}

/** Replaces the owner references of an object, unless it has changed meanwhile. */
function writeOwners<T extends KubeObject>(
  { client }: Pick<ControllerContext, "client">,
  type: ResourceType<T>,
  object: T,
  ownerReferences: readonly OwnerReference[],
  more: object = {},
): Promise<T> {
  const { uid, resourceVersion } = object.metadata;
  const references = ownerReferences.length === 0 ? null : ownerReferences;
  const body = { metadata: { uid, resourceVersion, ownerReferences: references, ...more } };
  return client.patch(type, keyOf(object), { type: "merge", body });
}
