import { expect, it } from "vitest";
import { writtenBetween } from "./judge.ts";

const widget = (version: string, time: string, conditions: readonly object[]) =>
  ({
    apiVersion: "soak.example.com/v1",
    kind: "Widget",
    metadata: {
      name: "w1",
      uid: "1",
      resourceVersion: version,
      managedFields: [
        { manager: "soak", subresource: "status", time },
        { manager: "kubectl", time: "2026-01-01T00:00:00Z" },
      ],
    },
    status: { conditions },
  }) as never;
const world = (resource: never) => ({ resources: [resource], children: [], services: [] });
const ready = { type: "Ready", status: "True", reason: "Ready", message: "" };
const loop = (status: string) => ({
  type: "HotLoop",
  status,
  reason: "Loop",
  message: "20 runs a minute",
  lastTransitionTime: "T1",
  observedGeneration: 2,
});

it("a write in the quiet minute is reported with its conditions, its time and its writer", () => {
  const before = world(widget("1", "2026-01-01T00:01:00Z", [ready, loop("True")]));
  const after = world(widget("2", "2026-01-01T00:02:00Z", [ready]));
  expect(writtenBetween(before, before)).toEqual([]);
  const [line, ...more] = writtenBetween(before, after);
  expect(more).toEqual([]);
  expect(line).toMatch(/^Widget\/w1 is different in /);
  expect(line).toContain('HotLoop: True Loop "20 runs a minute" since T1 of generation 2 -> absent');
  expect(line).toContain("last written 2026-01-01T00:02:00Z by soak (status)");
  expect(line).not.toContain("Ready:");
});
