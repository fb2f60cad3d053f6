// How those who look are shown the actors of a process: by XState's own inspection, and by nothing else. Roots are announced
// here by their creators; an inspector attaches to their systems while there is a viewer, and detaches afterwards.
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, InspectionEvent } from "xstate";

/** The object that an actor works for. */
export interface InspectionSubject {
  readonly kind: string;
  readonly namespace?: string;
  readonly name: string;
}

/** A root actor, with all that XState lets inspectors see of its system. */
export type RootActor = AnyActorRef;

/** What a root's creator says of it. */
export interface ActorIntroduction {
  /** For people. */
  readonly name: string;
  /** Id of the actor that it belongs to, for a root that is short-lived work for another actor. */
  readonly parentId?: string;
  /** The object that it and its children work for; absent for the machines of the runtime. */
  readonly subject?: InspectionSubject;
}

/** Learns of every root actor of a process. None of its functions throws. */
export interface Inspector {
  /** A root has been created and is about to start. `introduce` is called only when somebody looks. */
  begin(root: RootActor, introduce: () => ActorIntroduction): void;
  /** A root has ended. */
  end(root: RootActor): void;
  /** Whether a viewer has chosen what works for this object. */
  looksAt(subject: InspectionSubject): boolean;
  /** Calls a function whenever a viewer is added or removed, until what it returns is called: what is idle may have no actor before. */
  onLook(changed: () => void): () => void;
}

/** Nobody looks. */
export const noInspector: Inspector = {
  begin: () => undefined,
  end: () => undefined,
  looksAt: () => false,
  onLook: () => () => undefined,
};

/** An actor of a system, as it is introduced to a viewer. */
export interface SystemActor {
  /** XState's session id: unique in the process. */
  readonly id: string;
  /** What its parent or creator calls it. */
  readonly localId: string;
  readonly parentId: string | undefined;
  readonly rootId: string;
  /** The configuration of its machine. */
  readonly config: object;
}

/** Receives what XState's inspection reports of one system. */
export interface SystemObserver {
  /** An actor has started, or had when the observation began. */
  began(actor: SystemActor, snapshot: AnyMachineSnapshot): void;
  /** It was sent an event, by this actor if it was one; the snapshot is from before it. */
  received(
    actor: SystemActor,
    event: AnyEventObject,
    sourceId: string | undefined,
    snapshot: AnyMachineSnapshot,
  ): void;
  /** Where an event has led. */
  moved(actor: SystemActor, event: AnyEventObject, snapshot: AnyMachineSnapshot): void;
}

/** Follows the system of a root until the returned function is called. What the observer throws is dropped. */
export function observeSystem(root: RootActor, observer: SystemObserver): () => void {
  // What an inspection handler throws, XState throws at the sender of the event.
  const subscription = root.system.inspect((inspected) => {
    try {
      pass(root, inspected, observer);
    } catch {
      // A viewer misses a message; the actor must not.
    }
  });
  return () => subscription.unsubscribe();
}

/** A root and all below it that live, each after its parent. */
export function* actorsBelow(
  root: RootActor,
  of = root,
): Iterable<readonly [SystemActor, AnyMachineSnapshot]> {
  const snapshot = of.getSnapshot() as AnyMachineSnapshot;
  yield [describe(root, of), snapshot];
  for (const child of Object.values(snapshot.children as Record<string, AnyActorRef | undefined>)) {
    if (child?.getSnapshot().status === "active") yield* actorsBelow(root, child);
  }
}

function pass(root: RootActor, inspected: InspectionEvent, observer: SystemObserver): void {
  // An actor that is being created has no snapshot yet: it is introduced when it starts.
  if (inspected.type !== "@xstate.event" && inspected.type !== "@xstate.snapshot") return;
  const { event } = inspected;
  const ref = inspected.actorRef as AnyActorRef;
  const actor = describe(root, ref);
  if (inspected.type === "@xstate.snapshot") {
    const snapshot = inspected.snapshot as AnyMachineSnapshot;
    // The start has introduced it in this state.
    if (event.type !== "xstate.init" || snapshot.status !== "active") observer.moved(actor, event, snapshot);
  } else if (event.type === "xstate.init") {
    observer.began(actor, ref.getSnapshot() as AnyMachineSnapshot);
  } else {
    const snapshot = ref.getSnapshot() as AnyMachineSnapshot;
    observer.received(actor, event, inspected.sourceRef?.sessionId, snapshot);
  }
}

function describe(root: RootActor, actor: AnyActorRef): SystemActor {
  const { logic } = actor as unknown as { readonly logic: { readonly config?: object } };
  return {
    id: actor.sessionId,
    localId: actor.id,
    parentId: actor._parent?.sessionId,
    rootId: root.sessionId,
    config: logic.config ?? {},
  };
}
