import { describe, expect, it, vi } from "vitest";
import { layered } from "../../src/client/client-layers.ts";
import { freeStyle, type FreeStyleHook, stepper } from "../../src/reconcile/engines/engine.ts";
import { OperatorError } from "../../src/ports/operator-error.ts";
import { fromManifest, kubernetesResource } from "../../src/reconcile/resources/kubernetes-resource.ts";
import { isMutable, type MutableResource, type Resource } from "../../src/reconcile/resources/resource.ts";
import type { BatchReport } from "../../src/reconcile/resources/batch.ts";
import type { Registry } from "../../src/reconcile/resources/registry.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import { ConfigMap, configMap, Deployment, deployment, namespace, service } from "./support/children.ts";
import { Cache, Harness } from "./support/harness.ts";
import { refusal } from "./support/memory-client.ts";

/** Runs one FreeStyle hook, so that the test drives the registry itself. */
async function withRegistry(
  hook: (context: StepContext<Cache>) => unknown,
  harness: Harness = new Harness(),
): Promise<Harness> {
  const run: FreeStyleHook<Cache> = async (context) => void (await hook(context));
  const outcome = await harness.run({ engine: freeStyle(run) });
  const unexpected = outcome.operations.find(({ code }) => code === "HookFailed");
  if (unexpected !== undefined) throw unexpected.error ?? new Error("the hook failed");
  return harness;
}

/** A resource of an author's own: a bucket that remembers what was done to it. */
function bucket(
  name: string,
  does: Partial<MutableResource> = {},
): MutableResource & { readonly calls: string[] } {
  const calls: string[] = [];
  const step = (call: string) => (): void => void calls.push(call);
  let exists = false;
  return {
    calls,
    index: `bucket/${name}`,
    kindName: `Bucket/${name}`,
    get exists() {
      return exists;
    },
    lookUp: step("lookUp"),
    create: () => {
      calls.push("create");
      exists = true;
    },
    delete: step("delete"),
    mutate: step("mutate"),
    needsUpdate: () => false,
    update: step("update"),
    ...does,
  };
}

const failingStep = (message: string) => (): never => {
  throw new Error(message);
};

const names = (registry: Registry<Cache>): string[] => registry.resources.map(({ kindName }) => kindName);

