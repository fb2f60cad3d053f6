// What `after` of registry.add holds up, what it refuses, and which requests are under way at the same time all the same.
import { describe, expect, it } from "vitest";
import { layered, type ClientCall } from "../../src/client/client-layers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { freeStyle, stepper } from "../../src/reconcile/engines/engine.ts";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import type { Resource } from "../../src/reconcile/resources/resource.ts";
import { ConfigMap, configMap, namespace, service } from "./support/children.ts";
import { Harness, type Cache } from "./support/harness.ts";
import { refusal } from "./support/memory-client.ts";

type Hook = (context: StepContext<Cache>) => void;

/** Runs once with these resources; returns what was written, in order. */
async function written(harness: Harness, ObjectsGetter: Hook): Promise<readonly string[]> {
  const before = harness.client.writes.length;
  await harness.run({ engine: stepper<Cache>({ ObjectsGetter }) });
  const children = /^(ConfigMap|Service)\//;
  return harness.client.writes.slice(before).flatMap(({ object }) => (children.test(object) ? [object] : []));
}

const config = configMap("config");
const first = configMap("first");
const last = configMap("last");
const front = service();

describe("what is registered after something else", () => {
  it("is written after it, in whatever order and calls they are registered", async () => {
    const objects = await written(new Harness(), ({ registry }) => {
      registry.add(last, { after: [front] });
      registry.add(front, { after: [config, first] });
      registry.add(config, first);
    });
    expect(objects).toEqual(["ConfigMap/config", "ConfigMap/first", "Service/basket", "ConfigMap/last"]);
  });

  it("waits while that is refused, says so, and follows once that is there", async () => {
    const harness = new Harness();
    harness.client.fail({
      verb: "create",
      object: "ConfigMap/config",
      times: 1,
      error: refusal(422, "Invalid", "no"),
    });
    const hook: Hook = ({ registry }) => {
      registry.add(config);
      registry.add(front, { after: [config] });
      registry.add(last, { after: [front] });
      registry.add(first);
    };
    expect(await written(harness, hook)).not.toContain("Service/basket");
    expect(harness.client.peek(ConfigMap, { namespace, name: "first" })).toBeDefined();
    expect(await written(harness, hook)).toEqual(["ConfigMap/config", "Service/basket", "ConfigMap/last"]);
  });

  it("waits while that is being deleted: the run is not done", async () => {
    const harness = new Harness();
    await written(harness, ({ registry }) => registry.add(config));
    harness.client.edit(ConfigMap, { namespace, name: "config" }, (object) => {
      Object.assign(object["metadata"] as object, {
        deletionTimestamp: "2026-01-01T00:00:00Z",
        finalizers: ["a/b"],
      });
    });
    const objects = await written(harness, ({ registry }) => {
      registry.add(config);
      registry.add(front, { after: [config] });
    });
    expect(objects).toEqual([]);
    expect(harness.condition?.message).toContain("ConfigMap/config is being deleted");
  });

  it("is left as it is, and is no news, when nothing is to be written", async () => {
    const harness = new Harness();
    const hook: Hook = ({ registry }) => {
      registry.add(front, { after: [config] });
      registry.add(config);
    };
    await written(harness, hook);
    expect(await written(harness, hook)).toEqual([]);
    expect(harness.condition).toMatchObject({ status: "True" });
  });

  it("comes after resources of an author's own as well, and they after it", async () => {
    const calls: string[] = [];
    const bucket: Resource = {
      index: "bucket/b",
      kindName: "Bucket/b",
      get exists() {
        return calls.includes("create");
      },
      lookUp: () => undefined,
      create: () => void calls.push("create"),
      delete: () => undefined,
    };
    await written(new Harness(), ({ registry }) => {
      registry.add(front, { after: [bucket] });
      registry.add(bucket, { after: [config] });
      registry.add(config);
    });
    expect(calls).toEqual(["create"]);
  });

  it("is deleted before it", async () => {
    const harness = new Harness();
    const hook: Hook = ({ registry }) => {
      registry.add(front, { after: [config] });
      registry.add(config, first);
    };
    await written(harness, hook);
    const before = harness.client.writes.length;
    await harness.run({
      engine: freeStyle(async (context) => {
        hook(context);
        await context.registry.deleteAll();
      }),
    });
    const deleted = harness.client.writes.slice(before).filter(({ verb }) => verb === "delete");
    expect(deleted.map(({ object }) => object)).toEqual([
      "ConfigMap/first",
      "Service/basket",
      "ConfigMap/config",
    ]);
  });

  it.each<readonly [string, Hook, RegExp]>([
    [
      "what is not registered",
      ({ registry }) => registry.add(front, { after: [config] }),
      /Service\/basket is to be written after ConfigMap\/config, which is not registered/,
    ],
    [
      "the same made again",
      ({ registry }) => {
        registry.add(config);
        registry.add(front, { after: [configMap("config")] });
      },
      /not registered/,
    ],
    [
      "a circle",
      ({ registry }) => {
        registry.add(config, { after: [last] });
        registry.add(first, { after: [config] });
        registry.add(last, { after: [first] });
      },
      /ConfigMap\/config waits for ConfigMap\/last waits for ConfigMap\/first waits for ConfigMap\/config: none/,
    ],
    [
      "itself",
      ({ registry }) => registry.add(config, { after: [config] }),
      /waits for ConfigMap\/config: none/,
    ],
    [
      "a name in place of a resource",
      ({ registry }) => registry.add(front, { after: ["ConfigMap/config"] as never }),
      /no list of resources/,
    ],
  ])("is refused when it names %s, and nothing is written", async (_what, hook, message) => {
    const harness = new Harness();
    expect(await written(harness, hook)).toEqual([]);
    expect(harness.condition).toMatchObject({ status: "False", reason: "ErrorAndGiveup" });
    expect(harness.condition?.message).toMatch(message);
  });
});

