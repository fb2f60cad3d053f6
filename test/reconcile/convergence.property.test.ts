// Whatever is declared and whatever is there: one write makes it right, and then nothing is written any more.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { differencesOf } from "../../src/reconcile/comparison/intent-comparison.ts";
import { intentHash } from "../../src/reconcile/comparison/intent-hash.ts";
import type { ListRules } from "../../src/reconcile/comparison/list-types.ts";
import { stepper } from "../../src/reconcile/engines/engine.ts";
import { Deployment, deploymentKey } from "./support/children.ts";
import { Harness, type Cache } from "./support/harness.ts";
import { applyDefaults } from "./support/server-defaults.ts";

type Fields = Record<string, unknown>;

const rules: ListRules = { builtin: true, kind: "Deployment" };
const name = fc.constantFrom("a", "b", "c", "d");
const text = fc.constantFrom("", "x", "1000m", "1Gi", "true", "$(A)");

/** Lists keyed by name without duplicates. */
const keyed = <T extends Fields>(element: fc.Arbitrary<T>): fc.Arbitrary<(T & { name: string })[]> =>
  fc.uniqueArray(
    fc.tuple(name, element).map(([each, rest]) => ({ name: each, ...rest })),
    {
      selector: (each) => each.name,
      maxLength: 3,
    },
  );

const container = fc.record(
  {
    image: text,
    args: fc.array(text, { maxLength: 2 }),
    env: keyed(fc.record({ value: text })),
    stdin: fc.boolean(),
    ports: fc.uniqueArray(fc.record({ containerPort: fc.constantFrom(80, 81) }), {
      selector: (port) => port.containerPort,
      maxLength: 2,
    }),
    resources: fc.record({ limits: fc.record({ cpu: fc.constantFrom("1", "1000m", "2", 1) }) }),
  },
  { requiredKeys: ["image"] },
);

const deployment = fc
  .record({
    labels: fc.dictionary(name, text, { maxKeys: 3 }),
    replicas: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
    containers: keyed(container),
    volumes: keyed(fc.constant({ emptyDir: {} })),
  })
  .map(({ labels, replicas, containers, volumes }) => ({
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { ...deploymentKey, labels },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      selector: { matchLabels: { app: "x" } },
      template: { spec: { containers, volumes } },
    },
  }));

/** The same with maps and keyed lists in reverse order. */
function reversed(value: unknown, field = ""): unknown {
  if (Array.isArray(value)) {
    const elements = value.map((each) => reversed(each));
    const free = field !== "args" && !(field === "env" && JSON.stringify(value).includes("$("));
    return free ? elements.reverse() : elements;
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([each, inner]) => [each, reversed(inner, each)]),
  );
}

async function writesOf(harness: Harness, intent: unknown): Promise<number> {
  const before = harness.client.childWrites("Cache").length;
  const engine = stepper<Cache>({ ObjectsGetter: ({ registry }) => registry.add(intent as never) });
  const outcome = await harness.run({ engine });
  expect(outcome.error).toBeUndefined();
  return harness.client.childWrites("Cache").length - before;
}

describe("convergence", () => {
  it("takes one write from nothing, and then none", async () => {
    await fc.assert(
      fc.asyncProperty(deployment, async (intent) => {
        const harness = new Harness();
        expect(await writesOf(harness, intent)).toBe(1);
        expect(await writesOf(harness, intent)).toBe(0);
        harness.restart();
        expect(await writesOf(harness, intent)).toBe(0);
      }),
      { numRuns: 150 },
    );
  });

  it("takes one write from any live object that another version or another writer left", async () => {
    await fc.assert(
      fc.asyncProperty(deployment, deployment, deployment, async (before, foreign, intent) => {
        const harness = new Harness();
        await writesOf(harness, before);
        harness.client.edit(Deployment, deploymentKey, (object) => {
          object["spec"] = structuredClone(foreign.spec);
        });
        expect(await writesOf(harness, intent)).toBeLessThanOrEqual(1);
        expect(await writesOf(harness, intent)).toBe(0);
        expect(await writesOf(harness, intent)).toBe(0);
        const live = harness.client.peek(Deployment, deploymentKey);
        expect(live?.metadata.labels ?? {}).toEqual(intent.metadata.labels);
      }),
      { numRuns: 150 },
    );
  });

  it("does not depend on the order of maps and keyed lists (T32)", async () => {
    await fc.assert(
      fc.asyncProperty(deployment, async (intent) => {
        const harness = new Harness();
        await writesOf(harness, intent);
        expect(await writesOf(harness, reversed(intent))).toBe(0);
        expect(intentHash(reversed(intent), rules)).toBe(intentHash(intent, rules));
      }),
      { numRuns: 150 },
    );
  });

  it("finds no difference between an intent and itself with the server's defaults (T33)", () => {
    fc.assert(
      fc.property(deployment, (intent) => {
        const live = structuredClone(intent) as unknown as Fields;
        applyDefaults(live);
        expect(differencesOf(intent, reversed(live), rules)).toEqual([]);
      }),
    );
  });

  it("finds a difference in every changed declared text", () => {
    fc.assert(
      fc.property(fc.dictionary(name, text, { minKeys: 1 }), fc.constantFrom("y", "z"), (data, other) => {
        for (const each of Object.keys(data)) {
          expect(differencesOf({ data }, { data: { ...data, [each]: other } }, rules)).toHaveLength(1);
          const { [each]: _gone, ...rest } = data;
          expect(differencesOf({ data }, { data: rest }, rules)).toHaveLength(1);
        }
      }),
    );
  });
});
