// What every API server answers to lists and watches.
import { beforeAll, expect, it } from "vitest";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const namespace = "reading";
const maps = `/api/v1/namespaces/${namespace}/configmaps`;
const merge = { contentType: "application/merge-patch+json" };
const namesOf = ({ body }: { readonly body: Body }): string[] =>
  (body["items"] as Body[]).map((item) => String(metadataOf(item)["name"]));
const configMap = (name: string, group: string): Body => ({
  metadata: { name, labels: { group } },
  data: { a: "1" },
});

/** Declares the cases. */
export function declareReadCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const revision = async (): Promise<string> =>
    String(metadataOf((await send("GET", maps)).body)["resourceVersion"]);

  beforeAll(async () => {
    await send("POST", "/api/v1/namespaces", { metadata: { name: namespace } });
    for (const [name, group] of [
      ["l1", "odd"],
      ["l2", "even"],
      ["l3", "odd"],
    ] as const) {
      await send("POST", maps, configMap(name, group));
    }
    // Every namespace of a full cluster has one of these.
    await send("DELETE", `${maps}/kube-root-ca.crt`);
  });

  it("lists items without kind and version, of an absent namespace none", async () => {
    const { body } = await send("GET", maps);
    expect(body["kind"]).toBe("ConfigMapList");
    expect(Object.keys((body["items"] as Body[])[0] ?? {})).toEqual(["metadata", "data"]);
    expect((await send("GET", "/api/v1/namespaces/absent/configmaps")).body["items"]).toEqual([]);
  });

  it.each([
    ["curl/8.5.0", "", true],
    ["Wget/1.21", "", true],
    ["Mozilla/5.0 (X11)", "", true],
    ["curl/8.5.0", "?pretty=false", false],
    ["curl/8.5.0", "?pretty=", true],
    ["contract/1.0", "", false],
    ["contract/1.0", "?pretty=", false],
    ["contract/1.0", "?pretty=1", true],
    ["contract/1.0", "?pretty=T", true],
    ["contract/1.0", "?pretty=yes", false],
  ])("indents for %s%s: %s", async (userAgent, query, isIndented) => {
    const paths = [`${maps}/l1`, maps, `${maps}/none`, "/api", "/api/v1", "/apis", "/apis/apps"];
    for (const path of paths) {
      const { text, body } = await send("GET", path + query, undefined, { userAgent });
      const expected = isIndented ? JSON.stringify(body, undefined, 2) : `${JSON.stringify(body)}\n`;
      expect(text, path).toBe(expected);
    }
    const version = await send("GET", `/version${query}`, undefined, { userAgent });
    expect(version.text).toBe(JSON.stringify(version.body, undefined, 2));
  });

  it.each([
    ["PartialObjectMetadata", (partial: Body) => partial],
    [
      "Table",
      (partial: Body) => ({
        kind: "Table",
        apiVersion: "meta.k8s.io/v1",
        metadata: { resourceVersion: metadataOf(partial)["resourceVersion"] },
        columnDefinitions: null,
        rows: [{ cells: ["", 0, "<unknown>"], object: partial }],
      }),
    ],
  ])("tells a watch as %s where it is in that form, too", async (as, formOf) => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=1";
    const accept = `application/json;as=${as};g=meta.k8s.io;v=v1`;
    const { text } = await send("GET", `${maps}?${query}`, undefined, { accept });
    const events = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { readonly type: string; readonly object: Body })
      // Shortly before its end a watch may get another bookmark.
      .slice(0, 4);
    expect(events.map(({ type }) => type)).toEqual(["ADDED", "ADDED", "ADDED", "BOOKMARK"]);
    expect(new Set(events.map(({ object }) => object["kind"]))).toEqual(new Set([as]));
    const told = events.at(-1)?.object ?? {};
    const metadata = {
      resourceVersion: String(metadataOf(told)["resourceVersion"]),
      annotations: { "k8s.io/initial-events-end": "true" },
    };
    expect(told).toEqual(formOf({ kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata }));
  });

  it("pages through the snapshot of the first page", async () => {
    const first = await send("GET", `${maps}?limit=2`);
    expect(namesOf(first)).toEqual(["l1", "l2"]);
    const { continue: token, remainingItemCount, resourceVersion } = metadataOf(first.body);
    expect(remainingItemCount).toBe(1);
    await send("POST", maps, configMap("l9", "odd"));
    const second = await send("GET", `${maps}?limit=2&continue=${String(token)}`);
    expect(namesOf(second)).toEqual(["l3"]);
    expect(metadataOf(second.body)["resourceVersion"]).toBe(resourceVersion);
    await send("DELETE", `${maps}/l9`);
  });

  it.each([
    ["labelSelector=group%3Dodd", ["l1", "l3"]],
    ["labelSelector=group%20in%20(odd)%2C!other", ["l1", "l3"]],
    ["fieldSelector=metadata.name%3Dl2", ["l2"]],
    ["resourceVersion=0&limit=1", ["l1", "l2", "l3"]],
  ])("%s selects %j", async (query, names) => {
    expect(namesOf(await send("GET", `${maps}?${query}`))).toEqual(names);
  });

  it.each([
    ["resourceVersion=abc", 400, 'invalid resource version: resourceVersion: Invalid value: "abc"'],
    ["continue=abc", 400, "invalid continue token: continue key is not valid"],
    ["labelSelector=%3D%3D", 400, "found '==', expected: !, identifier, or 'end of string'"],
    ["fieldSelector=data.a%3D1", 400, '"data.a" is not a known field selector'],
    [
      "resourceVersionMatch=Exact",
      422,
      "resourceVersionMatch is forbidden unless resourceVersion is provided",
    ],
    [
      "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
      422,
      "sendInitialEvents is forbidden for list",
    ],
    [
      "watch=true&sendInitialEvents=true",
      422,
      "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan",
    ],
    ["watch=true&resourceVersion=abc", 500, 'resourceVersion: Invalid value: "abc"'],
    ["watch=true&timeoutSeconds=abc", 400, 'strconv.ParseInt: parsing "abc": invalid syntax'],
  ])("refuses %s with %i", async (query, status, message) => {
    const answer = await send("GET", `${maps}?${query}`);
    expect(answer.status).toBe(status);
    expect(answer.body["message"]).toContain(message);
  });

  it("answers a list from the future with 504", async () => {
    const future = Number(await revision()) + 1_000_000;
    expect((await send("GET", `${maps}?resourceVersion=${future}`)).body).toMatchObject({
      code: 504,
      reason: "Timeout",
      details: { causes: [{ reason: "ResourceVersionTooLarge" }], retryAfterSeconds: 1 },
    });
  });

  it("watches from a version: complete objects, and a deletion at its own version", async () => {
    const from = await revision();
    await send("POST", maps, configMap("w1", "new"));
    await send("PATCH", `${maps}/w1`, { data: { a: "2" } }, merge);
    await send("DELETE", `${maps}/w1`);
    const { lines } = await client().watch(`${maps}?watch=true&resourceVersion=${from}`, 3);
    expect(lines.map((line) => line.type)).toEqual(["ADDED", "MODIFIED", "DELETED"]);
    expect(lines[0]?.object).toMatchObject({ kind: "ConfigMap", apiVersion: "v1" });
    const versions = lines.map((line) => Number(metadataOf(line.object)["resourceVersion"]));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
  });

  it("tells objects that leave a selector as deleted, with their last state in it", async () => {
    const from = await revision();
    await send("PATCH", `${maps}/l1`, { metadata: { labels: { group: "none" } }, data: { b: "2" } }, merge);
    await send("PATCH", `${maps}/l1`, { metadata: { labels: { group: "odd" } }, data: { b: null } }, merge);
    const { lines } = await client().watch(
      `${maps}?watch=true&labelSelector=group%3Dodd&resourceVersion=${from}`,
      2,
    );
    expect(lines.map((line) => line.type)).toEqual(["DELETED", "ADDED"]);
    expect(lines[0]?.object["data"]).toEqual({ a: "1" });
    expect(metadataOf(lines[0]?.object ?? {})["labels"]).toEqual({ group: "odd" });
  });

  it("streams a list and marks its end", async () => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";
    const { lines } = await client().watch(`${maps}?${query}`, 4);
    expect(lines.map((line) => line.type)).toEqual(["ADDED", "ADDED", "ADDED", "BOOKMARK"]);
    expect(lines[3]?.object).toMatchObject({
      kind: "ConfigMap",
      apiVersion: "v1",
      metadata: { annotations: { "k8s.io/initial-events-end": "true" } },
    });
  });

  it("ends a watch after timeoutSeconds, without an event", async () => {
    const { lines, ended } = await client().watch(
      `${maps}?watch=true&timeoutSeconds=1&resourceVersion=${await revision()}`,
      1,
    );
    expect(ended).toBe(true);
    expect(lines).toEqual([]);
  });

  it("represents objects as tables and as metadata", async () => {
    const table = await send("GET", maps, undefined, {
      accept: "application/json;as=Table;v=v1;g=meta.k8s.io",
    });
    expect((table.body["columnDefinitions"] as Body[]).map((column) => column["name"])).toEqual([
      "Name",
      "Data",
      "Age",
    ]);
    expect((table.body["rows"] as Body[])[0]).toMatchObject({ object: { kind: "PartialObjectMetadata" } });
    const partial = await send("GET", `${maps}/l2`, undefined, {
      accept: "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    });
    expect(Object.keys(partial.body)).toEqual(["kind", "apiVersion", "metadata"]);
    expect((await send("GET", maps, undefined, { accept: "application/yaml" })).headers["content-type"]).toBe(
      "application/yaml",
    );
  });

  it("offers discovery and OpenAPI with entity tags", async () => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";
    const discovery = await send("GET", "/apis", undefined, { accept });
    expect(discovery.headers["content-type"]).toBe(accept);
    const etag = String(discovery.headers["etag"]);
    expect(
      (await send("GET", "/apis", undefined, { accept, headers: { "if-none-match": etag } })).status,
    ).toBe(304);
    const { paths } = (await send("GET", "/openapi/v3")).body as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    const document = await send("GET", paths["apis/apps/v1"]?.serverRelativeURL ?? "");
    const { schemas } = (document.body as { components: { schemas: Record<string, Body> } }).components;
    expect(schemas["io.k8s.api.apps.v1.Deployment"]?.["x-kubernetes-group-version-kind"]).toEqual([
      { group: "apps", version: "v1", kind: "Deployment" },
    ]);
    const base = "#/components/schemas/io.k8s.apimachinery.pkg";
    type Properties = Readonly<Record<string, { readonly allOf: readonly { readonly $ref: string }[] }>>;
    const refersTo = (schema: string, field: string): unknown => {
      const { properties } = schemas[schema] as { readonly properties: Properties };
      return properties[field]?.allOf[0]?.$ref;
    };
    expect(refersTo("io.k8s.api.core.v1.HTTPGetAction", "port")).toBe(`${base}.util.intstr.IntOrString`);
    expect(refersTo("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry", "fieldsV1")).toBe(
      `${base}.apis.meta.v1.FieldsV1`,
    );
    expect(schemas[`${base.slice(base.lastIndexOf("/") + 1)}.api.resource.Quantity`]).toMatchObject({
      oneOf: [{ type: "string" }, { type: "number" }],
    });
  });

  it.each(["healthz", "livez", "readyz"])("says that it is well at /%s", async (path) => {
    expect((await send("GET", `/${path}`)).text).toBe("ok");
    expect((await send("GET", `/${path}?verbose`)).text).toMatch(new RegExp(`\n${path} check passed\n$`));
  });

  it("warns of Endpoints, which slices are in place of", async () => {
    const { headers } = await send("GET", "/api/v1/namespaces/default/endpoints");
    expect(headers["warning"]).toBe(
      '299 - "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"',
    );
  });

  it("says what is wrong with a selector before what may not be asked for", async () => {
    const maps = "/api/v1/namespaces/default/configmaps";
    for (const [method, query] of [
      ["GET", "sendInitialEvents=true"],
      ["GET", "resourceVersion=0&resourceVersionMatch=Exact"],
      ["DELETE", "propagationPolicy=x"],
    ] as const) {
      const { body } = await send(method, `${maps}?labelSelector=a+b&${query}`);
      expect(body["message"]).toContain("unable to parse requirement");
    }
  });

  it.each([
    ["/api/v1/pods", { spec: { containers: null }, status: {} }],
    [
      "/apis/apps/v1/deployments",
      {
        spec: {
          replicas: 0,
          selector: null,
          template: { metadata: {}, spec: { containers: null } },
          strategy: {},
        },
        status: {},
      },
    ],
    ["/apis/rbac.authorization.k8s.io/v1/roles", { rules: null }],
    ["/api/v1/configmaps", {}],
  ])("ends a list as a watch of %s with an object that says nothing", async (path, content) => {
    const query =
      "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none";
    const { lines } = await client().watch(`${path}?${query}`, 1);
    const { kind: _kind, apiVersion: _version, metadata: _metadata, ...said } = lines[0]?.object ?? {};
    expect([lines[0]?.type, said]).toEqual(["BOOKMARK", content]);
  });
}
