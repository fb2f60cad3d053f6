// A scenario carried out in one process on a virtual clock: API server, built-in controllers, simulated pods, and the operator,
// which is killed where a plan says so and started again. Nothing of a killed process reaches anybody.
import { isNotFound } from "../../client/api-error.ts";
import type { KubeClient } from "../../client/kube-client.ts";
import { createCoreClient } from "../../cluster/api/in-process/core-client.ts";
import { startControllers } from "../../cluster/controllers/start-controllers.ts";
import { createSimulatedPods, type SimulatedPods } from "../../cluster/pods/simulated/simulated-pods.ts";
import type { CustomResource, LifecycleStatusField } from "../../kinds/custom-resource.ts";
import type { Kind } from "../../kinds/define-kind.ts";
import { humanEventAnnotation } from "../../lifecycle/human-event-annotation.ts";
import { findCondition } from "../../meta/condition.ts";
import type { KubeObject } from "../../meta/object.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import { silentLogger } from "../../ports/logger.ts";
import { toMilliseconds } from "../../ports/duration.ts";
import { OperatorError } from "../../ports/operator-error.ts";
import { never, type DeathMoment, type SimulatedWrite } from "../simulation/mortal-client.ts";
import { type Liveness, type OperatorProcess, startOperatorProcess } from "../simulation/operator-process.ts";
import { startSimulatedServer, type SimulatedServer } from "../simulation/simulated-server.ts";
import type { VirtualClock } from "../virtual-clock.ts";
import type { Scenario, ScenarioContext, ScenarioStep } from "./scenario.ts";

const key = { namespace: "default", name: "one" };

/** How long a step may take unless it says otherwise, on the virtual clock. */
const stepLimit = "1h";

/** How long an application must stay where a step leads, on the virtual clock. */
const restTime = 5_000;

type Followed = KubeObject & Pick<CustomResource<unknown, LifecycleStatusField>, "status">;

/** A write of the operator. */
export interface ScenarioWrite {
  /** Such as `apply Deployment one`. */
  readonly what: string;
  /** The step during which it was made. */
  readonly step: string;
}

/** Whether the operator is killed at a write; writes are counted from 1, those of Kubernetes Events left out. */
export type KillPlan = (count: number, moment: DeathMoment) => boolean;

/** What a run of a scenario came to. */
export interface ScenarioRun {
  readonly writes: readonly ScenarioWrite[];
  readonly kills: number;
  /** The states that the application came to, step by step. */
  readonly path: readonly string[];
  readonly outcome: unknown;
}

/**
 * Runs a scenario once.
 *
 * **Errors**: `SCENARIO_FAILED` when a step does not lead where it should in time, with the condition's message.
 */
export async function runScenario<TWorld extends object>(
  scenario: Scenario<TWorld>,
  kills: KillPlan,
): Promise<ScenarioRun> {
  const run = await Run.start(scenario, kills);
  try {
    const path: string[] = [];
    for (const step of scenario.steps) path.push(await run.take(step));
    const outcome = await scenario.outcome?.(run.context);
    return { writes: run.writes, kills: run.kills, path, outcome };
  } finally {
    await run.stop();
  }
}

class Run<TWorld extends object> {
  readonly context: ScenarioContext<TWorld>;
  readonly writes: ScenarioWrite[] = [];
  kills = 0;
  readonly #scenario: Scenario<TWorld>;
  readonly #server: SimulatedServer;
  readonly #plan: KillPlan;
  readonly #stopControllers: () => Promise<void>;
  #process: OperatorProcess | undefined;
  #resource: Followed | undefined;
  #step = "the start";
  #asked = 0;

