import { describe, expect, it } from "vitest";
import type { JsonPatchOperation } from "../../src/client/kube-client.ts";
import type { KubeObject } from "../../src/meta/object.ts";
import { RequeueError, TerminalError } from "../../src/ports/operator-error.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../src/reconcile/finalizer.ts";
import { freeStyle, type StepperHooks } from "../../src/reconcile/engines/engine.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import type { Resource } from "../../src/reconcile/resources/resource.ts";
import { configMap, ConfigMap, namespace } from "./support/children.ts";
import { Cache, crKey, finalizer, Harness } from "./support/harness.ts";
import { refusal } from "./support/memory-client.ts";

const objectWith = (...finalizers: string[]): KubeObject => ({
  apiVersion: "v1",
  kind: "X",
  metadata: { name: "x", uid: "u", resourceVersion: "7", creationTimestamp: "", finalizers },
});

/** A CR being deleted, with these finalizers. */
function deleting(steps: StepperHooks<Cache> = {}, finalizers: readonly string[] = [finalizer]): Harness {
  const harness = new Harness({ steps, finalizer });
  harness.deleteCr(finalizers);
  return harness;
}

/** Changes the finalizers as another controller. */
function setFinalizers(harness: Harness, finalizers: readonly string[]): void {
  harness.client.edit(Cache, crKey, (cr) => {
    (cr["metadata"] as Record<string, unknown>)["finalizers"] = finalizers;
  });
}

describe("finalizer patch", () => {
  it("adds ours at the end of a list that it tests", () => {
    expect(addFinalizerPatch(objectWith("a"), "ours")).toEqual([
      { op: "test", path: "/metadata/uid", value: "u" },
      { op: "test", path: "/metadata/finalizers", value: ["a"] },
      { op: "add", path: "/metadata/finalizers/-", value: "ours" },
    ]);
  });

  it("removes only ours, tested at its place", () => {
    expect(removeFinalizerPatch(objectWith("a", "ours", "b"), "ours").slice(1)).toEqual([
      { op: "test", path: "/metadata/finalizers/1", value: "ours" },
      { op: "remove", path: "/metadata/finalizers/1" },
    ] satisfies JsonPatchOperation[]);
  });

  it("removes every copy, from the end (T47)", () => {
    const paths = removeFinalizerPatch(objectWith("ours", "a", "ours"), "ours")
      .filter(({ op }) => op === "remove")
      .map(({ path }) => path);
    expect(paths).toEqual(["/metadata/finalizers/2", "/metadata/finalizers/0"]);
  });

  it("is empty when ours is not there", () => {
    expect(removeFinalizerPatch(objectWith("a"), "ours")).toEqual([]);
  });
});

