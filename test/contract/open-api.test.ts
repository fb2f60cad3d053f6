// What both servers say of their types in OpenAPI: what fields mean, which requests there are, and the same of custom types, in each form.
import { afterAll, beforeAll, expect, it } from "vitest";
import { readMessage } from "../../src/cluster/api/protobuf/wire-reader.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type Body, type RawClient } from "./api-server/raw-request.ts";

interface Schema {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Body>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

const documents = [
  "api/v1",
  "apis/apps/v1",
  "apis/batch/v1",
  "apis/networking.k8s.io/v1",
  "apis/rbac.authorization.k8s.io/v1",
  "apis/apiextensions.k8s.io/v1",
];

/** Structs and fields of which Kubernetes says nothing either. */
const wordless = /\.(JSONSchemaProps|ExternalDocumentation|WatchEvent\.type|IngressRule\.http)$/;

const group = "open-api.example.com";

const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind: "Widget", plural: "widgets" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
        },
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A widget.",
            properties: {
              spec: {
                type: "object",
                required: ["size"],
                properties: {
                  size: { type: "integer", minimum: 1, description: "How large.", default: 3 },
                  port: {
                    "x-kubernetes-int-or-string": true,
                    anyOf: [{ type: "integer" }, { type: "string" }],
                  },
                  open: { "x-kubernetes-preserve-unknown-fields": true },
                  none: { type: "string", nullable: true },
                  words: { type: "object", additionalProperties: { type: "string" } },
                  one: {
                    type: "object",
                    oneOf: [{ required: ["a"] }],
                    properties: { a: { type: "string" } },
                  },
                  list: {
                    type: "array",
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["name"],
                    items: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
                  },
                  rule: {
                    type: "string",
                    enum: ["a", "b"],
                    "x-kubernetes-validations": [{ rule: "self != 'c'" }],
                  },
                },
              },
              status: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
            },
          },
        },
      },
    ],
  },
};
const [{ schema }] = definition.spec.versions as [(typeof definition.spec.versions)[0]];
const { spec, status } = schema.openAPIV3Schema.properties;
const said = expect.stringMatching(/\w{3,}/) as unknown;

const objectFields = (metadata: object): object => ({
  apiVersion: { description: said, type: "string" },
  kind: { description: said, type: "string" },
  metadata: { description: said, ...metadata },
});
const ofKind = (kind: string): object => ({
  "x-kubernetes-group-version-kind": [{ group, version: "v1", kind }],
});
const name = "com.example.open-api.v1.Widget";
const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

