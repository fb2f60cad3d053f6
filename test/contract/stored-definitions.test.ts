// In which form a CustomResourceDefinition is stored, who owns which of its fields, and what one without its parts is refused with.
import { describe, expect, it } from "vitest";
import { ApiError } from "../../src/client/api-error.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { doubleField, envelope, field, mapField, message } from "../support/protobuf-message.ts";
import { createRawClient, type RawAnswer } from "./api-server/raw-request.ts";

const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const about = { apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition" };
const column = { name: "Size", type: "integer", jsonPath: ".spec.size" };

interface Stored {
  readonly metadata: { readonly managedFields: readonly Record<string, unknown>[] };
  readonly spec: { readonly versions: readonly { readonly additionalPrinterColumns: unknown }[] };
  readonly status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

describeOnEachApiServer("a CustomResourceDefinition", (server) => {
  it("is stored without zero priorities, with its status owned by the API server", async () => {
    const name = "boxes.stored.example.com";
    const version = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
      additionalPrinterColumns: [
        { ...column, priority: 0 },
        { ...column, priority: 1 },
      ],
    };
    const names = { plural: "boxes", kind: "Box", shortNames: ["bx"] };
    const spec = { group: "stored.example.com", scope: "Cluster", names, versions: [version] };
    await server().client.request({ method: "POST", path, body: { ...about, metadata: { name }, spec } });
    const stored = await eventually(async () => {
      const now = (await server().client.request({ method: "GET", path: `${path}/${name}` })) as Stored;
      expect(now.status.conditions?.find(({ type }) => type === "Established")?.status).toBe("True");
      return now;
    });
    expect(stored.spec.versions[0]?.additionalPrinterColumns).toEqual([column, { ...column, priority: 1 }]);
    const condition = {
      ".": {},
      "f:lastTransitionTime": {},
      "f:message": {},
      "f:reason": {},
      "f:status": {},
      "f:type": {},
    };
    expect(stored.metadata.managedFields.find(({ manager }) => manager === "kube-apiserver")).toMatchObject({
      operation: "Update",
      subresource: "status",
      fieldsV1: {
        "f:status": {
          "f:acceptedNames": {
            "f:kind": {},
            "f:listKind": {},
            "f:plural": {},
            "f:shortNames": {},
            "f:singular": {},
          },
          "f:conditions": {
            'k:{"type":"Established"}': condition,
            'k:{"type":"NamesAccepted"}': condition,
          },
        },
      },
    });
  });

  it.each(["application/json", "application/vnd.kubernetes.protobuf"])(
    "sent as %s is stored without what its schemas leave empty",
    async (contentType) => {
      const raw = createRawClient(server());
      const metadata = { name: "crates.sent.example.com" };
      const body = contentType.endsWith("json") ? crateInJson(metadata) : crateInProtobuf(metadata.name);
      try {
        const sent = await raw.send("POST", `${path}?dryRun=All`, body, { contentType });
        expect(sent.status, sent.text).toBe(201);
        expect(sent.body["spec"]).toEqual({
          ...crate,
          conversion: { strategy: "None" },
          names: { ...crate.names, singular: "crate", listKind: "CrateList" },
        });
        // In the order of the fields, too.
        const schemas = JSON.stringify((sent.body["spec"] as { versions: unknown }).versions);
        expect(schemas).toBe(JSON.stringify(crate.versions));
      } finally {
        await raw.close();
      }
    },
  );

  it("without its parts is refused with each of them", async () => {
    const body = { ...about, metadata: { name: "boxes.parts.example.com" }, spec: {} };
    const refused = await server()
      .client.request({ method: "POST", path, body })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ApiError);
    const causes = (refused as ApiError).details.causes ?? [];
    expect(causes.map(({ field, message }) => `${field}: ${message}`).toSorted()).toEqual([
      'metadata.name: Invalid value: "boxes.parts.example.com": must be spec.names.plural+"."+spec.group',
      "spec.group: Required value",
      "spec.names.kind: Required value",
      "spec.names.listKind: Required value",
      "spec.names.plural: Required value",
      "spec.names.singular: Required value",
      "spec.scope: Required value",
      "spec.versions: Invalid value: null: must have exactly one version marked as storage version",
      "status.storedVersions: Invalid value: null: must have at least one stored version",
    ]);
  });

  it("is taken with a warning of each format that is not known, and is new", async () => {
    const raw = createRawClient(server());
    const text = (type: string, format: string): object => ({ type, format });
    const of = (name: string, storage: boolean, properties: object): object => ({
      name,
      served: true,
      storage,
      schema: { openAPIV3Schema: { type: "object", properties } },
    });
    const spec = (more: object): object => {
      const properties = {
        a: text("string", "ip"),
        b: text("string", "date-time"),
        c: text("integer", "int16"),
        d: { type: "array", items: text("number", "float32") },
        e: { type: "object", additionalProperties: text("object", "uuid") },
        f: { "x-kubernetes-int-or-string": true, ...text("", "int-or-string"), type: undefined },
        ...more,
      };
      const versions = [
        of("v1", true, properties),
        of("v2", false, { ...properties, g: text("string", "ip") }),
      ];
      return {
        group: "warned.example.com",
        scope: "Cluster",
        names: { plural: "tins", kind: "Tin" },
        versions,
      };
    };
    const own = `${path}/tins.warned.example.com`;
    const warnings = ({ headers }: RawAnswer): readonly string[] =>
      [headers["warning"] ?? []]
        .flat()
        .flatMap((header) => [...header.matchAll(/unrecognized format \\"([^"\\]*)/g)])
        .map(([, format = ""]) => format)
        .toSorted();
    try {
      const metadata = { name: "tins.warned.example.com" };
      const created = await raw.send("POST", path, { ...about, metadata, spec: spec({}) });
      expect([created.status, warnings(created)]).toEqual([
        201,
        ["float32", "int-or-string", "int16", "ip", "uuid"],
      ]);
      const merge = { contentType: "application/merge-patch+json" };
      const changed = await raw.send("PATCH", own, { spec: spec({ h: text("string", "new") }) }, merge);
      expect([changed.status, warnings(changed)]).toEqual([200, ["new"]]);
    } finally {
      await raw.send("DELETE", own);
      await raw.close();
    }
  });

  it("keeps by what its objects are found and read", async () => {
    const raw = createRawClient(server());
    const version = {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: { type: "object" } },
    };
    const names = { plural: "cans", kind: "Can" };
    const spec = { group: "kept.example.com", scope: "Namespaced", names, versions: [version] };
    const metadata = { name: "cans.kept.example.com" };
    const own = `${path}/${metadata.name}`;
    const second = { ...version, name: "v2" };
    try {
      expect((await raw.send("POST", path, { ...about, metadata, spec })).status).toBe(201);
      await eventually(async () => {
        const { body } = await raw.send("GET", own);
        expect((body as unknown as Stored).status.conditions).toContainEqual(
          expect.objectContaining({ type: "Established", status: "True" }),
        );
      });
      const causesOf = async (change: object): Promise<readonly string[]> => {
        const merge = { contentType: "application/merge-patch+json" };
        const { body } = await raw.send("PATCH", `${own}?dryRun=All`, { spec: change }, merge);
        const { causes = [] } = (body["details"] ?? {}) as { causes?: { reason: string; field: string }[] };
        return causes.map(({ reason, field }) => `${reason.replace("FieldValue", "")} ${field}`);
      };
      const answers = {
        group: await causesOf({ group: "other.example.com" }),
        plural: await causesOf({ names: { ...names, plural: "jugs" } }),
        kind: await causesOf({ names: { ...names, kind: "Jug" } }),
        scope: await causesOf({ scope: "Cluster" }),
        "the stored version": await causesOf({ versions: [second] }),
        "no versions": await causesOf({ versions: [] }),
        "two stored versions": await causesOf({ versions: [version, second] }),
        "a short name": await causesOf({ names: { ...names, shortNames: ["c.n"] } }),
      };
      expect(answers).toEqual({
        group: ["Invalid spec.group"],
        plural: ["Invalid spec.names.plural"],
        kind: ["Invalid spec.names.kind"],
        scope: ["Invalid spec.scope"],
        "the stored version": ["Invalid status.storedVersions[0]"],
        "no versions": ["Invalid spec.versions", "Invalid status.storedVersions[0]"],
        "two stored versions": ["Invalid spec.versions", "Invalid status.storedVersions"],
        "a short name": ["Invalid spec.names.shortNames[0]"],
      });
    } finally {
      await raw.send("DELETE", own);
      await raw.close();
    }
  });

  describe("of a group of the community", () => {
    const annotation = "api-approved.kubernetes.io";
    const group = "stored.k8s.io";
    const names = { plural: "jars", kind: "Jar" };
    const versions = [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
    ];
    const body = (approved?: string): object => ({
      ...about,
      metadata: {
        name: `jars.${group}`,
        ...(approved === undefined ? {} : { annotations: { [annotation]: approved } }),
      },
      spec: { group, scope: "Cluster", names, versions },
    });
    const see = "see https://github.com/kubernetes/enhancements/pull/1111";
    const must = `protected groups must have approval annotation "${annotation}"`;

    it.each([
      [undefined, `Required value: ${must}, ${see}`],
      ["me", `Invalid value: "me": ${must} with either a URL or a reason starting with "unapproved", ${see}`],
    ])("is refused with the approval %s", async (approved, message) => {
      const refused = await server()
        .client.request({ method: "POST", path, body: body(approved) })
        .catch((error: unknown) => error);
      const field = `metadata.annotations[${annotation}]`;
      expect((refused as ApiError).details.causes).toMatchObject([{ field, message }]);
    });

    it.each([
      ["https://example.com/1", "True", "ApprovedAnnotation", "approved in https://example.com/1"],
      ["unapproved, as a test", "False", "UnapprovedAnnotation", 'not approved: "unapproved, as a test"'],
    ])("tells of the approval %s", async (approved, status, reason, message) => {
      const { client } = server();
      const own = `${path}/jars.${group}`;
      await client.request({ method: "POST", path, body: body(approved) });
      await eventually(async () => {
        const now = (await client.request({ method: "GET", path: own })) as Stored;
        const type = "KubernetesAPIApprovalPolicyConformant";
        expect(now.status.conditions).toContainEqual(
          expect.objectContaining({ type, status, reason, message }),
        );
      });
      await client.request({ method: "DELETE", path: own });
      await eventually(() =>
        expect(client.request({ method: "GET", path: own })).rejects.toMatchObject({ status: 404 }),
      );
    });
  });
});

