// One custom resource, a scripted server and everything a run of the pipeline needs; time and chance stand still.
import type { NamespacedObject } from "../../../src/meta/object.ts";
import { formatKey, type ObjectKey } from "../../../src/meta/object-key.ts";
import { apiVersionOf, type ResourceType } from "../../../src/meta/resource-type.ts";
import type { Condition } from "../../../src/meta/condition.ts";
import { silentLogger } from "../../../src/ports/logger.ts";
import { OperatorError } from "../../../src/ports/operator-error.ts";
import { typeOf } from "../../../src/kinds/builtin/type-lookup.ts";
import { type Engine, stepper, type StepperHooks } from "../../../src/reconcile/engines/engine.ts";
import { runPipeline } from "../../../src/reconcile/pipeline.ts";
import type { RunResult } from "../../../src/reconcile/outcome/reconcile-result.ts";
import type { PipelineOptions } from "../../../src/reconcile/pipeline-options.ts";
import { Run, Runs } from "../../../src/reconcile/runs.ts";
import { createReconcileMemory } from "../../../src/reconcile/reconcile-memory.ts";
import type { ClusterReader } from "../../../src/reconcile/resources/resource-scope.ts";
import { createVirtualClock, type VirtualClock } from "../../../src/testing/virtual-clock.ts";
import { withDate } from "../../support/set-clock.ts";
import { MemoryClient } from "./memory-client.ts";

/** The custom resource of the tests. */
export interface Cache extends NamespacedObject {
  readonly spec: { readonly size: number; readonly image?: string; readonly values?: Record<string, string> };
  readonly status?: { readonly conditions?: readonly Condition[]; readonly [field: string]: unknown };
}

export const Cache: ResourceType<Cache> = {
  group: "cache.example.com",
  version: "v1",
  kind: "Cache",
  plural: "caches",
  namespaced: true,
};

const neverAborted = new AbortController().signal;

export const crKey: Required<ObjectKey> = { namespace: "shop", name: "basket" };
export const finalizer = "cache.example.com/finalizer";

export type HarnessOptions = Partial<
  Pick<
    PipelineOptions<Cache>,
    "finalizer" | "addFinalizer" | "ownedTypes" | "application" | "maxCreations" | "random"
  >
> & {
  /** Milliseconds after which a run is cut off. */
  readonly timeout?: number;
  /** Aborted when the process stops. */
  readonly signal?: AbortSignal;
  readonly engine?: Engine<Cache>;
  readonly steps?: StepperHooks<Cache>;
  /** Types that are not cached. */
  readonly uncached?: readonly ResourceType[];
};

export interface RecordedEvent {
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export class Harness {
  readonly client = new MemoryClient();
  readonly clock: VirtualClock = createVirtualClock();
  /** The clock of the operator. */
  readonly date = withDate(this.clock);
  readonly events: RecordedEvent[] = [];
  readonly stages: string[] = [];
  readonly #options: HarnessOptions;
  #memory = createReconcileMemory();

  constructor(options: HarnessOptions = {}) {
    this.#options = options;
    this.client.put(Cache, {
      apiVersion: apiVersionOf(Cache),
      kind: "Cache",
      metadata: crKey,
      spec: { size: 1 },
    } as never);
  }

  /** The custom resource as it is stored. */
  get cr(): Cache {
    const cr = this.client.peek(Cache, crKey);
    if (cr === undefined) throw new Error("the custom resource is gone");
    return cr;
  }

  get crExists(): boolean {
    return this.client.peek(Cache, crKey) !== undefined;
  }

  get condition(): Condition | undefined {
    return this.cr.status?.conditions?.find(({ type }) => type === "ReconciliationSuccess");
  }

  /** Changes the custom resource's spec, as a user. */
  setSpec(spec: Partial<Cache["spec"]>): void {
    this.client.edit(Cache, crKey, (cr) => {
      cr["spec"] = { ...(cr["spec"] as object), ...spec };
    });
  }

  /** Asks for deletion, as a user. */
  deleteCr(finalizers?: readonly string[]): void {
    this.client.edit(Cache, crKey, (cr) => {
      const metadata = cr["metadata"] as Record<string, unknown>;
      metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
      if (finalizers !== undefined) metadata["finalizers"] = finalizers;
    });
  }

  /** A new process: what was remembered is gone. */
  restart(): void {
    this.#memory = createReconcileMemory();
  }

  /** Runs the pipeline once and returns its outcome. */
  async run(more: Partial<PipelineOptions<Cache>> = {}): Promise<RunResult> {
    const { timeout, signal = neverAborted } = this.#options;
    const runs = new Runs({ clock: this.date, signal, timeout });
    const run = runs.begin(formatKey(crKey), "run");
    try {
      return await runPipeline<Cache>(this.options({ run, ...more }));
    } finally {
      runs.end(run);
      runs.release();
    }
  }

  /** Runs the pipeline once; returns the writes it made, as `verb Kind/name`. */
  async writesOf(): Promise<string[]> {
    const before = this.client.writes.length;
    await this.run();
    return this.client.writes.slice(before).map(({ verb, object, subresource }) => {
      return `${verb} ${object}${subresource === undefined ? "" : `/${subresource}`}`;
    });
  }

  options(more: Partial<PipelineOptions<Cache>> = {}): PipelineOptions<Cache> {
    const { engine, steps = {}, uncached = [], timeout: _timeout, signal: _signal, ...rest } = this.#options;
    this.stages.length = 0;
    return {
      cr: this.client.peek(Cache, crKey),
      type: Cache,
      engine: engine ?? stepper(steps),
      client: this.client,
      reader: this.#reader(uncached),
      typeOf,
      memory: this.#memory,
      clock: this.date,
      random: () => 0.5,
      log: silentLogger,
      events: { record: (type, reason, message) => this.events.push({ type, reason, message }) },
      run: new Run(formatKey(crKey), "run", 0),
      fieldManager: "cache-operator",
      onStage: (stage) => this.stages.push(stage),
      ...rest,
      ...more,
    };
  }

  #reader(uncached: readonly ResourceType[]): ClusterReader {
    const { client } = this;
    return {
      lookUp: (type, key) => {
        if (uncached.includes(type)) {
          throw new OperatorError("CACHE_UNDECLARED", `${type.kind} is not declared (${formatKey(key)})`);
        }
        return client.peek(type, key);
      },
      list: (type) => client.all(type),
      owned: (type) => {
        const { uid } = this.cr.metadata;
        return client
          .all(type)
          .filter(({ metadata }) =>
            metadata.ownerReferences?.some((owner) => owner.controller === true && owner.uid === uid),
          );
      },
    };
  }
}
