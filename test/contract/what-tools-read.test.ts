// What the tools of the ecosystem read of a custom resource, in every phase: the conditions, the generation, and what kstatus
// makes of them (Flux, Helm, kpt).
import { beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { kstatusOf } from "../support/kstatus.ts";
import { installTableKinds, walkLifecycle, walkPlain, type Phase } from "../support/table-phases.ts";

describeOnEachApiServer("what tools read", (server) => {
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
});
