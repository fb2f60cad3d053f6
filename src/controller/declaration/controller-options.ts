// What an author says about the controller of one kind: types alone.
import type { LifecycleNames } from "../../../machines/lifecycle-names.ts";
import type { Duration } from "../../ports/duration.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { ObjectKey } from "../../meta/object-key.ts";
import type { Permission } from "../../meta/permission.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import type { Observation } from "../../lifecycle/observation.ts";
import type { TaskDefinition } from "../../lifecycle/tasks/task-definition.ts";
import type { HookContext } from "../../reconcile/hook-context.ts";
import type { StatusChange, StepperHooks } from "../../reconcile/engines/engine.ts";
import type { ReconcileSource } from "../../remote/sidecar-client.ts";
import type { ApplicationView } from "../../reconcile/resources/resource.ts";
import type { WebhookOptions } from "../../webhook/admission/webhook-options.ts";

/** How the application is observed and acted on. */
export type ApplicationOptions<TCR extends KubeObject, TNames extends LifecycleNames = LifecycleNames> = {
  /**
   * Looks at the application. Called once a cycle; its time limit is `observeTimeout`. What it says is a state of the machine, a
   * word that an `observed.…` edge takes, or one of the `observations` of its setup.
   */
  readonly observe: (
    context: HookContext<TCR>,
  ) => Promise<Observation<TNames["observed"]>> | Observation<TNames["observed"]>;
  /**
   * Creates what belongs to the application and is no Kubernetes object. Called in every run while the lifecycle is in its
   * initial state, after the state is persisted: idempotent and quick; what it throws fails the run, and is tried again. Default nothing.
   */
  readonly create?: (context: HookContext<TCR>) => Promise<void> | void;
  /** The same in every run between the first and the last state; default nothing. */
  readonly update?: (context: HookContext<TCR>) => Promise<void> | void;
  /** The same in the last state; while the resource is being deleted, the finalizer waits for it. Default nothing. */
  readonly delete?: (context: HookContext<TCR>) => Promise<void> | void;
  /**
   * Derives the author's own fields of the status from where the application is. Called in every cycle, once its move is decided, also while
   * the resource is being deleted or paused, and written together with the lifecycle: pure, and not async. Fields that it leaves out stay as
   * they are, null removes one. What it throws, or a field that does not fit the status schema, fails the run; the lifecycle is persisted all the same. Default: no fields.
   */
  readonly statusOf?: (input: StatusInput<TCR, TNames["position"]>) => OwnStatusFields<TCR> | void;
  /** How often a settled application is looked at without any change; default 30 s. */
  readonly poll?: Duration;
  /** Default 10 s. */
  readonly observeTimeout?: Duration;
} & TaskTable<TCR, TNames["task"], TNames["inputs"]> &
  ActionTable<TCR, TNames["effect"]>;

/** What `statusOf` is given: the context of a hook, and the application after this run's move. */
export type StatusInput<TCR extends KubeObject, TState extends string = string> = HookContext<TCR> &
  ApplicationView<TState>;

/** The author's fields of a custom resource's status. */
export type OwnStatusFields<TCR extends KubeObject> = Omit<
  StatusChange<TCR>,
  "conditions" | "observedGeneration" | "lifecycle"
>;

type Effect<TCR extends KubeObject> = (context: HookContext<TCR>, params: unknown) => Promise<void> | void;

/** The tasks of an application: each that its machine invokes, and no other. */
export type TaskTable<TCR extends KubeObject, TTask extends string, TInputs = unknown> = string extends TTask
  ? {
      /** The long actions that the lifecycle's invokes name. */
      readonly tasks?: Readonly<Record<string, TaskDefinition<HookContext<TCR>>>>;
    }
  : [TTask] extends [never]
    ? { readonly tasks?: Readonly<Record<string, never>> }
    : {
        /** The long actions that the lifecycle's invokes name. */
        readonly tasks: {
          readonly [TName in TTask]: TName extends keyof TInputs
            ? TaskDefinition<HookContext<TCR>, TInputs[TName]>
            : TaskDefinition<HookContext<TCR>>;
        };
      };

/** The effects of an application: each that its machine was set up with, and no other. */
export type ActionTable<TCR extends KubeObject, TEffect extends string> = string extends TEffect
  ? {
      /** Effects that the machine's actions name, carried out after the move is persisted; must be idempotent. */
      readonly actions?: Readonly<Record<string, Effect<TCR>>>;
    }
  : [TEffect] extends [never]
    ? { readonly actions?: Readonly<Record<string, never>> }
    : {
        /** Effects that the machine's actions name, carried out after the move is persisted; must be idempotent. */
        readonly actions: { readonly [TName in TEffect]: Effect<TCR> };
      };

