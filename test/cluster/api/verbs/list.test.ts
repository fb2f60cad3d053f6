import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configMap, createTestApi, refusalOf } from "../support/test-api.ts";

describe("list", () => {
  it("pages through a snapshot: what changes meanwhile is not seen", () => {
    const api = createTestApi();
    for (const name of ["a", "b", "c", "d"]) api.create("configmaps", configMap(name));
    const first = api.list("configmaps", "limit=2");
    expect(first.items.map((each) => each.metadata.name)).toEqual(["a", "b"]);
    expect(first.remainingItemCount).toBe(2);
    api.delete("configmaps", "c");
    api.create("configmaps", configMap("e"));
    const second = api.list("configmaps", `limit=2&continue=${first.continue}`);
    expect(second.items.map((each) => each.metadata.name)).toEqual(["c", "d"]);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    expect(second.continue).toBeUndefined();
  });

  it("gives every object exactly once, whatever the page size", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 1, max: 5 }), (count, limit) => {
        const api = createTestApi();
        for (let index = 0; index < count; index += 1) api.create("configmaps", configMap(`n${index}`));
        const seen: string[] = [];
        let token: string | undefined;
        do {
          const page = api.list(
            "configmaps",
            `limit=${limit}${token === undefined ? "" : `&continue=${token}`}`,
          );
          seen.push(...page.items.map((each) => each.metadata.name));
          token = page.continue;
        } while (token !== undefined);
        expect(seen).toEqual(api.list("configmaps").items.map((each) => each.metadata.name));
      }),
      { numRuns: 30 },
    );
  });

  it("tells no remaining count with a selector", () => {
    const api = createTestApi();
    for (const name of ["a", "b"]) api.create("configmaps", configMap(name, {}, { labels: { x: "y" } }));
    const page = api.list("configmaps", "limit=1&labelSelector=x%3Dy");
    expect(page.continue).toBeDefined();
    expect(page.remainingItemCount).toBeUndefined();
  });

  it("ignores the limit when any version will do, and reads an exact one when asked", () => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    const { resourceVersion } = api.list("configmaps");
    api.create("configmaps", configMap("b"));
    expect(api.list("configmaps", "resourceVersion=0&limit=1").items).toHaveLength(2);
    expect(
      api.list("configmaps", `resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`).items,
    ).toHaveLength(1);
    expect(
      api.list("configmaps", `resourceVersion=${resourceVersion}&resourceVersionMatch=NotOlderThan`).items,
    ).toHaveLength(2);
  });

  it("answers 410 with a way on when the pages' revision is forgotten", () => {
    const api = createTestApi();
    for (const name of ["a", "b", "c"]) api.create("configmaps", configMap(name));
    const first = api.list("configmaps", "limit=2");
    api.create("configmaps", configMap("d"));
    api.core.store.compact();
    const refusal = refusalOf(() => api.list("configmaps", `limit=2&continue=${first.continue}`));
    expect(refusal).toMatchObject({ code: 410, reason: "Expired" });
    const rest = api.list("configmaps", `limit=2&continue=${refusal.metadata.continue}`);
    expect(rest.items.map((each) => each.metadata.name)).toEqual(["c", "d"]);
  });

  it.each([
    ["resourceVersion=abc", 400],
    ["resourceVersion=999999", 504],
    ["continue=abc", 400],
    ["resourceVersionMatch=Exact", 422],
    ["resourceVersion=0&resourceVersionMatch=Exact", 422],
    ["resourceVersion=1&resourceVersionMatch=Zed", 422],
    ["sendInitialEvents=true", 422],
    ["labelSelector=%3D%3D", 400],
  ])("refuses %s with %i", (query, code) => {
    const api = createTestApi();
    api.create("configmaps", configMap("a"));
    expect(refusalOf(() => api.list("configmaps", query)).code).toBe(code);
  });
});
