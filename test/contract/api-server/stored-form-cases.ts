// What an API server stores again although nothing changes for those who read it, and what it counts as a change: it compares what it is
// sent to the letter with what it reads back.
import { beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { metadataOf, type Body, type RawClient } from "./raw-request.ts";

const space = "/api/v1/namespaces/default";
const policies = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies";
const hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations";
const papers = "/apis/stored.example.com/v1/papers";
const merge = { contentType: "application/merge-patch+json" };
const json = { contentType: "application/json-patch+json" };
const apply = { contentType: "application/apply-patch+yaml" };

/** Declares the cases. */
export function declareStoredFormCases(client: () => RawClient): void {
  const send: RawClient["send"] = (...request) => client().send(...request);

  /** Whether each write was stored, by the versions that are answered; each begins with what the server's cache knows. */
  async function storing(
    collection: string,
    name: string,
    writes: readonly (() => unknown)[],
  ): Promise<boolean[]> {
    const stored: boolean[] = [];
    let before = await versionOf(`${collection}/${name}`);
    for (const write of writes) {
      await send("GET", `${collection}/none?resourceVersion=${before}`);
      await write();
      const after = await versionOf(`${collection}/${name}`);
      stored.push(after !== before);
      before = after;
    }
    return stored;
  }
  async function versionOf(path: string): Promise<string> {
    return String(metadataOf((await send("GET", path)).body)["resourceVersion"]);
  }

  it("stores bytes that are null, which are read as none, and reads them otherwise at the next write", async () => {
    const path = `${space}/secrets/null-bytes`;
    await send("POST", `${space}/secrets`, { metadata: { name: "null-bytes" }, data: { a: "" } });
    const replace = (value: unknown) => () =>
      send("PATCH", path, [{ op: "replace", path: "/data/a", value }], json);
    expect(
      await storing(`${space}/secrets`, "null-bytes", [
        replace(""),
        replace(null),
        replace(null),
        replace(""),
        replace(""),
      ]),
    ).toEqual([false, true, true, true, false]);
    expect((await send("GET", path)).body["data"]).toEqual({ a: "" });
    const { body } = await send(
      "PATCH",
      `${path}?fieldManager=other`,
      [{ op: "replace", path: "/data/a", value: null }],
      json,
    );
    expect(metadataOf(body)["managedFields"]).toContainEqual(
      expect.objectContaining({ manager: "other", fieldsV1: { "f:data": { "f:a": {} } } }),
    );
  });

  it.each([
    ["secrets", { data: { a: "" } }, { data: { a: null } }, "data"],
    ["secrets", {}, { data: {} }, "data"],
    ["configmaps", { binaryData: { a: "" } }, { binaryData: { a: null } }, "binaryData"],
    ["configmaps", {}, { binaryData: {} }, "binaryData"],
  ])(
    "takes what is null or empty for another content of immutable %s with %j",
    async (plural, content, sent, field) => {
      const object = { metadata: { name: "settled" }, immutable: true };
      await send("POST", `${space}/${plural}`, { ...object, ...content });
      expect((await send("PUT", `${space}/${plural}/settled`, { ...object, ...content })).status).toBe(200);
      const { body } = await send("PUT", `${space}/${plural}/settled`, { ...object, ...sent });
      expect(body["details"]).toMatchObject({ causes: [{ reason: "FieldValueForbidden", field }] });
      await send("DELETE", `${space}/${plural}/settled`);
    },
  );

  it("counts generations of network policies to the letter", async () => {
    const name = "to-the-letter";
    await send("POST", policies, { metadata: { name }, spec: { podSelector: {}, ingress: [] } });
    const generations: unknown[] = [];
    for (const change of [
      { metadata: { labels: { a: "b" } } },
      { spec: { ingress: [] } },
      { spec: { podSelector: { matchLabels: {} } } },
      { spec: { ingress: [{ from: [] }] } },
      { metadata: { labels: { a: "c" } } },
    ]) {
      const { body } = await send("PATCH", `${policies}/${name}`, change, merge);
      generations.push(metadataOf(body)["generation"]);
    }
    expect(generations).toEqual([1, 2, 3, 4, 4]);
  });

  it("counts generations of webhook configurations to the letter, and changes them only by their version", async () => {
    const name = "to-the-letter";
    const hook = (more: Body): Body => ({
      metadata: { name },
      webhooks: [
        {
          name: "a.example.com",
          admissionReviewVersions: ["v1"],
          sideEffects: "None",
          clientConfig: { url: "https://127.0.0.1:1/" },
          rules: [
            {
              apiGroups: ["none.example.com"],
              apiVersions: ["v1"],
              resources: ["nones"],
              operations: ["CREATE"],
            },
          ],
          ...more,
        },
      ],
    });
    await send("POST", hooks, hook({}));
    const { body: refused } = await send("PUT", `${hooks}/${name}`, hook({}));
    expect(refused["details"]).toMatchObject({ causes: [{ field: "metadata.resourceVersion" }] });
    const generations: unknown[] = [];
    for (const more of [{}, { matchConditions: [] }, { objectSelector: { matchLabels: {} } }, {}]) {
      const resourceVersion = await versionOf(`${hooks}/${name}`);
      const { body } = await send("PUT", `${hooks}/${name}`, {
        ...hook(more),
        metadata: { name, resourceVersion },
      });
      generations.push(metadataOf(body)["generation"]);
    }
    expect(generations).toEqual([1, 2, 3, 3]);
    await send("DELETE", `${hooks}/${name}`);
  });

  const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i" }] } };
  const jobTemplate = { spec: { ...template.spec, restartPolicy: "Never" } };

  it.each<[string, string, string, Body]>([
    ["source", "Event", "/api/v1/namespaces/default/events", { involvedObject: { namespace: "default" } }],
    [
      "status",
      "Deployment",
      "/apis/apps/v1/namespaces/default/deployments",
      { spec: { selector: { matchLabels: { app: "a" } }, template } },
    ],
    ["status", "Job", "/apis/batch/v1/namespaces/default/jobs", { spec: { template: jobTemplate } }],
    [
      "status",
      "CronJob",
      "/apis/batch/v1/namespaces/default/cronjobs",
      { spec: { schedule: "0 0 * * *", jobTemplate: { spec: { template: jobTemplate } } } },
    ],
  ])(
    "leaves %s of a %s, which is always written, to its owner where it is left out",
    async (field, kind, at, content) => {
      const apiVersion = at.replace(/^\/apis?\/(.*)\/namespaces.*$/, "$1");
      const object = { apiVersion, kind, metadata: { name: "left-out" }, ...content };
      expect((await send("POST", `${at}?fieldManager=maker`, object)).status).toBe(201);
      const path = `${at}/left-out${field === "status" ? "/status" : ""}`;
      const manifest = { apiVersion, kind, metadata: { name: "left-out" }, [field]: {} };
      await send("PATCH", `${path}?fieldManager=owner`, manifest, apply);
      for (const [method, sent, type] of [
        ["PUT", object, {}],
        ["PATCH", { [field]: null }, merge],
      ] as const) {
        const { body } = await send(method, `${path}?fieldManager=other`, sent, type);
        expect(metadataOf(body)["managedFields"]).toMatchObject([
          { manager: "owner", fieldsV1: { [`f:${field}`]: {} } },
          { manager: "maker" },
        ]);
      }
      await send("DELETE", `${at}/left-out?gracePeriodSeconds=0`);
    },
  );

  it("stores again what a status leaves out and reading fills in", async () => {
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    const job = { metadata: { name: "unlabelled" }, spec: { template: jobTemplate } };
    const { body } = await send("POST", jobs, job);
    const { labels } = metadataOf(body);
    const put = (metadata: Body) => () =>
      send("PUT", `${jobs}/unlabelled/status`, { ...job, metadata: { name: "unlabelled", ...metadata } });
    const writes = [put({ labels }), put({ labels }), put({}), put({}), put({ labels }), put({ labels })];
    expect(await storing(jobs, "unlabelled", writes)).toEqual([true, false, true, true, true, false]);
    expect(metadataOf((await send("GET", `${jobs}/unlabelled`)).body)["labels"]).toEqual(labels);
  });

  describe("of custom resources", () => {
    beforeAll(async () => {
      await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", {
        metadata: { name: "papers.stored.example.com" },
        spec: {
          group: "stored.example.com",
          scope: "Cluster",
          names: { plural: "papers", kind: "Paper" },
          versions: [
            {
              name: "v1",
              served: true,
              storage: true,
              schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
            },
          ],
        },
      });
      await eventually(async () => expect((await send("GET", papers)).status).toBe(200));
    });
    const paper = (name: string, metadata: Body): Body => ({
      apiVersion: "stored.example.com/v1",
      kind: "Paper",
      metadata: { name, ...metadata },
      spec: { a: 1 },
    });

    it.each<[string, Body, boolean]>([
      ["finalizers", { finalizers: [] }, true],
      ["no finalizers", { finalizers: null }, true],
      ["a label without a text", { labels: { a: null } }, true],
      ["owners", { ownerReferences: [] }, true],
      ["a namespace", { namespace: "" }, true],
      ["a namespace that it has not", { namespace: "other" }, false],
      ["a uid", { uid: "" }, false],
      ["a time", { creationTimestamp: null }, false],
    ])("stores an applied custom resource each time that it says %s", async (what, metadata, isStored) => {
      const name = what.replaceAll(" ", "-");
      const write = (more: Body) => () =>
        send("PATCH", `${papers}/${name}?fieldManager=a`, paper(name, more), apply);
      await write({})();
      expect(
        await storing(papers, name, [write({}), write(metadata), write(metadata), write({}), write({})]),
      ).toEqual([false, isStored, isStored, isStored, false]);
      expect(metadataOf((await send("GET", `${papers}/${name}`)).body)).not.toHaveProperty("namespace");
    });
  });
}
