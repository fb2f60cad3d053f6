// Turns stored CRDs into served types: accepts their names, reports it as conditions, and on deletion removes their objects first.
// It is called by the storage and answers in a later microtask, as the real server does from a controller of its own.
import { setCondition, type Condition, type NewCondition } from "../../../meta/condition.ts";
import { equal } from "../../../schema/json-value.ts";
import type { ApiCore } from "../api-core.ts";
import { timestampOf } from "../api-core.ts";
import { fieldsOf, listOf, type ApiObject, type Fields } from "../api-object.ts";
import { acceptNames, type NameClash } from "./accepted-names.ts";
import { approvalOf } from "./api-approval.ts";
import { cleanupFinalizer } from "./crd-type.ts";
import { readDefinition, type CrdDefinition } from "./crd-definition.ts";
import { createCustomTypes } from "./custom-type.ts";
import { putStatus } from "../verbs/server-status.ts";

const space = "customresourcedefinitions.apiextensions.k8s.io";

/** Starts serving what CRDs define, at once what those define that are stored already; the returned function stops it. */
export function registerDefinitions(core: ApiCore): () => void {
  const registrar = new CrdRegistrar(core);
  // Those whose names were accepted keep them.
  const isAccepted = (object: ApiObject): boolean =>
    conditionsOf(object).some(({ type, status }) => type === "NamesAccepted" && status === "True");
  const stored = core.store.list(space);
  for (const accepted of [true, false]) {
    for (const object of stored) if (isAccepted(object) === accepted) registrar.settle(object.metadata.name);
  }
  return core.store.subscribe(space, (change) => {
    const { name } = change.object.metadata;
    queueMicrotask(() => registrar.settle(name));
  });
}

class CrdRegistrar {
  readonly #core: ApiCore;
  readonly #unsubscribe = new Map<string, () => void>();

  constructor(core: ApiCore) {
    this.#core = core;
  }

  /** Brings the registry, the status and the objects in line with the definition as it is now. */
  settle(name: string): void {
    const { store, registry } = this.#core;
    const object = store.get(space, undefined, name);
    if (object === undefined) {
      registry.removeStorage(name);
      this.#settleRefused(name.slice(name.indexOf(".") + 1));
      return;
    }
    const definition = readDefinition(object);
    const { accepted, clash } = acceptNames(object, store.list(space));
    if (definition.isDeleting) this.#finish(object, definition, clash === undefined);
    else this.#publish(object, definition, accepted, clash);
  }

  #publish(
    object: ApiObject,
    definition: CrdDefinition,
    acceptedNames: Fields,
    clash: NameClash | undefined,
  ): void {
    const isAccepted = clash === undefined;
    const approval = approvalOf(object);
    const stored = conditionsOf(object);
    const before = approval === undefined ? stored : this.#set(stored, approval);
    const wasEstablished = before.some((each) => each.type === "Established" && each.status === "True");
    let conditions = this.#set(before, {
      type: "NamesAccepted",
      status: isAccepted ? "True" : "False",
      reason: clash?.reason ?? "NoConflicts",
      message: clash?.message ?? "no conflicts found",
    });
    conditions = this.#set(conditions, {
      type: "Established",
      status: isAccepted || wasEstablished ? "True" : "False",
      reason: isAccepted || wasEstablished ? "InitialNamesAccepted" : "NotAccepted",
      message:
        isAccepted || wasEstablished ? "the initial names have been accepted" : "not all names are accepted",
    });
    if (isAccepted || wasEstablished) {
      this.#core.registry.replaceStorage(definition.name, createCustomTypes(definition, this.#core));
    }
    const former = fieldsOf(object["status"])["acceptedNames"];
    this.#writeStatus(object, { conditions, acceptedNames });
    if (!equal(former, acceptedNames)) this.#settleRefused(definition.group);
  }

  /** Names that others have given back may be accepted now. */
  #settleRefused(group: string): void {
    for (const object of this.#core.store.list(space)) {
      const { name } = object.metadata;
      if (!name.endsWith(`.${group}`) || !hasRefusedNames(object)) continue;
      queueMicrotask(() => this.settle(name));
    }
  }

  /** Deletes what is left of the kind; the definition goes when nothing is. */
  #finish(object: ApiObject, definition: CrdDefinition, isOwner: boolean): void {
    const { finalizers = [] } = object.metadata;
    if (!finalizers.includes(cleanupFinalizer)) return;
    const { store, registry } = this.#core;
    if (isOwner) registry.replaceStorage(definition.name, createCustomTypes(definition, this.#core));
    const conditions = this.#set(conditionsOf(object), {
      type: "Terminating",
      status: "True",
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    });
    if (this.#writeStatus(object, { conditions })) return;
    if (isOwner && !this.#unsubscribe.has(definition.name)) {
      const unsubscribe = store.subscribe(definition.name, () => {
        queueMicrotask(() => this.settle(definition.name));
      });
      this.#unsubscribe.set(definition.name, unsubscribe);
    }
    const rest = isOwner ? store.list(definition.name) : [];
    for (const instance of rest) this.#deleteInstance(definition.name, instance);
    if (isOwner && store.list(definition.name).length > 0) return;
    this.#unsubscribe.get(definition.name)?.();
    this.#unsubscribe.delete(definition.name);
    this.#release(definition.name);
  }

  #deleteInstance(storageKey: string, instance: ApiObject): void {
    const { store } = this.#core;
    const { finalizers = [], deletionTimestamp, generation } = instance.metadata;
    if (finalizers.length === 0) store.remove(storageKey, instance);
    else if (deletionTimestamp === undefined) {
      const metadata = {
        ...instance.metadata,
        deletionTimestamp: timestampOf(this.#core),
        deletionGracePeriodSeconds: 0,
        ...(generation === undefined ? {} : { generation: generation + 1 }),
      };
      store.put(storageKey, { ...instance, metadata });
    }
  }

  #release(name: string): void {
    const { store } = this.#core;
    const object = store.get(space, undefined, name);
    if (object === undefined) return;
    const finalizers = (object.metadata.finalizers ?? []).filter((each) => each !== cleanupFinalizer);
    const next = { ...object, metadata: { ...object.metadata, finalizers } };
    if (finalizers.length === 0) store.remove(space, next);
    else store.put(space, next);
  }

  #set(conditions: readonly Condition[], next: NewCondition): readonly Condition[] {
    const set = setCondition(conditions, next, this.#core.clock.now());
    return set === conditions ? conditions : set.map(inOrder);
  }

  /** Whether there was something to write. */
  #writeStatus(object: ApiObject, change: Record<string, unknown>): boolean {
    const status = { ...fieldsOf(object["status"]), ...change };
    if (JSON.stringify(status) === JSON.stringify(object["status"])) return false;
    const type = this.#core.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions");
    if (type !== undefined) putStatus(this.#core, type, object, status);
    return true;
  }
}

/** As conditions of definitions are written. */
function inOrder({ type, status, lastTransitionTime, ...said }: Condition): Condition {
  return { type, status, lastTransitionTime, ...said };
}

function hasRefusedNames(object: ApiObject): boolean {
  return conditionsOf(object).some(({ type, status }) => type === "NamesAccepted" && status === "False");
}

function conditionsOf(object: ApiObject): readonly Condition[] {
  return listOf(fieldsOf(object["status"])["conditions"]) as readonly Condition[];
}
