// What a lifecycle needs of an API server, one kind of situation after the other: each on both servers.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { isConflict } from "../../src/client/index.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import type { KubeObject } from "../../src/meta/object.ts";
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

describeOnEachApiServer("a lifecycle", (server) => {
  let operator: RunningOperator;
  let isRolled = false;

  beforeAll(async () => {
    const situations = defineOperator({
      name: "situations-operator",
      controllers: [
        defineController(Roller, {
          application: {
            observe: () => ({ state: "Chosen" as const }),
            tasks: {
              roll: {
                start: () => ({ pod: null, step: 1 }),
                observe: () =>
                  isRolled ? { phase: "Succeeded" as const, output: { left: null } } : { phase: "Running" },
                poll: "200ms",
              },
            },
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
    isRolled = true;
    await isStored({ state: "Rolled", snapshot: { context } });
    const before = await server().client.get(Roller, key);
    await server().client.patch(Roller, key, {
      type: "merge",
      body: { metadata: { labels: { seen: "true" } } },
    });
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
});
