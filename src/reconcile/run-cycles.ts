// The cycles of one run: what resources and hooks are given in each, its application, and the status that they share. A run has one cycle,
// unless its application moves on; then the next one follows on what was drafted, before that is stored.
// The pipeline's stages and its clean-up work on the present cycle.
import { layered } from "../client/client-layers.ts";
import type { KubeClient } from "../client/kube-client.ts";
import { sharedGetters } from "../collections/shared-getters.ts";
import type { KubeObject } from "../meta/object.ts";
import { awaited, follow, isPromise, type Eventual, type Steps } from "../ports/eventual.ts";
import { refuseResources } from "./engines/engine.ts";
import type { StepContext } from "./engines/step-context.ts";
import type { Results } from "./outcome/results.ts";
import type { PipelineOptions } from "./pipeline-options.ts";
import type { Resource } from "./resources/resource.ts";
import { decidedFirst } from "./run-client.ts";
import { createStepContext, RunScope } from "./run-context.ts";
import { storeStatus } from "./run-status.ts";
import { SeenWrites } from "./seen-writes.ts";
import { progressCondition } from "./status/reconciliation-condition.ts";
import type { ConditionInput, StatusDraft, StatusFields } from "./status/status-draft.ts";

/** Cycles of an application in one run; one that still moves on goes on in the next run. */
const mostCycles = 32;

/** A custom resource with the status as it is drafted. */
const withDrafted = sharedGetters<StatusDraft, { status: StatusFields }>({ status: ({ fields }) => fields });

/** The cycles of one run over one custom resource. */
export class RunCycles<TCR extends KubeObject> {
  readonly #options: PipelineOptions<TCR>;
  readonly #results: Results;
  readonly #seen = new SeenWrites();
  readonly #client: KubeClient;
  #writes = 0;
  #scope: RunScope<TCR>;
  #context: StepContext<TCR>;
  #application: Resource | undefined;
  #cycles = 1;

  constructor(options: PipelineOptions<TCR>, cr: TCR, results: Results) {
    this.#options = options;
    this.#results = results;
    const { client, application } = options;
    this.#client =
      application === undefined
        ? client
        : layered(
            client,
            decidedFirst(() => this.#context.status),
          );
    [this.#scope, this.#context] = this.#given(cr);
  }

  /** What the resources of this cycle are given. */
  get scope(): RunScope<TCR> {
    return this.#scope;
  }

  /** What the hooks of this cycle are given. */
  get context(): StepContext<TCR> {
    return this.#context;
  }

  /** The application of this cycle, once it is made. */
  get application(): Resource | undefined {
    return this.#application;
  }

  /** How many writes the run has sent. */
  get writes(): number {
    return this.#writes;
  }

  /** What the run has written that no hook has to see in another one. */
  get seen(): readonly KubeObject[] {
    return this.#seen.list();
  }

  /** Goes on with another state of the custom resource. */
  workOn(cr: TCR): void {
    [this.#scope, this.#context] = this.#given(cr);
  }

  /**
   * Whether the application has moved and its next cycle follows in this run, with the resources for its new state. Then what
   * was decided is drafted and not stored yet: it is, before anything else is written, and at the end of the run.
   */
  moveOn(): boolean {
    const application = this.#application;
    if (application?.movesOn?.() !== true) return false;
    const { kind, pending } = this.#results.consolidated();
    if (kind !== "settled" || pending || this.#cycles >= mostCycles) {
      const { kindName: resource } = application;
      const isOutstanding = this.#context.cr.metadata.deletionTimestamp !== undefined;
      const message = `${resource} is being finalized`;
      const rest = isOutstanding ? { pending: true, message } : {};
      this.#results.success("RequeueAsked", { resource, requeueAfter: 0, ...rest });
      return false;
    }
    this.#cycles += 1;
    this.#seen.beginNextCycle();
    this.#application = undefined;
    const { status } = this.#context;
    const cr = withDrafted({ ...(status.persisted as TCR) }, status);
    [this.#scope, this.#context] = this.#given(cr, this.#context);
    return true;
  }

  /** Has the resources registered for this cycle, and finds out which of them exist. */
  getObjects(): Eventual<void> {
    return follow(this.#getObjects());
  }

  *#getObjects(): Steps<void> {
    const { engine } = this.#options;
    const { registry } = this.#context;
    if (this.#cycles === 1) this.#seen.beginFirstCycle();
    const returned = engine.ObjectsGetter?.(this.#context);
    refuseResources("ObjectsGetter", isPromise(returned) ? yield* awaited(returned) : returned);
    this.registerApplication();
    if (engine.registersLater !== true) registry.close("ObjectsGetter");
    const found = registry.lookUpEach();
    if (isPromise(found)) yield found;
  }

  /** The application of this cycle; undefined when the kind has none. */
  makeApplication(): Resource | undefined {
    this.#application ??= this.#options.application?.(this.#context);
    return this.#application;
  }

  /** Registers the application after everything that a hook has registered. */
  registerApplication(): void {
    const { registry } = this.#context;
    const application = this.makeApplication();
    if (application !== undefined && !registry.has(application.index)) registry.add(application);
  }

  /** Writes the status if it differs. That it cannot be written is an error of the run. */
  async writeStatus(condition: ConditionInput): Promise<void> {
    const failure = await this.flushStatus(condition);
    if (failure !== undefined) this.#results.error(failure, { code: "StatusUpdateFailed" });
  }

  /** Writes the status if it differs, and returns why it could not; without a condition, what has been drafted so far. */
  flushStatus(condition?: ConditionInput): Promise<Error | undefined> {
    const { cr, status, registry } = this.#context;
    const { log, contributeStatus } = this.#options;
    const of = { cr, status, registry, application: () => this.makeApplication(), results: this.#results };
    return storeStatus({ ...of, log, contributeStatus, writes: () => this.#writes }, condition);
  }

  /** What resources and hooks are given for this state of the custom resource. */
  #given(cr: TCR, former?: StepContext<TCR>): readonly [RunScope<TCR>, StepContext<TCR>] {
    const results = this.#results;
    const { application } = this.#options;
    const countWrite = (): void => void (this.#writes += 1);
    const scope = new RunScope(this.#options, { cr, client: this.#client, seen: this.#seen, countWrite });
    const context = createStepContext({
      pipeline: this.#options,
      scope,
      results,
      application: () => this.makeApplication(),
      former,
      // What a lifecycle has decided is persisted in its own time.
      ...(application === undefined
        ? { onProgress: async (done, all) => void (await this.flushStatus(progressCondition(done, all))) }
        : {}),
    });
    return [scope, context];
  }
}
