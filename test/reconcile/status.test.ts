import { describe, expect, it } from "vitest";
import { OperatorError, RequeueError } from "../../src/ports/operator-error.ts";
import { freeStyle, type StepperHooks } from "../../src/reconcile/engines/engine.ts";
import { longestRequeue } from "../../src/reconcile/outcome/results.ts";
import { SecretValues } from "../../src/reconcile/secrets/secret-values.ts";
import type { Resource } from "../../src/reconcile/resources/resource.ts";
import { configMap } from "./support/children.ts";
import { Cache, crKey, Harness } from "./support/harness.ts";
import { refusal } from "./support/memory-client.ts";

const second = 1_000;

/** Steps whose Updater fails with the message that is set. */
function failing(): { steps: StepperHooks<Cache>; message: string | undefined } {
  const state: { steps: StepperHooks<Cache>; message: string | undefined } = {
    message: "no quota",
    steps: {
      Updater: () => {
        if (state.message !== undefined) throw new Error(state.message);
      },
    },
  };
  return state;
}

describe("status", () => {
  it("gains its list of conditions when the resource has none, after an error", async () => {
    const harness = new Harness(failing());
    expect(harness.cr.status).toBeUndefined();
    await harness.run();
    expect(harness.cr.status?.conditions?.map(({ type }) => type)).toEqual([
      "ReconciliationSuccess",
      "Ready",
      "Reconciling",
    ]);
  }); // OKT 26

  it("has the condition ReconciliationSuccess after a success, beside those of others, in place of its former one", async () => {
    const harness = new Harness();
    const others = {
      type: "BackedUp",
      status: "True",
      reason: "Nightly",
      message: "",
      lastTransitionTime: "2026-01-01T00:00:00Z",
    };
    const former = { ...others, type: "ReconciliationSuccess", status: "False", reason: "Error" };
    harness.client.edit(Cache, crKey, (cr) => {
      cr["status"] = { conditions: [others, former] };
    });
    await harness.run();
    const { conditions = [] } = harness.cr.status ?? {};
    expect(conditions).toContainEqual(others);
    const managed = conditions.filter(({ type }) => type === "ReconciliationSuccess");
    expect(managed).toMatchObject([{ status: "True", reason: "Success" }]);
  }); // OKT 27

  it("counts resources on success and tells the text of an error, for the generation that was read", async () => {
    const state = failing();
    state.message = undefined;
    const steps: StepperHooks<Cache> = {
      ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b")),
      CRChecker: () => {
        if (state.message !== undefined) throw new Error(state.message);
      },
    };
    const harness = new Harness({ steps });
    await harness.run();
    expect(harness.condition).toMatchObject({
      status: "True",
      reason: "Success",
      message: "2 resources are as declared",
      observedGeneration: 1,
    });
    expect(harness.cr.status?.["observedGeneration"]).toBe(1);
    harness.setSpec({ size: 2 });
    state.message = "size is odd";
    await harness.run();
    expect(harness.condition).toMatchObject({
      status: "False",
      reason: "Error",
      message: "size is odd",
      observedGeneration: 2,
    });
    expect(harness.events.at(-1)).toEqual({
      type: "Warning",
      reason: "ReconcileFailed",
      message: "size is odd",
    });
  }); // OKT 28

  it("keeps the transition time while the same error lasts, and writes nothing more", async () => {
    const harness = new Harness(failing());
    await harness.run();
    const before = harness.condition?.lastTransitionTime;
    await harness.clock.advance(90 * second);
    const outcome = await harness.run();
    expect(harness.condition?.lastTransitionTime).toBe(before);
    expect(outcome.operations.map(({ code }) => code)).toContain("SameStatusError");
    expect(outcome.writes).toBe(0);
  }); // OKT 29

  it("flips to True after a failure, and moves the transition time", async () => {
    const state = failing();
    const harness = new Harness(state);
    await harness.run();
    const failedAt = harness.condition?.lastTransitionTime;
    await harness.clock.advance(5 * second);
    state.message = undefined;
    await harness.run();
    expect(harness.condition).toMatchObject({ status: "True", reason: "Success" });
    expect(harness.condition?.lastTransitionTime).not.toBe(failedAt);
  }); // OKT 32

  it.each([
    ["is in trouble", refusal(503, "ServiceUnavailable")],
    ["cannot be reached", new OperatorError("CONNECTION_FAILED", "connection refused")],
    ["refuses it", refusal(403, "Forbidden", 'User "operator" cannot patch resource "caches/status"')],
  ])("fails the run, once told and asked once, when the API server %s", async (_, error) => {
    const harness = new Harness({ steps: { SuccessManager: () => ({ seen: 1 }) } });
    harness.client.fail({ verb: "patch", object: "Cache/basket", subresource: "status", error });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ error, requeueAfter: undefined, writes: 1 });
    expect(outcome.operations.map(({ code }) => code)).toContain("StatusUpdateFailed");
    const message = `the status could not be written: ${error.message}`;
    expect(harness.events).toEqual([{ type: "Warning", reason: "ReconcileFailed", message }]);
    await harness.run();
    expect(harness.condition?.status).toBe("True");
    expect(harness.cr.status?.["seen"]).toBe(1);
  }); // OKT 31

  it.each([
    ["invalid", refusal(422, "Invalid", "status.seen: Invalid value")],
    ["too large", refusal(500, "InternalError", "etcdserver: request is too large")],
    ["too large", refusal(413, "RequestEntityTooLarge", "limit is 3145728")],
  ])("has its conditions also when a field of the author is %s, and keeps their time", async (_, error) => {
    const state: { seen: unknown } = { seen: 1 };
    const harness = new Harness({
      steps: { SuccessManager: () => ({ seen: state.seen, other: state.seen }) },
    });
    harness.client.webhook = ({ status }) => {
      if ((status as { readonly seen?: unknown } | undefined)?.seen === "abc") throw error;
    };
    await harness.run();
    state.seen = "abc";
    harness.setSpec({ size: 2 });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ error, writes: 2 });
    expect(harness.cr.status).toMatchObject({ seen: 1, other: 1, observedGeneration: 2 });
    const message = `the status could not be written: ${error.message}`;
    expect(harness.condition).toMatchObject({ status: "False", reason: "Error", message });
    expect(harness.events).toEqual([{ type: "Warning", reason: "ReconcileFailed", message }]);
    const before = harness.cr;
    await harness.clock.advance(10 * second);
    expect((await harness.run()).requeueAfter).toBe(10 * second);
    expect(harness.cr).toBe(before);
    state.seen = 2;
    await harness.run();
    expect(harness.condition?.status).toBe("True");
    expect(harness.cr.status).toMatchObject({ seen: 2, other: 2 });
  });

  it("fails a run that only waits when it cannot be written, and leaves out what is refused", async () => {
    const error = refusal(422, "Invalid", "status.seen: Invalid value");
    const harness = new Harness({
      steps: {
        Updater: ({ status }) => {
          status.merge({ seen: "abc" });
          throw new RequeueError("NOT_YET", "waits for the certificate", 20 * second);
        },
      },
    });
    harness.client.webhook = ({ status }) => {
      if ((status as { readonly seen?: unknown } | undefined)?.seen === "abc") throw error;
    };
    const message = "the status could not be written: status.seen: Invalid value";
    expect(await harness.run()).toMatchObject({ error, requeueAfter: undefined });
    expect(harness.condition).toMatchObject({ status: "False", reason: "Error", message });
    expect(harness.events).toEqual([{ type: "Warning", reason: "ReconcileFailed", message }]);
    await harness.clock.advance(8 * second);
    expect(await harness.run()).toMatchObject({ error, requeueAfter: 8 * second });
  });

  it("leaves out what is refused also where a hook writes it in the middle of a run", async () => {
    const error = refusal(422, "Invalid", "status.seen: Invalid value");
    const harness = new Harness({
      steps: {
        Updater: async ({ status }) => {
          status.merge({ seen: "abc" });
          await status.flush();
        },
      },
    });
    harness.client.webhook = ({ status }) => {
      if ((status as { readonly seen?: unknown } | undefined)?.seen === "abc") throw error;
    };
    expect(await harness.run()).toMatchObject({ error, writes: 2 });
    expect(harness.condition).toMatchObject({ status: "False", message: error.message });
  });

  it("is told beside the failure that it was to tell", async () => {
    const harness = new Harness(failing());
    const error = refusal(403, "Forbidden", "no patch of caches/status");
    harness.client.fail({ verb: "patch", object: "Cache/basket", subresource: "status", error });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ error: { message: "no quota" }, writes: 1 });
    expect(harness.events.map(({ message }) => message)).toEqual([
      "no quota",
      "the status could not be written: no patch of caches/status",
    ]);
  });

  it("is no failure when the resource is gone", async () => {
    const harness = new Harness({ steps: { Updater: () => harness.client.drop(Cache, crKey) } });
    expect(await harness.run()).toMatchObject({ error: undefined, requeueAfter: undefined });
    expect(harness.events).toEqual([]);
  });

  it("holds no value of a Secret that the server's refusal quotes", async () => {
    const secrets = new SecretValues();
    const metadata = { name: "login", namespace: "shop", uid: "1", resourceVersion: "1" };
    const data = { password: btoa("hunter2-hunter2") };
    secrets.note({ kind: "Secret", apiVersion: "v1", metadata, data } as never);
    const harness = new Harness({ steps: { SuccessManager: () => ({ seen: "hunter2-hunter2" }) } });
    harness.client.webhook = ({ status }) => {
      if ((status as { readonly seen?: unknown } | undefined)?.seen !== undefined)
        throw refusal(422, "Invalid", 'status.seen: Invalid value: "hunter2-hunter2"');
    };
    await harness.run({ secrets });
    expect(harness.condition?.message).toMatch(/^the status could not be written: status\.seen/);
    expect(harness.condition?.message).not.toContain("hunter2");
  });

  it("is written again soon after a conflict, and never over another writer's change", async () => {
    const harness = new Harness();
    const { options } = { options: harness.options() };
    harness.client.edit(Cache, crKey, (cr) => {
      cr["status"] = { owner: "someone else" };
    });
    const outcome = await harness.run({ cr: options.cr });
    expect(outcome).toMatchObject({ error: undefined, requeueAfter: second });
    expect(harness.cr.status).toEqual({ owner: "someone else" });
    await harness.run();
    expect(harness.cr.status).toMatchObject({ owner: "someone else", observedGeneration: 1 });
  });

  /** Edits the custom resource in each run, as a hook or somebody else, before the status is written. */
  const editing = (edit: (object: Record<string, unknown>, size: number) => void): Harness => {
    const harness: Harness = new Harness({
      steps: {
        Updater: () => {
          harness.client.edit(Cache, crKey, (object) => edit(object, harness.cr.spec.size));
        },
      },
    });
    return harness;
  };

  it("is written also when something else of the resource changes in each run, for the generation that was read", async () => {
    const harness = editing((object, size) => {
      object["spec"] = { size: size + 1 };
    });
    expect(await harness.run()).toMatchObject({ error: undefined, requeueAfter: undefined });
    expect(harness.cr.metadata.generation).toBe(2);
    expect(harness.cr.status).toMatchObject({ observedGeneration: 1 });
    expect(harness.condition).toMatchObject({ status: "True", observedGeneration: 1 });
    await harness.run();
    expect(harness.cr.status).toMatchObject({ observedGeneration: 2 });
  });

  it.each<[string, (object: Record<string, unknown>) => void]>([
    ["another writer has written the status", (object) => void (object["status"] = { owner: "else" })],
    [
      "the resource is to be deleted by now",
      ({ metadata }) =>
        Object.assign(metadata as object, { deletionTimestamp: "2026-01-01T00:00:00Z", finalizers: ["a/b"] }),
    ],
  ])("is left to the next run when %s", async (_, edit) => {
    const harness = editing(edit);
    expect(await harness.run()).toMatchObject({ error: undefined, requeueAfter: second, writes: 1 });
    expect(harness.condition).toBeUndefined();
  });

  it("is not written on another resource of the same name", async () => {
    const harness: Harness = new Harness({
      steps: {
        Updater: () => {
          const { apiVersion, kind, spec } = harness.cr;
          harness.client.drop(Cache, crKey);
          harness.client.put(Cache, { apiVersion, kind, metadata: crKey, spec } as never);
        },
      },
    });
    expect(await harness.run()).toMatchObject({ error: undefined, requeueAfter: second, writes: 1 });
    expect(harness.cr.status).toBeUndefined();
  });

  it("is tried twice only, and looked at again soon, while the resource changes faster", async () => {
    const harness = editing((object) => {
      object["spec"] = { size: 2 };
    });
    const change = (size: number): void => harness.setSpec({ size });
    const error = refusal(409, "Conflict");
    const [verb, object] = ["patch", "Cache/basket"] as const;
    harness.client.fail({ verb, object, error, times: 2, before: () => change(harness.cr.spec.size + 1) });
    expect(await harness.run()).toMatchObject({ error: undefined, requeueAfter: second, writes: 2 });
  });

  it("does not count the application, which tells its own state", async () => {
    const application: Resource = {
      index: "default Application/a example.com/v1",
      kindName: "Cache/a",
      exists: true,
      lookUp: () => undefined,
      create: () => undefined,
      delete: () => undefined,
      view: () => undefined,
    };
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(application, configMap("a")) },
    });
    await harness.run();
    expect(harness.condition).toMatchObject({ status: "True", message: "1 resource is as declared" });
  });

  it("counts nothing where nothing is declared", async () => {
    const harness = new Harness({ steps: { SuccessManager: () => undefined } });
    await harness.run();
    expect(harness.condition).toMatchObject({
      status: "True",
      message: "the reconcile succeeded; no resources are declared",
    });
  });

  it("does not claim success while creations are held back", async () => {
    const harness = new Harness({
      maxCreations: 1,
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b")) },
    });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ error: undefined, requeueAfter: 4 * second });
    expect(harness.condition).toMatchObject({
      status: "Unknown",
      reason: "Pending",
      message: "1 of 2 resources remain to be created",
      observedGeneration: 1,
    });
    expect(harness.cr.status?.conditions).toContainEqual(
      expect.objectContaining({ type: "Ready", status: "False", reason: "Pending" }),
    );
    await harness.clock.advance(4 * second);
    await harness.run();
    expect(harness.condition).toMatchObject({ status: "True", observedGeneration: 1 });
  }); // OKT 33

  it("does not claim success while something is declared as outstanding", async () => {
    const harness = new Harness({
      steps: { Updater: ({ results }) => results.pending("the DNS record is not yet served", "30s") },
    });
    const outcome = await harness.run();
    expect(outcome.requeueAfter).toBe(30 * second);
    expect(harness.condition).toMatchObject({
      status: "Unknown",
      reason: "Pending",
      message: "the DNS record is not yet served",
    });
  }); // OKT 33

  it("claims success when a hook only wants to look again", async () => {
    const harness = new Harness({ steps: { Updater: ({ results }) => results.requeueAfter("1h") } });
    const outcome = await harness.run();
    expect(outcome.requeueAfter).toBe(3_600 * second);
    expect(harness.condition?.status).toBe("True");
  });

  it("shows a RequeueError as a wait, with its own delay and no error", async () => {
    const harness = new Harness({
      steps: {
        ObjectsGetter: () => {
          throw new RequeueError("NOT_YET", "waits for the certificate", 20 * second);
        },
      },
    });
    for (let repeat = 0; repeat < 3; repeat += 1) {
      const outcome = await harness.run();
      expect(outcome).toMatchObject({ kind: "waiting", requeueAfter: 20 * second });
      await harness.clock.advance(20 * second);
    }
    expect(harness.condition).toMatchObject({
      status: "Unknown",
      reason: "Pending",
      message: "waits for the certificate",
    });
    expect(harness.events).toEqual([]);
  });

  it("is left alone by a FreeStyle hook that gives up without a reason", async () => {
    const harness = new Harness({ engine: freeStyle(({ results }) => results.giveUp()) });
    const outcome = await harness.run();
    expect(outcome.path.slice(-2)).toEqual(["GiveUp", "End"]);
    expect(harness.cr.status).toBeUndefined();
  }); // OKT 34

  it("merges what SuccessManager returns and what a hook sets, in one write", async () => {
    const harness = new Harness({
      steps: {
        CRChecker: ({ status }) => {
          status.merge({ phase: "Checked", old: undefined });
          status.setCondition({ type: "Ready", status: "True", reason: "Up", message: "" });
        },
        SuccessManager: async ({ cr }) => ({ endpoint: `${cr.metadata.name}:11211` }),
      },
    });
    harness.client.edit(Cache, crKey, (cr) => {
      cr["status"] = { old: 1, foreign: "kept" };
    });
    expect(await harness.writesOf()).toEqual(["patch Cache/basket/status"]);
    expect(harness.cr.status).toMatchObject({ phase: "Checked", endpoint: "basket:11211", foreign: "kept" });
    expect(harness.cr.status).not.toHaveProperty("old");
    expect(harness.cr.status?.conditions?.map(({ type }) => type)).toEqual([
      "Ready",
      "ReconciliationSuccess",
    ]);
    expect(await harness.writesOf()).toEqual([]);
  });

  it("keeps the application's part also when the run fails", async () => {
    const harness = new Harness({
      ...failing(),
      application: () => ({
        index: "application",
        kindName: "Application/basket",
        exists: true,
        lookUp: () => undefined,
        create: () => undefined,
        delete: () => undefined,
        contributeStatus: (status) => status.merge({ lifecycle: { state: "Running" } }),
      }),
    });
    await harness.run();
    expect(harness.cr.status).toMatchObject({ lifecycle: { state: "Running" } });
    expect(harness.condition?.reason).toBe("Error");
  });

  it("can be written in the middle of a run, for what must be persisted before an effect", async () => {
    let atEffect: unknown;
    const harness: Harness = new Harness({
      steps: {
        Updater: async ({ status }) => {
          status.merge({ task: "started" });
          await status.flush();
          atEffect = harness.cr.status?.["task"];
          status.merge({ task: "recorded" });
        },
      },
    });
    const outcome = await harness.run();
    expect(atEffect).toBe("started");
    expect(harness.cr.status).toMatchObject({ task: "recorded" });
    expect(outcome).toMatchObject({ writes: 2, requeueAfter: undefined, error: undefined });
  });

  it("is not written again and again when the schema drops a field", async () => {
    const harness = new Harness({ steps: { SuccessManager: () => ({ unknown: 1, known: 2 }) } });
    harness.client.webhook = (object) =>
      delete (object["status"] as Record<string, unknown> | undefined)?.["unknown"];
    expect(await harness.writesOf()).toHaveLength(1);
    expect(await harness.writesOf()).toEqual([]);
    harness.setSpec({ size: 5 });
    expect(await harness.writesOf()).toHaveLength(1);
  });

  it("cuts a message at the length that the API allows", async () => {
    const state = failing();
    state.message = "x".repeat(40_000);
    const harness = new Harness(state);
    await harness.run();
    expect(harness.condition?.message).toHaveLength(32_768);
  });
});

