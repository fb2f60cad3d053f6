// What every API server makes of numbers and embedded resources in custom resources, and of the names of their definitions.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import type { Body, RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const values = "/apis/values.example.com/v1/namespaces/default/values";
const merge = { contentType: "application/merge-patch+json" };
const embedded = { type: "object", "x-kubernetes-embedded-resource": true };
const open = { ...embedded, "x-kubernetes-preserve-unknown-fields": true };

const spec = {
  type: "object",
  properties: {
    open,
    typed: { ...embedded, properties: { data: { type: "string" } } },
    list: { type: "array", items: open },
    map: { type: "object", additionalProperties: open },
    tenths: { type: "number", multipleOf: 0.1 },
    bounded: { type: "number", minimum: 1.5, maximum: 4.5, exclusiveMaximum: true },
    halves: { type: "number", multipleOf: 2.5 },
    whole: { type: "integer", multipleOf: 1.5, minimum: 0.5, maximum: 4.5 },
    replicas: { type: "integer" },
    even: { type: "integer", multipleOf: 2 },
  },
};

const statusSchema = {
  type: "object",
  properties: {
    replicas: { type: "integer" },
    counted: { type: "integer", maximum: 4.5 },
    either: { type: "integer", anyOf: [{ minimum: 5 }, { maximum: 2 }] },
  },
};

interface Names {
  readonly plural: string;
  readonly kind: string;
  readonly listKind?: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
}

