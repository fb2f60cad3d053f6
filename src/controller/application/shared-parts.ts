// What the applications of one controller share between its runs: what its declaration comes to, made once, and what is known of each
// resource that its status does not say yet. application.ts and planned-cycle.ts work with it.
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { CycleInput, CyclePlan } from "../../lifecycle/cycle-plan.ts";
import type { Lifecycle } from "../../lifecycle/graph/compile-lifecycle.ts";
import { Looks } from "../../lifecycle/tasks/looks.ts";
import { taskPolicies } from "../../lifecycle/tasks/task-record.ts";
import type { TaskReport } from "../../lifecycle/tasks/task-report.ts";
import type { OpenStarts } from "../../lifecycle/tasks/task-runner.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey } from "../../meta/object-key.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import type { StatusFields } from "../../reconcile/status/status-draft.ts";
import type { ApplicationOptions } from "../declaration/controller-options.ts";
import type { ControllerDefinition } from "../declaration/define-controller.ts";
import type { HashedSpec } from "./lifecycle-fields.ts";
import type { LifecycleActors } from "./lifecycle-actors.ts";
import type { MeasureCycle } from "./lifecycle-metrics.ts";
import { statusFieldsReader } from "./status-fields.ts";
import type { Transition } from "./transition.ts";

/** How often a settled application is looked at when its author does not say. */
export const defaultPoll = "30s";

const defaultObserveTimeout = "10s";

/** Receives each cycle that is planned. */
export type OnCycle = (input: CycleInput, plan: CyclePlan) => void;

/** What one run of an application is given besides its context; the same in all of its cycles. */
export interface ApplicationRun {
  /** The situations that its cycles have passed through. */
  readonly passed?: string[];
  /** The plan of the cycle before, which is not stored yet; undefined where that is stored, or was none. */
  drafted?: CyclePlan | undefined;
  readonly onCycle?: OnCycle | undefined;
  /** Called when the author's functions take longer than a worker should wait. */
  readonly leaveWorker?: () => void;
  /** Calls back when the resource is changed, at once where it was since the run began. */
  readonly whenChanged?: (heard: () => void) => void;
}

/** What the application of a controller needs besides the run's context. */
export interface ApplicationParts {
  readonly definition: ControllerDefinition;
  readonly operator: string;
  readonly events: EventRecorder;
  readonly measure: MeasureCycle;
  /** Absent when the kind has no lifecycle. */
  readonly lifecycles: LifecycleActors | undefined;
  /** Receives each move that is persisted. */
  readonly onTransition?: ((transition: Transition) => void) | undefined;
}

/** The same, once it is known that there is a lifecycle. */
export interface ApplicationShared extends ApplicationParts {
  readonly lifecycles: LifecycleActors;
  readonly type: ResourceType;
  readonly lifecycle: Lifecycle;
  readonly application: ApplicationOptions<KubeObject>;
  /** Checks what the author's `statusOf` has returned. */
  readonly readStatusFields: (returned: unknown) => StatusFields;
  readonly policies: CycleInput["policies"];
  /** Milliseconds between two looks at a settled application. */
  readonly poll: number;
  /** Milliseconds that a look may take. */
  readonly observeTimeout: number;
  /** Whether any state of the lifecycle has one. */
  readonly hasTasks: boolean;
  /** By key of the resource; until that is gone. */
  readonly memories: Map<string, OwnedMemory>;
}

/** The memory of the resource of this uid. */
interface OwnedMemory {
  readonly uid: string;
  readonly memory: ApplicationMemory;
}

/** What is known of one resource and not in its status yet. Lost in a crash; then the tasks are looked for instead. */
export interface ApplicationMemory {
  /** What became of the effects of the last cycle. */
  reports: readonly TaskReport[];
  /** The human request whose annotation was removed. */
  removedHuman?: string | undefined;
  /** The starts of tasks that have not returned. */
  readonly starts: OpenStarts;
  readonly looks: Looks;
  /** The state of the resource in which its lifecycle is stored as a run of this process has decided: see own-status.ts. */
  own?: string;
  /** Its spec as it was hashed last. */
  spec?: HashedSpec;
  /** What of the resource asks for a cycle, as the last one has seen it. */
  news?: string;
  /** The run that brings news to a resource of which the last look was not answered in time: none of its looks is waited for. */
  hurriedRun?: unknown;
}

/** What the applications of a controller share; undefined when the kind has no lifecycle. */
export function shareParts(parts: ApplicationParts): ApplicationShared | undefined {
  const { definition, lifecycles } = parts;
  const { kind, options } = definition;
  if (kind.lifecycle === undefined || lifecycles === undefined || options.application === undefined)
    return undefined;
  const { poll = defaultPoll, observeTimeout = defaultObserveTimeout } = options.application;
  return {
    ...parts,
    lifecycles,
    type: kind,
    lifecycle: kind.lifecycle,
    application: options.application,
    readStatusFields: statusFieldsReader(kind),
    poll: toMilliseconds(poll),
    observeTimeout: toMilliseconds(observeTimeout),
    policies: taskPolicies(options.application.tasks ?? {}),
    hasTasks: kind.lifecycle.index.graph.nodes.some(({ invokes }) => invokes.length > 0),
    memories: new Map(),
  };
}

/** What is remembered of a resource: nothing of an earlier one of its name. */
export function memoryOf(
  { memories, hasTasks }: Pick<ApplicationShared, "memories" | "hasTasks">,
  { metadata }: KubeObject,
): ApplicationMemory {
  const key = formatKey(metadata);
  const { uid } = metadata;
  const known = memories.get(key);
  if (known?.uid === uid) return known.memory;
  const starts: OpenStarts = hasTasks ? new Map() : noStarts;
  const memory = { reports: [], starts, looks: new Looks() };
  memories.set(key, { uid, memory });
  return memory;
}

/** Of lifecycles without tasks: nothing is ever started. */
const noStarts: OpenStarts = new Map();
