// What a run of the pipeline is given, and what it comes to.
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { Logger } from "../ports/logger.ts";
import type { Random } from "../ports/random.ts";
import type { JournalCause } from "../ports/run-journal.ts";
import type { Tracing } from "../ports/tracing.ts";
import type { RootOptions } from "../statechart/drive.ts";
import type { Engine } from "./engines/engine.ts";
import type { EventSink } from "./event-sink.ts";
import type { Operation } from "./outcome/operation.ts";
import type { ReconcileMemory } from "./reconcile-memory.ts";
import type { Resource } from "./resources/resource.ts";
import type { ClusterReader, TypeOf } from "./resources/resource-scope.ts";
import type { SecretValues } from "./secrets/secret-values.ts";
import type { StatusDraft } from "./status/status-draft.ts";
import type { StepContext } from "./engines/step-context.ts";

/** Options of `runPipeline`. */
export interface PipelineOptions<TCR extends KubeObject> {
  /** The custom resource as the cache has it, or a function that reads it; undefined when it is gone. */
  readonly cr: TCR | undefined | (() => TCR | undefined);
  readonly type: ResourceType<TCR>;
  /** What has changed, as far as it is known: the machine's first event carries it. Default nothing. */
  readonly causes?: readonly JournalCause[];
  readonly engine: Engine<TCR>;
  readonly client: KubeClient;
  readonly reader: ClusterReader;
  /** The API types of manifests. */
  readonly typeOf: TypeOf;
  readonly memory: ReconcileMemory;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly events: EventSink;
  /** Told of the Secrets that the hooks read, and keeps their values out of the status's messages; default not kept out. */
  readonly secrets?: SecretValues;
  /** Aborted when the process stops: the run then ends at once and writes nothing more. */
  readonly signal: AbortSignal;
  /** Milliseconds after which the run is cut off, with the error on the condition; default none. */
  readonly timeout?: number;
  readonly fieldManager: string;
  /** Our finalizer: its domain-qualified name. Absent: deletion does not wait for us. */
  readonly finalizer?: string;
  /** Whether the finalizer is added; false only removes one that an earlier version added. Default true. */
  readonly addFinalizer?: boolean;
  /** Types of which the custom resource controls instances: looked through for what blocks its deletion. Default none. */
  readonly ownedTypes?: readonly ResourceType[];
  /** Makes the application, which is registered after everything that ObjectsGetter registers. */
  readonly application?: (context: StepContext<TCR>) => Resource;
  /** Adds what the controller knows of the custom resource to every status that is about to be written. */
  readonly contributeStatus?: (status: StatusDraft) => void;
  /** Creations in one run; default unlimited. */
  readonly maxCreations?: number;
  /** Where the stages are traced; default nowhere. */
  readonly tracing?: Tracing;
  /** Told of each stage that is entered. */
  readonly onStage?: (stage: string) => void;
  /** Who may look at the run's actor. */
  readonly inspector?: RootOptions["inspector"];
  /** As what the actor is introduced. */
  readonly introduce?: RootOptions["introduce"];
}

/** What a run came to. */
export interface PipelineOutcome {
  /** Milliseconds after which to look again; undefined: on the next change, or after the queue's backoff if there is an error. */
  readonly requeueAfter: number | undefined;
  /** The first error; undefined after a give-up or a mere wait. */
  readonly error: Error | undefined;
  /** Set when the run gave up, with the reason if there is one. */
  readonly gaveUp: { readonly reason: string | undefined } | undefined;
  /** The stages entered, in order: `CRChecker` to `End`; empty when there was nothing to do. */
  readonly path: readonly string[];
  readonly operations: readonly Operation[];
  /** Write requests sent by the pipeline and its resources. */
  readonly writes: number;
}
