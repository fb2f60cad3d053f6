// The kit's deletions: from every state that a walk reaches, and failing where a resource can never go.
import { describe, expect, it } from "vitest";
import { lifecycleTests } from "xstate-operator/testing";
import { applicationLifecycle, setupLifecycle } from "../../machines/lifecycle-machine.ts";

const deletionsOf = (lifecycle: Parameters<typeof lifecycleTests>[0], options = {}) =>
  lifecycleTests(lifecycle, options).tests.filter(({ name }) => name.includes(" is deleted: "));

describe("a resource that is deleted", () => {
  const ofApplication = deletionsOf(applicationLifecycle);

  it("is so in every state of the graph", () => {
    const states = ofApplication.map(({ name }) => name.slice(0, name.indexOf(" ")));
    expect(states.toSorted()).toEqual([
      "End",
      "HumanIntervention",
      "Running",
      "Servicing",
      "Start",
      "Stopping",
    ]);
  });
});

describe("a resource that cannot go", () => {
  it("fails the test, which names the state and what the condition says", async () => {
    const stuck = setupLifecycle({ guards: { never: () => false } }).createMachine({
      id: "stuck",
      version: "1",
      initial: "Start",
      states: {
        Start: { on: { "observed.Running": "Running" } },
        Running: { on: { "desired.End": { target: "End", guard: "never" } } },
        End: { type: "final" },
      },
    });
    const outcomes = await Promise.allSettled(
      deletionsOf(stuck)
        .filter(({ name }) => name.startsWith("Running "))
        .map(({ run }) => run()),
    );
    expect(outcomes).toHaveLength(1);
    expect(outcomes[0]).toMatchObject({
      status: "rejected",
      reason: expect.objectContaining({
        code: "WALK_FAILED",
        message: expect.stringMatching(
          /deleted in Running \(create; see Running\): the resource is not removed; it stays in Running: .*never.*closed/,
        ),
      }),
    });
  });

  it("goes once its task is cancelled, where nothing ends", async () => {
    const endless = setupLifecycle().createMachine({
      id: "endless",
      version: "1",
      initial: "New",
      states: {
        New: { on: { "observed.Up": "Working" } },
        Working: { invoke: { id: "work", src: "work", onDone: "Ready", onError: "Ready" } },
        Ready: { on: { "human.again": "Working" } },
      },
    });
    const tests = deletionsOf(endless);
    expect(tests).toHaveLength(3);
    for (const { run } of tests) await run();
  });

  it("goes at once where nothing ends", async () => {
    const endless = setupLifecycle().createMachine({
      id: "endless",
      version: "1",
      initial: "On",
      states: { On: { on: { "human.off": "Off" } }, Off: { on: { "human.on": "On" } } },
    });
    const tests = deletionsOf(endless);
    expect(tests).toHaveLength(2);
    for (const { run } of tests) await run();
  });
});
