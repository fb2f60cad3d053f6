// Conditions that only an earlier version writes go with the next change, and cause none.
import { expect, it } from "vitest";
import { StatusDraft } from "../../src/reconcile/status/status-draft.ts";
import { isRetired } from "../../src/reconcile/status/retired-conditions.ts";

const lastTransitionTime = "2026-01-01T00:00:00Z";
const stored = (type: string, status: "True" | "False", message: string) => ({
  type,
  status,
  reason: "Running",
  message,
  observedGeneration: 1,
  lastTransitionTime,
});
const ready = stored("Ready", "True", "the application is ready in Running");
const former = [
  ready,
  stored("Progressing", "False", "the application stays in Running"),
  stored("Degraded", "False", "the application is not degraded in Running"),
  stored("Paused", "False", "the lifecycle is not paused"),
];

function draftOf(conditions: readonly object[]): StatusDraft {
  const metadata = { name: "a", uid: "u", resourceVersion: "1", creationTimestamp: "", generation: 1 };
  const cr = { apiVersion: "v1", kind: "A", metadata, status: { observedGeneration: 1, conditions } };
  const draft = new StatusDraft({
    cr,
    now: () => Date.parse(lastTransitionTime),
    write: async () => undefined,
  });
  for (const { type } of draft.conditions.filter(isRetired)) draft.removeCondition(type);
  return draft;
}

it("a new version that starts beside an application at rest writes nothing only to tidy up", () => {
  expect(draftOf(former).change()).toBeUndefined();
});

it("the next change takes the conditions of an earlier version away", () => {
  const draft = draftOf(former);
  draft.merge({ phase: "Up" });
  expect(draft.change()).toEqual({ type: "merge", status: { phase: "Up", conditions: [ready] } });
});

it("an author's own condition of such a type is written like any other", () => {
  const draft = draftOf([ready]);
  const own = { type: "Degraded", status: "False", reason: "Fast", message: "no query is slow" } as const;
  draft.setCondition(own);
  expect(draft.change()).toMatchObject({ type: "merge", status: { conditions: [ready, own] } });
});

it("a condition that stands for real is no leftover: its end is a change", () => {
  const draft = draftOf([ready, stored("Degraded", "True", "the application is degraded in Running")]);
  draft.removeCondition("Degraded");
  expect(draft.change()).toEqual({ type: "merge", status: { conditions: [ready] } });
});