describe("finalizer", () => {
  it("is removed without reviving one that another controller removed meanwhile (T46)", async () => {
    const harness = deleting({}, ["job/tracking", finalizer, "other/hold"]);
    harness.client.fail({
      verb: "patch",
      object: "Cache/basket",
      error: refusal(422, "Invalid", "test failed"),
      before: () => setFinalizers(harness, [finalizer, "other/hold"]),
    });
    const outcome = await harness.run();
    expect(outcome.error).toBeUndefined();
    expect(harness.cr.metadata.finalizers).toEqual(["other/hold"]);
  });

  it("is added once when two controllers add theirs at the same time (T47)", async () => {
    const harness = new Harness({ finalizer });
    const stale = harness.cr;
    setFinalizers(harness, ["other/hold"]);
    await harness.run({ cr: stale });
    expect(harness.cr.metadata.finalizers).toEqual(["other/hold", finalizer]);
    await harness.run({ cr: stale });
    expect(harness.cr.metadata.finalizers).toEqual(["other/hold", finalizer]);
  });

  it("goes when the resources to clean up are already gone (T49)", async () => {
    const harness = deleting({
      CRFinalizer: () => {
        throw refusal(404, "NotFound", "bucket not found");
      },
    });
    const outcome = await harness.run();
    expect(outcome.error).toBeUndefined();
    expect(harness.crExists).toBe(false);
  });

  it("is no error when the custom resource is gone before it could be removed", async () => {
    const harness = deleting();
    harness.client.fail({ verb: "patch", object: "Cache/basket", error: refusal(404, "NotFound") });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ error: undefined, requeueAfter: undefined });
  });

  it("is left alone on a new object of the same name", async () => {
    const harness = deleting();
    const stale = harness.cr;
    harness.client.drop(Cache, crKey);
    harness.client.put(Cache, {
      apiVersion: stale.apiVersion,
      kind: "Cache",
      metadata: { ...crKey, finalizers: [finalizer] },
    });
    const outcome = await harness.run({ cr: stale });
    expect(outcome.error).toBeUndefined();
    expect(harness.cr.metadata.finalizers).toEqual([finalizer]);
  });

  it("gives up contending after some attempts, and is tried again by the queue", async () => {
    const harness = deleting();
    harness.client.fail({ verb: "patch", object: "Cache/basket", error: refusal(409, "Conflict"), times: 5 });
    const outcome = await harness.run();
    expect(outcome.error).toMatchObject({ code: "FINALIZER_CONTENDED" });
    expect(harness.cr.metadata.finalizers).toEqual([finalizer]);
  });

  it("is not added to an object that is deleted in the same moment", async () => {
    const harness = new Harness({
      finalizer,
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) },
    });
    harness.client.fail({
      verb: "patch",
      object: "Cache/basket",
      error: refusal(422, "Invalid", "no new finalizers can be added"),
      before: () => harness.deleteCr(["other/hold"]),
    });
    const outcome = await harness.run();
    expect(outcome.path).toEqual(["CRChecker", "End"]);
    expect(harness.client.peek(ConfigMap, { namespace, name: "a" })).toBeUndefined();
    expect(harness.cr.metadata.finalizers).toEqual(["other/hold"]);
  });

  it("stays while the hook waits, with what it waits for on the condition", async () => {
    let ready = false;
    const harness = deleting({
      CRFinalizer: () => {
        if (!ready) throw new RequeueError("NOT_YET", "waits for the last snapshot", 30_000);
      },
    });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ kind: "waiting", requeueAfter: 30_000 });
    expect(harness.condition?.message).toBe("waits for the last snapshot");
    ready = true;
    await harness.run();
    expect(harness.crExists).toBe(false);
  });

  it("stays until the application has come to its end", async () => {
    let steps = 0;
    const application: Resource = {
      index: "application",
      kindName: "Application/basket",
      exists: true,
      lookUp: () => undefined,
      create: () => undefined,
      delete: () => undefined,
      finalize: () => ({ done: (steps += 1) > 2, requeueAfter: 2_000, message: "draining" }),
      contributeStatus: (status) => status.merge({ lifecycle: { steps } }),
    };
    const harness = new Harness({ finalizer, application: () => application });
    harness.deleteCr([finalizer]);
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ requeueAfter: 2_000, path: ["CRChecker", "CRFinalizer", "End"] });
    expect(harness.condition).toMatchObject({ status: "Unknown", reason: "Finalizing", message: "draining" });
    expect(harness.cr.status?.["lifecycle"]).toEqual({ steps: 1 });
    await harness.run();
    expect(harness.crExists).toBe(true);
    await harness.run();
    expect(harness.crExists).toBe(false);
    expect(steps).toBe(3);
  });

  it("stays when deleting what was registered fails", async () => {
    const harness = new Harness({
      finalizer,
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(configMap("a")),
        CRFinalizer: async ({ registry }) => {
          registry.add(configMap("a"));
          await registry.deleteAll();
        },
      },
    });
    await harness.run();
    harness.deleteCr();
    harness.client.fail({ verb: "delete", object: "ConfigMap/a", error: new Error("forbidden") });
    const outcome = await harness.run();
    expect(outcome.error?.message).toBe("forbidden");
    expect(harness.cr.metadata.finalizers).toEqual([finalizer]);
    await harness.run();
    expect(harness.crExists).toBe(false);
    expect(harness.client.all(ConfigMap)).toEqual([]);
  });

  it("of others on a child is named on the condition while it blocks the deletion (T51)", async () => {
    const harness = new Harness({
      finalizer,
      ownedTypes: [ConfigMap],
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b")) },
    });
    await harness.run();
    harness.deleteCr(["foregroundDeletion"]);
    expect(await harness.writesOf()).toEqual([]);
    harness.client.edit(ConfigMap, { namespace, name: "a" }, (object) => {
      const metadata = object["metadata"] as Record<string, unknown>;
      metadata["finalizers"] = ["other/hold"];
      metadata["deletionTimestamp"] = "2026-01-01T00:00:00Z";
    });
    expect(await harness.writesOf()).toEqual(["patch Cache/basket/status"]);
    expect(harness.condition).toMatchObject({
      status: "Unknown",
      reason: "Finalizing",
      message: "deletion waits for ConfigMap shop/a (held by other/hold)",
    });
    expect(await harness.writesOf()).toEqual([]);
  });

  it("holds for FreeStyle too: its function is not called while the resource is being deleted", async () => {
    const calls: string[] = [];
    const harness = new Harness({
      finalizer,
      engine: freeStyle(() => void calls.push("reconcile"), {
        CRFinalizer: () => void calls.push("finalize"),
      }),
    });
    await harness.run();
    expect(harness.cr.metadata.finalizers).toEqual([finalizer]);
    harness.deleteCr();
    await harness.run();
    expect(calls).toEqual(["reconcile", "finalize"]);
    expect(harness.crExists).toBe(false);
  });
});

