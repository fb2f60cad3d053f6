// What the columns of custom resources show, by their paths and types; what definitions say of metadata and of deprecated versions.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "columns.example.com";
const objects = (version: string) => `/apis/${group}/${version}/namespaces/default/columned`;
const asTable = { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" };
const spec = {
  list: [
    { x: "a", n: 1 },
    { x: "b", n: 2 },
    { x: "c", n: 3 },
  ],
  mixed: [{ n: 1 }, { n: 1.5 }],
  map: { a: 1, b: "two" },
  object: { z: [1, "<a>"], a: null },
  nothing: null,
  number: 1.5,
};
const columns: readonly (readonly [jsonPath: string, type: string, cell: unknown])[] = [
  [".spec.list[-1:].x", "string", "c"],
  [".spec.list[0:2].x", "string", "a"],
  [".spec.list[1:].x", "string", "b"],
  [".spec.list[-2:-1].x", "string", "b"],
  [".spec.list[2:1].x", "string", null],
  [".spec.list[1,2].x", "string", "b"],
  [".spec.list[*].x", "string", "a"],
  ["..x", "string", "a"],
  [".spec['map','list'].a", "string", "1"],
  [".spec.list[?(@.n>1)].x", "string", "b"],
  [".spec.list[?(@.n<=1)].x", "string", "a"],
  [".spec.mixed[?(@.n>=1)].n", "string", null],
  [".spec.object", "string", String.raw`{"a":null,"z":[1,"\u003ca\u003e"]}`],
  [".spec.nothing", "string", "<no value>"],
  [".spec.nothing", "integer", null],
  [".spec.number", "integer", 1],
  [".spec.number", "number", 1.5],
  [".spec.map.b", "date", "<invalid>"],
  [".spec.number", "date", null],
];

function definition(versions: readonly Body[]): Body {
  const names = { plural: "columned", kind: "Columned" };
  return { metadata: { name: `columned.${group}` }, spec: { group, scope: "Namespaced", names, versions } };
}

function version(name: string, more: Body = {}, metadata: Body = {}): Body {
  const free = { type: "object", "x-kubernetes-preserve-unknown-fields": true };
  const properties = { spec: free, metadata: { type: "object", ...metadata } };
  return {
    name,
    served: true,
    storage: false,
    schema: { openAPIV3Schema: { type: "object", properties } },
    ...more,
  };
}

/** Declares the cases. */
export function declareCustomColumnCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  let cells: readonly unknown[] = [];

  beforeAll(async () => {
    const additionalPrinterColumns = columns.map(([jsonPath, type], index) => ({
      name: `Column ${index}`,
      type,
      jsonPath,
    }));
    const { body } = await send(
      "POST",
      definitions,
      definition([
        version("v2", { storage: true, additionalPrinterColumns }),
        version("v1", { deprecated: true }),
        version("v3", { deprecated: true }),
        version("v4beta1", { deprecated: true }),
      ]),
    );
    expect(body["message"]).toBeUndefined();
    await eventually(async () => {
      const apiVersion = `${group}/v2`;
      const object = { apiVersion, kind: "Columned", metadata: { name: "one" }, spec };
      expect((await send("POST", objects("v2"), object)).status).toBe(201);
    });
    const table = await send("GET", objects("v2"), undefined, asTable);
    const [row] = table.body["rows"] as readonly { cells: readonly unknown[] }[];
    cells = row?.cells.slice(1) ?? [];
  });
  afterAll(async () => {
    await send("DELETE", `${objects("v2")}/one`);
    await send("DELETE", `${definitions}/columned.${group}`);
  });

  it.each(columns.map((column, index) => ({ column, index })))(
    "shows $column",
    ({ column: [, , cell], index }) => {
      expect(cells[index]).toBe(cell);
    },
  );

  it("complains of nothing that an update leaves as it is, wherever the items of a map list are now", async () => {
    const named = {
      type: "object",
      required: ["k"],
      properties: { k: { type: "string" }, v: { type: "integer" } },
    };
    const list = {
      type: "array",
      items: named,
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
    };
    const withList = (more: Body): Body => {
      const properties = { spec: { type: "object", properties: { list: { ...list, ...more } } } };
      return {
        metadata: { name: `ratcheted.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural: "ratcheted", kind: "Ratcheted" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", properties } },
            },
          ],
        },
      };
    };
    await send("POST", definitions, withList({}));
    const path = `/apis/${group}/v1/namespaces/default/ratcheted`;
    const [a, b] = [
      { k: "a", v: 5 },
      { k: "b", v: 6 },
    ];
    await eventually(async () => {
      const object = {
        apiVersion: `${group}/v1`,
        kind: "Ratcheted",
        metadata: { name: "one" },
        spec: { list: [a, b] },
      };
      expect((await send("POST", path, object)).status).toBe(201);
    });
    const known = (await send("GET", `${definitions}/ratcheted.${group}`)).body;
    const stricter = withList({
      maxItems: 1,
      items: { ...named, properties: { k: { type: "string" }, v: { type: "integer", maximum: 2 } } },
    });
    const { resourceVersion } = known["metadata"] as Body;
    await send("PUT", `${definitions}/ratcheted.${group}`, {
      ...stricter,
      metadata: { name: `ratcheted.${group}`, resourceVersion },
    });
    const merge = { contentType: "application/merge-patch+json" };
    const listed = async (list: readonly Body[], query = "") => {
      const { body } = await send("PATCH", `${path}/one${query}`, { spec: { list } }, merge);
      return body["message"];
    };
    // Until the server holds it against the new schema, and never stored: nothing is said of what is as it was.
    await eventually(async () =>
      expect(await listed([a, b, { k: "c" }], "?dryRun=All")).toMatch(/must have at most 1 item,?/),
    );
    expect(await listed([b, a])).toBeUndefined();
    expect(await listed([b, { k: "a", v: 4 }])).toMatch(
      /less than or equal to 2.*must have at most 1 item[^s]/,
    );
    await send("DELETE", `${definitions}/ratcheted.${group}`);
  });

  it.each([
    ["v1", "; use columns.example.com/v2 Columned"],
    ["v3", ""],
    ["v4beta1", "; use columns.example.com/v2 Columned"],
  ])("says of the deprecated version %s what to use: %j", async (name, instead) => {
    const { headers } = await send("GET", objects(name));
    expect(headers["warning"]).toBe(`299 - "${group}/${name} Columned is deprecated${instead}"`);
  });

  it.each([
    { description: "x" },
    { required: ["name"] },
    { "x-kubernetes-preserve-unknown-fields": true },
    { additionalProperties: { type: "string" } },
    { minProperties: 1 },
    { anyOf: [{ required: ["name"] }] },
    { default: {} },
  ])("refuses to say of metadata %j", async (said) => {
    const storage = { storage: true };
    const other = definition([version("v1", storage, said)]);
    const { body } = await send("POST", `${definitions}?dryRun=All`, other);
    const at = "spec.validation.openAPIV3Schema.properties[metadata]";
    const cause =
      "default" in said
        ? { field: `${at}.default`, message: "Forbidden: must not be set in top-level metadata" }
        : {
            field: at,
            message:
              "Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified",
          };
    expect(body).toMatchObject({ code: 422, details: { causes: [cause] } });
  });
}
