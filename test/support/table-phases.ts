// Walks custom resources through every phase in which a tool of the ecosystem may meet them: with a lifecycle, and of a plain
// kind. Each phase is held until whoever reads it is done. Read by the plain tests and by the programs of test/foreign.
import { expect } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController, defineOperator, GiveUpError, kubernetesResource } from "../../src/index.ts";
import { defineKind } from "../../src/kinds/define-kind.ts";
import { crdOf } from "../../src/kinds/crd.ts";
import { CustomResourceDefinition } from "../../src/kinds/index.ts";
import { humanEventAnnotation } from "../../src/lifecycle/human-event-annotation.ts";
import type { TaskObservation } from "../../src/lifecycle/tasks/task-definition.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { ApiServerUnderTest } from "./api-servers.ts";
import { eventually } from "./eventually.ts";
import type { Kstatus, Reported } from "./kstatus.ts";
import { startOperator, type RunningOperator } from "./running-operator.ts";

/** A line of the table: what stands in the status, and what kstatus makes of it. */
export interface Phase {
  readonly name: string;
  readonly observed: "current" | "behind";
  /** Status of `Ready`; undefined: there is none yet. */
  readonly ready: "True" | "False" | undefined;
  readonly reconciling?: true;
  readonly stalled?: true;
  readonly paused?: true;
  readonly reason?: string;
  readonly kstatus: Kstatus;
}

/** Receives the resource in each phase. */
export type ReadPhase = (phase: Phase, object: Reported) => Promise<void> | void;

const group = "table.example.com";
const namespace = "default";

const serviceLifecycle = setupLifecycle().createMachine({
  id: "service",
  version: "1",
  initial: "Start",
  states: {
    Start: { on: { "observed.Up": "Up" } },
    Up: {
      on: {
        "desired.Backup": "Backup",
        "desired.Migration": "Migration",
        "desired.Asleep": "FallingAsleep",
        "observed.Broken": "Broken",
        "desired.End": "Ending",
      },
    },
    Backup: { invoke: { id: "backup", src: "backup", onDone: "Up", onError: "Up" } },
    Migration: { invoke: { id: "migrate", src: "migrate", onDone: "Up", onError: "HumanIntervention" } },
    FallingAsleep: { on: { "observed.Asleep": "Asleep" } },
    Asleep: { tags: "suspended", on: { "desired.Up": "Start", "desired.End": "Ending" } },
    Broken: { tags: "failure", on: { "human.repair": "Start", "desired.End": "Ending" } },
    HumanIntervention: {
      tags: "intervention",
      on: { "human.retry": "Start", "config.changed": "Start", "desired.End": "Ending" },
    },
    Ending: { on: { "observed.Gone": "End" } },
    End: { type: "final" },
  },
});

/** The kind with a lifecycle. */
export const Service = defineKind({
  group,
  version: "v1",
  kind: "Service",
  spec: z.object({ size: z.int().default(1) }),
  lifecycle: serviceLifecycle,
});

/** The plain kind, which also is the kind of the children: what nobody but the test says is not decided by a controller. */
export const Plain = defineKind({
  group,
  version: "v1",
  kind: "Plain",
  spec: z.object({ size: z.int().default(1), parts: z.int().default(0) }),
  finalize: true,
});

const Part = defineKind({ group, version: "v1", kind: "Part", spec: z.object({ size: z.int().max(9) }) });

function partOf(name: string, size: number) {
  return kubernetesResource({
    type: Part,
    key: { namespace, name },
    mutateWithInitialData: (part) => {
      part.spec = { size };
    },
  });
}

/** What the hooks find when they are called. */
interface World {
  observed: string;
  task: TaskObservation;
  hook: "works" | "throws" | "gives up";
  cleansUp: boolean;
}

function operatorOf(world: World) {
  const tasks = new Map<string, TaskObservation>();
  const task = {
    start: ({ key }: { key: string }): void => void tasks.set(key, world.task),
    observe: ({ key }: { key: string }): TaskObservation =>
      tasks.has(key) ? world.task : { phase: "NotFound" },
    cancel: ({ key }: { key: string }): void => void tasks.delete(key),
    poll: "1s",
  };
  const check = (): void => {
    if (world.hook === "throws") throw new Error("the database refuses connections");
    if (world.hook === "gives up") throw new GiveUpError("the size is not supported");
  };
  return defineOperator({
    name: "table-operator",
    controllers: [
      defineController(Service, {
        owns: [Part],
        steps: {
          CRChecker: check,
          ObjectsGetter: ({ cr, registry }) => {
            registry.add(partOf(cr.metadata.name, cr.spec.size));
          },
        },
        application: {
          poll: "1s",
          observe: () => ({ state: world.observed as never }),
          tasks: { backup: task, migrate: task },
        },
      }),
      defineController(Plain, {
        owns: [Part],
        steps: {
          CRChecker: check,
          ObjectsGetter: ({ cr, registry }) => {
            for (let part = 0; part < cr.spec.parts; part += 1) {
              registry.add(partOf(`${cr.metadata.name}-${part}`, cr.spec.size));
            }
          },
          CRFinalizer: () => {
            if (!world.cleansUp) throw new Error("the volume is in use");
          },
        },
      }),
    ],
  });
}