describe("resources of one's own", () => {
  /** One that is there, and goes when it was asked to `asks` times. */
  const own = (name: string, calls: string[], asks?: number): Resource => {
    let asked = 0;
    const report = () => {
      calls.push(`finalize ${name}`);
      asked += 1;
      return { done: asked >= (asks ?? 1), requeueAfter: 1_000, message: `${name} is being emptied` };
    };
    return {
      index: `own/${name}`,
      kindName: `Own/${name}`,
      exists: true,
      lookUp: () => void calls.push(`look up ${name}`),
      create: () => undefined,
      delete: () => void calls.push(`delete ${name}`),
      ...(asks === undefined ? {} : { finalize: report }),
    };
  };

  it("end last to first, and what others come after only when those have ended", async () => {
    const calls: string[] = [];
    const role = own("role", calls);
    const other = own("other", calls);
    const grant = own("grant", calls, 2);
    const register = ({ registry }: StepContext<Cache>): void => {
      registry.add(role, other);
      registry.add(grant, { after: [role] });
    };
    const harness = deleting({ CRFinalizer: register });
    await harness.run();
    expect(calls).toEqual(["look up grant", "finalize grant", "look up other", "delete other"]);
    expect(harness.condition).toMatchObject({ reason: "Finalizing", message: "grant is being emptied" });
    expect(harness.events).toMatchObject([{ reason: "Deleted", message: "Deleted Own/other" }]);
    calls.length = 0;
    await harness.run();
    expect(calls.filter((call) => !call.startsWith("look up"))).toEqual([
      "finalize grant",
      "delete other",
      "delete role",
    ]);
    expect(harness.crExists).toBe(false);
  });

  it("end after the application, which may need them until then", async () => {
    const calls: string[] = [];
    const state = { ended: false, finalized: 0 };
    const register = ({ registry }: StepContext<Cache>): void => registry.add(own("bucket", calls, 1));
    const harness = new Harness({
      finalizer,
      application: () => leaving(state),
      steps: { ObjectsGetter: register, CRFinalizer: register },
    });
    harness.deleteCr([finalizer]);
    await harness.run();
    expect(state.finalized).toBe(1);
    expect(calls).not.toContain("finalize bucket");
    state.ended = true;
    await harness.run();
    expect(calls).toContain("finalize bucket");
    expect(harness.crExists).toBe(false);
  });

  it("hold the finalizer while their end fails", async () => {
    let failure: Error | undefined = new Error("the provider is away");
    const bucket: Resource = {
      ...own("bucket", []),
      delete: () => {
        if (failure !== undefined) throw failure;
      },
    };
    const harness = deleting({ CRFinalizer: ({ registry }) => registry.add(bucket) });
    expect((await harness.run()).error?.message).toBe("the provider is away");
    expect(harness.crExists).toBe(true);
    failure = undefined;
    await harness.run();
    expect(harness.crExists).toBe(false);
  });

  it("are not created where nothing would finalize them", async () => {
    const calls: string[] = [];
    const bucket = { ...own("bucket", calls, 1), exists: false, create: () => void calls.push("create") };
    const harness = new Harness({
      finalizer,
      steps: { ObjectsGetter: ({ registry }) => registry.add(bucket) },
    });
    const outcome = await harness.run();
    expect(outcome.error).toMatchObject({ code: "RESOURCE_NOT_FINALIZED" });
    expect(calls).toEqual(["look up bucket"]);
  });
});

