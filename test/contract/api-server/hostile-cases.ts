// What every API server answers to requests that would poison, fill or stop a careless one.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawClient } from "./raw-request.ts";

const maps = "/api/v1/namespaces/default/configmaps";
const opens = "/apis/hostile.example.com/v1/namespaces/default/opens";
const json = { contentType: "application/json-patch+json" };
const yaml = { contentType: "application/yaml" };
const inherited = '{"__proto__":{"x":1},"constructor":2,"hasOwnProperty":3,"toString":4,"valueOf":5}';

const definition: Body = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "opens.hostile.example.com" },
  spec: {
    group: "hostile.example.com",
    scope: "Namespaced",
    names: { plural: "opens", kind: "Open" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
              list: {
                type: "array",
                "x-kubernetes-preserve-unknown-fields": true,
                items: {
                  type: "object",
                  properties: { a: { type: "object", properties: { b: { type: "integer" } } } },
                },
              },
              declared: {
                type: "object",
                properties: { constructor: { type: "string" }, toString: { type: "integer" } },
              },
            },
          },
        },
      },
    ],
  },
};

/** Declares the cases. */
export function declareHostileCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const create = (name: string, content: string): ReturnType<RawClient["send"]> =>
    send(
      "POST",
      opens,
      `{"apiVersion":"hostile.example.com/v1","kind":"Open","metadata":{"name":"${name}"},${content}}`,
    );
  const read = async (name: string): Promise<Body> => (await send("GET", `${opens}/${name}`)).body;

  beforeAll(async () => {
    const created = await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    expect(created.status).toBe(201);
    await eventually(async () => expect((await send("GET", opens)).status).toBe(200));
  });
  afterAll(async () => {
    await send("DELETE", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/opens.hostile.example.com");
  });

  it("stores names that every object inherits like any other, and changes and deletes what has them", async () => {
    expect(
      (await create("poison", `"spec":${inherited},"declared":{"constructor":"c","toString":6}`)).status,
    ).toBe(201);
    expect(JSON.stringify((await read("poison"))["spec"])).toBe(inherited);
    expect((await read("poison"))["declared"]).toEqual({ constructor: "c", toString: 6 });
    expect((await send("GET", opens)).status).toBe(200);
    const changes = [
      { op: "test", path: "/spec/valueOf", value: 5 },
      { op: "add", path: "/spec/__proto__/y", value: 2 },
      { op: "remove", path: "/spec/hasOwnProperty" },
    ];
    expect((await send("PATCH", `${opens}/poison`, changes, json)).status).toBe(200);
    expect(JSON.stringify((await read("poison"))["spec"])).toBe(
      '{"__proto__":{"x":1,"y":2},"constructor":2,"toString":4,"valueOf":5}',
    );
    expect(
      (await send("PATCH", `${opens}/poison`, [{ op: "remove", path: "/spec/isPrototypeOf" }], json)).status,
    ).toBe(422);
    expect((await send("DELETE", `${opens}/poison`)).status).toBe(200);
  });

  it("takes such names as labels and data of its own types", async () => {
    const map = {
      apiVersion: "v1",
      kind: "ConfigMap",
      metadata: { name: "poison", labels: { constructor: "a", valueOf: "b" } },
      data: { toString: "c" },
    };
    expect((await send("POST", maps, map)).status).toBe(201);
    const named = async (selector: string): Promise<unknown> => {
      const { items } = (await send("GET", `${maps}?labelSelector=${selector}`)).body as {
        items: { metadata: Body }[];
      };
      return items.map(({ metadata }) => metadata["name"]);
    };
    expect(await named("constructor")).toEqual(["poison"]);
    expect(await named("hasOwnProperty")).toEqual([]);
    const strategic = { contentType: "application/strategic-merge-patch+json" };
    const patched = await send(
      "PATCH",
      `${maps}/poison`,
      { data: { toString: null, valueOf: "d" } },
      strategic,
    );
    expect(patched.body["data"]).toEqual({ valueOf: "d" });
    expect((await send("DELETE", `${maps}/poison`)).status).toBe(200);
  });

  it("reads long heads of requests, and many headers", async () => {
    const names = Array.from({ length: 4_000 }, (_, index) => `name-${index}`).join(",");
    expect((await send("GET", `${maps}?labelSelector=a%20in%20(${names})&limit=1`)).status).toBe(200);
    expect((await send("GET", `/version?a=${"b".repeat(900_000)}`)).status).toBe(200);
    const long = { headers: { "X-Long": "a".repeat(60_000) } };
    expect((await send("GET", "/version", undefined, long)).status).toBe(200);
    const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`X-${index}`, "a"]));
    const last = { headers: { ...many, Accept: "application/yaml" } };
    expect((await send("GET", `${maps}?limit=1`, undefined, last)).headers["content-type"]).toBe(
      yaml.contentType,
    );
  });

  it("limits what the copies of a patch add up to, and the number of its operations", async () => {
    await create("copies", `"spec":{"a":"${"x".repeat(1_000)}","l":[1]}`);
    const copies = (count: number): unknown[] =>
      Array.from({ length: count }, (_, index) => ({ op: "copy", from: "/spec", path: `/spec/c${index}` }));
    expect((await send("PATCH", `${opens}/copies`, copies(16), json)).body).toMatchObject({
      code: 422,
      reason: "Invalid",
    });
    expect((await send("PATCH", `${opens}/copies`, copies(3), json)).status).toBe(200);
    const tests = (count: number): unknown[] =>
      Array.from({ length: count }, () => ({ op: "test", path: "/spec/l/0", value: 1 }));
    expect((await send("PATCH", `${opens}/copies`, tests(10_000), json)).status).toBe(200);
    expect((await send("PATCH", `${opens}/copies`, tests(10_001), json)).status).toBe(413);
  });

  it.each([
    [{ op: "add", path: "", value: {} }, 422],
    [{ op: "test", path: "/spec/absent" }, 200],
    [{ op: "copy", from: "/spec/absent", path: "/spec/null" }, 200],
    [{ op: "move", from: "/spec/absent", path: "/spec/x" }, 422],
    [{ op: "add", path: "/spec/l/-9", value: 1 }, 422],
    [{ op: 5, path: "/a" }, 400],
    [{ op: "replace", path: "/metadata/labels", value: "x" }, 422],
    [{ op: "replace", path: "/metadata/uid", value: "other" }, 422],
    [{ op: "replace", path: "/metadata", value: null }, 400],
    [{ op: "remove", path: "/kind" }, 422],
  ])("answers the operation %j with %i", async (operation, status) => {
    await create("operations", '"spec":{"l":[1]}');
    expect((await send("PATCH", `${opens}/operations`, [operation], json)).status).toBe(status);
  });

  it("keeps what a list with unknown fields holds, and prunes below what is declared", async () => {
    await create("list", '"list":[{"a":{"b":1,"c":2},"d":{"e":[1]}}]');
    expect((await read("list"))["list"]).toEqual([{ a: { b: 1 }, d: { e: [1] } }]);
  });

  it("reads back what is nested deep, and refuses what is nested without end", async () => {
    const nested = (depth: number): string => `"spec":${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`;
    expect((await create("deep", nested(900))).status).toBe(201);
    expect((await send("GET", `${opens}/deep`)).text).toContain(nested(900));
    const merge = { contentType: "application/merge-patch+json" };
    expect((await send("PATCH", `${opens}/deep`, `{${nested(901)}}`, merge)).status).toBe(200);
    expect((await create("endless", nested(20_000))).body).toMatchObject({ code: 400, reason: "BadRequest" });
  });

  it.each([
    ["aliases", "spec: {a: &x {b: 1}, c: *x}\n", 201],
    ["aliases of aliases without end", `spec:\n${bomb(9)}`, 400],
    ["a value within itself", "spec: &s {a: *s}\n", 400],
    ["an unknown alias", "spec: {a: *nope}\n", 400],
    ["lists without end", `spec: {a: ${"[".repeat(20_000)}${"]".repeat(20_000)}}\n`, 400],
    ["infinity", "spec: {a: .inf}\n", 400],
    ["names that objects inherit", `spec: ${inherited}\n`, 201],
  ])("reads or refuses YAML with %s", async (_name, text, status) => {
    const head = "apiVersion: hostile.example.com/v1\nkind: Open\nmetadata: {generateName: yaml-}\n";
    expect((await send("POST", opens, head + text, yaml)).status).toBe(status);
  });

  it("refuses a number that no double holds", async () => {
    expect((await create("number", '"spec":{"a":1e400}')).status).toBe(400);
  });

  it.each([
    ["//", 404],
    ["/api//v1", 404],
    ["/api/v1/namespaces//configmaps", 200],
    [`${maps}/a%2Fb`, 404],
    [`${maps}?limit=%zz`, 200],
    [`${maps}?labelSelector=a;b`, 200],
    [`${maps}?labelSelector=a,,b`, 400],
    [`${maps}?labelSelector=-a`, 400],
    ["/readyz/nope", 404],
  ])("answers GET %s with %i", async (path, status) => {
    expect((await send("GET", path)).status).toBe(status);
  });

  it("keeps no half of a character", async () => {
    const object = {
      metadata: { name: "half", annotations: { "a.b/c": "\udc00" } },
      data: { a: "x\ud800y" },
    };
    const { status, body } = await send("POST", `${maps}?dryRun=All`, object);
    expect([status, body["data"], (body["metadata"] as Body)["annotations"]]).toEqual([
      201,
      { a: "x\ufffdy" },
      { "a.b/c": "\ufffd" },
    ]);
  });

  it.each([
    ["a type that is no text", { type: 5 }],
    ["properties that are no schemas", { type: "object", properties: { a: "string" } }],
    ["rules that are no list", { type: "object", "x-kubernetes-validations": {} }],
  ])("refuses a definition whose schema has %s", async (_name, openAPIV3Schema) => {
    const names = { plural: "others", kind: "Other" };
    const version = { name: "v1", served: true, storage: true, schema: { openAPIV3Schema } };
    const spec = { group: "hostile.example.com", scope: "Namespaced", names, versions: [version] };
    const body = { ...definition, metadata: { name: "others.hostile.example.com" }, spec };
    const answer = await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", body);
    expect(answer.body).toMatchObject({ code: 400, reason: "BadRequest" });
  });
}

function bomb(levels: number): string {
  const lines = [`  a0: &a0 [${Array(10).fill("x").join(",")}]`];
  for (let level = 1; level <= levels; level += 1) {
    lines.push(
      `  a${level}: &a${level} [${Array(10)
        .fill(`*a${level - 1}`)
        .join(",")}]`,
    );
  }
  return `${lines.join("\n")}\n`;
}
