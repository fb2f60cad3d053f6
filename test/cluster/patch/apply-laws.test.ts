// What holds for server-side apply whatever the manifests are.
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applied, apply, contentOf, manifestOf, ownersOf, updated } from "./apply-schema.ts";

const value = fc.constantFrom("1", "2");
const unique = <T>(items: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.uniqueArray(items, { maxLength: 4 });
const anySpec = fc.record(
  {
    image: value,
    replicas: fc.constantFrom(1, 2),
    object: fc.record({ a: value, b: value }, { requiredKeys: [] }),
    whole: fc.record({ a: value, b: value }, { requiredKeys: [] }),
    labels: fc.dictionary(fc.constantFrom("p", "q"), value),
    nested: fc.dictionary(fc.constantFrom("p", "q"), fc.record({ a: value }, { requiredKeys: [] })),
    list: unique(fc.constantFrom("a", "b")),
    set: unique(fc.constantFrom("a", "b", "c", "d")),
    envs: fc.uniqueArray(
      fc.record({ name: fc.constantFrom("a", "b", "c", "d"), value }, { requiredKeys: ["name"] }),
      {
        selector: ({ name }) => name,
        maxLength: 4,
      },
    ),
    free: fc.constantFrom({ a: 1 }, { a: 2, b: { c: 1 } }, "x", [1], {}),
  },
  { requiredKeys: [] },
);
/** Plain JSON: the library makes objects without a prototype, which no parser does. */
const spec = anySpec.map((each) => JSON.parse(JSON.stringify(each)) as Record<string, unknown>);

/** Without the open field: a change of its form, from a map to a text, takes it from its owner without a conflict. */
const typedSpec = spec.map(({ free: _free, ...rest }) => rest);

/** Specs of which everything is owned: empty sets and map lists are nobody's. */
const ownedSpec = spec.map(({ set, envs, ...rest }) => ({
  ...rest,
  image: "1",
  ...(Array.isArray(set) && set.length > 0 ? { set } : {}),
  ...(Array.isArray(envs) && envs.length > 0 ? { envs } : {}),
}));
const forced = { force: true };

/** An object with its lists sorted: the order of items depends on the history. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => JSON.stringify(sorted(each))).sort();
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, sorted(each)]));
}

describe("server-side apply", () => {
  it("creates what the manifest says", () => {
    fc.assert(
      fc.property(spec, (any) => {
        expect(contentOf(applied(undefined, "m", any))).toEqual(manifestOf(any));
      }),
    );
  });

  it("is idempotent on any live object", () => {
    fc.assert(
      fc.property(spec, spec, (first, second) => {
        const live = updated(undefined, "p", manifestOf(first));
        const once = applied(live, "m", second, forced);
        expect(apply(once, "m", second)).toEqual({ object: once });
      }),
    );
  });

  it("an applier's second manifest replaces its first", () => {
    fc.assert(
      fc.property(ownedSpec, ownedSpec, (first, second) => {
        const direct = applied(undefined, "m", second);
        const later = applied(applied(undefined, "m", first), "m", second);
        expect(ownersOf(later)).toEqual(ownersOf(direct));
        expect(sorted(contentOf(later))).toEqual(sorted(contentOf(direct)));
      }),
    );
  });

  it("an applier that comes and goes leaves nothing behind", () => {
    fc.assert(
      fc.property(ownedSpec, ownedSpec, (base, { free: _free, ...extra }: Record<string, unknown>) => {
        const live = applied(undefined, "m1", base);
        const during = apply(live, "m2", extra);
        fc.pre("object" in during);
        const after = applied("object" in during ? during.object : live, "m2", undefined);
        expect(ownersOf(after)).toEqual(ownersOf(live));
        expect(sorted(contentOf(after))).toEqual(sorted(contentOf(live)));
      }),
    );
  });

  it("managers of disjoint fields never conflict", () => {
    fc.assert(
      fc.property(spec, spec, ({ image, list, object, set }, { replicas, labels, envs, free }) => {
        const mine = JSON.parse(JSON.stringify({ image, list, object, set })) as Record<string, unknown>;
        const theirs = JSON.parse(JSON.stringify({ replicas, labels, envs, free })) as Record<
          string,
          unknown
        >;
        const both = apply(applied(undefined, "m1", mine), "m2", theirs);
        expect(both).toHaveProperty("object.spec", { ...mine, ...theirs });
      }),
    );
  });

  it("force takes every conflicting field, and nothing else", () => {
    fc.assert(
      fc.property(typedSpec, typedSpec, (first, second) => {
        const live = applied(undefined, "m1", first);
        const plain = apply(live, "m2", second);
        const object = applied(live, "m2", second, forced);
        expect(apply(object, "m2", second)).toEqual({ object });
        const conflicts = "conflicts" in plain ? plain.conflicts : [];
        expect(conflicts.every(({ manager }) => manager === '"m1"')).toBe(true);
        if (conflicts.length === 0) expect(ownersOf(object)["m1"]).toEqual(ownersOf(live)["m1"]);
        else expect(ownersOf(object)["m1"]).not.toEqual(ownersOf(live)["m1"]);
      }),
    );
  });
});