/** An application on its way to its end. */
function leaving(state: { ended: boolean; finalized: number }): Resource {
  return {
    index: "shop Application/basket cache.example.com/v1",
    kindName: "Cache/basket",
    exists: true,
    lookUp: () => undefined,
    create: () => undefined,
    delete: () => undefined,
    view: () => undefined,
    needsOthers: () => !state.ended,
    finalize: () => {
      state.finalized += 1;
      return { done: state.ended, message: "it is being drained", requeueAfter: 30_000 };
    },
  };
}

describe("the resources of an application that is being deleted", () => {
  const child = { namespace, name: "a" };
  const situation = (steps: StepperHooks<Cache> = {}, finalizers: readonly string[] = []) => {
    const state = { ended: false, finalized: 0 };
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")), ...steps },
      finalizer,
      application: () => leaving(state),
    });
    harness.deleteCr([finalizer, ...finalizers]);
    return { harness, state };
  };

  it("are written until its end, with the author's status", async () => {
    const { harness, state } = situation({ SuccessManager: () => ({ left: 1 }) });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ kind: "settled", requeueAfter: 30_000 });
    expect(harness.client.peek(ConfigMap, child)).toBeDefined();
    expect(harness.cr.status).toMatchObject({ left: 1 });
    expect(harness.condition).toMatchObject({ reason: "Finalizing", message: "it is being drained" });
    state.ended = true;
    harness.client.drop(ConfigMap, child);
    await harness.run();
    expect(harness.crExists).toBe(false);
    expect(harness.client.peek(ConfigMap, child)).toBeUndefined();
  });

  it.each([
    ["throws", () => Promise.reject(new Error("no plan"))],
    ["gives up", () => Promise.reject(new TerminalError("NO_PLAN", "no plan"))],
    ["waits", () => Promise.reject(new RequeueError("NO_PLAN", "no plan", 3_600_000))],
  ] as const)("hold up neither its steps nor its end when a hook %s", async (_, hook) => {
    const { harness, state } = situation({ Mutator: hook });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ kind: "settled", requeueAfter: 5_000 });
    expect(state.finalized).toBe(1);
    expect(harness.condition).toMatchObject({ status: "Unknown", reason: "Finalizing", message: "no plan" });
    state.ended = true;
    await harness.run();
    expect(harness.crExists).toBe(false);
  });

  it("hold up neither when the server refuses them, as in a namespace that is being deleted", async () => {
    const { harness, state } = situation();
    const message = "namespace shop is being terminated";
    const error = refusal(403, "Forbidden", message);
    harness.client.fail({ verb: "create", object: "ConfigMap/a", error, times: 9 });
    expect(await harness.run()).toMatchObject({ kind: "settled", requeueAfter: 5_000 });
    expect(harness.condition?.message).toContain(message);
    expect(state.finalized).toBe(1);
  });

  it("are not created while the garbage collector deletes them first", async () => {
    const { harness } = situation({}, ["foregroundDeletion"]);
    await harness.run();
    expect(harness.client.peek(ConfigMap, child)).toBeUndefined();
    setFinalizers(harness, [finalizer]);
    await harness.run();
    expect(harness.client.peek(ConfigMap, child)).toBeDefined();
  });

  it("are left alone while they are orphaned, and afterwards", async () => {
    const { harness } = situation();
    await harness.run();
    setFinalizers(harness, [finalizer, "orphan"]);
    const spoil = (value: string) => (object: Record<string, unknown>) => {
      object["data"] = { value };
    };
    harness.client.edit(ConfigMap, child, spoil("foreign"));
    const written = harness.client.writes.length;
    await harness.run();
    harness.client.edit(ConfigMap, child, (object) => {
      delete (object["metadata"] as Record<string, unknown>)["ownerReferences"];
    });
    setFinalizers(harness, [finalizer]);
    await harness.run();
    expect(harness.client.writes.slice(written).map(({ object }) => object)).not.toContain("ConfigMap/a");
    expect(harness.client.peek(ConfigMap, child)?.metadata.ownerReferences).toBeUndefined();
  });
});
