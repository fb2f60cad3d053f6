// What every API server makes of the resourceVersion that a write names.
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const group = "versions.example.com";
const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const maps = "/api/v1/namespaces/default/configmaps";
const foos = `/apis/${group}/v1/namespaces/default/foos`;
const scales = "/apis/apps/v1/namespaces/default/deployments/versioned/scale";
const [merge, strategic] = ["merge", "strategic-merge"].map((form) => ({
  contentType: `application/${form}-patch+json`,
}));
const [json, apply] = [
  { contentType: "application/json-patch+json" },
  { contentType: "application/apply-patch+yaml" },
];

const definition: Body = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `foos.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "foos", kind: "Foo" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object" } },
      },
    ],
  },
};

const modified =
  "the object has been modified; please apply your changes to the latest version and try again";
const required = "metadata.resourceVersion: Invalid value: 0: must be specified for an update";
const unreadable = (version: string, why: string): string =>
  `strconv.ParseUint: parsing "${version}": ${why}`;

/** Declares the cases. */
export function declareGivenVersionCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);
  const map = (name: string, resourceVersion: string): Body => ({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name, resourceVersion },
  });
  const foo = (name: string, resourceVersion?: string): Body => ({
    apiVersion: `${group}/v1`,
    kind: "Foo",
    metadata: { name, ...(resourceVersion === undefined ? {} : { resourceVersion }) },
  });

  beforeAll(async () => {
    expect((await send("POST", definitions, definition)).status).toBe(201);
    await eventually(async () => expect((await send("POST", foos, foo("versioned"))).status).toBe(201));
    expect((await send("POST", maps, { metadata: { name: "versioned" } })).status).toBe(201);
    const labels = { app: "versioned" };
    const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "c" }] } };
    const spec = { replicas: 0, selector: { matchLabels: labels }, template };
    const body = { metadata: { name: "versioned" }, spec };
    expect((await send("POST", scales.replace("/versioned/scale", ""), body)).status).toBe(201);
  });
  afterAll(async () => {
    await send("DELETE", `${definitions}/foos.${group}`);
    await send("DELETE", `${maps}/versioned`);
    await send("DELETE", scales.replace("/scale", ""));
  });

  it.each([
    ["0", 200, "", required],
    ["00", 200, "", required],
    ["1", 409, modified, modified],
    ["01", 409, modified, modified],
    ["abc", 500, unreadable("abc", "invalid syntax"), unreadable("abc", "invalid syntax")],
    ["-1", 500, unreadable("-1", "invalid syntax"), unreadable("-1", "invalid syntax")],
    [
      "18446744073709551616",
      500,
      unreadable("18446744073709551616", "value out of range"),
      unreadable("18446744073709551616", "value out of range"),
    ],
  ])("%s in a change of what is there", async (version, status, said, saidOfCustom) => {
    const versioned = { metadata: { resourceVersion: version } };
    const operation = [{ op: "replace", path: "/metadata/resourceVersion", value: version }];
    const changes = [
      await send("PUT", `${maps}/versioned`, map("versioned", version)),
      await send("PATCH", `${maps}/versioned`, versioned, merge),
      await send("PATCH", `${maps}/versioned`, versioned, strategic),
      await send("PATCH", `${maps}/versioned`, operation, json),
      await send("PATCH", `${maps}/versioned?fieldManager=m`, map("versioned", version), apply),
      await send("PUT", scales, {
        metadata: { name: "versioned", namespace: "default", resourceVersion: version },
        spec: { replicas: 0 },
      }),
      await send("PATCH", scales, versioned, merge),
    ];
    for (const change of changes) {
      expect([change.status, change.body["message"] ?? ""]).toEqual([
        status,
        expect.stringContaining(said) as string,
      ]);
    }
    for (const path of [`${foos}/versioned`, `${foos}/versioned/status`]) {
      const customs = [
        await send("PUT", path, foo("versioned", version)),
        await send("PATCH", path, versioned, merge),
        await send("PATCH", `${path}?fieldManager=m`, foo("versioned", version), apply),
      ];
      for (const change of customs) {
        expect(change.status).toBe(status === 200 ? 422 : status);
        expect(change.body["message"]).toContain(saidOfCustom);
      }
    }
  });

  it("the current one with zeros in front is the current one", async () => {
    const { body } = await send("GET", `${maps}/versioned`);
    const version = `00${String(metadataOf(body)["resourceVersion"])}`;
    expect((await send("PUT", `${maps}/versioned`, map("versioned", version))).status).toBe(200);
  });

  it.each([
    ["0", 201],
    ["00", 201],
    ["abc", 201],
    ["-1", 201],
    ["18446744073709551616", 201],
    ["1", 500],
    ["18446744073709551615", 500],
  ])("%s in a new object", async (version, status) => {
    for (const [path, body] of [
      [maps, map("created", version)],
      [foos, foo("created", version)],
    ] as const) {
      const asIf = await send("POST", `${path}?dryRun=All`, body);
      expect(asIf.status).toBe(201);
      const created = await send("POST", path, body);
      expect(created.status).toBe(status);
      if (status === 201) await send("DELETE", `${path}/created`);
      else expect(created.body["message"]).toBe("resourceVersion should not be set on objects to be created");
    }
  });
}
