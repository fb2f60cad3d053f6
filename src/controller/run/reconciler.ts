// Reconciles one key: reads the custom resource from the cache, runs the pipeline, and says what the queue shall do next.
import { layered } from "../../client/client-layers.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import { typeOf as builtinTypeOf } from "../../kinds/builtin/type-lookup.ts";
import type { KubeObject } from "../../meta/object.ts";
import { parseKey } from "../../meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../meta/resource-type.ts";
import { monotonicNow, type Clock } from "../../ports/clock.ts";
import type { Logger } from "../../ports/logger.ts";
import type { Metrics } from "../../ports/metrics.ts";
import type { Random } from "../../ports/random.ts";
import type { SecretKeeper } from "../../ports/secret-keeper.ts";
import type { Tracing } from "../../ports/tracing.ts";
import type { JournalRun, RunJournal } from "../../ports/run-journal.ts";
import type { RunRecorder } from "../../recording/run-recorder.ts";
import { wordsOf } from "../../recording/to-run-line.ts";
import type { Engine } from "../../reconcile/engines/engine.ts";
import type { EventSink } from "../../reconcile/event-sink.ts";
import { contributeFights } from "../../reconcile/resources/fight-report.ts";
import { freeStyle } from "../../reconcile/engines/free-style.ts";
import { runPipeline } from "../../reconcile/pipeline.ts";
import { createReconcileMemory } from "../../reconcile/reconcile-memory.ts";
import type { TypeOf } from "../../reconcile/resources/resource-scope.ts";
import { stepper } from "../../reconcile/engines/stepper.ts";
import type { Inspector } from "../../statechart/inspection.ts";
import { createApplication } from "../application/application.ts";
import { lifecycleActorId, lifecycleSource, subjectOf } from "../application/lifecycle-inspection.ts";
import { createLifecycleMetrics, type MeasureCycle } from "../application/lifecycle-metrics.ts";
import type { ControllerDefinition } from "../declaration/define-controller.ts";
import { compileFieldFightOptions } from "../detectors/field-fight-options.ts";
import { createFightCounter } from "../detectors/fight-metrics.ts";
import type { FightingKeys } from "../detectors/fighting-keys.ts";
import type { HotLoopGuard } from "../detectors/hot-loop-guard.ts";
import { toJournal, toOutcome, withoutValues } from "./outcome-meaning.ts";
import type { OwnWrites } from "../changes/own-writes.ts";
import { recordRun } from "./record-run.ts";
import type { ScopedReader } from "./scoped-reader.ts";
import { createRunLog } from "./run-log.ts";
import { createRunReader } from "./run-reader.ts";
import { RunSecrets, withoutSecrets } from "./run-secrets.ts";
import type { RunsUnderWay } from "./runs-under-way.ts";
import type { DeliveredEvents } from "./delivered-events.ts";
import type { ReconcileFunction } from "./worker-pool.ts";

/** Options of {@link createReconciler}. */
export interface ReconcilerParts {
  readonly definition: ControllerDefinition;
  readonly operator: string;
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
  readonly journal?: RunJournal;
  /** Who keeps each run, and what it was told of Kubernetes Events meanwhile. */
  readonly recorded?: { readonly recorder: RunRecorder; readonly events: DeliveredEvents };
  /** What is known of Secrets that others have read. */
  readonly secrets?: SecretKeeper;
  readonly tracing: Tracing;
  /** Told of each stage that a run enters. */
  readonly runs: RunsUnderWay;
  /** Told of the fights of each key; default nobody. */
  readonly fighting?: FightingKeys;
  /** Milliseconds. */
  readonly timeout: number;
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
  const { definition, operator, reader, ownWrites, guard, clock, random, timeout, inspector } = parts;
  const { kind, options } = definition;
  const { fieldFights } = options;
  const memory = createReconcileMemory({
    fieldFights: fieldFights === false ? undefined : compileFieldFightOptions(fieldFights),
  });
  const words = kind.lifecycle === undefined ? undefined : wordsOf(kind.lifecycle.chart.graph);
  const secrets = new RunSecrets(parts.secrets, words);
  const events = withoutSecrets(parts.events, secrets);
  const countFights = createFightCounter(parts.metrics, kind.kind.toLowerCase());
  const engine = engineOf(definition);
  const application = createApplication({
    definition,
    operator,
    events,
    measure: measureCycles(parts),
    inspector,
  });
  if (kind.lifecycle !== undefined) {
    inspector.addSource(lifecycleSource(kind.lifecycle, () => cachedResources(parts)));
  }
  const addFinalizer = kind.finalize || options.steps?.CRFinalizer !== undefined;
  const typeOf: TypeOf = (apiVersion, name) =>
    name === kind.kind && apiVersion === apiVersionOf(kind) ? kind : builtinTypeOf(apiVersion, name);