describeOnEachApiServer("what is said of types in OpenAPI", (server) => {
  let client: RawClient;
  const get = async (path: string, accept?: string) => {
    const answer = await client.send("GET", path, undefined, accept === undefined ? {} : { accept });
    expect(answer.status, path).toBe(200);
    return answer;
  };
  const documentAt = async (path: string): Promise<Document> =>
    (await get(`/openapi/v3/${path}`)).body as unknown as Document;
  const v2 = async (): Promise<Readonly<Record<string, Schema>>> =>
    (await get("/openapi/v2")).body["definitions"] as Readonly<Record<string, Schema>>;

  beforeAll(async () => {
    client = createRawClient(server());
    const created = await client.send(
      "POST",
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      definition,
    );
    expect(created.status).toBe(201);
    await eventually(async () => {
      expect(Object.keys((await get("/openapi/v3")).body["paths"] as Body)).toContain(`apis/${group}/v1`);
      expect(Object.keys(await v2())).toContain(name);
    });
  });
  afterAll(() => client.close());

  it.each(documents)("says what each type and each field of it means, in %s", async (path) => {
    const { components } = await documentAt(path);
    const structs = Object.entries(components.schemas).filter(
      ([each, { properties }]) => !wordless.test(each) && properties !== undefined,
    );
    const silent = structs.flatMap(([each, { description, properties = {} }]) => [
      ...(description === undefined ? [each] : []),
      ...Object.keys(properties).flatMap((field) =>
        properties[field]?.description === undefined && !wordless.test(`${each}.${field}`)
          ? [`${each}.${field}`]
          : [],
      ),
    ]);
    expect(structs.length).toBeGreaterThan(10);
    expect(silent).toEqual([]);
  });

  it.each(documents)(
    "refers to nothing that is not there, and names each operation once, in %s",
    async (path) => {
      const document = await documentAt(path);
      const referred = [...JSON.stringify(document).matchAll(/"#\/components\/schemas\/([^"]+)"/g)];
      const missing = referred
        .map(([, each = ""]) => each)
        .filter((each) => !(each in document.components.schemas));
      expect(missing).toEqual([]);
      const ids = Object.values(document.paths).flatMap((methods) =>
        Object.values(methods).flatMap(({ operationId }) =>
          typeof operationId === "string" ? [operationId] : [],
        ),
      );
      expect(ids.length).toBeGreaterThan(10);
      expect(new Set(ids).size).toBe(ids.length);
    },
  );

  it("names the requests of a type", async () => {
    const { paths } = await documentAt("apis/apps/v1");
    const found = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId, "x-kubernetes-action": action }]) =>
        path.includes("deployments") && typeof operationId === "string"
          ? [[path, method, operationId, action].join(" ")]
          : [],
      ),
    );
    const root = "/apis/apps/v1";
    const many = `${root}/namespaces/{namespace}/deployments`;
    const id = "AppsV1NamespacedDeployment";
    expect(found.toSorted()).toEqual(
      [
        `${root}/deployments get listAppsV1DeploymentForAllNamespaces list`,
        `${many} get list${id} list`,
        `${many} post create${id} post`,
        `${many} delete deleteAppsV1CollectionNamespacedDeployment deletecollection`,
        `${many}/{name} get read${id} get`,
        `${many}/{name} put replace${id} put`,
        `${many}/{name} delete delete${id} delete`,
        `${many}/{name} patch patch${id} patch`,
        ...["scale", "status"].flatMap((each) =>
          ["get read get", "put replace put", "patch patch patch"].map((line) => {
            const [method = "", verb = "", action = ""] = line.split(" ");
            const capital = each.charAt(0).toUpperCase() + each.slice(1);
            return `${many}/{name}/${each} ${method} ${verb}${id}${capital} ${action}`;
          }),
        ),
        `${root}/watch/deployments get watchAppsV1DeploymentListForAllNamespaces watchlist`,
        `${root}/watch/namespaces/{namespace}/deployments get watch${id}List watchlist`,
        `${root}/watch/namespaces/{namespace}/deployments/{name} get watch${id} watch`,
      ].toSorted(),
    );
  });

  it("says of a custom type what its definition says, in version 3", async () => {
    const { components, paths } = await documentAt(`apis/${group}/v1`);
    const reference = (to: string): object => ({ $ref: `#/components/schemas/${to}` });
    expect(components.schemas[name]).toEqual({
      description: "A widget.",
      type: "object",
      properties: { ...objectFields({ allOf: [reference(`${meta}.ObjectMeta`)] }), spec, status },
      ...ofKind("Widget"),
    });
    expect(components.schemas[`${name}List`]).toEqual({
      description: "WidgetList is a list of Widget",
      type: "object",
      required: ["items"],
      properties: {
        ...objectFields({ allOf: [reference(`${meta}.ListMeta`)] }),
        items: { description: said, type: "array", items: reference(name) },
      },
      ...ofKind("WidgetList"),
    });
    const of = `/apis/${group}/v1/namespaces/{namespace}/widgets`;
    expect(Object.keys(paths).toSorted()).toEqual(
      [
        `/apis/${group}/v1/widgets`,
        of,
        ...["", "/scale", "/status"].map((each) => `${of}/{name}${each}`),
      ].toSorted(),
    );
  });

  it("says in what forms a patch is taken: kubectl sends the strategic one wherever it is named", async () => {
    const forms = ["apply-patch+yaml", "json-patch+json", "merge-patch+json"].map(
      (each) => `application/${each}`,
    );
    const strategic = "application/strategic-merge-patch+json";
    const inVersion2 = (await get("/openapi/v2")).body["paths"] as Document["paths"];
    for (const [root, plural, taken] of [
      [`apis/${group}/v1`, "widgets", forms],
      ["apis/apps/v1", "deployments", [...forms, strategic]],
    ] as const) {
      const { paths } = await documentAt(root);
      const one = `/${root}/namespaces/{namespace}/${plural}/{name}`;
      for (const path of ["", "/scale", "/status"].map((each) => `${one}${each}`)) {
        const body = paths[path]?.["patch"]?.["requestBody"] as { readonly content: object } | undefined;
        expect(Object.keys(body?.content ?? {}).toSorted(), path).toEqual(taken);
        const consumed = inVersion2[path]?.["patch"]?.["consumes"] as readonly string[] | undefined;
        expect(consumed?.toSorted(), path).toEqual(taken);
      }
    }
  });

  it("says of it in version 2 what can be said there", async () => {
    const definitions = await v2();
    const reference = (to: string): object => ({ $ref: `#/definitions/${to}` });
    const { port, none, one, size, ...others } = spec.properties;
    expect([Object.keys(port).length, Object.keys(none).length, Object.keys(one).length]).toEqual([2, 2, 3]);
    expect(definitions[name]).toEqual({
      description: "A widget.",
      type: "object",
      properties: {
        ...objectFields(reference(`${meta}.ObjectMeta`)),
        spec: {
          type: "object",
          required: ["size"],
          properties: {
            ...others,
            size: { type: size.type, minimum: size.minimum, description: size.description },
            port: { "x-kubernetes-int-or-string": true },
            none: {},
            one: { type: "object", properties: one.properties },
          },
        },
        status: { "x-kubernetes-preserve-unknown-fields": true },
      },
      ...ofKind("Widget"),
    });
  });

  it("has all types in version 2, in JSON and in the form that clients of Kubernetes' own library ask for", async () => {
    const definitions = await v2();
    const referred = [...JSON.stringify(definitions).matchAll(/"#\/definitions\/([^"]+)"/g)];
    expect(referred.map(([, each = ""]) => each).filter((each) => !(each in definitions))).toEqual([]);
    const type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    const { bytes, headers } = await get("/openapi/v2", type);
    expect(headers["content-type"]).toBe(type);
    const fieldOf = (of: Buffer, number: number): readonly Buffer[] =>
      readMessage(of).flatMap(({ number: each, value }) =>
        each === number && Buffer.isBuffer(value) ? [value] : [],
      );
    const [all = Buffer.alloc(0)] = fieldOf(bytes, 9);
    const named = new Map(
      fieldOf(all, 1).map((each) => [
        fieldOf(each, 1)[0]?.toString(),
        fieldOf(each, 2)[0] ?? Buffer.alloc(0),
      ]),
    );
    expect(new Set(named.keys())).toEqual(new Set(Object.keys(definitions)));
    const deployment = "io.k8s.api.apps.v1.DeploymentSpec";
    const encoded = named.get(deployment) ?? Buffer.alloc(0);
    expect(fieldOf(encoded, 4).map(String)).toEqual([definitions[deployment]?.description]);
    expect(fieldOf(encoded, 19).map(String)).toEqual(["selector", "template"]);
    const fields = fieldOf(fieldOf(encoded, 25)[0] ?? Buffer.alloc(0), 1).map((each) =>
      String(fieldOf(each, 1)[0]),
    );
    expect(fields.toSorted()).toEqual(Object.keys(definitions[deployment]?.properties ?? {}).toSorted());
  });
});
