// What a lifecycle needs of an API server, one kind of situation after the other: each on both servers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isConflict, isNotFound } from "../../src/client/index.ts";
import {
  defineController,
  defineKind,
  defineOperator,
  TerminalError,
  type InstanceOf,
  type ObservationOf,
} from "../../src/index.ts";
import { Deployment } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import type { KubeObject, ManifestOf } from "../../src/meta/object.ts";
import type { ResourceType } from "../../src/meta/resource-type.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const group = "situations.example.com";
const namespace = "default";

/** Forgets the pod that it has worked on: by an action, and by a task whose output and handle say nothing. */
const Roller = defineKind({
  group,
  version: "v1",
  kind: "Roller",
  spec: z.object({}),
  lifecycle: setupLifecycle({
    actions: {
      choose: () => ({ pod: "db-0", round: 1 }),
      forget: () => ({ pod: null, round: 2 }),
    },
  }).createMachine({
    id: "roller",
    version: "1",
    initial: "Choosing",
    context: { pod: "" as string | null, round: 0, nothing: null as string | null },
    states: {
      Choosing: { entry: "choose", on: { "observed.Chosen": "Rolling" } },
      Rolling: {
        entry: "forget",
        invoke: { id: "roll", src: "roll", onDone: "Rolled", onError: "HumanIntervention" },
      },
      Rolled: { type: "final" },
    },
  }),
});

/** Comes to its end by its children: drained, it has no replica left. */
const Tank = defineKind({
  group,
  version: "v1",
  kind: "Tank",
  spec: z.object({}),
  status: z.object({ replicas: z.int().optional() }),
  lifecycle: setupLifecycle().createMachine({
    id: "tank",
    version: "1",
    initial: "Start",
    states: {
      Start: { on: { "observed.Running": "Running" } },
      Running: { on: { "desired.End": "Draining" } },
      Draining: { on: { "observed.Low": "Emptying" } },
      Emptying: { on: { "observed.Empty": "End" } },
      End: { type: "final" },
    },
  }),
});
type Tank = InstanceOf<typeof Tank>;

const replicasIn: Readonly<Record<string, number>> = { Running: 3, Draining: 1, Emptying: 0 };

function tankDeployment({ metadata, status }: Tank): ManifestOf<Deployment> {
  const labels = { tank: metadata.name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: metadata.name, namespace },
    spec: {
      replicas: replicasIn[status?.lifecycle?.state ?? "Running"] ?? 3,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: { containers: [{ name: "tank", image: "registry.example.com/tank:1" }] },
      },
    },
  };
}