/** One walk: an operator that can be stopped, and a resource that is edited. */
class Walk {
  readonly world: World = {
    observed: "Starting",
    task: { phase: "Running" },
    hook: "works",
    cleansUp: false,
  };
  readonly #server: ApiServerUnderTest;
  readonly #kind: typeof Service | typeof Plain;
  readonly #key: { readonly namespace: string; readonly name: string };
  readonly #read: ReadPhase;
  #operator: RunningOperator | undefined;

  constructor(
    server: ApiServerUnderTest,
    kind: typeof Service | typeof Plain,
    name: string,
    read: ReadPhase,
  ) {
    this.#server = server;
    this.#kind = kind;
    this.#key = { namespace, name };
    this.#read = read;
  }

  async start(): Promise<void> {
    this.#operator = await startOperator(operatorOf(this.world), this.#server.kubeconfig);
  }

  async stop(): Promise<void> {
    await this.#operator?.stop();
    this.#operator = undefined;
  }

  object(): Promise<Reported> {
    return this.#server.client.get<Reported>(this.#kind, this.#key);
  }

  create(): Promise<unknown> {
    const { kind } = this.#kind;
    const manifest = { apiVersion: `${group}/v1`, kind, metadata: this.#key, spec: {} };
    return this.#server.client.create<Reported>(this.#kind, manifest);
  }

  edit(spec: object, annotations: Readonly<Record<string, string>> = {}): Promise<unknown> {
    const body = { metadata: { annotations }, spec };
    return this.#server.client.patch<Reported>(this.#kind, this.#key, { type: "merge", body });
  }

  send(event: string): Promise<unknown> {
    return this.edit({}, { [humanEventAnnotation]: event });
  }

  delete(): Promise<unknown> {
    return this.#server.client.delete<Reported>(this.#kind, this.#key);
  }

  /** Says of a child how it is. */
  async part(
    name: string,
    conditions: readonly { readonly type: string; readonly status: string }[],
  ): Promise<void> {
    const complete = conditions.map((each) => ({
      reason: "Told",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
      ...each,
    }));
    await eventually(() =>
      this.#server.client.patch(
        Part,
        { namespace, name },
        { type: "merge", body: { status: { observedGeneration: 1, conditions: complete } } },
        { subresource: "status" },
      ),
    );
  }

  /** Waits until the resource is in a phase, and lets it be read. */
  async reach(phase: Phase): Promise<void> {
    const object = await eventually(async () => {
      const found = await this.object();
      const said = lineOf(found);
      const { name: _name, kstatus: _kstatus, ...expected } = phase;
      // A reason that is not asked for does not count.
      const where = `${phase.name}: ${JSON.stringify(found.status?.conditions)}`;
      expect({ ...said, reason: expected.reason && said.reason }, where).toEqual(expected);
      return found;
    });
    await this.#read(phase, object);
  }
}

type Line = Omit<Phase, "name" | "kstatus">;

/** What stands in the status, as a line of the table. */
function lineOf({ metadata, status }: Reported): Line {
  const conditions = status?.conditions;
  const stands = (type: string): boolean => findCondition(conditions, type)?.status === "True";
  const ready = findCondition(conditions, "Ready");
  return {
    observed: status?.observedGeneration === metadata.generation ? "current" : "behind",
    ready: ready?.status as Line["ready"],
    ...(stands("Reconciling") ? { reconciling: true } : {}),
    ...(stands("Stalled") ? { stalled: true } : {}),
    ...(stands("Paused") ? { paused: true } : {}),
    ...(ready === undefined ? {} : { reason: ready.reason }),
  };
}

/** Installs the kinds of the walks. */
export async function installTableKinds({ client }: ApiServerUnderTest): Promise<void> {
  for (const crd of [crdOf(Service), crdOf(Plain), crdOf(Part)]) {
    await client.create(CustomResourceDefinition, crd);
  }
  await eventually(() => client.list(Service));
  await eventually(() => client.list(Plain));
  await eventually(() => client.list(Part));
}

const current = { observed: "current" } as const;
const ready = { ...current, ready: "True" } as const;
const onItsWay = { ...current, ready: "False", reconciling: true, kstatus: "InProgress" } as const;
const failed = { ...current, ready: "False", stalled: true, kstatus: "Failed" } as const;
const fine = { ...ready, kstatus: "Current" } as const;