const rule = { rule: "self.size > 0", message: "too small", reason: "FieldValueForbidden" };
const crate = {
  group: "sent.example.com",
  names: { plural: "crates", kind: "Crate" },
  scope: "Namespaced",
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: {
        openAPIV3Schema: {
          description: "a crate",
          type: "object",
          required: ["size"],
          properties: {
            any: { "x-kubernetes-preserve-unknown-fields": true },
            items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
            labels: { type: "object", additionalProperties: { type: "string" } },
            more: { type: "object", additionalProperties: true },
            name: { type: "string", maxLength: 9, pattern: "^a", nullable: true },
            port: { anyOf: [{ type: "integer" }, { type: "string" }], "x-kubernetes-int-or-string": true },
            size: {
              type: "number",
              default: 3,
              maximum: 9.5,
              minimum: 1,
              exclusiveMinimum: true,
              enum: [3, 4],
            },
          },
          "x-kubernetes-validations": [rule],
        },
      },
      subresources: { status: {} },
    },
  ],
};

/** The crate with what is empty in it. */
function crateInJson(metadata: object): object {
  const [version] = crate.versions;
  const { openAPIV3Schema } = version!.schema;
  const { properties } = openAPIV3Schema;
  const nothing = {
    id: "",
    $schema: "",
    title: "",
    format: "",
    pattern: "",
    nullable: false,
    uniqueItems: false,
  };
  const none = { enum: [], allOf: [], required: [], properties: {} };
  const schema = {
    ...openAPIV3Schema,
    ...nothing,

    not: null,
    properties: {
      ...properties,
      any: { ...properties.any, ...nothing, type: "", "x-kubernetes-embedded-resource": false },
      items: { ...properties.items, ...none, exclusiveMaximum: false, "x-kubernetes-list-map-keys": [] },
      labels: { ...properties.labels, ...none, "x-kubernetes-validations": [] },
      name: { ...properties.name, description: "", "x-kubernetes-int-or-string": false },
    },
    "x-kubernetes-validations": [{ ...rule, messageExpression: "", fieldPath: "" }],
  };
  return {
    ...about,
    metadata,
    spec: { ...crate, versions: [{ ...version, deprecated: false, schema: { openAPIV3Schema: schema } }] },
  };
}

