// What a run of the pipeline is given.
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
import type { EventSink, ClusterReader, TypeOf } from "./resources/resource-scope.ts";
import type { ReconcileMemory } from "./reconcile-memory.ts";
import type { Resource } from "./resources/resource.ts";
import type { Run } from "./runs.ts";
import type { SecretValues } from "./secrets/secret-values.ts";
import type { StatusDraft } from "./status/status-draft.ts";
import type { StepContext } from "./engines/step-context.ts";

/** What all runs of one controller have in common. */
export interface Pipeline<TCR extends KubeObject> {
  readonly type: ResourceType<TCR>;
  readonly engine: Engine<TCR>;
  /** The API types of manifests. */
  readonly typeOf: TypeOf;
  /** Whether a change of a child of this type causes a run: children of any other type are refused. Default: all do. */
  readonly isWatched?: (type: ResourceType) => boolean;
  readonly memory: ReconcileMemory;
  readonly clock: Clock;
  readonly random: Random;
  readonly fieldManager: string;
  /** Names that the operator had before: what they own is taken over. Default none. */
  readonly formerManagers?: readonly string[];
  /** Our finalizer: its domain-qualified name. Absent: deletion does not wait for us. */
  readonly finalizer?: string;
  /** Whether the finalizer is added; false only removes one that an earlier version added. Default true. */
  readonly addFinalizer?: boolean;
  /** Types of which the custom resource controls instances: looked through for what blocks its deletion. Default none. */
  readonly ownedTypes?: readonly ResourceType[];
  /** Creations in one run; default unlimited. */
  readonly maxCreations?: number;
  /** Where the stages are traced; default nowhere. */
  readonly tracing?: Tracing;
  /** Who may look at the actors of runs. */
  readonly inspector?: RootOptions["inspector"] | undefined;
}

/** What one run is given. */
export interface RunOptions<TCR extends KubeObject> {
  /** What cuts it off. When the process stops, it ends at once and writes nothing more. */
  readonly run: Run;
  /** The custom resource as the cache has it, or a function that reads it; undefined when it is gone. */
  readonly cr: TCR | undefined | (() => TCR | undefined);
  /** What has changed, as far as it is known: the machine's first event carries it. Default nothing. */
  readonly causes?: readonly JournalCause[];
  readonly client: KubeClient;
  readonly reader: ClusterReader;
  readonly log: Logger;
  readonly events: EventSink;
  /** Receives the Secrets that the hooks read, and keeps their values out of the status's messages; default not kept out. */
  readonly secrets?: SecretValues;
  /** Makes the application, which is registered after everything that ObjectsGetter registers. */
  readonly application?: (context: StepContext<TCR>) => Resource;
  /** Adds what the controller knows of the custom resource to every status that is about to be written. */
  readonly contributeStatus?: (status: StatusDraft) => void;
  /** Called with each stage that is entered. */
  readonly onStage?: ((stage: string) => void) | undefined;
  /** As what the run's actor is introduced. */
  readonly introduce?: RootOptions["introduce"];
}

/** Options of `runPipeline`. */
export type PipelineOptions<TCR extends KubeObject> = Pipeline<TCR> & RunOptions<TCR>;
