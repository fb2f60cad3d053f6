// The calls of what an author wrote for an application: its observer, the functions of its tasks, its actions and its
// operations. Observer and task functions may hang: they are given a time, and a worker waits only for a part of it.
import { sharedGetters } from "../../collections/shared-getters.ts";
import type { EventRecorder } from "../../events/event-recorder.ts";
import type { CycleInput, CyclePlan } from "../../lifecycle/cycle-plan.ts";
import { readObservation } from "../../lifecycle/observation.ts";
import { wasCutShort, type CutReason, type LookLimits, type Looks } from "../../lifecycle/tasks/looks.ts";
import type { TaskRecord } from "../../lifecycle/tasks/task-record.ts";
import type { TaskEffect, TaskReport } from "../../lifecycle/tasks/task-report.ts";
import {
  createTaskRunner,
  type OpenStarts,
  type Remembered,
  type TaskRunner,
} from "../../lifecycle/tasks/task-runner.ts";
import type { KubeObject } from "../../meta/object.ts";
import type { TimerHandle } from "../../ports/clock.ts";
import { isPromise } from "../../ports/eventual.ts";
import type { LogFields } from "../../ports/logger.ts";
import { isOperatorError, messageOf, OperatorError, RequeueError } from "../../ports/operator-error.ts";
import type { GraphIndex } from "../../statechart/configuration.ts";
import type { NamedAction } from "../../statechart/statechart.ts";
import type { ApplicationView } from "../../reconcile/resources/resource.ts";
import type { StepContext } from "../../reconcile/engines/step-context.ts";
import type { ApplicationOptions } from "../declaration/controller-options.ts";
import { errorFields, placeOfError } from "../../ports/author-code.ts";
import { placedMessage } from "../../ports/problem.ts";

/** Milliseconds that a worker waits for the author's look and for the functions of tasks. */
const patience = 250;

/** Milliseconds after which a look that was cut short is repeated. */
const shortestPause = 1_000;

/** Milliseconds; what is due later than this is no business of a look, which has limits of its own. */
const longestLook = 24 * 60 * 60 * 1_000;

/** What {@link ApplicationHooks} needs. */
export interface ApplicationHooksOptions {
  readonly application: ApplicationOptions<KubeObject>;
  /** Milliseconds that a look may take. */
  readonly observeTimeout: number;
  /** The graph that the observer speaks of. */
  readonly index: GraphIndex;
  readonly context: StepContext<KubeObject>;
  readonly events: EventRecorder;
  /** The starts of this resource's tasks that have not returned. */
  readonly starts: OpenStarts;
  /** The looks at this resource; one that ignores its signal outlives its run. */
  readonly looks: Looks;
  /** Called when the author's functions take longer than a worker should wait. */
  readonly leaveWorker: (() => void) | undefined;
}

/** What does not wait for a look. */
export interface Interruptions {
  /** The instant at which something is due whatever is observed. */
  readonly deadline: number | undefined;
  /** The resource has news, and the last look at it was not answered in time. */
  readonly isHurried: boolean;
  /** Calls back when the resource is changed, at once where it was since the run began. */
  readonly whenChanged: ((heard: () => void) => void) | undefined;
}

/** What was looked at, or why it could not be. */
export type Look = Pick<CycleInput, "observation" | "observationError">;

/** The author's functions in one run. */
export class ApplicationHooks {
  readonly #application: ApplicationOptions<KubeObject>;
  readonly #observeTimeout: number;
  readonly #index: GraphIndex;
  /** As the pipeline's stages have it. */
  readonly #given: StepContext<KubeObject>;
  /** The same for the author's functions; made when one is called. */
  #persisted: StepContext<KubeObject> | undefined;
  readonly #events: EventRecorder;
  readonly #leaveWorker: (() => void) | undefined;
  readonly #starts: OpenStarts;
  readonly #looks: Looks;
  /** Made when there is a task. */
  #runner: TaskRunner | undefined;
  /** Whether the look at the application was cut short. */
  #isCutShort = false;

  constructor({
    application,
    observeTimeout,
    index,
    context,
    events,
    starts,
    looks,
    leaveWorker,
  }: ApplicationHooksOptions) {
    this.#application = application;
    this.#observeTimeout = observeTimeout;
    this.#index = index;
    this.#given = context;
    this.#events = events;
    this.#leaveWorker = leaveWorker;
    this.#starts = starts;
    this.#looks = looks;
  }

