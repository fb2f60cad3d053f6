// What the patches of mutating webhooks come to, as every API server answers: patches that do not apply, and objects that are none of
// their type any more.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  admissionAnswer,
  patchOf,
  startWebhookServer,
  type Json,
  type WebhookServer,
} from "../support/webhook-server.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const maps = "/api/v1/namespaces/patched/configmaps";
const things = "/apis/patched.example.com/v1/namespaces/patched/things";
const map = { metadata: { name: "a", finalizers: ["a.b/c", "a.b/d"] }, data: { x: "y" } };
const thing = {
  apiVersion: "patched.example.com/v1",
  kind: "Thing",
  metadata: { name: "a" },
  spec: { n: 1 },
};
const list = "/metadata/finalizers";

/** Operations that do not apply, and what is said of each. */
const refusedOperations: readonly (readonly [operation: Json, said: string])[] = [
  [
    { op: "add", path: "/a/b", value: 1 },
    'add operation does not apply: doc is missing path: "/a/b": missing value',
  ],
  [
    { op: "add", path: "/data/x/y", value: 1 },
    'add operation does not apply: doc is missing path: "/data/x/y": missing value',
  ],
  [
    { op: "add", path: `${list}/9`, value: "a.b/e" },
    `error in add for path: '${list}/9': Unable to access invalid index: 9: invalid index referenced`,
  ],
  [
    { op: "add", path: `${list}/x`, value: "a.b/e" },
    `error in add for path: '${list}/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    { op: "remove", path: "/a/b" },
    'remove operation does not apply: doc is missing path: "/a/b": missing value',
  ],
  [
    { op: "remove", path: "/data/q" },
    "error in remove for path: '/data/q': Unable to remove nonexistent key: q: missing value",
  ],
  [
    { op: "remove", path: `${list}/-9` },
    `error in remove for path: '${list}/-9': Unable to access invalid index: -9: invalid index referenced`,
  ],
  [
    { op: "remove", path: `${list}/x` },
    `error in remove for path: '${list}/x': strconv.Atoi: parsing "x": invalid syntax`,
  ],
  [
    { op: "replace", path: "/a/b", value: 1 },
    "replace operation does not apply: doc is missing path: /a/b: missing value",
  ],
  [
    { op: "replace", path: `${list}/9`, value: "a" },
    `replace operation does not apply: doc is missing key: ${list}/9: missing value`,
  ],
  [
    { op: "test", path: "/a/b", value: 1 },
    "test operation does not apply: is missing path: /a/b: missing value",
  ],
  [
    { op: "test", path: `${list}/9`, value: 1 },
    `error in test for path: '${list}/9': Unable to access invalid index: 9: invalid index referenced`,
  ],
  [{ op: "test", path: "/data/x", value: "z" }, "testing value /data/x failed: test failed"],
  [
    { op: "move", path: "/data/z", from: "/data/q" },
    "error in move for path: 'q': Unable to remove nonexistent key: q: missing value",
  ],
  [
    { op: "move", path: "/data/z", from: "/a/b" },
    "move operation does not apply: doc is missing from path: /a/b: missing value",
  ],
  [
    { op: "move", path: "/a/z", from: "/data/x" },
    "move operation does not apply: doc is missing destination path: /a/z: missing value",
  ],
  [
    { op: "copy", path: "/data/z", from: "/a/b" },
    "copy operation does not apply: doc is missing from path: /a/b: missing value",
  ],
  [
    { op: "copy", path: "/data/z", from: `${list}/9` },
    `error in copy for from: '${list}/9': Unable to access invalid index: 9: invalid index referenced`,
  ],
  [
    { op: "copy", path: "/a/z", from: "/data/x" },
    "copy operation does not apply: doc is missing destination path: /a/z: missing value",
  ],
  [{ path: "/data/x", value: 1 }, "Unexpected kind: unknown"],
];

const internal = "Internal error occurred: ";
const replaced = (path: string, value: unknown): Json => ({ op: "replace", path, value });

/** Patches of a config map after which it calls itself otherwise. */
const otherMaps: readonly (readonly [patch: readonly Json[], status: number, said: string])[] = [
  [
    [replaced("/kind", "Foo")],
    500,
    `${internal}no kind "Foo" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  [
    [replaced("/apiVersion", "v2")],
    500,
    `${internal}no kind "ConfigMap" is registered for version "v2" in scheme "pkg/runtime/scheme.go:111"`,
  ],
  [
    [replaced("/kind", "Pod"), { op: "remove", path: "/data" }],
    500,
    "converting (v1.Pod) to (core.ConfigMap): unknown conversion",
  ],
  [
    [replaced("/kind", "ConfigMapList"), { op: "remove", path: "/data" }],
    500,
    "converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion",
  ],
  [
    [replaced("/kind", 1)],
    500,
    `${internal}couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string`,
  ],
];

/** The same of a custom resource. */
const otherThings: typeof otherMaps = [
  [
    [replaced("/kind", "Foo")],
    422,
    'Foo.patched.example.com "a" is invalid: kind: Invalid value: "Foo": must be Thing',
  ],
  [
    [replaced("/apiVersion", "v2")],
    500,
    '/v2, Kind=Thing is unstructured and is not suitable for converting to "patched.example.com/v1"',
  ],
  [[replaced("", {})], 500, `${internal}Object 'Kind' is missing in '{}'`],
];

describeOnEachApiServer("patches of webhooks", (server) => {
  let client: RawClient;
  let hook: WebhookServer;
  const send: RawClient["send"] = (...request) => client.send(...request);
  const answer = (...patch: readonly Json[]): void => {
    hook.answer = (asked) => admissionAnswer(asked, patch.length === 0 ? {} : patchOf(...patch));
  };
  const said = ({ status, body }: { readonly status: number; readonly body: Body }): unknown => [
    status,
    body["message"],
  ];

  beforeAll(async () => {
    client = createRawClient(server());
    hook = await startWebhookServer((asked) => admissionAnswer(asked));
    await send("POST", "/api/v1/namespaces", { metadata: { name: "patched", labels: { patched: "yes" } } });
    await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name: "things.patched.example.com" },
      spec: {
        group: "patched.example.com",
        scope: "Namespaced",
        names: { plural: "things", singular: "thing", kind: "Thing", listKind: "ThingList" },
        versions: ["v1", "v2"].map((name) => ({
          name,
          served: true,
          storage: name === "v1",
          schema: {
            openAPIV3Schema: {
              type: "object",
              properties: { spec: { type: "object", properties: { n: { type: "integer" } } } },
            },
          },
        })),
      },
    });
    await eventually(async () => {
      expect((await send("POST", things, thing)).status).toBe(201);
    });
    await send("POST", maps, { metadata: { name: "a" } });
    await send("POST", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", {
      metadata: { name: "patching" },
      webhooks: [
        {
          name: "patching.example.com",
          clientConfig: { url: `${hook.url}/patching`, caBundle: hook.caBundle },
          rules: [
            {
              apiGroups: ["", "patched.example.com"],
              apiVersions: ["*"],
              operations: ["CREATE", "UPDATE"],
              resources: ["configmaps", "things"],
            },
          ],
          namespaceSelector: { matchLabels: { patched: "yes" } },
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    await eventually(async () => {
      hook.take();
      await send("POST", `${maps}?dryRun=All`, { metadata: { name: "seen" } });
      expect(hook.take().length).toBeGreaterThan(0);
    });
  });
  afterAll(async () => {
    await send("DELETE", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/patching");
    await client.close();
    await hook.stop();
  });

  it.each(refusedOperations)("say of %j why it does not apply", async (operation, text) => {
    answer(operation);
    const made = await send("POST", `${maps}?dryRun=All`, {
      ...map,
      metadata: { ...map.metadata, name: "b" },
    });
    expect(said(made)).toEqual([500, `${internal}${text}`]);
  });

  it.each(otherMaps)("leave a config map one: %j", async (patch, status, text) => {
    answer(...patch);
    const made = await send("POST", `${maps}?dryRun=All`, { metadata: { name: "b" }, data: { x: "y" } });
    expect(said(made)).toEqual([status, text]);
  });

  it.each(otherThings)("leave a custom resource one: %j", async (patch, status, text) => {
    answer(...patch);
    const made = await send("POST", `${things}?dryRun=All`, { ...thing, metadata: { name: "a" } });
    expect(said(made)).toEqual([status, text]);
  });

  it("may put a custom resource into another version of its group", async () => {
    answer(replaced("/apiVersion", "patched.example.com/v2"));
    const made = await send("POST", `${things}?dryRun=All`, { ...thing, metadata: { name: "b" } });
    expect([made.status, made.body["apiVersion"]]).toEqual([201, thing.apiVersion]);
  });

  describe("of updates", () => {
    it.each<[string, Json, unknown]>([
      [
        "another name",
        replaced("/metadata/name", "other"),
        [422, 'ConfigMap "other" is invalid: metadata.name: Invalid value: "other": field is immutable'],
      ],
      [
        "another uid",
        { op: "add", path: "/metadata/uid", value: "xyz" },
        [422, 'ConfigMap "a" is invalid: metadata.uid: Invalid value: "xyz": field is immutable'],
      ],
    ])("are faults of the object where they give it %s", async (_, operation, outcome) => {
      answer(operation);
      expect(said(await send("PUT", `${maps}/a?dryRun=All`, { metadata: { name: "a" } }))).toEqual(outcome);
    });

    it("may give a custom resource the version that it lacks", async () => {
      answer();
      const { body } = await send("GET", `${things}/a`);
      const { resourceVersion } = metadataOf(body);
      answer({ op: "add", path: "/metadata/resourceVersion", value: resourceVersion });
      expect((await send("PUT", `${things}/a?dryRun=All`, thing)).status).toBe(200);
      answer();
      expect(said(await send("PUT", `${things}/a?dryRun=All`, thing))).toEqual([
        422,
        'things.patched.example.com "a" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
      ]);
    });
  });
});