describeOnEachApiServer("a lifecycle", (server) => {
  let operator: RunningOperator;
  let isRolled = false;
  /** What was persisted when the task was started, as the task has seen it. */
  const startedIn: unknown[] = [];
  /** Tanks that stay where they are, whatever is observed. */
  const kept = new Set<string>();
  /** Tanks whose children cannot be rendered. */
  const broken = new Set<string>();

  beforeAll(async () => {
    const situations = defineOperator({
      name: "situations-operator",
      controllers: [
        defineController(Roller, {
          application: {
            observe: () => ({ state: "Chosen" as const }),
            poll: "200ms",
            tasks: {
              roll: {
                start: ({ cr }) => {
                  startedIn.push(cr.status?.lifecycle);
                  return { pod: null, step: 1 };
                },
                observe: () =>
                  isRolled ? { phase: "Succeeded" as const, output: { left: null } } : { phase: "Running" },
                poll: "200ms",
              },
            },
          },
        }),
        defineController(Tank, {
          owns: [Deployment],
          steps: {
            ObjectsGetter: ({ cr, registry }) => {
              if (broken.has(cr.metadata.name)) throw new TerminalError("NO_PLAN", "no plan is known");
              registry.add(tankDeployment(cr));
            },
            SuccessManager: ({ cr, lookUp }) => ({
              replicas: lookUp(Deployment, { namespace, name: cr.metadata.name })?.spec.replicas ?? 0,
            }),
          },
          application: {
            observe: ({ cr, lookUp }): ObservationOf<typeof Tank> => {
              const { name } = cr.metadata;
              if (kept.has(`${name} ${cr.status?.lifecycle?.state}`)) return {};
              const replicas = lookUp(Deployment, { namespace, name })?.spec.replicas ?? 0;
              return { state: replicas === 0 ? "Empty" : replicas === 1 ? "Low" : "Running" };
            },
            poll: "200ms",
          },
        }),
      ],
    });
    operator = await startOperator(situations, server().kubeconfig, { installCrds: true });
  });
  afterAll(() => operator.stop());

  const create = <T extends KubeObject>(type: ResourceType<T>, name: string) =>
    server().client.create<T>(type, {
      apiVersion: `${group}/v1`,
      kind: type.kind,
      metadata: { namespace, name },
      spec: {},
    });

  it("keeps a value that became null: of the context, of a task's handle", async () => {
    const key = { namespace, name: "first" };
    await create(Roller, key.name);
    const isStored = (lifecycle: object) =>
      eventually(async () => {
        const { status } = await server().client.get(Roller, key);
        expect(status?.lifecycle).toMatchObject(lifecycle);
      });
    const context = { pod: null, round: 2, nothing: null };
    const roll = { phase: "Running", handle: { pod: null, step: 1 } };
    await isStored({ state: "Rolling", tasks: { roll }, snapshot: { context } });
    expect(startedIn[0]).toMatchObject({ state: "Rolling", tasks: { roll: { phase: "Intended" } } });
    isRolled = true;
    await isStored({ state: "Rolled", snapshot: { context } });
    const before = await server().client.get(Roller, key);
    const runs = operator.reconciles(`${namespace}/first`);
    await eventually(() => expect(operator.reconciles(`${namespace}/first`)).toBeGreaterThan(runs));
    expect((await server().client.get(Roller, key)).status).toEqual(before.status);
  });

  it("has a status with null refused where somebody else has written in between", async () => {
    const key = { namespace, name: "second" };
    const { metadata } = await create(Roller, key.name);
    await eventually(async () =>
      expect((await server().client.get(Roller, key)).status?.lifecycle).toBeDefined(),
    );
    const body = [
      { op: "replace", path: "/metadata/resourceVersion", value: metadata.resourceVersion },
      { op: "add", path: "/status/lifecycle", value: {} },
    ] as const;
    const write = server().client.patch(Roller, key, { type: "json", body }, { subresource: "status" });
    await expect(write).rejects.toSatisfy(isConflict);
  });

  const tank = (name: string) => server().client.get(Tank, { namespace, name });
  const deployment = (name: string) => server().client.get(Deployment, { namespace, name });
  const isTank = (name: string, state: string, replicas: number) =>
    eventually(async () => {
      const { status } = await tank(name);
      expect(status).toMatchObject({ replicas, lifecycle: { state } });
    });
  const isGone = (name: string) => eventually(() => expect(tank(name)).rejects.toSatisfy(isNotFound));

  it("that is being deleted has its children for each state until its end, and the author's status", async () => {
    for (const at of ["Draining", "Emptying"]) kept.add(`slow ${at}`);
    await create(Tank, "slow");
    await isTank("slow", "Running", 3);
    await server().client.delete(Tank, { namespace, name: "slow" });
    await isTank("slow", "Draining", 1);
    await server().client.delete(Deployment, { namespace, name: "slow" });
    await eventually(async () => expect((await deployment("slow")).spec.replicas).toBe(1));
    kept.delete("slow Draining");
    await isTank("slow", "Emptying", 0);
    kept.delete("slow Emptying");
    await isGone("slow");
  });

  it("that is being deleted ends also while its children cannot be rendered", async () => {
    kept.add("odd Draining");
    await create(Tank, "odd");
    await isTank("odd", "Running", 3);
    broken.add("odd");
    await server().client.delete(Tank, { namespace, name: "odd" });
    await eventually(async () => {
      const { conditions = [], lifecycle } = (await tank("odd")).status ?? {};
      expect(lifecycle?.state).toBe("Draining");
      expect(findCondition(conditions, "ReconciliationSuccess")).toMatchObject({
        status: "Unknown",
        reason: "Finalizing",
        message: "no plan is known",
      });
    });
    await server().client.delete(Deployment, { namespace, name: "odd" });
    kept.delete("odd Draining");
    broken.delete("odd");
    await isGone("odd");
  });
});