/** A client that answers these requests after others have had their turn; how many are under way, and in which order they begin. */
function slow(harness: Harness, verb: ClientCall["verb"]) {
  const seen = { underWay: 0, most: 0, begun: [] as string[] };
  const client: KubeClient = layered(harness.client, {
    place: "life",
    request: async (call, send) => {
      if (call.verb !== verb || !("type" in call) || call.type.kind === "Cache") return send(call);
      seen.begun.push("key" in call ? call.key.name : "manifest" in call ? call.manifest.metadata.name : "");
      seen.underWay += 1;
      seen.most = Math.max(seen.most, seen.underWay);
      for (let turn = 0; turn < 40; turn += 1) await Promise.resolve();
      seen.underWay -= 1;
      return send(call);
    },
  });
  return { client, seen };
}

describe("of many peers", () => {
  const names = Array.from({ length: 60 }, (_, child) => `c${child}`);
  const children = names.map((name) => configMap(name));
  const add: Hook = ({ registry }) => registry.add(...children);

  it("what comes after one of them waits for that alone", async () => {
    const harness = new Harness();
    const { client, seen } = slow(harness, "create");
    const [one, ...others] = children as [(typeof children)[number], ...typeof children];
    const ObjectsGetter: Hook = ({ registry }) => {
      registry.add(...others, { after: [one] });
      registry.add(one);
    };
    await harness.run({ client, engine: stepper<Cache>({ ObjectsGetter }) });
    expect([seen.begun.length, seen.most, seen.begun[0]]).toEqual([60, 16, "c0"]);
  });

  it("those that are not cached are read sixteen at a time, and few too", async () => {
    for (const count of [60, 16]) {
      const harness = new Harness({ uncached: [ConfigMap] });
      const { client, seen } = slow(harness, "get");
      const ObjectsGetter: Hook = ({ registry }) => registry.add(...children.slice(0, count));
      const { operations } = await harness.run({ client, engine: stepper<Cache>({ ObjectsGetter }) });
      expect([seen.begun.length, seen.most]).toEqual([count, 16]);
      const registered = operations.flatMap(({ code, resource = "" }) =>
        code === "Registered" && resource.startsWith("ConfigMap") ? [resource] : [],
      );
      expect(registered).toEqual(names.slice(0, count).map((name) => `ConfigMap/${name}`));
    }
  });

  it("sixteen are deleted at a time, those of no use any more as well", async () => {
    const deletions: readonly ((
      context: StepContext<Cache>,
    ) => Promise<{ readonly written: readonly string[] }>)[] = [
      (context) => {
        add(context);
        return context.registry.deleteAll();
      },
      ({ registry }) => registry.pruneOthers([ConfigMap]),
    ];
    for (const remove of deletions) {
      const harness = new Harness();
      await written(harness, add);
      const { client, seen } = slow(harness, "delete");
      let gone: readonly string[] = [];
      const engine = freeStyle<Cache>(async (context) => {
        gone = (await remove(context)).written;
      });
      await harness.run({ client, engine });
      expect([seen.most, gone.length, harness.client.all(ConfigMap)]).toEqual([16, 60, []]);
    }
  });

  it("nothing is deleted after a deletion of which nobody knows what became", async () => {
    const harness = new Harness();
    await written(harness, add);
    const { client, seen } = slow(harness, "delete");
    harness.client.fail({
      verb: "delete",
      object: "ConfigMap/c3",
      error: refusal(504, "Timeout", "no answer"),
    });
    await harness.run({
      client,
      engine: freeStyle<Cache>(async ({ registry }) => void (await registry.pruneOthers([ConfigMap]))),
    });
    expect(seen.begun.length).toBeLessThanOrEqual(16 + 16);
  });
});