  private constructor(
    scenario: Scenario<TWorld>,
    plan: KillPlan,
    server: SimulatedServer,
    pods: SimulatedPods,
    stopControllers: () => Promise<void>,
  ) {
    this.#scenario = scenario;
    this.#plan = plan;
    this.#server = server;
    this.#stopControllers = stopControllers;
    const { client, clock } = server;
    const world = scenario.world?.(clock) ?? ({} as TWorld);
    this.context = { world, client, clock, pods, ...handsOn(scenario.kind as Kind, client) };
    server.follow(scenario.kind, (object) => (this.#resource = object as Followed));
  }

  static async start<TWorld extends object>(
    scenario: Scenario<TWorld>,
    plan: KillPlan,
  ): Promise<Run<TWorld>> {
    const server = await startSimulatedServer([scenario.kind]);
    const { core, clock, random } = server;
    const pods = createSimulatedPods();
    const client = createCoreClient({ core, userAgent: "kube-controller-manager" });
    const controllers = await withTime(
      clock,
      startControllers({ client, clock, random, log: silentLogger, pods }),
    );
    const run = new Run(scenario, plan, server, pods, () => controllers.stop());
    await run.#startProcess();
    return run;
  }

  async stop(): Promise<void> {
    this.#process?.kill();
    await withTime(this.#server.clock, this.#stopControllers());
  }

  /** Lets the step happen, and time pass until the application rests where it leads. Returns where that is. */
  async take({ what, act, until, within = stepLimit }: ScenarioStep<TWorld>): Promise<string> {
    const { clock } = this.#server;
    this.#step = what;
    await act(this.context);
    const deadline = clock.now() + toMilliseconds(within);
    for (;;) {
      await this.#revive();
      if (await this.#hasComeTo(until)) break;
      const next = clock.nextTimer;
      if (next === undefined || next > deadline) throw await this.#failure(what, until);
      await clock.advance(next - clock.now());
    }
    await clock.advance(restTime);
    await this.#revive();
    const state = await this.#state();
    if (state !== until) throw await this.#failure(what, until);
    return state;
  }

  async #hasComeTo(until: string): Promise<boolean> {
    if ((await this.#state()) !== until) return false;
    if (until === "gone") return true;
    const { metadata, status } = this.#resource ?? {};
    const isSeen =
      findCondition(status?.conditions, "Lifecycle")?.observedGeneration === metadata?.generation &&
      findCondition(status?.conditions, "ReconciliationSuccess")?.status === "True";
    return isSeen && metadata?.annotations?.[humanEventAnnotation] === undefined;
  }

  async #state(): Promise<string> {
    try {
      await this.#server.client.get(this.#scenario.kind, key);
    } catch (error) {
      if (isNotFound(error)) return "gone";
      throw error;
    }
    return this.#resource?.status?.lifecycle?.state ?? "no state";
  }

  async #failure(what: string, until: string): Promise<OperatorError> {
    const conditions = this.#resource?.status?.conditions ?? [];
    const messages = ["Lifecycle", "LifecycleProblem", "ReconciliationSuccess"].flatMap((type) => {
      const found = findCondition(conditions, type);
      return found === undefined ? [] : [`${type}: ${found.message}`];
    });
    return new OperatorError(
      "SCENARIO_FAILED",
      `after "${what}" the application is in ${await this.#state()}, not in ${until}; ${messages.join("; ")}`,
      { remedy: "Correct the operator, or the state that the step is said to lead to." },
    );
  }

  async #revive(): Promise<void> {
    await this.#server.clock.settle();
    if (this.#process?.isAlive() === false) await this.#startProcess();
  }

  async #startProcess(): Promise<void> {
    const { core, clock, random } = this.#server;
    const { operator } = this.#scenario;
    this.#process = await startOperatorProcess({
      core,
      clock,
      random,
      log: silentLogger,
      operator: (process) => operator(seenBy(this.context.world, process)),
      dies: (write, moment) => this.#dies(write, moment),
      onWrite: (write) => {
        if (write.kind !== "Event") this.writes.push({ what: nameWrite(write), step: this.#step });
      },
    });
  }

  #dies(write: SimulatedWrite, moment: DeathMoment): boolean {
    if (write.kind === "Event") return false;
    if (moment === "before") this.#asked += 1;
    const dies = this.#plan(this.#asked, moment);
    if (dies) this.kills += 1;
    return dies;
  }
}

function handsOn(
  kind: Kind,
  client: KubeClient,
): Pick<ScenarioContext<unknown>, "create" | "edit" | "send" | "delete"> {
  return {
    create: async (spec) => {
      const manifest = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata: key, spec };
      await client.create(kind, manifest);
    },
    edit: async (spec) => {
      await client.patch(kind, key, { type: "merge", body: { spec } });
    },
    send: async (event) => {
      const metadata = { annotations: { [humanEventAnnotation]: event } };
      await client.patch(kind, key, { type: "merge", body: { metadata } });
    },
    delete: async () => {
      await client.delete(kind, key);
    },
  };
}

function nameWrite({ verb, kind, name, subresource }: SimulatedWrite): string {
  return [verb, kind, name, ...(subresource === undefined ? [] : [subresource])].join(" ");
}

/** The world as a process sees it: a dead one reaches nothing, and hears no answer. */
function seenBy<TWorld extends object>(world: TWorld, process: Liveness): TWorld {
  return new Proxy(world, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...given: unknown[]): unknown => {
        if (!process.isAlive()) return never();
        const answer: unknown = Reflect.apply(value, target, given);
        if (!(answer instanceof Promise)) return answer;
        return answer.then((settled: unknown) => (process.isAlive() ? settled : never()));
      };
    },
  });
}

/** Lets virtual time pass until the promise has settled. */
async function withTime<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let settled = false;
  const noted = promise.finally(() => (settled = true));
  await clock.advanceUntil(() => settled);
  return noted;
}
