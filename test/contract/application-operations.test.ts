import { afterAll, beforeAll, expect, it } from "vitest";
import type { NamesOf } from "../../machines/lifecycle-names.ts";
import { defineController, defineOperator } from "../../src/index.ts";
import { isNotFound } from "../../src/client/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { Lamp } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const key = { namespace: "default", name: "desk" };

describeOnEachApiServer("what belongs to an application and is no Kubernetes object", (server) => {
  /** The operations in order, each with the state that the cluster had persisted when it was called. */
  const calls: string[] = [];
  let failing: string | undefined;
  let observed: NamesOf<typeof Lamp>["observed"] | undefined;
  let operator: RunningOperator;

  const operation = (name: string) => async (): Promise<void> => {
    const lamp = await server().client.get(Lamp, key);
    calls.push(`${name} in ${lamp.status?.lifecycle?.state}`);
    if (failing === name) throw new Error(`${name} failed`);
  };
  const lamps = defineOperator({
    name: "lamp-operator",
    controllers: [
      defineController(Lamp, {
        application: {
          observe: () => (observed === undefined ? {} : { state: observed }),
          tasks: { polish: { start: () => undefined }, dim: { start: () => undefined } },
          create: operation("create"),
          update: operation("update"),
          delete: operation("delete"),
          poll: "200ms",
        },
      }),
    ],
  });
  beforeAll(async () => {
    operator = await startOperator(lamps, server().kubeconfig, { installCrds: true });
  });
  afterAll(() => operator.stop());

  const lamp = () => server().client.get(Lamp, key);
  const countOf = (call: string): number => calls.filter((each) => each === call).length;

  it("is created in the initial state, once that is persisted, and again after a failure", async () => {
    failing = "create";
    await server().client.create(Lamp, {
      apiVersion: "test.example.com/v1",
      kind: "Lamp",
      metadata: key,
      spec: {},
    });
    await eventually(async () => {
      const { status } = await lamp();
      expect(findCondition(status?.conditions, "ReconciliationSuccess")).toMatchObject({
        status: "False",
        message: expect.stringContaining("create failed"),
      });
    });
    failing = undefined;
    const before = countOf("create in Start");
    await eventually(() => expect(countOf("create in Start")).toBeGreaterThan(before));
    expect(new Set(calls)).toEqual(new Set(["create in Start"]));
  });

  it("is updated in every state in between", async () => {
    observed = "Running";
    await eventually(() => expect(countOf("update in Running")).toBeGreaterThan(0));
    expect(countOf("create in Running")).toBe(0);
  });

  it("is deleted in the last state, and the deleted resource waits for it", async () => {
    failing = "delete";
    await server().client.delete(Lamp, key);
    await eventually(() => expect(countOf("delete in End")).toBeGreaterThan(1));
    expect((await lamp()).metadata.finalizers).toHaveLength(1);
    failing = undefined;
    await eventually(() => expect(lamp()).rejects.toSatisfy(isNotFound));
    expect(calls.at(-1)).toBe("delete in End");
  });
});