/** Options of `defineController`. */
export interface ControllerOptions<TCR extends KubeObject, TNames extends LifecycleNames = LifecycleNames> {
  /** Types of which the custom resource controls instances: watched, and a change reconciles the owner. Default none. */
  readonly owns?: readonly ResourceType[];
  /** Types that hooks read from the cache; a change reconciles nothing. Default none. */
  readonly reads?: readonly ResourceType[];
  /** Types of which a change reconciles the custom resources that `mapTo` names; default none. */
  readonly watches?: readonly {
    /** The type that is watched. */
    readonly type: ResourceType;
    /**
     * Keys of the custom resources concerned; asked for the old and the new object of a change. A method, so that a list
     * of different types type-checks: each function is only ever given objects of the type beside it.
     */
    mapTo(object: KubeObject): readonly ObjectKey[];
  }[];
  /** What requests reconciles besides changes in the cluster, for instance the client of the applications' sidecars; default nothing. */
  readonly sources?: readonly ReconcileSource[];
  /**
   * What hooks and tasks ask of the API server by themselves, for `generate rbac`; nothing is checked at run time. For a type
   * in `owns` they stand in place of `create` and `patch`, with which the registry writes: a type that is also deleted (by
   * `in`, `pruneOthers` or a hook) has all three, one that only a task makes has what the task needs. Default none.
   */
  readonly permissions?: readonly Permission[];
  /** The Stepper's hooks; the default engine. */
  readonly steps?: StepperHooks<TCR, TNames["position"], TNames["state"]>;
  /**
   * One function instead of steps, the FreeStyle engine: registers resources and calls the registry as it likes. What it
   * returns is merged into the status. Not called while the custom resource is being deleted. Default: the steps.
   */
  readonly freeStyle?: StepperHooks<TCR, TNames["position"], TNames["state"]>["SuccessManager"];
  /** Functions that the API server calls before it stores an object of the kind; see the guide on webhooks. Default none. */
  readonly webhooks?: WebhookOptions<TCR>;
  /** Only creates, never updates; default false. */
  readonly basic?: boolean;
  /** What the lifecycle's names stand for: observer, tasks, actions. Required where the kind has a lifecycle, and refused without one. */
  readonly application?: ApplicationOptions<TCR, TNames>;
  /**
   * Children of one custom resource that are created within four seconds, in however many runs; the rest follow. What the API
   * server refuses does not count, and is tried again after the others. Default unlimited.
   */
  readonly maxCreations?: number;
  /** Reconciles at the same time; default 4. */
  readonly workers?: number;
  /** Milliseconds or text after which a reconcile's signal is aborted; default 60 s. */
  readonly timeout?: Duration;
  /**
   * When a resource is taken to be in a reconcile loop, and slowed down; false detects nothing. By default 30 runs within a
   * minute, all caused by writes of one object or field, and at the slowest one run a minute from then on.
   */
  readonly hotLoop?:
    | {
        /**
         * Runs that writes of one object (our own), or of one field (another client's), have to cause within the time,
         * without a new generation; or runs that the creation of a child of ours has caused and that make another child of
         * that kind, whatever its name. Default 30: one every other second for a minute is more than any autoscaler, any
         * person and any roll-out step of ours writes, and a true circle, at ten runs a second or more, is found within
         * three seconds.
         */
        readonly runs?: number;
        /** Default 1 minute; a circle that has stopped is also over after this time. */
        readonly within?: Duration;
        /** Longest delay between two runs of a resource that is slowed down; default 1 minute. */
        readonly longestDelay?: Duration;
      }
    | false;
  /**
   * When repairs of one field of an owned object are taken for a fight with another writer, and slowed down; false repairs
   * at once always. By default 5 repairs within ten minutes, and at the slowest one in five minutes from then on.
   */
  readonly fieldFights?:
    | {
        /** Repairs of one field within the time; default 5. */
        readonly repairs?: number;
        /** Default 10 minutes. */
        readonly within?: Duration;
        /** Longest delay between two repairs of a field that is fought about; default 5 minutes. */
        readonly longestDelay?: Duration;
      }
    | false;
}

/** A type whose changes reconcile the custom resources that a function names. */
export type Watched = Required<ControllerOptions<KubeObject>>["watches"][number];