describe("registry", () => {
  it("has no resource at first, one after an add, and none after it was cleared", async () => {
    await withRegistry(({ registry }) => {
      expect(registry.size).toBe(0);
      registry.add(configMap("a"));
      expect(registry.size).toBe(1);
      registry.clear();
      expect(registry.size).toBe(0);
    });
  }); // OKT 35

  it("refuses a resource that is registered twice, and gives up with its name", async () => {
    const harness = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b"), configMap("a")),
      },
    });
    const outcome = await harness.run();
    expect(outcome.error?.message).toContain("ConfigMap/a is registered twice");
    expect(harness.client.childWrites("Cache")).toEqual([]);
  }); // OKT 36

  it("writes nothing but the application while the application holds the others", async () => {
    const application = { ...bucket("app"), needsUpdate: () => true, exists: true, holdsOthers: () => true };
    const mine = bucket("mine");
    const outcome = await new Harness({
      application: () => application,
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(configMap("a"), mine),
        Updater: async ({ registry }) => {
          await registry.createOrUpdateAll();
          await registry.deleteAll();
          await registry.pruneOthers([ConfigMap]);
        },
      },
    }).run();
    expect(outcome.error).toBeUndefined();
    expect(mine.calls).toEqual(["lookUp", "mutate"]);
    expect(application.calls).toContain("update");
    const held = outcome.operations.filter(({ code }) => code === "Held").map(({ resource }) => resource);
    expect(held).toEqual(["ConfigMap/a", "Bucket/mine"]);
    expect(outcome.operations.map(({ code }) => code)).not.toContain("Created");
  });

  it.each([
    ["no answer came", new OperatorError("CONNECTION_FAILED", "the connection was reset")],
    ["none came in time", new OperatorError("REQUEST_TIMEOUT", "it took too long")],
    ["the server has given up waiting", refusal(504, "Timeout")],
  ])("writes nothing after a write of which %s, and goes on in the next run", async (_what, error) => {
    const application = { ...bucket("app"), exists: true, needsUpdate: () => true, view: () => undefined };
    const harness = new Harness({
      application: () => application,
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b"), configMap("c")),
      },
    });
    harness.client.fail({ verb: "create", object: "ConfigMap/b", error });
    await harness.run();
    expect(harness.client.childWrites("Cache")).toEqual(["create ConfigMap/a", "create ConfigMap/b"]);
    await harness.run();
    expect(harness.client.childWrites("Cache").slice(2)).toEqual([
      "create ConfigMap/b",
      "create ConfigMap/c",
    ]);
  });

  it("goes on after a write that was refused", async () => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b")) },
    });
    harness.client.fail({ verb: "create", object: "ConfigMap/a", error: refusal(422, "Invalid") });
    await harness.run();
    expect(harness.client.childWrites("Cache")).toEqual(["create ConfigMap/a", "create ConfigMap/b"]);
  });

  it("registers nothing of a call that is refused", async () => {
    await withRegistry(({ registry }) => {
      registry.add(configMap("a"));
      expect(() => registry.add(configMap("b"), configMap("a"))).toThrow(
        expect.objectContaining({ code: "RESOURCE_DUPLICATE" }),
      );
      expect(names(registry)).toEqual(["ConfigMap/a"]);
    });
  });

  it("tells apart resources of one name in other namespaces and of other kinds", async () => {
    await withRegistry(({ registry }) => {
      registry.add(configMap("a"), { ...configMap("a"), kind: "Secret" });
      registry.add({ ...configMap("a"), metadata: { name: "a", namespace: "other" } });
      expect(registry.resources.map(({ index }) => index)).toEqual([
        `${namespace} ConfigMap/a v1`,
        `${namespace} Secret/a v1`,
        "other ConfigMap/a v1",
      ]);
      expect(registry.get(`${namespace} Secret/a v1`)?.kindName).toBe("Secret/a");
      expect(registry.get("nowhere")).toBeUndefined();
    });
  });

  it("gives a manifest without a namespace the one of its owner", async () => {
    await withRegistry(({ registry }) => {
      registry.add({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "a" } });
      expect(registry.resources[0]?.index).toBe(`${namespace} ConfigMap/a v1`);
    });
  });

  it("refuses a manifest of an unknown type, with what to do", async () => {
    await withRegistry(({ registry }) => {
      expect(() => registry.add({ apiVersion: "x.io/v1", kind: "X", metadata: { name: "x" } })).toThrow(
        expect.objectContaining({ code: "TYPE_UNKNOWN", remedy: expect.stringContaining("owns") }),
      );
    });
  });

  it("knows nothing about a resource before it is looked up", async () => {
    await withRegistry(({ registry }) => {
      registry.add(configMap("a"));
      const [resource] = registry.resources;
      expect(resource?.exists).toBe(false);
      expect(resource !== undefined && isMutable(resource) && resource.needsUpdate()).toBe(false);
    });
  }); // OKT 37

  it("refuses to write what was not mutated", async () => {
    await withRegistry(async ({ registry }) => {
      registry.add(configMap("a"));
      const [resource] = registry.resources;
      await expect(resource?.create()).rejects.toMatchObject({ code: "RESOURCE_NOT_RENDERED" });
    });
  }); // OKT 49

  it("never creates what exists, and never updates what does not", async () => {
    const [missing, present] = [bucket("missing"), bucket("present")];
    await present.create();
    await withRegistry(async ({ registry }) => {
      registry.add(missing, present);
      await registry.updateAll();
      expect(missing.calls).toEqual(["lookUp"]);
      await registry.createAll();
      expect(missing.calls).toEqual(["lookUp", "mutate", "create"]);
      expect(present.calls).toEqual(["create", "lookUp", "mutate"]);
    });
  }); // OKT 49

  it("treats a resource of an author's own like any other, in order of registration", async () => {
    const order: string[] = [];
    const own = bucket("photos", { create: () => void order.push("Bucket/photos") });
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a"), own) },
    });
    const outcome = await harness.run();
    expect(own.calls).toEqual(["lookUp", "mutate"]);
    expect(order).toEqual(["Bucket/photos"]);
    expect(
      outcome.operations.filter(({ code }) => code === "Created").map(({ resource }) => resource),
    ).toEqual(["ConfigMap/a", "Bucket/photos"]);
  });

  it("never changes a resource that can only be created and deleted", async () => {
    const { mutate: _mutate, needsUpdate: _needs, update: _update, ...rest } = bucket("photos");
    const own: Resource = { ...rest, exists: true };
    await withRegistry(async ({ registry, results }) => {
      registry.add(own);
      const report = await registry.createOrUpdateAll();
      expect(report.written).toEqual([]);
      expect(results.count("Unchanged")).toBe(1);
    });
  });

  it("reports every failure, and still tries the others", async () => {
    let report: BatchReport | undefined;
    const [a, b, c] = [
      bucket("a", { create: failingStep("a is locked") }),
      bucket("b"),
      bucket("c", { create: failingStep("c is locked") }),
    ];
    const harness = new Harness();
    const outcome = await harness.run({
      engine: freeStyle(async ({ registry }) => {
        registry.add(a, b, c);
        report = await registry.createOrUpdateAll();
      }),
    });
    expect(report?.failures.map(({ resource, error }) => `${resource}: ${error.message}`)).toEqual([
      "Bucket/a: a is locked",
      "Bucket/c: c is locked",
    ]);
    expect(report?.written).toEqual(["Bucket/b"]);
    expect(outcome.error?.message).toBe("a is locked");
    expect(harness.condition?.message).toBe("Bucket/a: a is locked; also failed: Bucket/c");
  }); // OKT 64

  it("stops at the first failure when told so", async () => {
    const [a, b] = [bucket("a", { create: failingStep("locked") }), bucket("b")];
    await new Harness().run({
      engine: freeStyle(async ({ registry }) => {
        registry.add(a, b);
        const report = await registry.createOrUpdateAll({ stopOnError: true });
        expect(report.failures).toHaveLength(1);
      }),
    });
    expect(b.calls).toEqual([]);
  });

  it("does nothing once the run gave up", async () => {
    const own = bucket("a");
    await new Harness().run({
      engine: freeStyle(async ({ registry, results }) => {
        registry.add(own);
        results.giveUp("enough");
        await registry.createOrUpdateAll();
      }),
    });
    expect(own.calls).toEqual([]);
  });

  it("never writes an object whose mutation failed, whatever engine calls it", async () => {
    const broken = kubernetesResource<ConfigMap, Cache>({
      type: ConfigMap,
      key: { name: "a" },
      mutateWithCR: failingStep("size is odd"),
    });
    let report: BatchReport | undefined;
    const harness = new Harness();
    await harness.run({
      engine: freeStyle(async ({ registry }) => {
        registry.add(broken, configMap("b"));
        await registry.mutateAll();
        report = await registry.createOrUpdateAll();
      }),
    });
    expect(harness.client.childWrites("Cache")).toEqual(["create ConfigMap/b"]);
    expect(report?.failures).toEqual([
      { resource: "ConfigMap/a", error: expect.objectContaining({ message: "size is odd" }) },
    ]);
    expect(harness.condition).toMatchObject({ status: "False", message: "ConfigMap/a: size is odd" });
  }); // OKT 66

  it("creates at most the given number in four seconds, and the rest after them, whatever causes the runs", async () => {
    const five = ["a", "b", "c", "d", "e"];
    const harness = new Harness({
      maxCreations: 2,
      steps: { ObjectsGetter: ({ registry }) => registry.add(...five.map((name) => configMap(name))) },
    });
    const created: number[] = [];
    const delayed: number[] = [];
    const requeues: (number | undefined)[] = [];
    for (const pause of [0, 1_500, 2_499, 1, 4_000, 0, 4_000]) {
      await harness.clock.advance(pause);
      const { operations, requeueAfter } = await harness.run();
      created.push(operations.filter(({ code }) => code === "Created").length);
      delayed.push(operations.filter(({ code }) => code === "CreationDelayed").length);
      requeues.push(requeueAfter);
    }
    expect(created).toEqual([2, 0, 0, 2, 1, 0, 0]);
    expect(delayed).toEqual([3, 3, 3, 1, 0, 0, 0]);
    expect(requeues).toEqual([4_000, 2_500, 1, 4_000, undefined, undefined, undefined]);
  }); // OKT 61

  it("lets what is refused neither count nor stand in front, and asks for it again after all others", async () => {
    const children = Array.from({ length: 20 }, (_, child) => `c${child}`);
    const harness = new Harness({
      maxCreations: 3,
      steps: { ObjectsGetter: ({ registry }) => registry.add(...children.map((name) => configMap(name))) },
    });
    const refused = children.slice(0, 4);
    for (const name of refused) {
      harness.client.fail({
        verb: "create",
        object: `ConfigMap/${name}`,
        error: refusal(403, "Forbidden", "over the quota"),
        times: 2,
      });
    }
    const createdIn: string[][] = [];
    for (let window = 0; window < 8; window += 1) {
      const { operations, requeueAfter } = await harness.run();
      const made = operations.filter(({ code }) => code === "Created");
      createdIn.push(made.map(({ resource = "" }) => resource.slice("ConfigMap/".length)));
      if (operations.some(({ code }) => code === "CreationDelayed") && window > 0) {
        expect(requeueAfter).toBe(4_000);
      }
      await harness.clock.advance(4_000);
    }
    expect(createdIn.slice(0, 6).map(({ length }) => length)).toEqual([3, 3, 3, 3, 3, 1]);
    expect(createdIn.slice(0, 6).flat()).toEqual(children.slice(4));
    expect(createdIn.slice(6)).toEqual([refused.slice(0, 3), refused.slice(3)]);
  });

  it("goes on with creations at their pace while something else keeps failing", async () => {
    const harness = new Harness({
      maxCreations: 1,
      steps: {
        ObjectsGetter: ({ registry }) =>
          registry.add(...["a", "b", "c", "d", "e", "f"].map((name) => configMap(name))),
        SuccessManager: () => undefined,
        Updater: async ({ registry, results }) => {
          await registry.createOrUpdateAll();
          results.error(new OperatorError("BROKEN", "never works"));
        },
      },
    });
    const delays: (number | undefined)[] = [];
    for (let window = 0; window < 5; window += 1) {
      const { requeueAfter } = await harness.run();
      delays.push(requeueAfter);
      await harness.clock.advance(4_000);
    }
    // The first failure has the queue's own backoff; then it would wait as long as it has lasted.
    expect(delays).toEqual([undefined, 4_000, 4_000, 4_000, 4_000]);
  });

  it("creates all in one cycle, in order of registration, when there is no limit", async () => {
    const harness = new Harness({
      maxCreations: 0,
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(...["c", "a", "b"].map((name) => configMap(name))),
      },
    });
    await harness.run();
    expect(harness.client.childWrites("Cache")).toEqual([
      "create ConfigMap/c",
      "create ConfigMap/a",
      "create ConfigMap/b",
    ]);
  }); // OKT 62

  describe("with many peers", () => {
    /** A client that answers a write after others have had their turn, the earlier ones later. */
    function slow(harness: Harness, onWrite: (name: string) => void = () => undefined) {
      const seen = { underWay: 0, most: 0, log: [] as string[], statuses: [] as string[] };
      let turns = 200;
      const client = layered(harness.client, {
        place: "life",
        request: async (call, send) => {
          if (call.verb === "patch") seen.statuses.push(JSON.stringify(call.patch.body));
          if (call.verb !== "create" && call.verb !== "apply") return send(call);
          const name = `${call.type.kind}/${call.manifest.metadata.name}`;
          seen.log.push(`begin ${name}`);
          seen.underWay += 1;
          seen.most = Math.max(seen.most, seen.underWay);
          turns = Math.max(1, turns - 1);
          for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
          seen.underWay -= 1;
          onWrite(name);
          const answer = await send(call);
          seen.log.push(`end ${name}`);
          return answer;
        },
      });
      return { client, seen };
    }
    const children = Array.from({ length: 100 }, (_, child) => `c${child}`);
    const steps = {
      ObjectsGetter: ({ registry }: StepContext<Cache>) => {
        registry.add(...children.map((name) => configMap(name)), service());
      },
    };

    it("writes sixteen of one type at a time, and another type only after all of them", async () => {
      const harness = new Harness({ steps });
      const { client, seen } = slow(harness);
      const { operations } = await harness.run({ client });
      expect(seen.most).toBe(16);
      expect(seen.log.slice(-2)).toEqual(["begin Service/basket", "end Service/basket"]);
      const created = operations.flatMap(({ code, resource }) => (code === "Created" ? [resource] : []));
      expect(created).toEqual([...children.map((name) => `ConfigMap/${name}`), "Service/basket"]);
    });

    it("reports the failure of the first that was registered, whichever comes first", async () => {
      const harness = new Harness({ steps });
      const refused = new Set(children.slice(1, 40).map((name) => `ConfigMap/${name}`));
      const { client } = slow(harness, (name) => {
        if (refused.has(name)) throw refusal(422, "Invalid", `no ${name}`);
      });
      const { error, operations } = await harness.run({ client });
      expect(error?.message).toContain("no ConfigMap/c1");
      const failed = operations.flatMap(({ error: each, resource }) =>
        each === undefined ? [] : [resource],
      );
      expect(failed).toEqual([...refused]);
      expect(harness.condition?.message).toMatch(
        /also failed: (ConfigMap\/c\d+, ){9}ConfigMap\/c11 and 28 more$/,
      );
    });

    it("begins nothing after a write of which nobody knows what became", async () => {
      const harness = new Harness({ steps });
      const { client, seen } = slow(harness, (name) => {
        if (name === "ConfigMap/c3") throw new OperatorError("CONNECTION_FAILED", "the connection ended");
      });
      await harness.run({ client });
      const begun = seen.log.filter((line) => line.startsWith("begin"));
      expect(begun.length).toBeLessThanOrEqual(16 + 16);
      expect(begun).not.toContain("begin Service/basket");
      await harness.run();
      expect(harness.client.peek(ConfigMap, { namespace, name: "c99" })).toBeDefined();
    });

    it("writes one after the other where it stops at the first failure", async () => {
      const harness = new Harness();
      const { client, seen } = slow(harness);
      await harness.run({
        client,
        engine: freeStyle(async ({ registry }) => {
          registry.add(...children.map((name) => configMap(name)));
          await registry.createOrUpdateAll({ stopOnError: true });
        }),
      });
      expect(seen.most).toBe(1);
    });

    it("says in the status how far it is, when that takes a while", async () => {
      const harness = new Harness({ steps });
      let writes = 0;
      const { client, seen } = slow(harness, () => {
        writes += 1;
      });
      const clock = { ...harness.date, now: () => harness.date.now(), monotonic: () => writes * 100 };
      await harness.run({ client, clock });
      expect(seen.statuses[0]).toContain("64 of 101 resources are as declared so far");
      expect(harness.condition).toMatchObject({ status: "True", message: "101 resources are as declared" });
    });
  });

  it("counts a creation that failed without a refusal against the limit", async () => {
    const broken = bucket("broken", { create: failingStep("no") });
    await new Harness().run({
      engine: freeStyle(async ({ registry }) => {
        registry.add(broken, bucket("b"));
        const report = await registry.createAll({ maxCreations: 1 });
        expect(report.delayed).toEqual(["Bucket/b"]);
      }),
    });
  });

  it("deletes in reverse order, and takes one that is gone already for deleted", async () => {
    const harness = new Harness({
      steps: {
        ObjectsGetter: ({ registry }) => registry.add(configMap("a"), configMap("b"), configMap("c")),
      },
    });
    await harness.run();
    harness.client.fail({ verb: "delete", object: "ConfigMap/b", error: refusal(404, "NotFound") });
    const before = harness.client.writes.length;
    await withRegistry(async ({ registry }) => {
      registry.add(configMap("a"), configMap("b"), configMap("c"));
      const report = await registry.deleteAll();
      expect(report.failures).toEqual([]);
    }, harness);
    expect(harness.client.writes.slice(before, before + 3).map(({ object }) => object)).toEqual([
      "ConfigMap/c",
      "ConfigMap/b",
      "ConfigMap/a",
    ]);
  });

  it("prunes what it controls and no longer registers, and nothing else", async () => {
    const harness = new Harness({
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("keep"), configMap("old")) },
    });
    await harness.run();
    harness.client.put(ConfigMap, configMap("foreign"));
    await withRegistry(async ({ registry }) => {
      registry.add(configMap("keep"));
      const report = await registry.pruneOthers([ConfigMap]);
      expect(report.written).toEqual(["ConfigMap/old"]);
    }, harness);
    expect(harness.client.all(ConfigMap).map(({ metadata }) => metadata.name)).toEqual(["keep", "foreign"]);
  });

  it("reads from the server what is not cached", async () => {
    const harness = new Harness({
      uncached: [ConfigMap],
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) },
    });
    await harness.run();
    await harness.run();
    expect(harness.client.childWrites("Cache")).toEqual(["create ConfigMap/a"]);
  });

  it("asks again in 5 s for what could not be read, and mutates nothing of it", async () => {
    const harness = new Harness({
      uncached: [ConfigMap],
      steps: { ObjectsGetter: ({ registry }) => registry.add(configMap("a")) },
    });
    harness.client.fail({ verb: "get", object: "ConfigMap/a", error: refusal(500, "InternalError", "etcd") });
    const outcome = await harness.run();
    expect(outcome).toMatchObject({ requeueAfter: 5_000, error: { message: "etcd" } });
    expect(outcome.path).toEqual(["CRChecker", "ObjectsGetter", "ErrorManager", "End"]);
    await harness.run();
    expect(harness.condition?.status).toBe("True");
  });

  it("only creates with the basic reconciler", async () => {
    const harness = new Harness();
    const engine = stepper<Cache>(
      { ObjectsGetter: ({ cr, registry }) => registry.add(configMap("a", { size: String(cr.spec.size) })) },
      { basic: true },
    );
    await harness.run({ engine });
    harness.setSpec({ size: 7 });
    const outcome = await harness.run({ engine });
    expect(harness.client.peek(ConfigMap, { namespace, name: "a" })?.data).toEqual({ size: "1" });
    expect(outcome.path).toContain("SuccessManager");
  });

  it("shares nothing between two runs at the same time", async () => {
    const harness = new Harness();
    const otherKey = { namespace, name: "other" };
    harness.client.put(Cache, { ...harness.cr, metadata: otherKey });
    const gate = Promise.withResolvers<void>();
    const seen: Record<string, string[]> = {};
    const engine = stepper<Cache>({
      ObjectsGetter: async ({ cr, registry, results }) => {
        registry.add(configMap(`${cr.metadata.name}-config`));
        results.success(cr.metadata.name);
        if (cr.metadata.name === "other") gate.resolve();
        await gate.promise;
        seen[cr.metadata.name] = registry.resources.map(({ kindName }) => kindName);
      },
    });
    const [one, other] = await Promise.all([
      harness.run({ engine }),
      harness.run({ engine, cr: harness.client.peek(Cache, otherKey) }),
    ]);
    expect(seen).toEqual({ basket: ["ConfigMap/basket-config"], other: ["ConfigMap/other-config"] });
    expect(one.operations.some(({ code }) => code === "other")).toBe(false);
    expect(other.operations.some(({ code }) => code === "basket")).toBe(false);
    const owner = harness.client.peek(ConfigMap, { namespace, name: "other-config" })?.metadata
      .ownerReferences;
    expect(owner?.[0]?.name).toBe("other");
  }); // OKT 67

  it("lets a part ask for another look without an error, and still writes", async () => {
    const harness = new Harness();
    const scaling = kubernetesResource<Deployment, Cache>({
      type: Deployment,
      key: { name: "basket" },
      mutateWithInitialData: (object) => {
        object.spec = { selector: {}, template: { spec: { containers: [] } } };
      },
      mutateWithCR: (object, { spec }, { live }) => {
        object.spec.replicas = spec.size;
        return live !== undefined && live.spec.replicas !== spec.size ? { requeueAfter: 60_000 } : undefined;
      },
    });
    const engine = stepper<Cache>({ ObjectsGetter: ({ registry }) => registry.add(scaling) });
    expect((await harness.run({ engine })).requeueAfter).toBeUndefined();
    harness.setSpec({ size: 4 });
    const outcome = await harness.run({ engine });
    expect(outcome).toMatchObject({ error: undefined, requeueAfter: 60_000 });
    expect(harness.client.peek(Deployment, { namespace, name: "basket" })?.spec.replicas).toBe(4);
    expect(harness.condition?.reason).toBe("Pending");
  }); // OKT 65

  it("lets the application act once in every run, after the other resources", async () => {
    const app = bucket("application");
    const update = vi.fn();
    const steps = {
      ObjectsGetter: ({ registry }: StepContext<Cache>) => registry.add(configMap("a")),
      Updater: () => undefined,
    };
    const harness = new Harness({
      steps,
      application: () => ({ ...app, exists: true, needsUpdate: () => true, update }),
    });
    const outcome = await harness.run();
    expect(update).toHaveBeenCalledOnce();
    expect(outcome.operations.at(-2)).toMatchObject({ code: "Updated", resource: "Bucket/application" });
    expect(harness.client.childWrites("Cache")).toEqual([]);
    await harness.run({
      engine: stepper({ ...steps, Updater: ({ registry }) => registry.createOrUpdateAll() }),
    });
    expect(update).toHaveBeenCalledTimes(2);
  });

  it("accepts manifests, declared resources and ready ones in one call", async () => {
    await withRegistry(({ cr, registry }) => {
      registry.add(configMap("a"), deployment(cr), fromManifest(service()), bucket("b"));
      expect(names(registry)).toEqual(["ConfigMap/a", "Deployment/basket", "Service/basket", "Bucket/b"]);
    });
  });
});