function definitionOf(group: string, names: Names, properties: Body = {}, versionParts: Body = {}): Body {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${names.plural}.${group}` },
    spec: {
      group,
      scope: "Namespaced",
      names,
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties } },
          ...versionParts,
        },
      ],
    },
  };
}

/** Declares the cases. */
export function declareCustomValueCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const define = async (...definition: Parameters<typeof definitionOf>): Promise<void> => {
    expect((await send("POST", definitions, definitionOf(...definition))).status).toBe(201);
  };
  const create = (content: Body, query = ""): ReturnType<RawClient["send"]> =>
    send("POST", `${values}?dryRun=All${query}`, {
      apiVersion: "values.example.com/v1",
      kind: "Value",
      metadata: { name: "v" },
      spec: content,
    });

  beforeAll(async () => {
    await define(
      "values.example.com",
      { plural: "values", kind: "Value" },
      { spec, status: statusSchema },
      {
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
      },
    );
    await eventually(async () => expect((await send("GET", values)).status).toBe(200));
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/values.values.example.com`);
  });

  it("takes out what the metadata of an embedded resource does not have, and says so", async () => {
    const resource = (metadata: Body): Body => ({ apiVersion: "v1", kind: "X", metadata });
    const owner = { apiVersion: "v1", kind: "K", name: "n", uid: "u" };
    const given = {
      open: resource({ name: "a", bogus: 1, labels: { a: "b" } }),
      typed: { ...resource({ bogus: 2 }), unknown: true },
      list: [
        resource({ bogus: {} }),
        resource({ ownerReferences: [{ ...owner, odd: 1 }], managedFields: [], creationTimestamp: null }),
      ],
      map: { key: resource({ name: "m", bogus: 3 }) },
    };
    const { status, body, headers } = await create(given, "&fieldValidation=Warn");
    expect(status).toBe(201);
    expect(body["spec"]).toEqual({
      open: resource({ name: "a", labels: { a: "b" } }),
      typed: resource({}),
      list: [resource({}), resource({ ownerReferences: [owner] })],
      map: { key: resource({ name: "m" }) },
    });
    expect(JSON.stringify(body["metadata"])).not.toContain("bogus");
    const unknown = [
      "spec.typed.unknown",
      "spec.list[0].metadata.bogus",
      "spec.list[1].metadata.ownerReferences[0].odd",
      "spec.map[key].metadata.bogus",
      "spec.open.metadata.bogus",
      "spec.typed.metadata.bogus",
    ];
    const strict = await create(given, "&fieldValidation=Strict");
    expect([strict.status, strict.body["message"]]).toEqual([
      400,
      `Value in version "v1" cannot be handled as a Value: strict decoding error: ${unknown
        .map((path) => `unknown field "${path}"`)
        .join(", ")}`,
    ]);
    const warnings = [headers["warning"] ?? []].flat().join();
    for (const path of unknown) expect(warnings).toContain(`unknown field \\"${path}\\"`);
  });

  const tenthsAreNone = "factor MultipleOf declared for spec.tenths must be positive: 0";
  const isNoInteger = (name: string): string =>
    `${name} value must be of type integer (default format) in spec.whole`;
  it.each<[string, number, readonly string[]]>([
    ["tenths", 0.3, []],
    ["tenths", 0.25, ["spec.tenths in body should be a multiple of 0.1"]],
    ["tenths", 1, [tenthsAreNone]],
    ["tenths", 0, [tenthsAreNone]],
    ["halves", 2.5, []],
    ["halves", 6, []],
    ["halves", 5, ["spec.halves in body should be a multiple of 2"]],
    ["halves", 5.5, ["spec.halves in body should be a multiple of 2.5"]],
    ["bounded", 1, []],
    ["bounded", 1.25, ["spec.bounded in body should be greater than or equal to 1.5"]],
    ["bounded", 4, ["spec.bounded in body should be less than 4"]],
    ["bounded", 4.25, []],
    ["even", 4, []],
    ["even", -3, ["spec.even in body should be a multiple of 2"]],
    ["whole", 3, ["MultipleOf", "Minimum boundary", "Maximum boundary"].map(isNoInteger)],
  ])("judges %s of %d by what numbers they are", async (name, value, details) => {
    const { status, body } = await create({ [name]: value });
    const causes = (body["details"] as { causes?: { message: string }[] } | undefined)?.causes ?? [];
    expect([status, causes.map(({ message }) => message.replace(/^Invalid value: .*?: /, ""))]).toEqual([
      details.length === 0 ? 201 : 422,
      details,
    ]);
  });

  it.each(["[]", '"a"', "1", "true"])("refuses %s as metadata", async (metadata) => {
    const text = `{"apiVersion":"values.example.com/v1","kind":"Value","metadata":${metadata}}`;
    const { status, body } = await send("POST", values, text);
    expect(status).toBe(400);
    expect(body["message"]).toContain("into Go value of type v1.ObjectMeta");
  });

  it.each(["99999999999999999999", "1e30", "1.5"])("refuses the generation %s", async (generation) => {
    const metadata = `{"name":"g","generation":${generation}}`;
    const text = `{"apiVersion":"values.example.com/v1","kind":"Value","metadata":${metadata}}`;
    expect((await send("POST", values, text)).status).toBe(400);
  });

  it.each([-1, 3.5, "a", 99_999_999_999])("refuses a Scale of %j", async (replicas) => {
    const body = { apiVersion: "values.example.com/v1", kind: "Value", metadata: { name: "scaled" } };
    await send("POST", values, { ...body, spec: { replicas: 1 } });
    const path = `${values}/scaled/scale?dryRun=All`;
    const changed = await send("PATCH", path, { spec: { replicas } }, merge);
    const causes = (changed.body["details"] as { causes: { field: string }[] }).causes;
    const isNegative = replicas === -1;
    expect([changed.status, causes.map(({ field }) => field)]).toEqual([
      422,
      [isNegative ? ".spec.replicas" : "patch"],
    ]);
    const scale = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "scaled" } };
    expect((await send("PUT", path, { ...scale, spec: { replicas } })).status).toBe(isNegative ? 422 : 400);
  });

  it.each([
    [2_147_483_647, undefined],
    [2_147_483_648, "should be less than or equal to 2147483647"],
    [-1, "should be a non-negative integer"],
  ])("answers to %d replicas with %s", async (replicas, detail) => {
    const body = { apiVersion: "values.example.com/v1", kind: "Value", metadata: { name: "counted" } };
    await send("POST", values, body);
    const path = `${values}/counted`;
    const counted = { replicas };
    for (const { status, body: answer } of [
      await send("PATCH", `${path}?dryRun=All`, { spec: counted }, merge),
      await send("PATCH", `${path}/status?dryRun=All`, { status: counted }, merge),
    ]) {
      expect(status).toBe(detail === undefined ? 200 : 422);
      if (detail !== undefined) expect(answer["message"]).toContain(detail);
    }
  });

  it.each<[string, Body, string]>([
    ["a bound", { counted: 4 }, "Maximum boundary value must be of type integer (default format) in counted"],
    ["no schema of several", { either: 3 }, '"either" must validate at least one schema (anyOf)'],
  ])("blames the status as a whole for %s that does not hold", async (_what, status, message) => {
    const path = `${values}/blamed`;
    await send("POST", values, {
      apiVersion: "values.example.com/v1",
      kind: "Value",
      metadata: { name: "blamed" },
    });
    const { body } = await send("PATCH", `${path}/status?dryRun=All`, { status }, merge);
    const { causes = [] } = (body["details"] ?? {}) as { causes?: readonly Body[] };
    expect(causes[0]).toMatchObject({ field: "status", message: `Invalid value: "": ${message}` });
    await send("DELETE", path);
  });

  it.each<[string, Body]>([
    ["Maximum boundary value must be of type integer (default format) in ", { maximum: 4.5 }],
    ['"" must validate at least one schema (anyOf)', { anyOf: [{ minimum: 5 }, { maximum: 2 }] }],
  ])("blames a default with the words %j", async (message, schema) => {
    const properties = {
      spec: { type: "object", properties: { a: { type: "integer", default: 3, ...schema } } },
    };
    const definition = definitionOf(
      "defaults.example.com",
      { plural: "defaults", kind: "Default" },
      properties,
    );
    const { body } = await send("POST", `${definitions}?dryRun=All`, definition);
    const { causes = [] } = (body["details"] ?? {}) as { causes?: readonly Body[] };
    expect(causes[0]).toMatchObject({
      field: "spec.validation.openAPIV3Schema.properties[spec].properties[a].default",
      message: `Invalid value: "": ${message}`,
    });
  });

  it("accepts of a definition the names that no other has, and the others when they are free", async () => {
    const group = "names.example.com";
    const read = async (plural: string): Promise<{ accepted: Body; established: string | undefined }> => {
      const { status } = (await send("GET", `${definitions}/${plural}.${group}`)).body as {
        status: { acceptedNames: Body; conditions?: { type: string; status: string }[] };
      };
      const condition = status.conditions?.find(({ type }) => type === "Established");
      return { accepted: status.acceptedNames, established: condition?.status };
    };
    const settled = (plural: string, established: string, accepted: Body): Promise<void> =>
      eventually(async () => expect(await read(plural)).toEqual({ accepted, established }));

    await define(group, { plural: "as", kind: "A", listKind: "AList", shortNames: ["x", "y"] });
    const first = { plural: "as", singular: "a", kind: "A", listKind: "AList", shortNames: ["x", "y"] };
    await settled("as", "True", first);
    const second = { plural: "bs", singular: "b", kind: "B" };
    await define(group, { ...second, listKind: "AList", shortNames: ["b1"] });
    await settled("bs", "False", { ...second, shortNames: ["b1"] });
    await define(group, {
      plural: "cs",
      singular: "c",
      kind: "A",
      listKind: "CList",
      shortNames: ["z", "y", "x"],
    });
    await settled("cs", "False", { plural: "cs", singular: "c", kind: "", listKind: "CList" });
    // What is accepted is taken, though its definition is not established.
    await define(group, { plural: "ds", kind: "D", singular: "b", listKind: "CList", shortNames: ["d"] });
    await settled("ds", "False", { plural: "ds", kind: "D", shortNames: ["d"] });

    await send("DELETE", `${definitions}/as.${group}`);
    await settled("bs", "True", { ...second, listKind: "AList", shortNames: ["b1"] });
    const third = { plural: "cs", singular: "c", kind: "A", listKind: "CList", shortNames: ["z", "y", "x"] };
    await settled("cs", "True", third);
    for (const plural of ["bs", "cs", "ds"]) await send("DELETE", `${definitions}/${plural}.${group}`);
  });
}
