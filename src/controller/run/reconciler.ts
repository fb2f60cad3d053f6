// Reconciles one key: reads the custom resource from the cache, runs the pipeline, and says what the queue shall do next.
import type { Transition } from "../application/transition.ts";
import { layered } from "../../client/client-layers.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import { typeOf as builtinTypeOf } from "../../kinds/builtin/type-lookup.ts";
import type { KubeObject } from "../../meta/object.ts";
import { parseKey } from "../../meta/object-key.ts";
import { apiVersionOf, typeKeyOf, type ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Random } from "../../ports/random.ts";
import type { SecretKeeper } from "../../ports/secret-keeper.ts";
import type { Tracing } from "../../ports/tracing.ts";
import type { JournalRun, RunJournal } from "../../ports/run-journal.ts";
import type { RunRecorder } from "../../recording/run-recorder.ts";
import { wordsOf } from "../../recording/to-run-line.ts";
import { type Engine, freeStyle, stepper } from "../../reconcile/engines/engine.ts";
import { contributeFights } from "../../reconcile/resources/fight-report.ts";
import type { RunResult } from "../../reconcile/outcome/reconcile-result.ts";
import { runPipeline } from "../../reconcile/pipeline.ts";
import type { Pipeline } from "../../reconcile/pipeline-options.ts";
import { maskError } from "../../reconcile/secrets/mask-values.ts";
import type { SecretValues } from "../../reconcile/secrets/secret-values.ts";
import { createReconcileMemory } from "../../reconcile/reconcile-memory.ts";
import type { TypeOf } from "../../reconcile/resources/resource-scope.ts";
import type { Inspector } from "../../statechart/inspection.ts";
import { createApplications } from "../application/application.ts";
import { LifecycleActors, subjectOf } from "../application/lifecycle-actors.ts";
import { createLifecycleMetrics, type MeasureCycle } from "../application/lifecycle-metrics.ts";
import type { ApplicationRun } from "../application/shared-parts.ts";
import type { ControllerDefinition } from "../declaration/define-controller.ts";
import { compileFieldFightOptions } from "../detectors/field-fight-options.ts";
import { createFightCounter } from "../detectors/fight-metrics.ts";
import type { FightingKeys } from "../detectors/fighting-keys.ts";
import type { HotLoopGuard } from "../detectors/hot-loop-guard.ts";
import type { OwnWrites } from "../changes/own-writes.ts";
import { errorFields } from "../../ports/author-code.ts";
import { recordRun, type DeliveredEvents } from "./run-recording.ts";
import { readerOfRun, type ScopedReader } from "./scoped-reader.ts";
import { RunLog, RunSecrets, withoutSecrets } from "./run-log.ts";
import type { ReconcileFunction } from "./worker-pool.ts";

/** Options of {@link createReconciler}. */
export interface ReconcilerParts {
  readonly definition: ControllerDefinition;
  readonly operator: string;
  /** Names that the operator had before; default none. */
  readonly formerNames?: readonly string[];
  readonly client: KubeClient;
  readonly reader: ScopedReader;
  readonly ownWrites: OwnWrites;
  readonly guard: HotLoopGuard;
  readonly events: EventRecorder;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly inspector: Inspector;
  /** Aborted when the last run has ended. */
  readonly ended: AbortSignal;
  readonly onTransition?: ((transition: Transition) => void) | undefined;
  readonly journal?: RunJournal;
  /** Who keeps each run, and the Kubernetes Events published meanwhile. */
  readonly recorded?: { readonly recorder: RunRecorder; readonly events: DeliveredEvents };
  /** What is known of Secrets that others have read. */
  readonly secrets?: SecretKeeper;
  readonly tracing: Tracing;
  /** Called with the fights of each key; default nobody. */
  readonly fighting?: FightingKeys;
}

/** The finalizer of a kind: domain-qualified, the same for every operator that serves the kind. */
export function finalizerOf(type: Pick<ResourceType, "group" | "plural">): string {
  return `${type.plural}.${type.group}/finalizer`;
}

/** A {@link ReconcileFunction} that may be given the client of the run; default the controller's. */
export type ClientReconcileFunction = (
  ...run: [...Parameters<ReconcileFunction>, client?: KubeClient]
) => ReturnType<ReconcileFunction>;

