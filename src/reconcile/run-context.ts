// What one run works with: the scope of its resources, and the context of its hooks with registry and status draft.
// Made again when the custom resource changes under the run: our finalizer was added, or the application has moved on.
import { sharedGetters } from "../collections/shared-getters.ts";
import type { KubeClient } from "../client/kube-client.ts";
import type { KubeObject } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { Clock } from "../ports/clock.ts";
import type { Ends } from "../ports/deadline.ts";
import type { Logger } from "../ports/logger.ts";
import type { StepContext } from "./engines/step-context.ts";
import type { EventSink, ClusterReader, ResourceScope, TypeOf } from "./resources/resource-scope.ts";
import type { Results } from "./outcome/results.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import type { ReconcileMemory } from "./reconcile-memory.ts";
import { Registry } from "./resources/registry.ts";
import type { Resource } from "./resources/resource.ts";
import { withinRun } from "./run-client.ts";
import type { Run } from "./runs.ts";
import type { SeenWrites } from "./seen-writes.ts";
import { StatusDraft } from "./status/status-draft.ts";
import { writeStatus, type StatusTarget } from "./status/status-writer.ts";

/** What a run works with on one state of the custom resource; given to its resources. */
export class RunScope<TCR extends KubeObject> implements ResourceScope<TCR> {
  readonly cr: TCR;
  readonly crType: ResourceType<TCR>;
  readonly client: KubeClient;
  readonly reader: ClusterReader;
  readonly typeOf: TypeOf;
  readonly isWatched: (type: ResourceType) => boolean;
  readonly fieldManager: string;
  readonly formerManagers: readonly string[];
  readonly memory: ReconcileMemory;
  readonly events: EventSink;
  readonly clock: Clock;
  readonly log: Logger;
  readonly countWrite: () => void;
  readonly seen: SeenWrites;
  readonly #run: Run;
  readonly #unhindered: KubeClient;

  constructor(
    pipeline: PipelineOptions<TCR>,
    { cr, client, seen, countWrite }: Pick<RunScope<TCR>, "cr" | "client" | "seen" | "countWrite">,
  ) {
    this.cr = cr;
    this.crType = pipeline.type;
    this.client = client;
    this.reader = pipeline.reader;
    this.typeOf = pipeline.typeOf;
    this.isWatched = pipeline.isWatched ?? (() => true);
    this.fieldManager = pipeline.fieldManager;
    this.formerManagers = pipeline.formerManagers ?? [];
    this.memory = pipeline.memory;
    this.events = pipeline.events;
    this.clock = pipeline.clock;
    this.log = pipeline.log;
    this.countWrite = countWrite;
    this.seen = seen;
    this.#run = pipeline.run;
    this.#unhindered = pipeline.client;
  }

  /** As what the status is written: past what has its other writes wait for that. */
  get statusTarget(): StatusTarget<TCR> {
    return new RunStatus(this, this.#unhindered);
  }

  get signal(): AbortSignal {
    return this.#run.signal;
  }

  get until(): Ends {
    return this.#run.time;
  }

  get isCutOff(): boolean {
    return this.#run.isCutOff;
  }

  /** Not the run's own signal: a run that took too long still says so. A hook that was left behind no longer does. */
  get lifetime(): Ends {
    return this.#run.lifetime;
  }
}

/** The target of a run's status. */
class RunStatus<TCR extends KubeObject> implements StatusTarget<TCR> {
  readonly cr: TCR;
  readonly crType: ResourceType<TCR>;
  readonly client: KubeClient;
  readonly fieldManager: string;
  readonly memory: ReconcileMemory;
  readonly countWrite: () => void;
  readonly #scope: RunScope<TCR>;

  constructor(scope: RunScope<TCR>, client: KubeClient) {
    this.cr = scope.cr;
    this.crType = scope.crType;
    this.client = client;
    this.fieldManager = scope.fieldManager;
    this.memory = scope.memory;
    this.countWrite = scope.countWrite;
    this.#scope = scope;
  }

  get lifetime(): Ends {
    return this.#scope.lifetime;
  }
}

/** What the context of a run's hooks is made of. */
export interface StepContextParts<TCR extends KubeObject> {
  readonly pipeline: PipelineOptions<TCR>;
  readonly scope: RunScope<TCR>;
  readonly results: Results;
  /** The application, if there is one; made when it is first asked for. */
  readonly application: () => Resource | undefined;
  /** Called now and then while many resources are written; default nobody. */
  readonly onProgress?: (done: number, all: number) => Promise<void>;
  /** What hooks were given in the run's earlier cycle: its status goes on, and what of its resources holds; default nothing. */
  readonly former?: StepContext<TCR> | undefined;
}

/** What a context's client and signal are made of. */
interface MadeWhenAsked {
  readonly scope: { readonly signal: AbortSignal };
  readonly makeClient: () => KubeClient;
  client?: KubeClient;
}

const withClientAndSignal = sharedGetters<MadeWhenAsked, { client: KubeClient; signal: AbortSignal }>({
  client: (from) => (from.client ??= from.makeClient()),
  signal: ({ scope }) => scope.signal,
});

/** The context of a run's hooks; client and signal are made when one asks for them. */
export function createStepContext<TCR extends KubeObject>(parts: StepContextParts<TCR>): StepContext<TCR> {
  const { pipeline, scope, results, application } = parts;
  const { cr, reader, clock, log, seen } = scope;
  const { secrets, maxCreations } = pipeline;
  const context: Omit<StepContext<TCR>, "client" | "signal"> = {
    cr,
    lookUp: (type, key) => {
      seen.noteRead(type);
      return reader.lookUp(type, key);
    },
    list: (type, options) => {
      seen.noteRead(type);
      return reader.list(type, options);
    },
    owned: (type) => {
      seen.noteRead(type);
      return reader.owned(type);
    },
    clock,
    log,
    results,
    registry: new Registry({
      scope,
      results,
      isHeld: () => application()?.holdsOthers?.() ?? false,
      application,
      maxCreations,
      finalizes:
        pipeline.engine.CRFinalizer !== undefined &&
        pipeline.finalizer !== undefined &&
        pipeline.addFinalizer !== false,
      onAsked: () => seen.noteAnyRead(),
      ...(parts.former === undefined ? {} : { former: parts.former.registry.entries }),
      ...(parts.onProgress === undefined ? {} : { onProgress: parts.onProgress }),
    }),
    application: () => application()?.view?.(),
    status:
      parts.former?.status ??
      new StatusDraft({
        cr,
        now: () => clock.now(),
        write: (draft) => writeStatus(scope.statusTarget, draft),
        mask: (text) => secrets?.mask(text) ?? text,
      }),
  };
  return withClientAndSignal(context, { scope, makeClient: () => clientOf(pipeline, scope) });
}

function clientOf<TCR extends KubeObject>(
  { random, secrets }: PipelineOptions<TCR>,
  { client, signal, cr, memory, reader, seen }: RunScope<TCR>,
): KubeClient {
  return withinRun({
    client,
    signal,
    generated: {
      owner: cr.metadata.uid,
      names: memory.names,
      random,
      isKnown: (type, key) => isCached(reader, type, key),
    },
    onRead: (object) => secrets?.note(object),
    seen,
  });
}

/** Whether the cache shows an object; what is not cached, it does not show. */
function isCached(reader: ClusterReader, type: ResourceType, key: ObjectKey): boolean {
  try {
    return reader.lookUp(type, key) !== undefined;
  } catch {
    return false;
  }
}