  return async (item, signal, reconcileId, direct = parts.client) => {
    const { key, causes, failures } = item;
    const cr = reader.lookUp(kind, parseKey(key));
    if (cr === undefined) {
      guard.forget(key);
      parts.fighting?.note(key, []);
      parts.recorded?.recorder.gone(kind.kind, key, clock.now());
      return { kind: "settled" };
    }
    const [started, begun] = [clock.now(), monotonicNow(clock)];
    const took = (): number => Math.round(monotonicNow(clock) - begun);
    const stages: { readonly stage: string; readonly at: number }[] = [];
    const read = secrets.of(cr);
    const mask = (text: string): string => read.mask(text);
    const log = createRunLog({ log: parts.log, item, reconcileId, clock, mask });
    const recorded =
      parts.recorded === undefined
        ? undefined
        : recordRun(parts.recorded.recorder, {
            cr,
            kind,
            item,
            reader,
            owned: options.owns ?? [],
            events: parts.recorded.events,
            read,
            clock,
          });
    const client = layered(recorded?.observe(direct) ?? direct, ownWrites.layer);
    log.debug({ failures }, "reconcile starts");
    await guard.tell(key, cr, signal);
    const ended = await runPipeline({
      cr,
      type: kind,
      engine,
      client,
      reader: createRunReader(reader, cr, read),
      typeOf,
      memory,
      clock,
      random,
      log,
      events: eventSink(events, cr),
      secrets: read,
      signal,
      timeout,
      fieldManager: operator,
      tracing: parts.tracing,
      finalizer: finalizerOf(kind),
      addFinalizer,
      ownedTypes: options.owns ?? [],
      onStage: (stage) => {
        parts.runs.enter(key, reconcileId, stage);
        if (parts.journal !== undefined || recorded !== undefined) stages.push({ stage, at: clock.now() });
      },
      contributeStatus: (status) => {
        guard.contributeStatus(key, status);
        const fights = memory.fights.of(cr.metadata.uid);
        countFights(fights);
        parts.fighting?.note(key, fights);
        contributeFights(status, fights, operator);
      },
      causes,
      inspector,
      introduce: () => ({
        name: `reconciliation of ${kind.kind} ${key}`,
        ...(kind.lifecycle === undefined ? {} : { parentId: lifecycleActorId(cr) }),
        subject: subjectOf(cr),
      }),
      ...(application === undefined
        ? {}
        : {
            application: (context) =>
              application(context, {
                onCycle: recorded?.onCycle,
                leaveWorker: () => parts.runs.leaveWorker(key, reconcileId),
              }),
          }),
      ...(options.maxCreations === undefined ? {} : { maxCreations: options.maxCreations }),
    });
    const outcome = withoutValues(ended, mask);
    const { path, writes, requeueAfter } = outcome;
    log.debug({ path: path.join(" > "), writes, requeueAfter, took: took() }, "reconcile ended");
    const run: JournalRun = {
      id: reconcileId,
      kind: kind.kind,
      key,
      startedAt: started,
      took: took(),
      causes,
      stages,
      ...toJournal(outcome, `${kind.kind}/${cr.metadata.name}`),
    };
    parts.journal?.record(run);
    recorded?.end(run);
    return toOutcome(outcome);
  };
}

/** The custom resources, where the cache is complete. */
function cachedResources({ definition, reader }: ReconcilerParts): readonly KubeObject[] {
  return reader
    .informersOf(definition.kind)
    .flatMap((informer) => (informer.hasSynced ? informer.lister.list() : []));
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

function eventSink(events: EventRecorder, cr: KubeObject): EventSink {
  return {
    record: (type, reason, message) =>
      events.record(cr, { type, reason, action: "Reconcile", note: message }),
  };
}