/** The function that the workers call. Holds the controller's memory, which may be lost at any time. */
export function createReconciler(parts: ReconcilerParts): ClientReconcileFunction {
  const { definition, operator, reader, ownWrites, guard, clock, random, inspector } = parts;
  const { kind, options } = definition;
  const { fieldFights } = options;
  const memory = createReconcileMemory({
    fieldFights: fieldFights === false ? undefined : compileFieldFightOptions(fieldFights),
  });
  const words = kind.lifecycle === undefined ? undefined : wordsOf(kind.lifecycle.chart.graph);
  const secrets = new RunSecrets(parts.secrets, words);
  const events = withoutSecrets(parts.events, secrets);
  const countFights = createFightCounter(parts.metrics, kind.kind.toLowerCase());
  const lifecycles = lifecycleActors(parts);
  const applications = createApplications({
    definition,
    operator,
    events,
    measure: measureCycles(parts),
    lifecycles,
    onTransition: parts.onTransition,
  });
  const declared = declaredTypes(definition);
  const typeOf: TypeOf = (apiVersion, name) =>
    declared.find((type) => type.kind === name && apiVersionOf(type) === apiVersion) ??
    builtinTypeOf(apiVersion, name);
  const watched = new Set(
    [...(options.owns ?? []), ...(options.watches ?? []).map(({ type }) => type)].map((type) =>
      typeKeyOf(type),
    ),
  );
  /** What all runs have in common. */
  const shared: Pipeline<KubeObject> = {
    type: kind,
    engine: engineOf(definition),
    typeOf,
    isWatched: (type) => watched.has(typeKeyOf(type)),
    memory,
    clock,
    random,
    fieldManager: operator,
    ...(parts.formerNames === undefined ? {} : { formerManagers: parts.formerNames }),
    tracing: parts.tracing,
    finalizer: finalizerOf(kind),
    addFinalizer: kind.finalize || options.steps?.CRFinalizer !== undefined,
    ownedTypes: options.owns ?? [],
    inspector,
    ...(options.maxCreations === undefined ? {} : { maxCreations: options.maxCreations }),
  };

  // Made once: most runs use the controller's own client.
  const own = layered(parts.client, ownWrites.layer);

  return async (item, run, direct = parts.client) => {
    const { key, causes, failures } = item;
    // It is queued again with all of its namespace once that can be read.
    if (!reader.isAvailable(kind, parseKey(key))) return { kind: "settled" };
    const cr = reader.lookUp(kind, parseKey(key));
    if (cr === undefined) {
      guard.forget(key);
      lifecycles?.gone(key);
      applications?.gone(key);
      parts.fighting?.note(key, []);
      parts.recorded?.recorder.gone(kind.kind, key, clock.now());
      return { kind: "settled" };
    }
    const startedAt = clock.now();
    const stages: { readonly stage: string; readonly at: number }[] = [];
    const read = secrets.of(cr);
    const { id: reconcileId, since } = run;
    const { tracing } = parts;
    const log = new RunLog({ log: parts.log, item, reconcileId, clock, since, secrets: read, tracing });
    const recording =
      parts.recorded === undefined
        ? undefined
        : recordRun(parts.recorded, { cr, kind, item, reader, owned: options.owns ?? [], read, clock });
    const isKept = parts.journal !== undefined || recording !== undefined;
    const ofApplication: ApplicationRun = {
      passed: [],
      onCycle: recording?.onCycle,
      leaveWorker: () => run.leaveWorker(),
      whenChanged: (heard) => run.whenChanged(heard),
    };
    log.debug({ failures }, "reconcile starts");
    if (guard.hasNews(key)) await guard.tell(key, cr, run.signal);
    const result = withoutSecretValues(
      await runPipeline({
        ...shared,
        cr,
        causes,
        run,
        client:
          direct === parts.client && recording === undefined
            ? own
            : layered(recording?.observe(direct) ?? direct, ownWrites.layer),
        reader: readerOfRun(reader, cr, read),
        log,
        events: {
          record: (type, reason, note) => events.record(cr, { type, reason, action: "Reconcile", note }),
        },
        secrets: read,
        onStage: isKept ? (stage) => void stages.push({ stage, at: clock.now() }) : undefined,
        contributeStatus: (status) => {
          guard.contributeStatus(key, status);
          const fights = memory.fights.of(cr.metadata.uid);
          countFights(fights);
          parts.fighting?.note(key, fights);
          contributeFights(status, fights, operator);
        },
        introduce: () => ({
          name: `reconciliation of ${kind.kind} ${key}`,
          ...(lifecycles === undefined ? {} : { parentId: lifecycles.idOf(cr) }),
          subject: subjectOf(cr),
        }),
        ...(applications === undefined
          ? {}
          : { application: (context) => applications.make(context, ofApplication) }),
      }),
      read,
    );
    if (result.pending === true && isPaced(result)) guard.paced(key);
    lifecycles?.rest(cr);
    const took = Math.round(monotonicNow(clock) - since);
    const { path, writes, requeueAfter, seen } = result;
    ownWrites.recordSeen(key, seen);
    log.debug({ path: path.join(" > "), writes, requeueAfter, took }, "reconcile ended");
    if (isKept) {
      const named = { id: reconcileId, kind: kind.kind, key, startedAt, took, causes, stages };
      const entry: JournalRun = { ...named, ...toJournal(result, `${kind.kind}/${cr.metadata.name}`) };
      parts.journal?.record(entry);
      recording?.end(entry);
    }
    return result;
  };
}

