// What every API server does with CRDs and custom resources.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const foos = "/apis/contract.example.com/v1/namespaces/default/foos";
const merge = { contentType: "application/merge-patch+json" };

const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      required: ["image"],
      properties: {
        image: { type: "string", minLength: 1 },
        replicas: { type: "integer", default: 1, maximum: 10 },
        mode: { type: "string", enum: ["A", "B"] },
        tags: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
        free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        inner: {
          type: "object",
          "x-kubernetes-embedded-resource": true,
          "x-kubernetes-preserve-unknown-fields": true,
        },
        rows: {
          type: "array",
          items: {
            type: "object",
            required: ["key"],
            properties: { key: { type: "string" } },
          },
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["key"],
        },
        fixed: {
          type: "string",
          "x-kubernetes-validations": [{ rule: "self == oldSelf", message: "is fixed" }],
        },
      },
      "x-kubernetes-validations": [
        {
          rule: "!has(self.replicas) || self.replicas != 7",
          message: "seven is unlucky",
          reason: "FieldValueForbidden",
          fieldPath: ".replicas",
        },
      ],
    },
    status: { type: "object", properties: { phase: { type: "string" }, replicas: { type: "integer" } } },
  },
};

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "foos.contract.example.com" },
  spec: {
    group: "contract.example.com",
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", shortNames: ["fo"] },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: schema },
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        additionalPrinterColumns: [
          { name: "Image", type: "string", jsonPath: ".spec.image" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        selectableFields: [{ jsonPath: ".spec.mode" }],
      },
    ],
  },
};

const { rows } = schema.properties.spec.properties;
const nullableRows = { ...rows, items: { ...rows.items, nullable: true } };

const foo = (name: string, spec: Body = {}, content: Body = {}): Body => ({
  apiVersion: "contract.example.com/v1",
  kind: "Foo",
  metadata: { name },
  spec: { image: "i", ...spec },
  ...content,
});

