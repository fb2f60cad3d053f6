// A pause holds from the very run in which it is asked for, whatever engine writes the children.
import { afterAll, beforeAll, expect, it } from "vitest";
import { humanEventAnnotation } from "../../src/lifecycle/human-event-annotation.ts";
import { defineController, defineOperator } from "../../src/index.ts";
import { ConfigMap } from "../../src/kinds/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { Lamp } from "../fixtures/lamp.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const key = { namespace: "default", name: "hall" };

describeOnEachApiServer("a pause of an application in the FreeStyle engine", (server) => {
  let operator: RunningOperator;
  const lamps = defineOperator({
    name: "lamp-operator",
    controllers: [
      defineController(Lamp, {
        owns: [ConfigMap],
        freeStyle: async ({ cr, registry }) => {
          const metadata = { ...key, name: `${key.name}-${cr.spec.color}` };
          registry.add({ apiVersion: "v1", kind: "ConfigMap", metadata });
          // Before the application's cycle is planned, which is registered first.
          const [child] = registry.resources.slice(-1);
          if (child !== undefined) await registry.createOrUpdate(child);
          await registry.createOrUpdateAll();
        },
        application: {
          observe: () => ({ state: "Running" }),
          tasks: { polish: { start: () => undefined }, dim: { start: () => undefined } },
        },
      }),
    ],
  });
  beforeAll(async () => {
    operator = await startOperator(lamps, server().kubeconfig, { installCrds: true });
    const apiVersion = "test.example.com/v1";
    await server().client.create(Lamp, { apiVersion, kind: "Lamp", metadata: key, spec: {} });
    await eventually(async () => {
      const { status } = await lamp();
      expect(findCondition(status?.conditions, "Lifecycle")).toMatchObject({
        reason: "Running",
        status: "True",
      });
      expect(await childrenOf()).toEqual(["hall-white"]);
    });
  });
  afterAll(() => operator.stop());

  const lamp = () => server().client.get(Lamp, key);
  const childrenOf = async (): Promise<readonly string[]> =>
    (await server().client.list(ConfigMap, { namespace: key.namespace })).items
      .map(({ metadata }) => metadata.name)
      .filter((name) => name.startsWith("hall-"));

  it("keeps the children as they are, also those of the run that accepts it, until it is resumed", async () => {
    const annotations = { [humanEventAnnotation]: "pause" };
    const body = { metadata: { annotations }, spec: { color: "red" } };
    await server().client.patch(Lamp, key, { type: "merge", body });
    await eventually(async () => {
      const { status } = await lamp();
      expect(findCondition(status?.conditions, "Paused")).toMatchObject({
        status: "True",
        // What was edited with it is not acted on: nothing speaks about it.
        observedGeneration: 1,
      });
      expect(status?.observedGeneration).toBe(1);
    });
    expect(await childrenOf()).toEqual(["hall-white"]);
    await server().client.patch(Lamp, key, {
      type: "merge",
      body: { metadata: { annotations: { [humanEventAnnotation]: "resume" } } },
    });
    await eventually(async () => expect(await childrenOf()).toEqual(["hall-red", "hall-white"]));
  });
});
