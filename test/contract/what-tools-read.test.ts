// What the tools of the ecosystem read of a custom resource, in every phase: the conditions, the generation, and what kstatus
// makes of them (Flux, Helm, kpt).
import { beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { setupLifecycle } from "../../machines/lifecycle-machine.ts";
import { defineController, defineKind, defineOperator } from "../../src/index.ts";
import { findCondition } from "../../src/meta/condition.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { kstatusOf } from "../support/kstatus.ts";
import { startOperator } from "../support/running-operator.ts";
import { installTableKinds, walkLifecycle, walkPlain, type Phase } from "../support/table-phases.ts";

describeOnEachApiServer(
  "what tools read",
  (server) => {
    beforeAll(() => installTableKinds(server()));

    it.each([
      ["with a lifecycle", walkLifecycle, 20],
      ["of a plain kind", walkPlain, 11],
    ])(
      "is the table's answer in every phase of a resource %s",
      async (_kind, walk, phases) => {
        const read: Phase[] = [];
        await walk(server(), `walked-${phases}`, (phase, object) => {
          read.push(phase);
          expect(kstatusOf(object), phase.name).toBe(phase.kstatus);
          for (const { type, status, observedGeneration = 0 } of object.status?.conditions ?? []) {
            // A condition that may stand aside does so, and none speaks of a generation that was not looked at.
            if (["Reconciling", "Stalled", "Degraded", "Paused"].includes(type)) expect(status).toBe("True");
            expect(observedGeneration).toBeLessThanOrEqual(object.status?.observedGeneration ?? 0);
          }
        });
        expect(read.length).toBeGreaterThanOrEqual(phases);
      },
      120_000,
    );

    it("is in progress after the grace of a state, and failed after twice that, although nothing moves", async () => {
      const Slow = defineKind({
        group: "grace.example.com",
        version: "v1",
        kind: "Slow",
        spec: z.object({}),
        lifecycle: setupLifecycle().createMachine({
          id: "slow",
          version: "1",
          initial: "Start",
          states: {
            Start: { meta: { grace: "1s" }, on: { "observed.Up": "Up" } },
            Up: { on: { "observed.Down": "Start" } },
          },
        }),
      });
      let state: "Up" | "Down" = "Down";
      const controller = defineController(Slow, {
        application: { observe: () => ({ state }), poll: "200ms" },
      });
      const operator = await startOperator(
        defineOperator({ name: "slow-operator", controllers: [controller] }),
        server().kubeconfig,
        { installCrds: true },
      );
      try {
        const key = { namespace: "default", name: "snail" };
        const { client } = server();
        await client.create(Slow, {
          apiVersion: "grace.example.com/v1",
          kind: "Slow",
          metadata: key,
          spec: {},
        });
        const becomes = (standing: readonly string[], kstatus: string): Promise<void> =>
          eventually(async () => {
            const slow = await client.get(Slow, key);
            const conditions = slow.status?.conditions ?? [];
            const types = ["Reconciling", "Degraded", "Stalled"].filter(
              (type) => findCondition(conditions, type)?.status === "True",
            );
            expect(types).toEqual(standing);
            expect(kstatusOf(slow)).toBe(kstatus);
            expect(slow.status?.lifecycle?.state).toBe(state === "Up" ? "Up" : "Start");
          });
        await becomes(["Reconciling", "Degraded"], "InProgress");
        await becomes(["Degraded", "Stalled"], "Failed");
        state = "Up";
        await becomes([], "Current");
      } finally {
        await operator.stop();
      }
    });
  },
  { long: true },
);