/** Walks a resource with a lifecycle through the table. */
export async function walkLifecycle(
  server: ApiServerUnderTest,
  name: string,
  read: ReadPhase,
): Promise<void> {
  const walk = new Walk(server, Service, name, read);
  const { world } = walk;
  await walk.create();
  await walk.reach({ name: "new", observed: "behind", ready: undefined, kstatus: "InProgress" });
  await walk.start();
  try {
    await walk.reach({ name: "on its way to the target", ...onItsWay });
    world.observed = "Up";
    await walk.reach({ name: "maintained in a stable target", ...fine });
    await walk.stop();
    await walk.edit({ size: 2 });
    await walk.reach({ name: "edited, not looked at", ...ready, observed: "behind", kstatus: "InProgress" });
    await walk.start();
    await walk.reach({ name: "the edit is done", ...fine });
    await walk.edit({ lifecycle: { desiredState: "Backup", request: "first" } });
    await walk.reach({ name: "a transient target is worked on", ...onItsWay, reason: "Backup" });
    world.task = { phase: "Succeeded" };
    await walk.reach({ name: "a transient target is done", ...fine });
    world.hook = "throws";
    await walk.edit({ size: 3 });
    await walk.reach({ name: "the run failed and is tried again", ...onItsWay, reason: "Error" });
    world.hook = "works";
    await walk.edit({ size: 99 });
    await walk.reach({ name: "a child is refused for good", ...failed });
    await walk.edit({ size: 1 });
    await walk.reach({ name: "the child is accepted", ...fine });
    world.task = { phase: "Failed", message: "the disk is full" };
    await walk.edit({ lifecycle: { desiredState: "Backup", request: "second" } });
    await walk.reach({ name: "the target failed", ...failed, reason: "Up" });
    await walk.edit({ lifecycle: { desiredState: "Migration", request: "third" } });
    await walk.reach({ name: "manual intervention required", ...failed, reason: "HumanIntervention" });
    await walk.edit(
      { lifecycle: { desiredState: "Up", request: null } },
      { [humanEventAnnotation]: "retry" },
    );
    await walk.reach({ name: "retried by a person", ...fine });
    world.observed = "Broken";
    await walk.reach({ name: "a failure state", ...failed, reason: "Broken" });
    world.observed = "Up";
    await walk.send("repair");
    await walk.reach({ name: "repaired by a person", ...fine });
    await walk.send("pause");
    await walk.reach({ name: "paused", ...fine, paused: true });
    await walk.edit({ size: 4 });
    await walk.reach({
      name: "edited while paused",
      ...ready,
      paused: true,
      observed: "behind",
      kstatus: "InProgress",
    });
    await walk.send("resume");
    await walk.reach({ name: "resumed", ...fine });
    await walk.edit({ lifecycle: { desiredState: "Asleep" } });
    world.observed = "Asleep";
    await walk.reach({
      name: "suspended",
      ...current,
      ready: "False",
      reason: "Suspended",
      kstatus: "InProgress",
    });
    await walk.delete();
    await walk.reach({ name: "being deleted", ...onItsWay, kstatus: "Terminating" });
    world.observed = "Gone";
    await eventually(async () => {
      if ((await walk.object().catch(() => undefined)) !== undefined) throw new Error("it is still there");
    });
  } finally {
    await walk.stop();
  }
}

/** Walks a resource of a plain kind through the table. */
export async function walkPlain(server: ApiServerUnderTest, name: string, read: ReadPhase): Promise<void> {
  const walk = new Walk(server, Plain, name, read);
  const { world } = walk;
  await walk.create();
  await walk.reach({ name: "new", observed: "behind", ready: undefined, kstatus: "InProgress" });
  await walk.start();
  try {
    await walk.reach({ name: "everything is ready", ...fine });
    await walk.edit({ parts: 2 });
    await walk.part(`${name}-0`, [{ type: "Ready", status: "True" }]);
    await walk.part(`${name}-1`, [{ type: "Ready", status: "False" }]);
    await walk.reach({ name: "a child is not ready", ...onItsWay, reason: "ResourcesNotReady" });
    await walk.part(`${name}-1`, [{ type: "Ready", status: "True" }]);
    await walk.reach({ name: "every child is ready", ...fine });
    await walk.part(`${name}-1`, [{ type: "Stalled", status: "True" }]);
    await walk.reach({ name: "a child has failed", ...failed, reason: "ResourceFailed" });
    await walk.part(`${name}-1`, [{ type: "Ready", status: "True" }]);
    await walk.reach({ name: "the child is back", ...fine });
    await walk.stop();
    await walk.edit({ parts: 1 });
    await walk.reach({ name: "edited, not looked at", ...ready, observed: "behind", kstatus: "InProgress" });
    world.hook = "throws";
    await walk.start();
    await walk.reach({ name: "the run failed and is tried again", ...onItsWay, reason: "Error" });
    world.hook = "gives up";
    await walk.edit({ parts: 2 });
    await walk.reach({ name: "the run gave up", ...failed, reason: "ErrorAndGiveup" });
    world.hook = "works";
    await walk.edit({ parts: 1 });
    await walk.reach({ name: "the run succeeds again", ...fine });
    await walk.edit({ size: 99 });
    await walk.reach({ name: "a child is refused for good", ...failed, reason: "Error" });
    await walk.delete();
    await walk.reach({ name: "being deleted", ...onItsWay, kstatus: "Terminating" });
    world.cleansUp = true;
    await eventually(async () => {
      if ((await walk.object().catch(() => undefined)) !== undefined) throw new Error("it is still there");
    });
  } finally {
    await walk.stop();
  }
}
