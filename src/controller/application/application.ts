// The application as an entry of the registry: each run of the pipeline is one cycle of its lifecycle.
// Here a cycle meets the world: the application is observed and the cycle is planned, which planned-cycle.ts then persists and carries
// out. The registry and the status read from it where the application is.
import { tasksToObserve } from "../../lifecycle/cycle.ts";
import type { CycleInput, CyclePlan, HumanRequest } from "../../lifecycle/cycle-plan.ts";
import { humanEventAnnotation } from "../../lifecycle/human-event-annotation.ts";
import { wordsOf, type Observation } from "../../lifecycle/observation.ts";
import { canPause } from "../../lifecycle/pause.ts";
import { nextDeadline } from "../../lifecycle/requeue.ts";
import { isAtEnd } from "../../lifecycle/choose-move.ts";
import { readLeaves, readStatus } from "../../lifecycle/stored/read-status.ts";
import { cycleLevels } from "../../lifecycle/lifecycle-logic.ts";
import { maskInput } from "../../lifecycle/reporting/status-texts.ts";
import type { TaskReport } from "../../lifecycle/tasks/task-report.ts";
import { addDefined } from "../../collections/defined-fields.ts";
import type { Health } from "../../meta/health.ts";
import { hasRollout, rolloutOf } from "../../kinds/builtin/workload-status.ts";
import type { KubeObject } from "../../meta/object.ts";
import { formatKey } from "../../meta/object-key.ts";
import { awaited, follow, isPromise, type Eventual, type Steps } from "../../ports/eventual.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import type {
  ApplicationView,
  FinalizeReport,
  MutableResource,
  Resource,
  StepReport,
} from "../../reconcile/resources/resource.ts";
import type { ApplicationStates } from "../../reconcile/resources/application-states.ts";
import { storedConditions, type StatusDraft } from "../../reconcile/status/status-draft.ts";
import { canBeTogether, isActive, statesOf, type Leaves } from "../../statechart/configuration.ts";
import type { StepContext } from "../../reconcile/engines/step-context.ts";
import { knownChildren } from "../../reconcile/resources/ongoing-deletion.ts";
import { ApplicationHooks, type Look } from "./application-hooks.ts";
import { hashedSpec, lifecycleStatusOf, splitSpec } from "./lifecycle-fields.ts";
import { readHumanRequest, type HumanEventTools } from "./human-event.ts";
import { trustOwn } from "./own-status.ts";
import { PlannedCycle } from "./planned-cycle.ts";
import {
  memoryOf,
  shareParts,
  type ApplicationMemory,
  type ApplicationParts,
  type ApplicationRun,
  type ApplicationShared,
} from "./shared-parts.ts";

/** The applications of one controller. */
export interface Applications {
  /** Makes the one of a cycle. */
  make(context: StepContext<KubeObject>, run: ApplicationRun): Resource;
  /** The resource of this key is gone: nothing of it is remembered. */
  gone(key: string): void;
}

/** Makes the applications of a controller; undefined when the kind has no lifecycle. */
export function createApplications(parts: ApplicationParts): Applications | undefined {
  const shared = shareParts(parts);
  if (shared === undefined) return undefined;
  return {
    make: (context, run) => new Application(shared, context, run),
    gone: (key) => void shared.memories.delete(key),
  };
}

/** One cycle of one application in one run. */
class Application implements MutableResource {
  readonly index: string;
  readonly kindName: string;
  /** An application is always there, if only as desired state; its lifecycle says what it is. */
  readonly exists = true;
  readonly #shared: ApplicationShared;
  readonly #context: StepContext<KubeObject>;
  readonly #memory: ApplicationMemory;
  readonly #hooks: ApplicationHooks;
  readonly #run: ApplicationRun;
  #cycle: PlannedCycle | undefined;
  #observation: Observation | undefined;

