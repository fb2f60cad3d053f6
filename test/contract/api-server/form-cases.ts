// The forms of requests and answers: options, media types, paths and methods, as every API server reads them.
import { afterAll, beforeAll, expect, it } from "vitest";
import { metadataOf, type Body, type RawClient, type RawOptions } from "./raw-request.ts";

const space = "/api/v1/namespaces/forms";
const maps = `${space}/configmaps`;
const deployment = "/apis/apps/v1/namespaces/forms/deployments/one";
const asTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
const partial = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io";
const partialList = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
const offered = "application/json, application/yaml, application/vnd.kubernetes.protobuf";
const onlyOffered = `only the following media types are accepted: ${offered}`;
const unavailable = `406: Not Acceptable\n\nAvailable representations: ${offered}`;

/** Declares the cases. */
export function declareFormCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const get = (path: string, accept: string, options: RawOptions = {}): ReturnType<RawClient["send"]> =>
    send("GET", path, undefined, { accept, ...options });

  beforeAll(async () => {
    await send("POST", "/api/v1/namespaces", { metadata: { name: "forms" } });
    await send("POST", maps, { metadata: { name: "one" } });
    const labels = { a: "b" };
    const spec = { containers: [{ name: "c", image: "i" }] };
    await send("POST", "/apis/apps/v1/namespaces/forms/deployments", {
      metadata: { name: "one" },
      spec: { replicas: 2, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
  });
  afterAll(async () => {
    await send("DELETE", space);
  });

  it.each(["/api/v1/configmaps", "/api/v1/services", "/apis/apps/v1/deployments"])(
    "deletes no objects of all namespaces at once: %s",
    async (path) => {
      const { status, body } = await send("DELETE", `${path}?dryRun=All&fieldSelector=metadata.name%3Dnone`);
      expect([status, body["reason"]]).toEqual([405, "MethodNotAllowed"]);
    },
  );

  it.each([
    [`${maps}?limit=9223372036854775807`, 200, undefined],
    [
      `${maps}?limit=9223372036854775808`,
      400,
      'strconv.ParseInt: parsing "9223372036854775808": value out of range',
    ],
    [
      `${maps}/one?resourceVersion=abc`,
      500,
      'resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
    [`${space}/finalize`, 405, "the server does not allow this method on the requested resource"],
  ])("answers to GET %s with %i", async (path, status, message) => {
    const { status: answered, body } = await send("GET", path);
    expect([answered, body["message"]]).toEqual([status, message]);
  });

  it("says what rows may include of their objects", async () => {
    const { status, body } = await get(`${maps}?includeObject=bogus`, asTable);
    expect([status, body["message"]]).toEqual([
      400,
      "Unable to convert to Table as requested: includeObject: Invalid value: \"bogus\": must be 'Metadata', 'Object', 'None', or empty",
    ]);
  });

  const twice = "data: {a: x}\nmetadata: {name: one}\ndata:\n  a: y\n  a: z\n";
  const manifest = `apiVersion: v1\nkind: ConfigMap\n${twice}`;
  // At the lines of the values, of which the inner ones are read first.
  const yamlFaults = (data: number) => [
    `line ${data + 2}: key "a" already set in map`,
    `line ${data + 1}: key "data" already set in map`,
  ];
  const operations =
    '[{"op":"add","path":"/data","value":{"b":"1"},"value":{"c":"1"},"foo":1},{"op":"add","path":"/bar","value":1}]';
  const opFaults = [
    'json patch duplicate field "[0].value"',
    'json patch unknown field "[0].foo"',
    'unknown field "bar"',
  ];
  const merged = '{"data":{"a":"1","a":"2"},"zz":1}';
  const mergedFaults = ['duplicate field "data.a"', 'unknown field "zz"'];

  it.each([
    ["PUT", "application/yaml", twice, yamlFaults(3)],
    ["PATCH", "application/apply-patch+yaml", manifest, yamlFaults(5)],
    ["PATCH", "application/merge-patch+json", merged, mergedFaults],
    ["PATCH", "application/strategic-merge-patch+json", merged, mergedFaults],
    ["PATCH", "application/json-patch+json", operations, opFaults],
  ])("warns of what is there twice, and refuses it where it reads strictly: %s of %s", async (...given) => {
    const [method, contentType, body, faults] = given;
    const path = `${maps}/one?fieldManager=me&dryRun=All&force=${contentType.includes("apply")}`;
    const said = (path: string) => send(method, path.replace("&force=false", ""), body, { contentType });
    const { status, headers } = await said(path);
    expect([status, headers["warning"]]).toEqual([
      200,
      faults.map((fault) => `299 - ${JSON.stringify(fault)}`),
    ]);
    const strict = await said(`${path}&fieldValidation=Strict`);
    const isYaml = contentType.includes("yaml");
    const refusal = isYaml ? ["yaml: unmarshal errors:", ...faults].join("\n  ") : faults.join(", ");
    expect([strict.status, strict.body["message"]]).toEqual([
      contentType.includes("patch+json") ? 422 : 400,
      expect.stringContaining(refusal),
    ]);
    expect((await said(`${path}&fieldValidation=Ignore`)).headers["warning"]).toBeUndefined();
  });

  it("writes YAML that is read as what was stored by old readers, too", async () => {
    await send("POST", maps, { metadata: { name: "yaml" }, data: { a: "yes", b: "1", c: "2020-01-01" } });
    const { text, headers } = await get(`${maps}/yaml`, "application/yaml");
    expect(headers["content-type"]).toBe("application/yaml");
    expect(text).toMatch(
      /^apiVersion: v1\ndata:\n {2}a: "yes"\n {2}b: "1"\n {2}c: "2020-01-01"\nkind: ConfigMap\n/,
    );
    expect(text).toMatch(/\n {2}creationTimestamp: "\d{4}-/);
    expect(text).toMatch(/\n {2}managedFields:\n {2}- apiVersion: v1\n/);
  });

  it("creates nothing of a manifest that is applied without its name", async () => {
    const manifest = { apiVersion: "v1", kind: "ConfigMap" };
    const apply = { contentType: "application/apply-patch+yaml" };
    const applied = async (name: string) => {
      const { status, body } = await send("PATCH", `${maps}/${name}?fieldManager=me`, manifest, apply);
      return [status, body["message"]];
    };
    expect(await applied("new")).toEqual([
      400,
      "the name of the object (new based on URL) was undeterminable: name must be provided",
    ]);
    expect(await applied("one")).toEqual([200, undefined]);
  });

  it.each([
    ["1", true],
    ["yes", true],
    ["no", true],
    ["f", true],
    ["", true],
    ["0", false],
    ["False", false],
  ])("reads watch=%s as %s", async (value, isWatch) => {
    const { text } = await send(
      "GET",
      `${maps}?watch=${value}&timeoutSeconds=1&fieldSelector=metadata.name%3Done`,
    );
    expect(text).toContain(isWatch ? '{"type":"ADDED"' : '"kind":"ConfigMapList"');
  });

  it.each([
    [
      "resourceVersionMatch=Exact",
      '[resourceVersionMatch: Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ],
    [
      "sendInitialEvents=maybe&resourceVersionMatch=Exact",
      '[resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan, resourceVersionMatch: Unsupported value: "Exact": supported values: "NotOlderThan"]',
    ],
  ])("says all that is wrong with a watch of %s", async (query, causes) => {
    const { body } = await send("GET", `${maps}?watch=true&${query}`);
    expect(body["message"]).toBe(`ListOptions.meta.k8s.io "" is invalid: ${causes}`);
  });

  it("answers in the older version of tables and of metadata alone", async () => {
    const older = (accept: string): string => accept.replace("v=v1", "v=v1beta1");
    for (const [path, accept] of [
      [maps, asTable],
      [`${maps}/one`, asTable],
      [`${maps}/one`, partial],
      [`${maps}?fieldSelector=metadata.name%3Done`, partialList],
    ] as const) {
      const { body } = await get(path, older(accept));
      const { body: newer } = await get(path, accept);
      expect(JSON.stringify(body)).toBe(
        JSON.stringify(newer).replaceAll('"meta.k8s.io/v1"', '"meta.k8s.io/v1beta1"'),
      );
      expect(body["apiVersion"]).toBe("meta.k8s.io/v1beta1");
    }
  });

  it.each([
    [
      maps,
      partial,
      "you requested PartialObjectMetadata, but the requested object is a list (*core.ConfigMapList)",
    ],
    [
      `${maps}/one`,
      partialList,
      "you requested PartialObjectMetadataList, but the requested object is not a list (*core.ConfigMap)",
    ],
    [
      `${deployment}/scale`,
      partialList,
      "you requested PartialObjectMetadataList, but the requested object is not a list (*autoscaling.Scale)",
    ],
    [`${maps}/absent`, "text/plain", unavailable],
    [`${maps}/one`, "application/*", unavailable],
    [`${maps}/absent`, "application/json;as=Other;v=v1;g=meta.k8s.io", onlyOffered],
    [
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
      partial,
      "you requested PartialObjectMetadata, but the requested object is a list (*apiextensions.CustomResourceDefinitionList)",
    ],
  ])("does not answer %s as %s", async (path, accept, message) => {
    expect((await get(path, accept)).body).toMatchObject({ code: 406, reason: "NotAcceptable", message });
  });

  it("answers a Scale as a table too", async () => {
    const { body } = await get(`${deployment}/scale`, asTable);
    const columns = body["columnDefinitions"] as Body[];
    expect(columns.map(({ name, type, format }) => [name, type, format])).toEqual([
      ["Name", "string", ""],
      ["Desired", "integer", ""],
      ["Available", "integer", ""],
      ["Age", "string", ""],
    ]);
    expect(body["rows"]).toMatchObject([
      { cells: ["one", 2, 0, expect.any(String)], object: { kind: "PartialObjectMetadata" } },
    ]);
    expect(metadataOf((await get(`${deployment}/scale`, partial)).body)["name"]).toBe("one");
  });

  it("answers in YAML what it refuses and what it says of a deletion", async () => {
    const yaml = "application/yaml";
    const absent = await get(`${maps}/absent`, yaml);
    expect(absent.headers["content-type"]).toBe(yaml);
    expect(absent.text).toContain("reason: NotFound");
    expect((await get(`${deployment}/scale`, yaml)).text).toContain("kind: Scale");
    await send("POST", maps, { metadata: { name: "two" } });
    const deleted = await send("DELETE", `${maps}/two`, undefined, { accept: yaml });
    expect(deleted.text).toContain("status: Success");
  });

  it.each([
    ["", 201],
    ["application/json; charset=utf-8", 201],
    ["application/json;", 201],
    ['APPLICATION/JSON; a = "b;c"', 201],
    ["application/json;foo", 415],
    ["application/json;a=b;a=c", 415],
    ["application/json, application/yaml", 415],
    ["json", 415],
  ])("reads a body of the type '%s' with %i", async (contentType, status) => {
    const body = { metadata: { generateName: "g-" } };
    expect((await send("POST", `${maps}?dryRun=All`, body, { contentType })).status).toBe(status);
  });

  it.each([
    ["application/merge-patch+json;foo", 200],
    ["application/Merge-Patch+json", 415],
  ])("reads a patch of the type %s with %i", async (contentType, status) => {
    expect((await send("PATCH", `${maps}/one`, {}, { contentType })).status).toBe(status);
  });

  it.each([
    ["GET", "//api/v1/namespaces", 404],
    ["GET", "//version", 404],
    ["GET", "//", 404],
    ["GET", "/healthz/", 404],
    ["GET", "/livez/ping/", 404],
    ["GET", "/metrics/", 404],
    ["GET", "/version/", 200],
    ["GET", "/api/v1/", 200],
    ["GET", `${maps}//`, 200],
    ["HEAD", "/healthz", 200],
    ["POST", "/readyz", 200],
    ["HEAD", "/version", 405],
    ["OPTIONS", "/api/v1/namespaces", 405],
    ["FOO", "/api/v1/namespaces", 405],
    ["get", "/api/v1/namespaces", 405],
  ])("answers %s %s with %i", async (method, path, status) => {
    expect((await send(method, path)).status).toBe(status);
  });
}
