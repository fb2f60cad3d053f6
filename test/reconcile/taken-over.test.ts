import { describe, expect, it } from "vitest";
import type { StepContext } from "../../src/reconcile/engines/step-context.ts";
import type { MutableResource } from "../../src/reconcile/resources/resource.ts";
import { ConfigMap, configMap, namespace } from "./support/children.ts";
import { Harness, type Cache } from "./support/harness.ts";

/** An application that is in another state in each of three cycles of one run. */
function moving(between: (cycle: number) => void = () => undefined): () => MutableResource {
  let cycle = 0;
  return () => ({
    index: "application",
    kindName: "Cache/basket",
    exists: true,
    lookUp: () => undefined,
    create: () => undefined,
    delete: () => undefined,
    mutate: () => undefined,
    needsUpdate: () => true,
    update: () => undefined,
    view: () => undefined,
    movesOn: () => {
      cycle += 1;
      between(cycle);
      return cycle < 3;
    },
  });
}

/** What was done with a child in a run of three cycles: `cycle` counts them, from 1. */
async function operationsOn(
  register: (context: StepContext<Cache>, cycle: number) => void,
  between: (cycle: number, harness: Harness) => void = () => undefined,
): Promise<readonly string[]> {
  let cycle = 0;
  const harness: Harness = new Harness({
    steps: { ObjectsGetter: (context) => register(context, (cycle += 1)) },
    application: moving((ended) => between(ended, harness)),
  });
  const { operations } = await harness.run();
  expect(cycle).toBe(3);
  return operations.flatMap(({ code, resource }) => (resource === "ConfigMap/a" ? code : []));
}

const once = ["Registered", "Mutated", "Created"];
const again = ["Registered", "Mutated", "Unchanged"];
const changed = ["Registered", "Mutated", "Updated"];

describe("a manifest that is registered again in the next cycle of a run", () => {
  it("is neither looked up nor rendered once more where it is the same", async () => {
    expect(await operationsOn(({ registry }) => registry.add(configMap("a")))).toEqual(once);
    const { namespace: _none, ...metadata } = configMap("a").metadata;
    const unnamed = { ...configMap("a"), metadata };
    expect(await operationsOn(({ registry }) => registry.add(unnamed))).toEqual(once);
  });

  it.each([
    ["another value", 2, { size: "2" }],
    ["a field more", 2, { size: "1", more: "1" }],
    ["a field less", 3, {}],
  ])("is written where it has %s", async (_what, since, data) => {
    const operations = await operationsOn(({ registry }, cycle) =>
      registry.add(configMap("a", cycle < since ? { size: "1" } : data)),
    );
    expect(operations).toEqual([...once, ...changed]);
  });

  it("is written where the author has changed the very manifest that was registered", async () => {
    const data: Record<string, string> = { size: "1" };
    const manifest = configMap("a", data);
    const operations = await operationsOn(({ registry }, cycle) => {
      data["size"] = String(Math.min(cycle, 2));
      registry.add(manifest);
    });
    expect(operations).toEqual([...once, ...changed]);
  });

  it("is written where another client has changed or deleted the child meanwhile", async () => {
    const operations = await operationsOn(
      ({ registry }) => registry.add(configMap("a")),
      (cycle, { client }) => {
        const key = { namespace, name: "a" };
        if (cycle === 1) client.edit(ConfigMap, key, (child) => (child["data"] = { size: "9" }));
        else if (cycle === 2) client.drop(ConfigMap, key);
      },
    );
    expect(operations).toEqual([...once, ...changed, ...once]);
  });

  it("is looked at again where it is another one of that place, or has options", async () => {
    const others = await operationsOn(({ registry }, cycle) => {
      registry.add(...(cycle === 2 ? [configMap("b")] : []), configMap("a"));
    });
    expect(others).toEqual([...once, ...again, ...again]);
    const ordered = await operationsOn(({ registry }) => {
      const first = configMap("b");
      registry.add(first);
      registry.add(configMap("a"), { after: [first] });
    });
    expect(ordered).toEqual([...once, ...again, ...again]);
  });
});
