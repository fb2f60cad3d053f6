// What one run works with: the scope of its resources, its registry, its status draft, and the context of its hooks.
// Made again when the custom resource changes under the run (our finalizer was added).
import type { KubeObject } from "../meta/object.ts";
import type { ObjectKey } from "../meta/object-key.ts";
import type { ResourceType } from "../meta/resource-type.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import { Registry } from "./resources/registry.ts";
import type { ClusterReader, ResourceScope } from "./resources/resource-scope.ts";
import type { Results } from "./outcome/results.ts";
import { withinRun } from "./run-client.ts";
import { StatusDraft } from "./status/status-draft.ts";
import { createStatusWriter } from "./status/status-writer.ts";
import type { ApplicationView } from "./application-view.ts";
import type { StepContext } from "./engines/step-context.ts";

/** Options of {@link createStepContext}. */
export interface RunContextOptions<TCR extends KubeObject> {
  readonly pipeline: PipelineOptions<TCR>;
  readonly cr: TCR;
  readonly results: Results;
  /** The run's own signal. */
  readonly signal: AbortSignal;
  /** Aborted when the run is over or the caller stops, not by the run's time limit. */
  readonly lifetime: AbortSignal;
  readonly countWrite: () => void;
  /** What is known of the application, if there is one. */
  readonly application: () => ApplicationView | undefined;
  /** Whether the application keeps every other resource as it is. */
  readonly isHeld: () => boolean;
}

/** The context of a run's hooks over one state of the custom resource. */
export function createStepContext<TCR extends KubeObject>(options: RunContextOptions<TCR>): StepContext<TCR> {
  const { pipeline, cr, results, signal, lifetime, countWrite, application, isHeld } = options;
  const { client, reader, type, fieldManager, memory, clock, log, maxCreations } = pipeline;
  const scope: ResourceScope<TCR> = {
    cr,
    crType: type,
    client,
    reader,
    typeOf: pipeline.typeOf,
    fieldManager,
    memory,
    events: pipeline.events,
    clock,
    log,
    signal,
    countWrite,
  };
  const write = createStatusWriter({
    client,
    type,
    fieldManager,
    // Not the run's own: a run that took too long still says so. A hook that was left behind no longer does.
    signal: lifetime,
    settled: memory.statuses,
    cr,
    countWrite,
  });
  return {
    cr,
    lookUp: reader.lookUp,
    list: reader.list,
    owned: reader.owned,
    client: withinRun({
      client,
      signal,
      generated: {
        owner: cr.metadata.uid,
        names: memory.names,
        random: pipeline.random,
        isKnown: (childType, key) => isCached(reader, childType, key),
      },
      onRead: (object) => pipeline.secrets?.note(object),
    }),
    clock,
    log,
    signal,
    results,
    registry: new Registry({
      scope,
      results,
      isHeld,
      ...(maxCreations === undefined ? {} : { maxCreations }),
    }),
    application,
    status: new StatusDraft({
      cr,
      now: () => clock.now(),
      write,
      mask: (text) => pipeline.secrets?.mask(text) ?? text,
    }),
  };
}

/** Whether the cache shows an object; what is not cached, it does not show. */
function isCached(reader: ClusterReader, type: ResourceType, key: ObjectKey): boolean {
  try {
    return reader.lookUp(type, key) !== undefined;
  } catch {
    return false;
  }
}
