// What every API server answers to values that its types cannot hold.
import { beforeAll, describe, expect, it } from "vitest";
import type { RawClient } from "./raw-request.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const deployments = "/apis/apps/v1/namespaces/default/deployments";
const yaml = { contentType: "application/yaml" };
const apply = { contentType: "application/apply-patch+yaml" };
const merge = { contentType: "application/merge-patch+json" };
const jsonPatch = { contentType: "application/json-patch+json" };

/** Declares the cases. */
export function declareUnreadableValueCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const statusOf = async (...request: Parameters<RawClient["send"]>): Promise<number> =>
    (await send(...request)).status;
  const map = (metadata: string, data = ""): string =>
    `{"apiVersion":"v1","kind":"ConfigMap","metadata":${metadata}${data}}`;
  const create = (text: string): Promise<number> => statusOf("POST", `${maps}?dryRun=All`, text);
  beforeAll(async () => {
    await send("POST", maps, map('{"name":"there"}'));
    const labels = { app: "there" };
    await send("POST", deployments, {
      metadata: { name: "there" },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } },
      },
    });
  });

  it.each([
    ["7", 201],
    ["-1", 422],
    ["9223372036854775807", 201],
    ["99999999999999999999", 400],
    ["-99999999999999999999", 400],
    ["1e30", 400],
    ["1.5", 400],
    ['"1"', 400],
  ])("answers to the generation %s with %i", async (generation, status) => {
    expect(await create(map(`{"name":"g","generation":${generation}}`))).toBe(status);
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: g\n  generation: ${generation}\n`;
    expect(await statusOf("POST", `${maps}?dryRun=All`, text, yaml)).toBe(status);
  });

  it.each([-1, 3.5, 2_147_483_648, 99_999_999_999])("refuses %d replicas", async (replicas) => {
    const change = { spec: { replicas } };
    const path = `${deployments}/there`;
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "there" }, ...change };
    expect([
      await statusOf("PATCH", `${path}?dryRun=All`, change, merge),
      await statusOf("PATCH", `${path}/scale?dryRun=All`, change, merge),
      await statusOf("PUT", `${path}/scale?dryRun=All`, scale),
    ]).toEqual([422, 422, replicas === -1 ? 422 : 400]);
  });

  it.each(["[]", '[{"name":"a"}]', '"a"', "1", "true"])("refuses %s as metadata", async (metadata) => {
    expect(await create(map(metadata))).toBe(400);
    expect(await statusOf("PUT", `${maps}/there`, map(metadata))).toBe(400);
    expect(await statusOf("PATCH", `${maps}/there`, `{"metadata":${metadata}}`, merge)).toBe(422);
  });

  it.each([
    ['"\\uD83D"', 400],
    ['"\\uD83D\\uDE00"', 400],
    ['"a\\uDE00b"', 400],
    ['"\\U0000D83D"', 400],
    ['"\\U00110000"', 400],
    ['"\\U0001F600"', 201],
    ['"\\\\uD83D"', 201],
    ["'\\uD83D'", 201],
    ["\\uD83D", 201],
  ])("answers to %s in YAML with %i", async (value, status) => {
    const text = `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: g\ndata:\n  a: ${value}\n`;
    const { status: answered, body } = await send("POST", `${maps}?dryRun=All`, text, yaml);
    expect(answered).toBe(status);
    const message = "found invalid Unicode character escape code";
    if (status === 400) expect(body["message"]).toContain(message);
    const applied = `${maps}/g?dryRun=All&fieldManager=a`;
    expect(await statusOf("PATCH", applied, text, apply)).toBe(status);
  });

  describe("a JSON patch of the whole", () => {
    const named = { metadata: { name: "there" } };
    const own = { apiVersion: "v1", kind: "ConfigMap" };
    it.each<[unknown, number]>([
      [{}, 400],
      [own, 400],
      [{ apiVersion: "v1" }, 400],
      [named, 400],
      [{ kind: "ConfigMap", ...named }, 400],
      [{ kind: "Other" }, 422],
      [{ ...own, kind: "Secret", ...named }, 422],
      [[], 422],
      [null, 422],
      ["a", 422],
      [1, 422],
      [{ ...own, ...named, data: { a: "b" } }, 200],
    ])("answers to %j with the status %i", async (value, status) => {
      const patch = [{ op: "replace", path: "", value }];
      const answer = await send("PATCH", `${maps}/there?dryRun=All`, JSON.stringify(patch), jsonPatch);
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.body["data"]).toEqual({ a: "b" });
    });

    it.each([
      [jsonPatch, [{ op: "remove", path: "/apiVersion" }]],
      [merge, { apiVersion: null, kind: null }],
    ])("cannot tell the name of an object without a version: %j", async (type, patch) => {
      expect(await statusOf("PATCH", `${maps}/there?dryRun=All`, JSON.stringify(patch), type)).toBe(400);
    });
  });
}