describe("throttle of a recurring error", () => {
  /** Runs at each delay and collects the delays. */
  async function delaysOf(
    harness: Harness,
    runs: number,
    between?: (run: number) => void,
  ): Promise<number[]> {
    const delays: number[] = [];
    for (let run = 0; run < runs; run += 1) {
      between?.(run);
      const { requeueAfter = 0 } = await harness.run();
      delays.push(requeueAfter / second);
      await harness.clock.advance(Math.max(requeueAfter, second));
    }
    return delays;
  }

  it("doubles the delay with the time the error has lasted, up to six hours", async () => {
    const delays = await delaysOf(new Harness(failing()), 20);
    // The first occurrence follows the queue's own backoff.
    expect(delays.slice(0, 7)).toEqual([0, 1, 2, 4, 8, 16, 32]);
    expect(delays.at(-1)).toBe(longestRequeue / second);
    for (const [index, delay] of delays.slice(1).entries())
      expect(delay).toBeGreaterThanOrEqual(delays[index]!);
  }); // OKT 30

  it.each([
    ["cannot be reached", new OperatorError("CONNECTION_FAILED", "connection refused")],
    ["does not answer", new OperatorError("REQUEST_TIMEOUT", "no answer")],
    ["is in trouble", refusal(503, "ServiceUnavailable")],
  ])("grows to 15 s only while the API server %s", async (_, error) => {
    const steps = {
      Updater: () => {
        throw error;
      },
    };
    const delays = await delaysOf(new Harness({ steps }), 12);
    expect(delays.slice(0, 5)).toEqual([0, 1, 2, 4, 8]);
    expect(delays.slice(5)).toEqual(delays.slice(5).map(() => 15));
  });

  it("grows on where the API server only says that something is too large", async () => {
    const steps = {
      Updater: () => {
        throw refusal(500, "InternalError", "etcdserver: request is too large");
      },
    };
    expect((await delaysOf(new Harness({ steps }), 7)).slice(4)).toEqual([8, 16, 32]);
  });

  it("grows on where the API server refuses the same for good, whichever fault it names first, and says so once", async () => {
    const faults = ["A", "B", "C"].map(
      (name) => `.spec.containers[name="main"].env: duplicate entries for key [name="${name}"]`,
    );
    let run = 0;
    const steps = {
      Updater: () => {
        run += 1;
        const listed = [...faults.slice(run % 3), ...faults.slice(0, run % 3)].join("\n  ");
        throw refusal(
          500,
          "InternalError",
          `failed to create typed patch object (a/b; v1, Kind=Pod): errors:\n  ${listed}`,
        );
      },
    };
    const harness = new Harness({ steps });
    expect((await delaysOf(harness, 8)).slice(4)).toEqual([8, 16, 32, 64]);
    expect(harness.client.writes).toHaveLength(1);
    expect(new Set(harness.events.map(({ message }) => message)).size).toBe(1);
    const conditions = harness.cr.status?.conditions ?? [];
    expect(conditions.find(({ type }) => type === "Stalled")?.status).toBe("True");
  });

  it("is of the time the error has lasted, however the date is set meanwhile", async () => {
    const harness = new Harness(failing());
    const delays = await delaysOf(harness, 7, (run) => {
      if (run === 3) harness.date.set(3_600_000);
      if (run === 5) harness.date.set(-7_200_000);
    });
    expect(delays).toEqual([0, 1, 2, 4, 8, 16, 32]);
    harness.restart();
    expect(await delaysOf(harness, 2)).toEqual([1, 1]);
  });

  it("is jittered by a tenth", async () => {
    const low = await delaysOf(new Harness({ ...failing(), random: () => 0 }), 2);
    const high = await delaysOf(new Harness({ ...failing(), random: () => 0.9999 }), 2);
    expect(low[1]).toBeCloseTo(0.9);
    expect(high[1]).toBeCloseTo(1.1);
  });

  it("starts afresh after a success, a different error and a new generation", async () => {
    const state = failing();
    const harness = new Harness(state);
    const delays = await delaysOf(harness, 14, (run) => {
      state.message = run < 4 ? "no quota" : "no network";
      if (run === 8) harness.setSpec({ size: 2 });
      if (run === 11) state.message = undefined;
    });
    expect(delays).toEqual([0, 1, 2, 4, 0, 1, 2, 4, 0, 1, 2, 0, 0, 1]);
  }); // OKT 30

  it("is the same for a status that cannot be written", async () => {
    const harness = new Harness();
    const error = refusal(403, "Forbidden");
    harness.client.fail({ verb: "patch", object: "Cache/basket", times: 6, error });
    expect(await delaysOf(harness, 7)).toEqual([0, 1, 2, 4, 8, 16, 0]);
    expect(harness.client.writes).toHaveLength(7);
    expect(harness.condition?.status).toBe("True");
  });

  it("goes on where it was after a restart, from the stored condition", async () => {
    const harness = new Harness(failing());
    const before = await delaysOf(harness, 6);
    harness.restart();
    const after = await delaysOf(harness, 1);
    expect(before.at(-1)).toBe(16);
    expect(after).toEqual([32]);
  });

  it("honours the delay that an error asks for", async () => {
    const harness = new Harness({
      steps: { Updater: ({ results }) => results.error(new Error("slow"), { requeueAfter: 10 * second }) },
    });
    const delays = await delaysOf(harness, 4);
    expect(delays).toEqual([10, 10, 20, 40]);
    expect((await harness.run()).error?.message).toBe("slow");
  }); // OKT 12

  it("is not lost when the status cannot be written, but no longer than an outage lasts", async () => {
    const harness = new Harness(failing());
    await delaysOf(harness, 6);
    const unwritable = async (error: Error): Promise<number | undefined> => {
      harness.client.fail({ verb: "patch", object: "Cache/basket", error });
      harness.client.edit(Cache, crKey, (cr) => {
        cr["status"] = {};
      });
      return (await harness.run()).requeueAfter;
    };
    expect(await unwritable(refusal(403, "Forbidden"))).toBe(32 * second);
    expect(await unwritable(new OperatorError("CONNECTION_FAILED", "no answer"))).toBe(15 * second);
  }); // OKT 11
});