  get #context(): StepContext<KubeObject> {
    return (this.#persisted ??= asPersisted(this.#given));
  }

  get #tasks(): TaskRunner {
    const { clock, signal } = this.#context;
    this.#runner ??= createTaskRunner({
      tasks: this.#application.tasks ?? {},
      context: this.#context,
      clock,
      signal,
      starts: this.#starts,
      looks: this.#looks,
      onThrown: (hook, error) => this.#report(hook, error),
    });
    return this.#runner;
  }

  /**
   * Waits for what an author wrote. What takes long is waited for without a worker: the key stays under way, so that
   * nothing is called twice at once, and others run meanwhile. `slowly`: what is done before then.
   */
  async unhurried<T>(slowly: () => Promise<void> | undefined, act: () => Promise<T>): Promise<T> {
    const { clock } = this.#given;
    const meanwhile: Promise<void>[] = [];
    const timer = clock.setTimeout(() => {
      this.#leaveWorker?.();
      const work = slowly();
      // Awaited below, unless what was waited for has failed: then that is what is reported.
      work?.catch(() => undefined);
      if (work !== undefined) meanwhile.push(work);
    }, patience);
    try {
      const answer = await act();
      await Promise.all(meanwhile);
      return answer;
    } finally {
      clock.clearTimeout(timer);
    }
  }

  /**
   * Waits for looks that have begun, for as long as nothing else is to be done for the resource: a deadline that falls due or a
   * change cuts them short, once they have taken longer than a worker waits. `slowly`: as for {@link unhurried}.
   */
  async whileNothingIsDue<T>(
    { deadline, isHurried, whenChanged }: Interruptions,
    slowly: () => Promise<void> | undefined,
    looks: Promise<T>,
  ): Promise<T> {
    const { clock } = this.#given;
    let timer: TimerHandle | undefined;
    let isOver = false;
    const cutShort = (reason: CutReason): void => {
      if (!isOver) this.#looks.cutShort(reason);
    };
    const interrupt = (): void => {
      if (isHurried) return cutShort("the resource was changed");
      whenChanged?.(() => cutShort("the resource was changed"));
      if (deadline === undefined) return;
      const left = Math.max(0, deadline - clock.now());
      if (left <= longestLook) timer = clock.setTimeout(() => cutShort("a deadline is due"), left);
    };
    try {
      return await this.unhurried(
        () => {
          interrupt();
          return slowly();
        },
        () => looks,
      );
    } finally {
      isOver = true;
      if (timer !== undefined) clock.clearTimeout(timer);
    }
  }

  /** The author's look, under a time limit; at once, where it returns at once. Neither throws nor rejects. */
  observe(): Promise<Look> | Look {
    const given = this.#given;
    const { clock, signal } = given;
    const limit = this.#observeTimeout;
    const late = (): OperatorError =>
      new OperatorError("OBSERVE_TIMEOUT", `the observer took longer than ${limit} ms`, {
        remedy: "Pass the signal to everything that the observer awaits, or increase observeTimeout.",
      });
    try {
      const observed: unknown = this.#looks.within<unknown>(
        "application",
        { clock, signals: [signal], timeout: limit, late },
        (limits) => this.#application.observe(withLimits(given, limits)),
      );
      return isPromise(observed) ? this.#awaitLook(observed) : this.#lookOf(observed);
    } catch (error) {
      return this.#failedLook(error);
    }
  }

  async #awaitLook(observed: Promise<unknown>): Promise<Look> {
    try {
      return this.#lookOf(await observed);
    } catch (error) {
      return this.#failedLook(error);
    }
  }

  #lookOf(observed: unknown): Look {
    return { observation: readObservation(observed, this.#index) };
  }

  #failedLook(error: unknown): Look {
    if (wasCutShort(error)) this.#isCutShort = true;
    else this.#report("observe", error);
    return { observationError: withRemedy(error) };
  }

  /** Milliseconds after which the application is looked at again, as this look was cut short; undefined where it was not. */
  looksAgainAfter(): number | undefined {
    if (!this.#isCutShort) return undefined;
    return this.#looks.inTheWay(this.#given.clock) ?? shortestPause;
  }

  /** The author's fields of the status. Errors: what `statusOf` throws. */
  statusOf(view: ApplicationView): unknown {
    return this.#application.statusOf?.({ ...this.#context, ...view });
  }

  /** Looks at a task; never rejects. */
  observeTask(task: TaskRecord, remembered: Remembered): Promise<TaskReport> {
    return this.#tasks.look(task, remembered);
  }

  /** Calls a task's function; never rejects. */
  runTask(effect: TaskEffect, remembered: Remembered): Promise<TaskReport> {
    return this.unhurried(
      () => undefined,
      () => this.#tasks.run(effect, remembered),
    );
  }

  /** Calls an action; never rejects: a failure is published, and not tried again. */
  async runAction({ name, params }: NamedAction): Promise<void> {
    const { actions = {} } = this.#application;
    try {
      const run = Object.hasOwn(actions, name) ? actions[name] : undefined;
      if (run === undefined) {
        throw new OperatorError("ACTION_UNKNOWN", `application.actions has no "${name}"`, {
          remedy: "Add it to the controller's application.actions.",
        });
      }
      await run({ ...this.#context }, params);
    } catch (error) {
      const { cr, log } = this.#context;
      const where = placeOfError(error);
      const message = placedMessage({
        ...(where === undefined ? {} : { where }),
        message: withRemedy(error),
      });
      const note = `the action ${name} failed: ${message}`;
      this.#events.record(cr, { type: "Warning", reason: "ActionFailed", action: "Lifecycle", note });
      log.warn({ action: name, error: messageOf(error), ...placeOf(error) }, "lifecycle action failed");
    }
  }

  /** Whether an author's function is called for this. */
  operates(operation: CyclePlan["operation"]): boolean {
    return operation !== "none" && this.#application[operation] !== undefined;
  }

  /** Logs where a function of the author has thrown: what the status says of it has no room for the place. */
  #report(hook: string, error: unknown): void {
    // One that only asks to be observed again has said all there is.
    if (error instanceof RequeueError || this.#given.signal.aborted) return;
    this.#given.log.warn({ hook, error: messageOf(error), ...placeOf(error) }, "a hook failed");
  }

  /** Does what the state means for the application; rejects with what the author's function throws. */
  async operate(operation: CyclePlan["operation"]): Promise<void> {
    if (operation !== "none") await this.#application[operation]?.({ ...this.#context });
  }
}

/** Mistakes of the author's in what only the status and Events tell. */
const mistakes = ["OBSERVATION_INVALID", "EXPRESSION_FAILED", "ACTION_UNKNOWN"];

/** The message, and what to do about a mistake of the author's. */
function withRemedy(error: unknown): string {
  const remedy =
    isOperatorError(error) && mistakes.includes(error.code) && error.remedy !== undefined
      ? `. What to do: ${error.remedy}`
      : "";
  return `${messageOf(error)}${remedy}`;
}

function placeOf(error: unknown): LogFields {
  return error instanceof Error ? errorFields(error) : {};
}

const withPersisted = sharedGetters<
  StepContext<KubeObject>,
  Pick<StepContext<KubeObject>, "cr" | "client" | "signal">
>({
  cr: ({ status }) => status.persisted,
  client: ({ client }) => client,
  signal: ({ signal }) => signal,
});

/** The context of a call: its custom resource is what was persisted before the call, with the state that asks for it. */
function asPersisted(context: StepContext<KubeObject>): StepContext<KubeObject> {
  return withPersisted(partsOf(context), context);
}

const withinLimits = sharedGetters<
  { readonly context: StepContext<KubeObject>; readonly limits: LookLimits },
  Pick<StepContext<KubeObject>, "client" | "signal">
>({
  client: ({ context }) => context.client,
  signal: ({ limits }) => limits.signal,
});

/** The same for a look, with the look's own signal. */
function withLimits(context: StepContext<KubeObject>, limits: LookLimits): StepContext<KubeObject> {
  const cr = context.status.persisted;
  return withinLimits({ ...partsOf(context), cr }, { context, limits });
}

/** One by one: the other parts are made when somebody asks for them. */
function partsOf({
  lookUp,
  list,
  owned,
  clock,
  log,
  results,
  registry,
  status,
  application,
}: StepContext<KubeObject>): Omit<StepContext<KubeObject>, "cr" | "client" | "signal"> {
  return { lookUp, list, owned, clock, log, results, registry, status, application };
}
