// What a reconcile works on: Kubernetes objects, the application, and anything an author owns, treated alike.
// Implemented by kubernetes-resource.ts, by the application, and by authors; driven by the registry.
import type { ApplicationStates } from "./application-states.ts";
import type { Health } from "../../meta/health.ts";
import type { AnyManifest, Json, KubeObject } from "../../meta/object.ts";
import type { ResourceScope } from "./resource-scope.ts";
import type { StatusDraft } from "../status/status-draft.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";

/** The application as a run has seen it. */
export interface ApplicationView<TState extends string = string> {
  /** The lifecycle's state after this run's move; nested states are joined by colons. */
  readonly state: TState;
  /** The machine's context after this run's move. */
  readonly context: Readonly<Record<string, Json>>;
  /** What the observer said in this run, several words joined by commas; absent when it failed. */
  readonly observed?: string;
  /** The observer's facts. */
  readonly facts: Readonly<Record<string, Json>>;
  /** What the last observation said, for people. */
  readonly message?: string;
  /** A person has paused it: the registry writes nothing, and neither should hooks. */
  readonly paused: boolean;
}

/** What a resource may say about a step that went well. */
export interface ResourceReport {
  /** Milliseconds after which to look again. */
  readonly requeueAfter?: number;
  /** True while what was asked for is still outstanding: the run then does not claim full success. */
  readonly pending?: boolean;
  /** A sentence for people about what is outstanding. */
  readonly message?: string;
}

/** How a resource is. */
export interface ResourceHealth extends Health {
  /** Milliseconds after which to look again, for one that nobody watches. */
  readonly requeueAfter?: number;
}

/** What a step of a resource may return. */
export type StepReport = ResourceReport | void;

/** A resource that can be created and deleted. */
export interface Resource {
  /** Identifies it among all resources: `<namespace> Kind/name group/version`. */
  readonly index: string;
  /** For people: `Kind/name`. */
  readonly kindName: string;
  /** Whether it exists, as far as {@link lookUp} knows. */
  readonly exists: boolean;
  /** Finds out whether it exists; called once in a run, before anything else. */
  lookUp(): Promise<void> | void;
  /** Creates it. Called only when it does not exist. */
  create(): Promise<StepReport> | StepReport;
  /** Deletes it; one that is already gone is no error. */
  delete(): Promise<StepReport> | StepReport;
  /**
   * Brings it to its end while the custom resource is being deleted; asked again until `done`. Called for what `CRFinalizer` registers,
   * once the application has ended. Default: it is deleted if it exists; Kubernetes objects are left to the garbage collector.
   */
  finalize?():
    Promise<ResourceReport & { readonly done: boolean }> | (ResourceReport & { readonly done: boolean });
  /**
   * What the application's hooks receive about it; of the application only.
   *
   * @internal
   */
  view?(): ApplicationView | undefined;
  /**
   * Whether every other resource is left as it is in this run: nothing is created, changed or deleted. Of the application
   * only. Default: no.
   *
   * @internal
   */
  holdsOthers?(): boolean;
  /**
   * Whether the other resources are rendered and written although the custom resource is being deleted: the application is
   * on its way to its end. Of the application only. Default: no.
   *
   * @internal
   */
  needsOthers?(): boolean;
  /**
   * The states that other resources may be tied to. Of the application only.
   *
   * @internal
   */
  readonly states?: ApplicationStates;
  /**
   * Whether it is left as it is where it does not belong to the application's state: somebody else's, or being deleted already.
   *
   * @internal
   */
  isLeftAlone?(): boolean;
  /**
   * Whether it is being deleted: what comes after it waits. Default: no.
   *
   * @internal
   */
  isGoing?(): boolean;
  /**
   * Whether it has moved to a state on which nothing hangs, so that its next cycle follows in this run. Of the application
   * only. Default: no.
   *
   * @internal
   */
  movesOn?(): boolean;
  /**
   * How it is: of the children of a kind without a lifecycle, `Ready` is made, and of an application's own answer. Default: it
   * counts as ready once it is there. A child that is ready later has to cause a run, by a watch or by a requeue.
   */
  health?(): ResourceHealth | undefined;
  /**
   * Whose peer it is: peers that are registered one after the other are written at the same time. Of Kubernetes objects, those of
   * one type. Default nobody's.
   *
   * @internal
   */
  readonly peers?: string;
  /** Adds conditions and fields to the status that is about to be written, after success and after failure alike. */
  contributeStatus?(status: StatusDraft): void;
}

/** What {@link Resource.finalize} says: whether the resource is gone. */
export type FinalizeReport = Awaited<ReturnType<Required<Resource>["finalize"]>>;

/** A resource that can also be changed. */
export interface MutableResource extends Resource {
  /** Works out what it shall be. Called before {@link create} and {@link update}; when it throws, nothing is written. */
  mutate(): Promise<StepReport> | StepReport;
  /** Whether what exists differs from what shall be. */
  needsUpdate(): boolean;
  /** Makes it what it shall be. Called only when it exists and {@link needsUpdate}. */
  update(): Promise<StepReport> | StepReport;
}

/** A declared resource that becomes a {@link Resource} within a run. */
export interface BindableResource<TCR extends KubeObject = KubeObject> {
  /** @internal */
  bind(scope: ResourceScope<TCR>): Resource;
  /** Never set: carries the type of the custom resource. */
  readonly boundTo?: (cr: TCR) => void;
}

/** What may be registered: a manifest, a declared resource, or anything that behaves like a resource. */
export type Registrable<TCR extends KubeObject = KubeObject> = AnyManifest | BindableResource<TCR> | Resource;

/** Whether a resource can be changed. */
export function isMutable(resource: Resource): resource is MutableResource {
  const candidate = resource as Partial<MutableResource>;
  return (
    typeof candidate.mutate === "function" &&
    typeof candidate.needsUpdate === "function" &&
    typeof candidate.update === "function"
  );
}

/** One report of two: with the earlier of their delays. */
export function soonest(
  one: ResourceReport | undefined,
  other: ResourceReport | undefined,
): ResourceReport | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const requeueAfter = Math.min(one.requeueAfter ?? Infinity, other.requeueAfter ?? Infinity);
  return { ...other, ...one, ...(requeueAfter === Infinity ? {} : { requeueAfter }) };
}

/** Identifies an object among all resources: `<namespace> Kind/name group/version`. */
export function resourceIndexOf(type: ResourceType, key: ObjectKey): string {
  return `${key.namespace ?? ""} ${type.kind}/${key.name} ${apiVersionOf(type)}`;
}

/** For people: `Kind/name`. */
export function kindNameOf(type: ResourceType, key: ObjectKey): string {
  return `${type.kind}/${key.name}`;
}
