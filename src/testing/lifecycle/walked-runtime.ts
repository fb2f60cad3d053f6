// The operator's real runtime under a walk: each stimulus as a person, the application and time would bring it about.
import { isNotFound } from "../../client/api-error.ts";
import { defineController } from "../../controller/declaration/define-controller.ts";
import { defineOperator } from "../../controller/declaration/define-operator.ts";
import type { CustomResource } from "../../kinds/custom-resource.ts";
import { humanEventAnnotation } from "../../lifecycle/human-event-annotation.ts";
import type { LifecycleStatus } from "../../lifecycle/stored/snapshot.ts";
import type { KubeObject, Manifest } from "../../meta/object.ts";
import { apiVersionOf } from "../../meta/resource-type.ts";
import { silentLogger } from "../../ports/logger.ts";
import type { SimulatedWrite } from "../simulation/mortal-client.ts";
import { startOperatorProcess, type OperatorProcess } from "../simulation/operator-process.ts";
import { SimulatedApplication } from "../simulation/simulated-application.ts";
import { startSimulatedServer, type SimulatedServer } from "../simulation/simulated-server.ts";
import { humanPause } from "./lifecycle-model.ts";
import { damagedStatus, outcomeOf, type Stimulus } from "./stimulus.ts";
import type { Subject } from "./subject.ts";

const key = { namespace: "default", name: "walked" };

/** The resource as the server has it. */
export type WalkedResource = KubeObject &
  Pick<CustomResource<unknown, { readonly lifecycle: LifecycleStatus }>, "status">;

/** One application with its operator, on a server of its own. */
export class WalkedRuntime {
  readonly application = new SimulatedApplication();
  /** States in the order in which they were entered, as it was reported once that was persisted. */
  readonly states: string[] = [];
  /** Writes that were stored, Kubernetes Events left out. */
  readonly writes: SimulatedWrite[] = [];
  /** While set, the process is killed right after its next write of the status was stored. */
  killAfterStatus = false;
  readonly #subject: Subject;
  readonly #server: SimulatedServer;
  #process: OperatorProcess | undefined;

  private constructor(subject: Subject, server: SimulatedServer) {
    this.#subject = subject;
    this.#server = server;
  }

  /** Starts server and operator. */
  static async start(subject: Subject): Promise<WalkedRuntime> {
    const server = await startSimulatedServer([subject.kind]);
    const runtime = new WalkedRuntime(subject, server);
    await runtime.#startProcess();
    return runtime;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#server.clock.now();
  }

  resource(): Promise<WalkedResource> {
    return this.#server.client.get<WalkedResource>(this.#subject.kind, key);
  }

  /** The resource; undefined once it is gone. */
  async find(): Promise<WalkedResource | undefined> {
    try {
      return await this.resource();
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Deletes the resource, and lets the operator come to rest. */
  async delete(): Promise<void> {
    await this.#server.client.delete(this.#subject.kind, key);
    await this.#settle();
  }

  /** Kills the operator, starts it again, and lets it come to rest. */
  async restart(): Promise<void> {
    this.#process?.kill();
    await this.#startProcess();
  }

  /** Has the operator look once more. */
  async look(): Promise<void> {
    this.#process?.reconcile(key);
    await this.#server.clock.advance(0);
  }

  /** Ends everything. */
  stop(): void {
    this.#process?.kill();
  }

  /** Lets it happen, and the operator come to rest; one that is killed on the way is started again. */
  async apply(stimulus: Stimulus): Promise<void> {
    const { clock, client } = this.#server;
    const { kind, facts } = this.#subject;
    const { what, observed } = stimulus;
    this.application.observation = {
      ...(observed === undefined ? {} : { state: observed }),
      facts: facts[stimulus.facts] ?? {},
    };
    switch (what.kind) {
      case "create": {
        const manifest: Manifest & { readonly spec: unknown } = {
          apiVersion: apiVersionOf(kind),
          kind: kind.kind,
          metadata: key,
          spec: this.#specFor(stimulus, {}),
        };
        await client.create(kind, manifest);
        break;
      }
      case "human": {
        await clock.advance(humanPause);
        const metadata = { annotations: { [humanEventAnnotation]: what.event } };
        await client.patch(kind, key, { type: "merge", body: { metadata } });
        break;
      }
      case "look":
        if (stimulus.target === undefined && stimulus.spec === undefined) {
          this.#process?.reconcile(key);
        } else {
          const current = (await this.resource()) as WalkedResource & {
            readonly spec: Record<string, unknown>;
          };
          const value = this.#specFor(stimulus, current.spec);
          const body = [{ op: "replace", path: "/spec", value }] as const;
          await client.patch(kind, key, { type: "json", body });
        }
        break;
      case "done":
      case "failed": {
        const task = (await this.resource()).status?.lifecycle?.tasks[what.task];
        if (task !== undefined) this.application.running.set(task.key, outcomeOf(what));
        this.#process?.reconcile(key);
        break;
      }
      case "damage": {
        const body = [
          { op: "replace", path: "/status/lifecycle", value: damagedStatus },
          { op: "replace", path: "/status/conditions", value: [] },
        ] as const;
        await client.patch(kind, key, { type: "json", body }, { subresource: "status" });
        break;
      }
      case "wait":
        await clock.jump(Math.max(what.until - clock.now(), 0));
        this.#process?.reconcile(key);
        break;
    }
    await this.#settle();
  }

  async #settle(): Promise<void> {
    await this.#server.clock.advance(0);
    if (this.#process?.isAlive() === false) await this.#startProcess();
  }

  #targets = 0;

  #specFor({ target, spec }: Stimulus, current: Readonly<Record<string, unknown>>): Record<string, unknown> {
    const { lifecycle, ...rest } = current;
    const sample = spec === undefined && Object.keys(rest).length > 0 ? rest : this.#subject.specs[spec ?? 0];
    if (target === undefined) return { ...sample, ...(lifecycle === undefined ? {} : { lifecycle }) };
    this.#targets += 1;
    return { ...sample, lifecycle: { desiredState: target, request: `walk-${this.#targets}` } };
  }

  async #startProcess(): Promise<void> {
    const { core, clock, random } = this.#server;
    const { kind, tasks, effects } = this.#subject;
    this.#process = await startOperatorProcess({
      core,
      clock,
      random,
      log: silentLogger,
      operator: (process) =>
        defineOperator({
          name: "walked-operator",
          controllers: [
            defineController(kind as never, {
              application: this.application.options(process, tasks, effects),
            }),
          ],
        }),
      dies: (write, moment) => {
        const dies = this.killAfterStatus && moment === "after" && write.subresource === "status";
        if (dies) this.killAfterStatus = false;
        return dies;
      },
      onTransition: ({ to }) => {
        if (to !== this.states.at(-1)) this.states.push(to);
      },
      onWrite: (write) => {
        if (write.kind !== "Event") this.writes.push(write);
      },
    });
    await clock.advance(0);
  }
}
