// An observer that hangs, on a real run: what a person changes and what falls due does not wait for it.
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { isNotFound } from "../../src/client/index.ts";
import { defineController, defineKind, defineOperator, setupLifecycle } from "../../src/index.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { startOperator, type RunningOperator } from "../support/running-operator.ts";

const Silent = defineKind({
  group: "looks.test.example.com",
  version: "v1",
  kind: "Silent",
  spec: z.object({}),
  lifecycle: setupLifecycle().createMachine({
    id: "silent",
    version: "1",
    initial: "Running",
    states: {
      Running: { on: { "desired.Resting": "Falling", "desired.End": "End" } },
      Falling: { tags: "transient", after: { "2s": "Resting" } },
      Resting: { on: { "desired.Running": "Running", "desired.End": "End" } },
      End: { type: "final" },
    },
  }),
});

describeOnEachApiServer("an observer that hangs", (server) => {
  let operator: RunningOperator;
  let hangs = false;
  let hung = 0;
  beforeAll(async () => {
    [hangs, hung] = [false, 0];
    const definition = defineOperator({
      name: "silent-operator",
      controllers: [
        defineController(Silent, {
          application: {
            // Longer than this test may take: nothing that it waits for may come from the end of a look.
            observeTimeout: "1h",
            poll: "500ms",
            observe: ({ signal }) => {
              if (!hangs) return {};
              hung += 1;
              return new Promise((_, reject) => {
                signal.addEventListener("abort", () => reject(new Error("cut short")));
              });
            },
          },
        }),
      ],
    });
    operator = await startOperator(definition, server().kubeconfig, { installCrds: true });
  });
  afterAll(() => operator.stop());

  it("holds up neither an edit, nor a timer, nor the deletion", async () => {
    const key = { namespace: "default", name: "one" };
    const isIn = (state: string) =>
      eventually(async () => {
        const { status } = await server().client.get(Silent, key);
        expect(status?.lifecycle?.state).toBe(state);
      });
    await server().client.create(Silent, {
      apiVersion: "looks.test.example.com/v1",
      kind: "Silent",
      metadata: key,
      spec: { lifecycle: { desiredState: "Running" } },
    });
    await isIn("Running");
    hangs = true;
    await eventually(() => expect(hung).toBeGreaterThan(0));
    const body = { spec: { lifecycle: { desiredState: "Resting" } } };
    await server().client.patch(Silent, key, { type: "merge", body });
    await isIn("Resting");
    await server().client.delete(Silent, key);
    await eventually(() => expect(server().client.get(Silent, key)).rejects.toSatisfy(isNotFound));
  });
});
