// The lifecycle's fields of a custom resource: whatever stands there is read, and a plan leaves nothing of a former one.
import { describe, expect, it } from "vitest";
import {
  contributePlan,
  lifecycleStatusOf,
  splitSpec,
} from "../../src/controller/application/lifecycle-fields.ts";
import type { CyclePlan } from "../../src/lifecycle/cycle-plan.ts";
import type { LifecycleStatus } from "../../src/lifecycle/stored/snapshot.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { StatusDraft } from "../../src/reconcile/status/status-draft.ts";

function resource(fields: { readonly spec?: unknown; readonly status?: unknown }): KubeObject {
  const metadata = { name: "one", namespace: "default", uid: "u1", resourceVersion: "1", generation: 3 };
  const whole = { ...metadata, creationTimestamp: "2026-01-01T00:00:00Z" };
  return { apiVersion: "test.example.com/v1", kind: "Thing", metadata: whole, ...fields };
}

describe("the fields of a lifecycle", () => {
  it.each([
    ["nothing", undefined, {}, {}],
    ["no object", "On", {}, {}],
    ["no desired state", { size: 2 }, {}, { size: 2 }],
    [
      "a desired state",
      { size: 2, lifecycle: { desiredState: "On", request: "now" } },
      { state: "On", request: "now" },
      { size: 2 },
    ],
    ["a desired state that is not a text", { lifecycle: { desiredState: 7, request: null } }, {}, {}],
  ])("are read apart from the spec: %s", (_, spec, desired, rest) => {
    expect(splitSpec(resource({ spec }))).toEqual({ desired, spec: rest });
  });

  it("are there as they were stored", () => {
    expect(lifecycleStatusOf(resource({}))).toBeUndefined();
    expect(lifecycleStatusOf(resource({ status: { lifecycle: 5 } }))).toBe(5);
  });
});

describe("the plan of a cycle in the status", () => {
  const condition = (type: string) => ({ type, status: "True" as const, reason: "On", message: "it is on" });
  const stored = ["Lifecycle", "LifecycleProblem", "Lifecycle.On:Left", "Mine"].map((type) => ({
    ...condition(type),
    lastTransitionTime: "2026-01-01T00:00:00Z",
  }));
  const draftOf = (plan: Partial<CyclePlan>, lifecycle?: unknown): StatusDraft => {
    const cr = resource({ status: { conditions: stored, lifecycle } });
    const draft = new StatusDraft({ cr, now: () => 0, write: () => Promise.resolve() });
    const empty = {
      health: [],
      regions: [],
      operation: "none",
      effects: [],
      pendingEvents: [],
      problems: [],
    };
    contributePlan(draft, {
      ...empty,
      ended: false,
      condition: condition("Lifecycle"),
      ...plan,
    } as CyclePlan);
    return draft;
  };
  const typesOf = (draft: StatusDraft): readonly string[] => draft.conditions.map(({ type }) => type);

  it("leaves nothing of a former problem or region, and what is not its own", () => {
    const draft = draftOf({
      status: { state: "On" } as LifecycleStatus,
      regions: [condition("Lifecycle.On:Right")],
    });
    expect(typesOf(draft)).toEqual(["Lifecycle", "Mine", "Lifecycle.On:Right"]);
  });

  it("leaves everything but its condition as it is where nothing was decided", () => {
    expect(typesOf(draftOf({ status: undefined }))).toEqual(stored.map(({ type }) => type));
  });

  const was = { state: "On", since: "2026-01-01T00:00:00.000Z", timers: {}, digest: "d" };
  const later = "2026-01-02T00:00:00.000Z";

  it.each([
    ["nothing but the instant of an entry that nobody saw differs", was, {}, was.since],
    ["more than that differs", was, { digest: "other" }, later],
    ["what is stored is more", { ...was, human: { event: "retry" } }, {}, later],
    ["the stored instant is none", { ...was, since: "yesterday" }, {}, later],
    ["nothing is stored", undefined, {}, later],
  ])("says when its state was entered, where %s", (_, before, change, since) => {
    const status = { ...was, since: later, ...change } as unknown as LifecycleStatus;
    expect(draftOf({ status }, before).fields["lifecycle"]).toEqual({ ...status, since });
  });
});