/** The crate as clients in Go send it: with the empty and the false fields that are no pointers. */
function crateInProtobuf(name: string): Buffer {
  const schema = (type: string, ...more: readonly Buffer[]): Buffer => {
    const texts = [1, 2, 4, 6, 7, 15].map((number) => field(number, ""));
    const flags = [10, 12, 18, 37, 39, 40].map((number) => field(number, 0));
    return message(...texts, ...flags, field(5, type), ...more);
  };
  const text = schema("string");
  const json = (value: unknown): Buffer => field(1, JSON.stringify(value));
  const open = schema(
    "object",
    field(4, "a crate"),
    field(23, "size"),
    mapField(29, {
      any: schema("", field(38, 1)),
      items: schema("array", field(24, field(1, text)), field(42, "set")),
      labels: schema("object", field(30, message(field(1, 1), field(2, text)))),
      more: schema("object", field(30, field(1, 1))),
      name: schema("string", field(13, 9), field(15, "^a"), field(37, 1)),
      port: schema("", field(27, schema("integer")), field(27, text), field(40, 1)),
      size: schema(
        "number",
        message(field(8, json(3)), doubleField(9, 9.5), doubleField(11, 1), field(12, 1)),
        ...[3, 4].map((each) => field(20, json(each))),
      ),
    }),
    field(
      44,
      message(field(1, rule.rule), field(2, rule.message), field(3, ""), field(4, rule.reason), field(5, "")),
    ),
  );
  const version = message(
    field(1, "v1"),
    field(2, 1),
    field(3, 1),
    field(4, field(1, open)),
    field(5, field(1, Buffer.alloc(0))),
    field(7, 0),
  );
  const names = message(field(1, "crates"), field(2, ""), field(4, "Crate"), field(5, ""));
  const spec = message(
    field(1, crate.group),
    field(3, names),
    field(4, crate.scope),
    field(7, version),
    field(10, 0),
  );
  const status = message(field(2, message(field(1, ""), field(4, ""))));
  const raw = message(field(1, field(1, name)), field(2, spec), field(3, status));
  return envelope(about.apiVersion, about.kind, raw);
}
