// One application under the whole controller, in one process on a virtual clock: what happens to it, and where its operator
// is killed, is up to the test.
import { defineController } from "../../src/controller/declaration/define-controller.ts";
import { defineOperator } from "../../src/controller/declaration/define-operator.ts";
import { isInvalid, isNotFound } from "../../src/client/api-error.ts";
import { sizeOf } from "../../src/lifecycle/values/json-size.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import type { Condition } from "../../src/meta/condition.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { silentLogger } from "../../src/ports/logger.ts";
import { subjectOf, type Subject } from "../../src/testing/lifecycle/subject.ts";
import type { DeathMoment, SimulatedWrite } from "../../src/testing/simulation/mortal-client.ts";
import { startOperatorProcess, type OperatorProcess } from "../../src/testing/simulation/operator-process.ts";
import {
  SimulatedApplication,
  type TaskPolicyOptions,
} from "../../src/testing/simulation/simulated-application.ts";
import { startSimulatedServer, type SimulatedServer } from "../../src/testing/simulation/simulated-server.ts";
import type { LifecycleMachine } from "../../machines/lifecycle-machine.ts";

const mostWrites = 300;
const key = { namespace: "default", name: "drawn" };

/** The resource, as far as tests look at it. */
export interface LivingResource extends KubeObject {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly status?: { readonly conditions?: readonly Condition[]; readonly lifecycle?: LifecycleStatus };
}

/** A death that is planned: at the nth write from now, before it is looked at or after it was stored. */
export interface PlannedDeath {
  readonly at: number;
  readonly moment: DeathMoment;
  /** Only writes while this holds are counted; default: all. */
  readonly when?: () => boolean;
}

/** One application with its operator. */
export class SimulatedLife {
  readonly application = new SimulatedApplication();
  /** Writes that were stored, Kubernetes Events left out. */
  readonly writes: SimulatedWrite[] = [];
  /** Bytes of the largest `status.lifecycle` that was ever persisted. */
  largest = 0;
  deaths = 0;
  readonly subject: Subject;
  readonly #server: SimulatedServer;
  #process: OperatorProcess | undefined;
  #death: (Omit<PlannedDeath, "at"> & { left: number }) | undefined;
  #edits = 0;
  /** Writes stored at this instant: an operator that never rests at one would hang the test. */
  #instant = { now: 0, writes: 0 };

  private constructor(subject: Subject, server: SimulatedServer) {
    this.subject = subject;
    this.#server = server;
  }

  static async begin(
    machine: LifecycleMachine,
    attempts = 1,
    more: TaskPolicyOptions = {},
  ): Promise<SimulatedLife> {
    const subject = subjectOf(machine, { tasks: { work: { retry: { attempts, delay: "5s" }, ...more } } });
    const server = await startSimulatedServer([subject.kind]);
    const life = new SimulatedLife(subject, server);
    server.follow(subject.kind, (object) => {
      life.largest = Math.max(life.largest, sizeOf((object as LivingResource).status?.lifecycle ?? ""));
    });
    await life.#startProcess();
    const apiVersion = `${subject.kind.group}/${subject.kind.version}`;
    await server.client.create(subject.kind, {
      apiVersion,
      kind: subject.kind.kind,
      metadata: key,
      spec: {},
    });
    await life.settle();
    return life;
  }

  get now(): number {
    return this.#server.clock.now();
  }

  /** Undefined once it is gone. */
  async resource(): Promise<LivingResource | undefined> {
    try {
      return await this.#server.client.get<LivingResource>(this.subject.kind as never, key);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  async status(): Promise<LifecycleStatus | undefined> {
    return (await this.resource())?.status?.lifecycle;
  }

  /** False when the API server refuses the target. */
  async ask(desiredState: string, request: string): Promise<boolean> {
    try {
      await this.#server.client.patch(this.subject.kind, key, {
        type: "merge",
        body: { spec: { lifecycle: { desiredState, request } } },
      });
    } catch (error) {
      if (isInvalid(error)) return false;
      throw error;
    }
    await this.settle();
    return true;
  }

  async edit(): Promise<void> {
    this.#edits += 1;
    const body = { spec: { edit: this.#edits } };
    await this.#server.client.patch(this.subject.kind, key, { type: "merge", body });
    await this.settle();
  }

  /** Somebody sets annotations, all in one write. */
  async annotate(annotations: Readonly<Record<string, string>>, fieldManager = "kubectl"): Promise<void> {
    const body = { metadata: { annotations } };
    await this.#server.client.patch(this.subject.kind, key, { type: "merge", body }, { fieldManager });
    await this.settle();
  }

  async delete(): Promise<void> {
    await this.#server.client.delete(this.subject.kind, key);
    await this.settle();
  }

  async see(state: string | undefined): Promise<void> {
    this.application.observation = state === undefined ? {} : { state };
    await this.look();
  }

  /** Everything that runs ends so. */
  async finish(outcome: TaskObservation): Promise<void> {
    const { running } = this.application;
    for (const [task, seen] of running) if (seen.phase === "Running") running.set(task, outcome);
    await this.look();
  }

  /** Has the operator look once more. */
  async look(): Promise<void> {
    this.#process?.reconcile(key);
    await this.settle();
  }

  /** Time passes as it does while nothing sleeps: every timer at its instant. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    while (this.now < end) {
      await this.#server.clock.advance(Math.min(end - this.now, 60_000));
      await this.#revive();
    }
  }

  /** Time passes as for a machine that slept. */
  async jump(milliseconds: number): Promise<void> {
    await this.#server.clock.jump(milliseconds);
    await this.look();
  }

  planDeath(death: PlannedDeath): void {
    const { at: left, ...rest } = death;
    this.#death = { left, ...rest };
  }

  async kill(): Promise<void> {
    this.#process?.kill();
    await this.settle();
  }

  /** Lets everything that can happen now happen; whoever is killed meanwhile is started again. */
  async settle(): Promise<void> {
    await this.#server.clock.advance(0);
    await this.#revive();
  }

  /** Ends everything. */
  end(): void {
    this.#process?.kill();
  }

  async #revive(): Promise<void> {
    if (this.#instant.writes > mostWrites) {
      const { state, last, target } = (await this.status()) ?? {};
      throw new Error(`the operator does not come to rest: ${JSON.stringify({ state, last, target })}`);
    }
    while (this.#process?.isAlive() !== true) {
      await this.#startProcess();
      await this.#server.clock.advance(0);
    }
  }

  async #startProcess(): Promise<void> {
    const { core, clock, random } = this.#server;
    const { kind, tasks, effects } = this.subject;
    this.#process = await startOperatorProcess({
      core,
      clock,
      random,
      log: silentLogger,
      operator: (process) => {
        const application = this.application.options(process, tasks, effects);
        const controller = defineController(kind as never, { application });
        return defineOperator({ name: "drawn-operator", controllers: [controller] });
      },
      dies: (_write, moment) => {
        const death = this.#death;
        if (death?.moment !== moment || death.when?.() === false) return false;
        if (death.left > 0) {
          death.left -= 1;
          return false;
        }
        this.#death = undefined;
        return true;
      },
      onWrite: (write) => {
        if (write.kind !== "Event") this.writes.push(write);
        const isSame = this.#instant.now === this.now;
        this.#instant = { now: this.now, writes: isSame ? this.#instant.writes + 1 : 1 };
        if (this.#instant.writes > mostWrites) this.#process?.kill();
      },
      onDeath: () => (this.deaths += 1),
    });
  }
}