/** Declares the cases. */
export function declareCustomCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);

  beforeAll(async () => {
    expect((await send("POST", definitions, definition)).status).toBe(201);
    await eventually(async () => expect((await send("GET", foos)).status).toBe(200));
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/${definition.metadata.name}`);
  });

  it("reports accepted names and establishment", async () => {
    const { body } = await send("GET", `${definitions}/${definition.metadata.name}`);
    expect(body["status"]).toMatchObject({
      acceptedNames: { plural: "foos", listKind: "FooList" },
      storedVersions: ["v1"],
      conditions: [
        { type: "NamesAccepted", status: "True", reason: "NoConflicts" },
        { type: "Established", status: "True", reason: "InitialNamesAccepted" },
      ],
    });
  });

  it("prunes with a warning, defaults, drops the status, counts generations", async () => {
    const created = await send(
      "POST",
      foos,
      foo("f1", { unknown: 1, free: { x: { y: 1 } } }, { status: { phase: "no" } }),
    );
    expect(created.headers["warning"]).toBe('299 - "unknown field \\"spec.unknown\\""');
    expect(created.body["spec"]).toEqual({ image: "i", replicas: 1, free: { x: { y: 1 } } });
    expect(created.body["status"]).toBeUndefined();
    const generation = async (patch: Body, path = `${foos}/f1`): Promise<unknown> =>
      metadataOf((await send("PATCH", path, patch, merge)).body)["generation"];
    expect(await generation({ metadata: { labels: { a: "b" } } })).toBe(1);
    expect(await generation({ status: { phase: "yes" } }, `${foos}/f1/status`)).toBe(1);
    expect(await generation({ spec: { replicas: 2 } })).toBe(2);
  });

  it.each([
    [{ image: "" }, ["spec.image"]],
    [{ replicas: 11 }, ["spec.replicas"]],
    [{ replicas: -1 }, [".spec.replicas"]],
    [{ replicas: "x" }, [".spec.replicas", "<nil>", "spec.replicas"]],
    [{ mode: "Z" }, ["<nil>", "spec.mode"]],
    [{ tags: ["a", "a"] }, ["spec.tags[1]"]],
    [{ replicas: 7 }, ["spec.replicas"]],
  ])("refuses %j", async (spec, fields) => {
    const { body } = await send("POST", foos, foo("bad", spec));
    expect(body).toMatchObject({
      code: 422,
      reason: "Invalid",
      details: { name: "bad", group: "contract.example.com", kind: "Foo" },
    });
    expect(
      (body["details"] as { causes: { field: string }[] }).causes.map((cause) => cause.field).sort(),
    ).toEqual(fields);
  });

  it("runs transition rules on updates, not on the first value", async () => {
    await send("POST", foos, foo("f2"));
    expect((await send("PATCH", `${foos}/f2`, { spec: { fixed: "a" } }, merge)).status).toBe(200);
    expect((await send("PATCH", `${foos}/f2`, { spec: { fixed: "b" } }, merge)).body["message"]).toBe(
      'Foo.contract.example.com "f2" is invalid: spec.fixed: Invalid value: "b": is fixed',
    );
  });

  it("needs a resourceVersion to replace, on both endpoints", async () => {
    await send("POST", foos, foo("f3"));
    for (const path of [`${foos}/f3`, `${foos}/f3/status`]) {
      expect((await send("PUT", path, foo("f3"))).body).toMatchObject({
        code: 422,
        details: { kind: "foos", causes: [{ field: "metadata.resourceVersion" }] },
      });
    }
  });

  it("scales by the paths of the CRD, within the schema", async () => {
    await send("POST", foos, foo("f4"));
    const scale = (replicas: number): Body => ({
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "f4", namespace: "default" },
      spec: { replicas },
    });
    expect((await send("PUT", `${foos}/f4/scale`, scale(5))).body["spec"]).toEqual({ replicas: 5 });
    expect((await send("PUT", `${foos}/f4/scale`, scale(50))).status).toBe(422);
    expect((await send("GET", `${foos}/f4`)).body["spec"]).toEqual({ image: "i", replicas: 5 });
  });

  it("takes no strategic merge, selects by declared fields, lists complete items", async () => {
    const strategic = { contentType: "application/strategic-merge-patch+json" };
    expect((await send("PATCH", `${foos}/f1`, {}, strategic)).status).toBe(415);
    await send("POST", foos, foo("f5", { mode: "B" }));
    const { body } = await send("GET", `${foos}?fieldSelector=spec.mode%3DB`);
    expect(body["items"]).toMatchObject([
      { apiVersion: "contract.example.com/v1", kind: "Foo", metadata: { name: "f5" } },
    ]);
    expect((await send("GET", `${foos}?fieldSelector=spec.image%3Di`)).body["message"]).toBe(
      "field label not supported: spec.image",
    );
  });

  it("refuses nulls in what an apply has merged, where another write drops them", async () => {
    const nothing = { image: "i", tags: null, replicas: null, free: { x: null } };
    const written = await send("POST", foos, foo("f7", nothing));
    expect(written.body["spec"]).toEqual({ image: "i", replicas: 1, free: { x: null } });
    const applied = await send("PATCH", `${foos}/f8?fieldManager=a`, foo("f8", nothing), {
      contentType: "application/apply-patch+yaml",
    });
    expect(applied.body).toMatchObject({
      code: 422,
      details: { causes: [{ field: "spec.tags" }, { field: "<nil>" }] },
    });
  });

  it("reads the metadata of embedded resources", async () => {
    const inner = { apiVersion: "v1", kind: "X", metadata: { labels: "x" } };
    const { body } = await send("POST", foos, foo("f9", { image: "i", inner }));
    expect(body).toMatchObject({ code: 400, reason: "BadRequest" });
    expect(body["message"]).toContain('spec.inner.metadata: Invalid value: {"labels":"x"}: ');
  });

  it("holds the metadata of embedded resources to the rules of metadata", async () => {
    const inner = { apiVersion: "v1", kind: "Pod", metadata: { labels: { "-": "x" } } };
    const { body } = await send("POST", foos, foo("f10", { image: "i", inner }));
    expect(body["details"]).toMatchObject({ causes: [{ field: "spec.inner.metadata.labels" }] });
  });

  it("deletes a definition without a period of grace and without counting it", async () => {
    const name = "shorts.contract.example.com";
    const names = { plural: "shorts", kind: "Short" };
    await send("POST", definitions, {
      ...definition,
      metadata: { name },
      spec: { ...definition.spec, names },
    });
    const { metadata } = (await send("DELETE", `${definitions}/${name}`)).body as { metadata: Body };
    expect(metadata).toMatchObject({ generation: 1, deletionTimestamp: expect.any(String) as string });
    expect(metadata).not.toHaveProperty("deletionGracePeriodSeconds");
  });

  it("applies to the status on its own endpoint, with its own owner", async () => {
    await send("POST", foos, foo("f6"));
    const apply = { contentType: "application/apply-patch+yaml" };
    const manifest = {
      apiVersion: "contract.example.com/v1",
      kind: "Foo",
      metadata: { name: "f6" },
      status: { phase: "x" },
    };
    const { body } = await send("PATCH", `${foos}/f6/status?fieldManager=st`, manifest, apply);
    expect(metadataOf(body)["managedFields"]).toMatchObject([
      {
        manager: "st",
        operation: "Apply",
        subresource: "status",
        fieldsV1: { "f:status": { "f:phase": {} } },
      },
      { manager: "contract", operation: "Update" },
    ]);
    const absent = { ...manifest, metadata: { name: "absent" } };
    expect((await send("PATCH", `${foos}/absent/status?fieldManager=st`, absent, apply)).status).toBe(404);
  });

  it("says once of a key that its items share it, however many they are", async () => {
    const given = [{ key: "a" }, { key: "a" }, { key: "b" }, { key: "a" }];
    const { body } = await send("POST", foos, foo("f11", { rows: given, tags: ["x", "x", "x"] }));
    const { causes } = body["details"] as { causes: readonly Body[] };
    expect(causes.map(({ field }) => String(field)).toSorted()).toEqual(["spec.rows[1]", "spec.tags[1]"]);
  });

  it("prefers finalizers with a domain, and names the path that is missing", async () => {
    const finalizers = ["plain", "kubernetes", "example.com", "example.com/a"];
    const metadata = { name: "f12", finalizers };
    const { headers } = await send("POST", `${foos}?dryRun=All`, { ...foo("f12"), metadata });
    const preferred = (name: string, path: string): string =>
      `metadata.finalizers: \\"${name}\\": prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`;
    expect([headers["warning"] ?? []].flat().join(", ")).toBe(
      [preferred("example.com", " including a path (/)"), preferred("plain", "")]
        .map((each) => `299 - "${each}"`)
        .join(", "),
    );
  });

  it.each([
    ["another name", { ...definition, metadata: { name: "other.contract.example.com" } }, "metadata.name"],
    [
      "no schema",
      {
        ...definition,
        metadata: { name: "bars.contract.example.com" },
        spec: {
          ...definition.spec,
          names: { plural: "bars", kind: "Bar" },
          versions: [{ name: "v1", served: true, storage: true }],
        },
      },
      "spec.versions[0].schema.openAPIV3Schema",
    ],
    [
      "rows that may be null",
      {
        ...definition,
        metadata: { name: "bars.contract.example.com" },
        spec: {
          ...definition.spec,
          names: { plural: "bars", kind: "Bar" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", properties: { rows: nullableRows } } },
            },
          ],
        },
      },
      "spec.validation.openAPIV3Schema.properties[rows].items.nullable",
    ],
  ])("refuses a CRD with %s", async (_what, body, field) => {
    const answer = await send("POST", definitions, body);
    expect(answer.body).toMatchObject({
      code: 422,
      details: { causes: expect.arrayContaining([expect.objectContaining({ field })]) as unknown },
    });
  });

  it.each<[string, Body, string, string?]>([
    [
      "metadata before its version",
      { apiVersion: "other/v2", kind: "Other", metadata: { name: "x", labels: { a: 1 } } },
      'Other in version "v2" cannot be handled as a Foo: json: cannot unmarshal number into',
    ],
    [
      "metadata before a version that is missing",
      { apiVersion: "", kind: "Foo", metadata: { name: "x", labels: { a: 1 } } },
      'Foo in version "" cannot be handled as a Foo: json: cannot unmarshal number into',
    ],
    [
      "version before its kind",
      { apiVersion: "other/v2", kind: "Other", metadata: { name: "x" } },
      "the API version in the data (other/v2) does not match the expected API version (contract.example.com/v1)",
    ],
    [
      "kind, and knows no more fields than those of the metadata",
      {
        apiVersion: "contract.example.com/v1",
        kind: "Other",
        metadata: { name: "x", strange: 1 },
        spec: { image: "i", strange: 1 },
      },
      'Other.contract.example.com "x" is invalid: kind: Invalid value: "Other": must be Foo',
      '299 - "unknown field \\"metadata.strange\\""',
    ],
  ])("refuses an object by its %s", async (_what, object, message, warning) => {
    const { body, headers } = await send("POST", foos, object);
    expect(body["message"]).toContain(message);
    expect(headers["warning"]).toBe(warning);
  });

  it("answers that a deletion would leave nothing with what is known of a type without schema", async () => {
    const made = { apiVersion: "contract.example.com/v1", kind: "Foo", metadata: { name: "left" } };
    await send("POST", foos, { ...made, spec: { image: "i" } });
    await send("DELETE", `${foos}/left?propagationPolicy=Orphan`);
    const { body } = await send("DELETE", `${foos}/left?propagationPolicy=Background&dryRun=All`);
    expect(body).toEqual({ apiVersion: "contract.example.com/v1", kind: "Foo" });
    await send("DELETE", `${foos}/left?propagationPolicy=Background`);
  });
}
