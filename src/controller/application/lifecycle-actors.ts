// The actors of a kind's lifecycles that live: of each resource that is being worked on, and of each that is being viewed.
// An idle resource has none. Begun by application.ts, ended by the reconciler and by the last viewer.
import { isDeepStrictEqual } from "node:util";
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import {
  lifecycleLogic,
  statusChanged,
  type LifecycleActor,
  type LifecycleLogic,
} from "../../lifecycle/lifecycle-logic.ts";
import { isOwnDraft } from "../../lifecycle/stored/read-status.ts";
import type { StoredLifecycle } from "../../lifecycle/stored/restore.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey, keyOf } from "../../meta/object-key.ts";
import type { Clock } from "../../ports/clock.ts";
import { storedConditions } from "../../reconcile/status/status-draft.ts";
import type { InspectionSubject, Inspector } from "../../statechart/inspection.ts";
import { beginPure } from "../../statechart/pure-logic.ts";
import { lifecycleStatusOf, splitSpec } from "./lifecycle-fields.ts";

/** Names a custom resource to an inspector. */
export function subjectOf({ kind, metadata }: KubeObject): InspectionSubject {
  const { name, namespace } = metadata;
  return namespace === undefined ? { kind, name } : { kind, namespace, name };
}

/** Options of {@link LifecycleActors}. */
export interface LifecycleActorsParts {
  readonly lifecycle: Lifecycle;
  readonly inspector: Inspector;
  readonly clock: Clock;
  /** The custom resources of the kind, as they are cached. */
  readonly resources: () => readonly KubeObject[];
}

interface LiveActor {
  readonly actor: LifecycleActor;
  /** As it was when it began. */
  readonly cr: KubeObject;
  /** A run works with it. */
  isWorking: boolean;
}

/** The lifecycles of one kind. */
export class LifecycleActors {
  readonly #parts: LifecycleActorsParts;
  readonly #logic: LifecycleLogic;
  /** By uid. */
  readonly #live = new Map<string, LiveActor>();

  constructor(parts: LifecycleActorsParts) {
    this.#parts = parts;
    this.#logic = lifecycleLogic(parts.lifecycle);
  }

  /** How many live. */
  get count(): number {
    return this.#live.size;
  }

  /** From now on, and until the controller has ended, viewers also find those of idle resources. */
  start(ended: AbortSignal): void {
    const unfollow = this.#parts.inspector.onLook(() => this.#follow());
    ended.addEventListener("abort", () => {
      unfollow();
      for (const [uid, live] of this.#live) this.#end(uid, live);
    });
  }

  /** The actor for a run, at what is stored; it lives until {@link rest}. */
  work(cr: KubeObject, stored: StoredLifecycle): LifecycleActor {
    const live = this.#live.get(cr.metadata.uid);
    if (live === undefined || !live.actor.isActive) return this.#begin(cr, stored, true).actor;
    live.isWorking = true;
    if (!isKnown(live.actor, stored)) live.actor.send(statusChanged(stored));
    return live.actor;
  }

  /** A run of the resource is over, and what it has decided is persisted: the actor ends, unless it is being viewed. */
  rest({ metadata }: KubeObject): void {
    const live = this.#live.get(metadata.uid);
    if (live === undefined) return;
    live.isWorking = false;
    if (!live.actor.isActive || !this.#parts.inspector.looksAt(subjectOf(live.cr)))
      this.#end(metadata.uid, live);
  }

  /** The resource is gone. */
  gone(key: string): void {
    for (const [uid, live] of this.#live) if (formatKey(keyOf(live.cr)) === key) this.#end(uid, live);
  }

  /** The session id of a resource's actor that is being viewed. */
  idOf(cr: KubeObject): string {
    return this.#lookedAt(cr).actor.id;
  }

  /** A viewer was added or removed. */
  #follow(): void {
    const { inspector, resources } = this.#parts;
    for (const [uid, live] of this.#live) {
      if (!live.isWorking && !inspector.looksAt(subjectOf(live.cr))) this.#end(uid, live);
    }
    for (const cr of resources()) if (inspector.looksAt(subjectOf(cr))) this.#lookedAt(cr);
  }

  /** At what is cached, and without running anything. */
  #lookedAt(cr: KubeObject): LiveActor {
    const { uid } = cr.metadata;
    // Whatever belongs to it is looked through where a record is missing: by a run.
    const status = lifecycleStatusOf(cr);
    const stored = { status, conditions: storedConditions(cr), uid, children: [], spec: splitSpec(cr).spec };
    return this.#live.get(uid) ?? this.#begin(cr, stored, false);
  }

  #begin(cr: KubeObject, stored: StoredLifecycle, isWorking: boolean): LiveActor {
    const { uid } = cr.metadata;
    const former = this.#live.get(uid);
    if (former !== undefined) this.#end(uid, former);
    const actor = beginPure(this.#logic, stored, {
      id: "lifecycle",
      clock: this.#parts.clock,
      inspector: this.#parts.inspector,
      introduce: () => ({ name: `${cr.kind} ${formatKey(keyOf(cr))}`, subject: subjectOf(cr) }),
    });
    const live = { actor, cr, isWorking };
    this.#live.set(uid, live);
    return live;
  }

  #end(uid: string, { actor }: LiveActor): void {
    this.#live.delete(uid);
    actor.stop();
  }
}

/** Whether the actor is at what is stored: it has read it, and decided on nothing else since. */
function isKnown({ state }: LifecycleActor, stored: StoredLifecycle): boolean {
  const { status } = state.plan ?? {};
  // What the cycle before has decided is to be gone on from.
  if (isOwnDraft(stored.status) && stored.status !== state.stored.status) return false;
  return (
    isDeepStrictEqual(stored, state.stored) &&
    (status === undefined || isDeepStrictEqual(status, stored.status))
  );
}