/** The result as it may be shown: in logs, traces, and as the cause of the next run. */
export function withoutSecretValues(result: RunResult, secrets: Pick<SecretValues, "mask">): RunResult {
  const { error } = result;
  if (error === undefined) return result;
  return { ...result, error: maskError(error, (text) => secrets.mask(text)) };
}

/** Whether creations were held back. */
function isPaced({ operations }: RunResult): boolean {
  return operations.some(({ code }) => code === "CreationDelayed");
}

/** Operations that changed nothing. */
const unremarkable: ReadonlySet<string> = new Set([
  "Fetched",
  "Registered",
  "Mutated",
  "Unchanged",
  "Succeeded",
]);

/** What the journal keeps of the run of `own`, the custom resource as `Kind/name`. */
export function toJournal(
  { kind, writes, operations, error, failedIn, requeueAfter }: RunResult,
  own: string,
): Pick<JournalRun, "writes" | "operations" | "error" | "failure" | "requeueAfter"> {
  return {
    writes,
    operations: operations
      // Its application is updated in each run, by a cycle that decides whether anything is done.
      .filter(({ code, resource }) => !unremarkable.has(code) && !(code === "Updated" && resource === own))
      .map(({ code, resource }) => (resource === undefined ? { code } : { code, resource })),
    ...(error === undefined || kind === "waiting"
      ? {}
      : { error: error.message, ...failureOf(error, failedIn) }),
    ...(requeueAfter === undefined ? {} : { requeueAfter }),
  };
}

/** Where it failed. */
function failureOf(error: Error, stage: string | undefined): Pick<JournalRun, "failure"> {
  const { stack, remedy } = errorFields(error) as { readonly stack?: string; readonly remedy?: string };
  return {
    failure: {
      ...(stage === undefined ? {} : { stage }),
      ...(remedy === undefined ? {} : { remedy }),
      ...(stack === undefined ? {} : { stack }),
    },
  };
}

/** The types that a controller declares, each whole: a manifest is of one of them, or of Kubernetes' own. */
function declaredTypes({ kind, options }: ControllerDefinition): readonly ResourceType[] {
  const { owns = [], reads = [], watches = [] } = options;
  return [kind, ...owns, ...reads, ...watches.map(({ type }) => type)].map((type): ResourceType => {
    const { representation, ...whole } = type;
    return representation === undefined ? type : whole;
  });
}

/** The custom resources, where the cache is complete. */
function cachedResources({ definition, reader }: ReconcilerParts): readonly KubeObject[] {
  return reader
    .informersOf(definition.kind)
    .flatMap((informer) => (informer.hasSynced ? informer.lister.list() : []));
}

function lifecycleActors(parts: ReconcilerParts): LifecycleActors | undefined {
  const { lifecycle } = parts.definition.kind;
  if (lifecycle === undefined) return undefined;
  const { inspector, clock } = parts;
  const actors = new LifecycleActors({
    lifecycle,
    inspector,
    clock,
    resources: () => cachedResources(parts),
  });
  actors.start(parts.ended);
  return actors;
}

function measureCycles(parts: ReconcilerParts): MeasureCycle {
  const { definition, metrics } = parts;
  const { kind, options } = definition;
  if (kind.lifecycle === undefined) return () => undefined;
  return createLifecycleMetrics({
    metrics,
    kind: kind.kind,
    lifecycle: kind.lifecycle,
    tasks: Object.keys(options.application?.tasks ?? {}),
    resources: () => cachedResources(parts),
  });
}

function engineOf({ options }: ControllerDefinition): Engine<KubeObject> {
  const { steps, basic = false } = options;
  return options.freeStyle === undefined ? stepper(steps, { basic }) : freeStyle(options.freeStyle, steps);
}