  constructor(shared: ApplicationShared, context: StepContext<KubeObject>, run: ApplicationRun) {
    const { kind } = shared.definition;
    const { name, namespace } = context.cr.metadata;
    this.#shared = shared;
    this.#context = context;
    this.#run = run;
    this.kindName = `${kind.kind}/${name}`;
    this.index = `${namespace ?? ""} Application/${name} ${kind.group}/${kind.version}`;
    this.#memory = memoryOf(shared, context.cr);
    const { application, observeTimeout, events } = shared;
    const { starts, looks } = this.#memory;
    this.#hooks = new ApplicationHooks({
      application,
      observeTimeout,
      index: shared.lifecycle.index,
      context,
      events,
      starts,
      looks,
      leaveWorker: run.leaveWorker,
    });
  }

  lookUp(): void {
    // What the application is can only be observed, which mutate does.
  }

  create(): StepReport {
    throw new OperatorError("APPLICATION_INVALID", "an application cannot be created outside of a run");
  }

  delete(): void {
    // Its end is reached through its lifecycle: see finalize.
  }

  mutate(): Eventual<undefined> {
    return this.#cycle === undefined ? follow(this.#planCycle()) : undefined;
  }

  /** While the resource is being deleted, what is planned is carried out by {@link finalize}. */
  needsUpdate(): boolean {
    return this.#cycle !== undefined && !this.#isDeleting;
  }

  update(): Eventual<StepReport> {
    return follow(this.#carryOut());
  }

  *#carryOut(): Steps<StepReport> {
    const cycle = this.#planned();
    const done = cycle.carryOut();
    if (isPromise(done)) yield done;
    return this.movesOn() ? {} : this.#reportOf(cycle.plan);
  }

  movesOn(): boolean {
    return this.#cycle?.isCarriedOut === true && this.#cycle.plan.passing !== undefined;
  }

  async finalize(): Promise<FinalizeReport> {
    await this.mutate();
    const cycle = this.#planned();
    await cycle.carryOut();
    const { plan, failure } = cycle;
    if (plan.ended) this.#shared.memories.delete(formatKey(this.#context.cr.metadata));
    const also = failure === undefined ? "" : `; ${failure.message}`;
    return { ...this.#reportOf(plan), done: plan.ended, message: `${plan.condition.message}${also}` };
  }

  needsOthers(): boolean {
    const { lifecycle } = this.#shared;
    const { state } = readStatus(this.#stored);
    const leaves = state === undefined ? undefined : readLeaves(lifecycle, state);
    return lifecycle.final !== undefined && leaves !== undefined && !isAtEnd(lifecycle, leaves);
  }

  view(): ApplicationView | undefined {
    const status = this.#cycle?.plan.status;
    if (status === undefined) return undefined;
    const { facts = {}, message } = this.#observation ?? {};
    const words = wordsOf(this.#observation);
    return {
      state: status.state,
      context: status.snapshot.context,
      paused: this.holdsOthers(),
      facts,
      ...(words.length === 0 ? {} : { observed: words.join(",") }),
      ...(message === undefined ? {} : { message }),
    };
  }

  get states(): ApplicationStates {
    const { lifecycle } = this.#shared;
    const { index } = lifecycle;
    return {
      names: statesOf(index),
      canBeTogether: (one, other) => canBeTogether(index, one, other),
      isIn: (states) => {
        const leaves = this.#leaves();
        if (leaves === undefined || (this.#isDeleting && isAtEnd(lifecycle, leaves))) return undefined;
        return states.some((state) => isActive(leaves, state));
      },
      persistMove: async () => {
        if (this.#cycle?.plan.moved !== undefined) await this.#cycle.persist();
      },
    };
  }

  /** Where the application is after this run's move; undefined while the cycle is not planned, or nobody knows. */
  #leaves(): Leaves | undefined {
    if (this.#cycle === undefined) return undefined;
    const { state } = this.#cycle.plan.status ?? readStatus(this.#stored);
    return state === undefined ? undefined : readLeaves(this.#shared.lifecycle, state);
  }

  holdsOthers(): boolean {
    if (this.#isDeleting) return false;
    const status = this.#cycle?.plan.status;
    if (status !== undefined) return status.paused !== undefined;
    // A pause that is asked for holds before it is decided about: FreeStyle may write before the cycle is planned.
    return readStatus(this.#stored).paused !== undefined || this.#isPauseAsked();
  }

  /** `status.lifecycle` as this cycle begins with it: stored, or what the cycle before has decided. */
  get #stored(): unknown {
    return this.#run.drafted?.status ?? lifecycleStatusOf(this.#context.cr);
  }

  get #isDeleting(): boolean {
    return this.#context.cr.metadata.deletionTimestamp !== undefined;
  }

  get #isHumanAsked(): boolean {
    return this.#context.cr.metadata.annotations?.[humanEventAnnotation] !== undefined;
  }

  #isPauseAsked(): boolean {
    const event = this.#context.cr.metadata.annotations?.[humanEventAnnotation];
    return event === "pause" && canPause(this.#shared.lifecycle.index);
  }

  contributeStatus(status: StatusDraft): void {
    this.#cycle?.contributeStatus(status);
  }

  health(): Health | undefined {
    return this.#cycle?.plan.health;
  }

  *#planCycle(): Steps<undefined> {
    const { lifecycle, lifecycles, policies, poll } = this.#shared;
    const { cr, clock, signal } = this.#context;
    const { uid } = cr.metadata;
    const { drafted } = this.#run;
    if (drafted === undefined) trustOwn(this.#memory, cr);
    const status = this.#stored;
    const { desired, spec } = splitSpec(cr);
    const owned = this.#owned();
    const children = owned.map(({ metadata }) => metadata.name);
    const stored = { status, conditions: this.#conditions(drafted), uid, children, spec };
    const rollout = rolloutOf(owned);
    const actor = lifecycles.work(cr, stored);
    const { restored } = actor.state;
    const looks = tasksToObserve(restored, clock.now());
    const remembered = restored.position?.context ?? lifecycle.initialContext;
    const { reports: known, removedHuman } = this.#memory;
    const { passed = [] } = this.#run;
    // A state that was passed through so far is not: it is waited in.
    const slowly = (): Promise<void> | undefined =>
      passed.length > 0 ? this.#context.status.flush() : undefined;
    const isHurried = this.#isHurried();
    const look = this.#hooks.observe();
    const request = this.#isHumanAsked ? readHumanRequest(this.#humanTools()) : undefined;
    // What is known from the last cycle need not be asked again.
    const taskLooks = looks
      .filter(({ key }) => !known.some((report) => report.key === key))
      .map((task) => this.#hooks.observeTask(task, remembered));
    // An observer that reads the cache has answered at once: then there is nothing to wait for.
    const isAnswered = !isPromise(look) && request === undefined && taskLooks.length === 0;
    const [observed, human, ...observedTasks]: readonly [Look, (HumanRequest | undefined)?, ...TaskReport[]] =
      isAnswered
        ? [look]
        : yield* awaited(
            this.#hooks.whileNothingIsDue(
              { deadline: nextDeadline(restored), isHurried, whenChanged: this.#run.whenChanged },
              slowly,
              Promise.all([look, request, ...taskLooks]),
            ),
          );
    this.#observation = observed.observation;
    const mask = (text: string): string => this.#context.status.mask(text);
    const hashed = hashedSpec(cr, spec, this.#memory.spec);
    this.#memory.spec = hashed;
    const given: CycleInput = addDefined(
      {
        lifecycle,
        ...stored,
        resourceVersion: cr.metadata.resourceVersion,
        generation: cr.metadata.generation ?? 0,
        specHash: hashed.hash,
        deleting: this.#isDeleting,
        desired,
        policies,
        reports: [...known, ...observedTasks],
        now: clock.now(),
        observationPoll: poll,
      },
      { ...observed, human, removedHuman, rollout, passed: passed.length === 0 ? undefined : [...passed] },
    );
    const input = maskInput(given, mask);
    // A run that was aborted while it observed decides nothing.
    signal.throwIfAborted();
    actor.send(cycleLevels(input, mask));
    const { plan } = actor.state;
    // What was aborted has none: nobody waits for it any more.
    if (plan === undefined) throw new OperatorError("APPLICATION_INVALID", "the run ended before its cycle");
    this.#run.onCycle?.(input, plan);
    this.#cycle = new PlannedCycle({
      plan,
      human,
      humanTools: () => this.#humanTools(),
      shared: this.#shared,
      context: this.#context,
      memory: this.#memory,
      hooks: this.#hooks,
      run: this.#run,
      before: status,
      application: this,
    });
  }

  /** The conditions as they are stored, with what the cycle before has decided of its own. */
  #conditions(drafted: CyclePlan | undefined): CycleInput["conditions"] {
    const { cr, status } = this.#context;
    if (drafted === undefined) return storedConditions(cr);
    const { condition } = drafted;
    return [...storedConditions(status.persisted).filter(({ type }) => type !== condition.type), condition];
  }

  /** What the cycle means for the queue; what could not be looked at is looked at again soon. */
  #reportOf(plan: CyclePlan): { requeueAfter?: number } {
    const report = reportOf(plan);
    const again = this.#hooks.looksAgainAfter();
    if (again === undefined) return report;
    return { requeueAfter: Math.min(report.requeueAfter ?? again, again) };
  }

  /** Whether this run has begun with news of the resource, after a look that was not answered in time. */
  #isHurried(): boolean {
    const memory = this.#memory;
    const { generation, deletionTimestamp, annotations } = this.#context.cr.metadata;
    const news = [generation, deletionTimestamp, annotations?.[humanEventAnnotation]].join(" ");
    const hasHung = memory.looks.takeUnanswered();
    if (memory.news !== news && hasHung) memory.hurriedRun = this.#run;
    else if (memory.hurriedRun !== this.#run) memory.hurriedRun = undefined;
    memory.news = news;
    return memory.hurriedRun !== undefined;
  }

  /** What the tasks have started, and whatever else belongs to the custom resource. */
  #owned(): readonly KubeObject[] {
    const { definition, hasTasks } = this.#shared;
    const { registry } = this.#context;
    // How far a roll-out is may be other than before it was written; of anything else only the names count.
    return (definition.options.owns ?? []).flatMap((type) => {
      if (hasRollout(type)) return knownChildren(this.#context, type);
      return hasTasks ? registry.childrenOf(type) : [];
    });
  }

  #humanTools(): HumanEventTools {
    const { type, operator } = this.#shared;
    const { client, cr, signal } = this.#context;
    return { client, type, cr, fieldManager: operator, signal };
  }

  #planned(): PlannedCycle {
    if (this.#cycle === undefined)
      throw new OperatorError("APPLICATION_INVALID", "the cycle was not planned");
    return this.#cycle;
  }
}

/** What the cycle means for the queue and for the run's condition. */
function reportOf({ requeueAfter, effects, moved }: CyclePlan): { requeueAfter?: number } {
  // At once: the next cycle records what became of an effect, and its resources are rendered for the new state.
  if (moved !== undefined || effects.some(({ kind }) => kind !== "runAction")) return { requeueAfter: 0 };
  return requeueAfter === undefined ? {} : { requeueAfter };
}
