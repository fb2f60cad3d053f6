// What was declared is neither hashed nor looked through again: counted in characters that are made into text, and in accesses to a map.
import * as fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
import { deepFreeze, isUnchangeable } from "../../src/meta/frozen.ts";
import { intentHash } from "../../src/reconcile/comparison/intent-hash.ts";
import { KnownIntents } from "../../src/reconcile/comparison/known-intents.ts";
import type { ListRules } from "../../src/reconcile/comparison/list-types.ts";
import { copyOf, mergeSharing } from "../../src/reconcile/comparison/manifest-merge.ts";

const rules: ListRules = { builtin: true, kind: "ConfigMap" };

afterEach(() => vi.restoreAllMocks());

/** A map that counts how often anybody looks into it. */
function counted(size: number): { readonly map: Record<string, string>; looks: number } {
  const entries = Array.from({ length: size }, (_, index) => [`key-${index}`, `value ${index}`] as const);
  const found = { map: {}, looks: 0 };
  const look = <T>(value: T): T => {
    found.looks += 1;
    return value;
  };
  found.map = new Proxy(Object.fromEntries(entries), {
    get: (target, name) => look(Reflect.get(target, name) as unknown),
    ownKeys: (target) => look(Reflect.ownKeys(target)),
  });
  return found;
}

describe("known intents", () => {
  it("give the hash of what is declared now, whatever was declared before", () => {
    const declared = fc.array(fc.jsonValue(), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(declared, (values) => {
        const intents = new KnownIntents();
        for (const value of [...values, ...values]) {
          expect(intents.of("a", value, rules).hash).toBe(intentHash(value, rules));
        }
      }),
    );
  });

  it("make no text of what is declared again", () => {
    const intents = new KnownIntents();
    const declaredNow = (): unknown => ({ data: { text: "x".repeat(500_000), other: "1" } });
    const { hash } = intents.of("a", declaredNow(), rules);
    intents.of("a", declaredNow(), rules);
    const stringify = vi.spyOn(JSON, "stringify");
    expect(intents.of("a", declaredNow(), rules).hash).toBe(hash);
    expect(stringify).not.toHaveBeenCalled();
  });

  it("notice what its author has changed in place", () => {
    const intents = new KnownIntents();
    const declared = { data: { key: "1" }, list: [{ name: "a" }] };
    const first = intents.of("a", declared, rules).hash;
    expect(intents.of("a", declared, rules).hash).toBe(first);
    declared.data.key = "2";
    const second = intents.of("a", declared, rules).hash;
    declared.list[0] = { name: "b" };
    const hashes = [first, second, intents.of("a", declared, rules).hash];
    expect(new Set(hashes).size).toBe(3);
    expect(hashes[2]).toBe(intentHash(declared, rules));
  });

  it("take what is no JSON for another value each time, and tell lists apart that are declared to be keyed", () => {
    const intents = new KnownIntents();
    const declaredNow = (): unknown => ({ spec: { at: new Date(1) } });
    for (let time = 0; time < 2; time += 1) intents.of("a", declaredNow(), rules);
    expect(intents.of("a", declaredNow(), rules)).not.toBe(intents.of("a", declaredNow(), rules));
    const custom: ListRules = { builtin: false, kind: "Cache" };
    const declared = { spec: { doors: [{ name: "b" }, { name: "a" }] } };
    const keyed: ListRules = { ...custom, listKeys: { "spec.doors": ["name"] } };
    for (const each of [custom, custom, custom, keyed, keyed, keyed]) {
      expect(intents.of("b", declared, each).hash).toBe(intentHash(declared, each));
    }
  });

  it("remember which large object was as declared, until anything else is declared", () => {
    const intents = new KnownIntents();
    const declaredNow = (text: string): unknown => ({ data: { text } });
    const live = Object.freeze({});
    const text = "x".repeat(10_000);
    intents.of("a", declaredNow(text), rules);
    intents.of("a", declaredNow(text), rules).noteMetBy(live);
    expect(intents.of("a", declaredNow(text), rules).isMetBy(live)).toBe(true);
    expect(intents.of("a", declaredNow(text), rules).isMetBy(Object.freeze({}))).toBe(false);
    expect(intents.of("a", declaredNow(`${text}!`), rules).isMetBy(live)).toBe(false);
    expect(intents.of("a", declaredNow(text), rules).isMetBy(live)).toBe(false);
  });

  it("hold so much text and no more", () => {
    const intents = new KnownIntents();
    const live = Object.freeze({});
    const declared = (index: number): unknown => ({ data: { text: `${index}`.padEnd(500_000, "x") } });
    for (let index = 0; index < 100; index += 1) {
      intents.of(`${index}`, declared(index), rules);
      intents.of(`${index}`, declared(index), rules).noteMetBy(live);
    }
    const isKnown = (index: number): boolean => intents.of(`${index}`, declared(index), rules).isMetBy(live);
    expect([isKnown(99), isKnown(30), isKnown(10), isKnown(0)]).toEqual([true, true, false, false]);
  });
});

describe("a large map that nobody can change", () => {
  it("is shared, and not looked through again", () => {
    const source = counted(10_000);
    deepFreeze(source.map);
    expect(isUnchangeable(source.map)).toBe(true);
    source.looks = 0;
    const intents = new KnownIntents();
    const manifestNow = (): object => {
      const manifest = { kind: "ConfigMap", metadata: { name: "a" } };
      mergeSharing(manifest, { data: source.map }, rules);
      return manifest;
    };
    intents.of("a", manifestNow(), rules);
    intents.of("a", manifestNow(), rules);
    const once = source.looks;
    expect(once).toBeGreaterThan(0);
    intents.of("a", manifestNow(), rules);
    expect(source.looks).toBe(once);
  });

  it("is copied for whoever may change the copy, and when something is merged into it", () => {
    const map = deepFreeze(counted(100).map);
    const copy = copyOf({ data: map }) as { readonly data: Record<string, string> };
    copy.data["new"] = "1";
    const target: { data?: Record<string, string> } = {};
    mergeSharing(target, { data: map }, rules);
    expect(target.data).toBe(map);
    mergeSharing(target, { data: { new: "2" } }, rules);
    expect(target.data).toEqual({ ...map, new: "2" });
    expect(map).not.toHaveProperty("new");
  });

  it("is one that has nothing within it, and that was frozen here", () => {
    const nested = deepFreeze(Array.from({ length: 100 }, () => ({})));
    expect([nested, deepFreeze({}), Object.freeze(counted(100).map)].map(isUnchangeable)).toEqual([
      false,
      false,
      false,
    ]);
  });
});
