// Several versions of one kind, as every API server keeps them: stored in one, served in each, converted by a webhook or pruned.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  requestOf,
  startWebhookServer,
  type Answering,
  type AskedRequest,
  type Json,
  type WebhookServer,
} from "../support/webhook-server.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const group = "conversion.example.com";
const apply = { contentType: "application/apply-patch+yaml" };
const json = { contentType: "application/json-patch+json" };

/** In v1 a gizmo has a size, in v2 the same is its width. */
const named: Readonly<Record<string, string>> = { v1: "size", v2: "width" };

function inVersion(object: Body, apiVersion: string): Body {
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  // While fields are compared, a server also shows objects of which only a part is left.
  if (object["spec"] === undefined) return { ...object, apiVersion };
  const { size, width, ...spec } = object["spec"] as Body;
  const value = size ?? width;
  return {
    ...object,
    apiVersion,
    spec: { ...spec, ...(value === undefined ? {} : { [named[version] ?? ""]: value }) },
  };
}

function reviewOf(
  asked: AskedRequest,
  response: Json = {},
  change: (object: Body) => Body = (object) => object,
): Json {
  const { uid, objects, desiredAPIVersion } = requestOf(asked);
  const convertedObjects = (objects as Body[]).map((each) =>
    change(inVersion(each, desiredAPIVersion as string)),
  );
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "ConversionReview",
    response: { uid, result: { status: "Success" }, convertedObjects, ...response },
  };
}

const converting: Answering = (asked) => reviewOf(asked);

describeOnEachApiServer(
  "versions of a kind",
  (server) => {
    let client: RawClient;
    let hook: WebhookServer;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const paths = (plural: string, version: string): string =>
      `/apis/${group}/${version}/namespaces/default/${plural}`;

    const define = (plural: string, kind: string, conversion: Json): Body => {
      const version = (name: string): Json => ({
        name,
        served: true,
        storage: name === "v1",
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: "object",
            properties: {
              spec: {
                type: "object",
                properties: { [named[name] ?? ""]: { type: "string" }, count: { type: "integer" } },
              },
              status: { type: "object", properties: { seen: { type: "string" } } },
            },
          },
        },
      });
      return {
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "CustomResourceDefinition",
        metadata: { name: `${plural}.${group}` },
        spec: {
          group,
          scope: "Namespaced",
          names: { plural, kind },
          versions: [version("v1"), version("v2")],
          conversion,
        },
      };
    };
    const webhook = (): Json => ({
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { url: `${hook.url}/convert`, caBundle: hook.caBundle },
      },
    });
    const serve = async (plural: string, kind: string, conversion: Json): Promise<void> => {
      await send("POST", definitions, define(plural, kind, conversion));
      await eventually(async () => {
        expect((await send("GET", paths(plural, "v1"))).status).toBe(200);
        expect((await send("GET", paths(plural, "v2"))).status).toBe(200);
      });
    };
    const gizmo = (version: string, name: string, spec: Json): Body => ({
      apiVersion: `${group}/${version}`,
      kind: "Gizmo",
      metadata: { name },
      spec,
    });

    beforeAll(async () => {
      client = createRawClient(server());
      hook = await startWebhookServer(converting);
      await serve("gizmos", "Gizmo", webhook());
    });
    afterEach(() => {
      hook.answer = converting;
    });
    afterAll(async () => {
      await client.close();
      await hook.stop();
    });

    it("stores in one version and serves each, with the counts and identity of one object", async () => {
      hook.take();
      const created = await send("POST", paths("gizmos", "v2"), gizmo("v2", "one", { width: "a", other: 1 }));
      expect(created.body).toMatchObject({
        apiVersion: `${group}/v2`,
        spec: { width: "a" },
        metadata: { generation: 1 },
      });
      const [first] = hook.take();
      expect(first?.path).toBe("/convert?timeout=30s");
      expect(first && requestOf(first)).toMatchObject({
        desiredAPIVersion: `${group}/v1`,
        objects: [{ apiVersion: `${group}/v2`, spec: { width: "a" } }],
      });
      const old = await send("GET", `${paths("gizmos", "v1")}/one`);
      expect(old.body).toMatchObject({ apiVersion: `${group}/v1`, spec: { size: "a" } });
      expect(metadataOf(old.body)["uid"]).toBe(metadataOf(created.body)["uid"]);
      const changed = await send("PUT", `${paths("gizmos", "v2")}/one`, {
        ...created.body,
        spec: { width: "b" },
      });
      expect(changed.body).toMatchObject({ spec: { width: "b" }, metadata: { generation: 2 } });
      expect((await send("PUT", `${paths("gizmos", "v2")}/one`, changed.body)).body).toEqual(changed.body);
      const status = { ...changed.body, status: { seen: "yes" } };
      expect((await send("PUT", `${paths("gizmos", "v2")}/one/status`, status)).status).toBe(200);
      expect((await send("GET", `${paths("gizmos", "v1")}/one`)).body).toMatchObject({
        spec: { size: "b" },
        status: { seen: "yes" },
      });
    });

    it("carries out a patch that meets another one while the webhook moves elsewhere", async () => {
      await serve("movers", "Mover", webhook());
      const mover = { ...gizmo("v1", "one", { size: "a" }), kind: "Mover" };
      await send("POST", paths("movers", "v1"), mover);
      const other = await startWebhookServer(converting);
      const elsewhere = { url: `${other.url}/convert`, caBundle: other.caBundle };
      let isMoved = false;
      hook.answer = async (asked) => {
        if (isMoved && server().kind === "embedded")
          throw new Error("was asked again, although it has moved");
        if (!isMoved) {
          isMoved = true;
          const clientConfig = [
            { op: "replace", path: "/spec/conversion/webhook/clientConfig", value: elsewhere },
          ];
          await send("PATCH", `${definitions}/movers.${group}`, clientConfig, json);
          const size = [{ op: "replace", path: "/spec/size", value: "b" }];
          await eventually(async () =>
            expect((await send("PATCH", `${paths("movers", "v1")}/one`, size, json)).status).toBe(200),
          );
        }
        return converting(asked);
      };
      const count = [{ op: "add", path: "/spec/count", value: 7 }];
      const { status, body } = await send("PATCH", `${paths("movers", "v2")}/one`, count, json);
      expect([status, body]).toEqual([200, expect.objectContaining({ spec: { width: "b", count: 7 } })]);
      await other.stop();
    });

    it("lists and watches in the version that is asked for", async () => {
      await send("POST", paths("gizmos", "v1"), gizmo("v1", "listed", { size: "s" }));
      const list = await send("GET", paths("gizmos", "v2"));
      const items = list.body["items"] as Body[];
      expect(items.find((each) => metadataOf(each)["name"] === "listed")).toMatchObject({
        spec: { width: "s" },
      });
      const from = String(metadataOf(list.body)["resourceVersion"]);
      const watched = client.watch(`${paths("gizmos", "v2")}?watch=true&resourceVersion=${from}`, 3);
      await send("POST", paths("gizmos", "v1"), gizmo("v1", "watched", { size: "1" }));
      await send(
        "PATCH",
        `${paths("gizmos", "v1")}/watched`,
        [{ op: "replace", path: "/spec/size", value: "2" }],
        json,
      );
      await send("DELETE", `${paths("gizmos", "v1")}/watched`);
      const { lines } = await watched;
      expect(lines.map(({ type, object }) => [type, object["apiVersion"], object["spec"]])).toEqual([
        ["ADDED", `${group}/v2`, { width: "1" }],
        ["MODIFIED", `${group}/v2`, { width: "2" }],
        ["DELETED", `${group}/v2`, { width: "2" }],
      ]);
      const all = await client.watch(`${paths("gizmos", "v2")}?watch=true`, 1);
      expect(all.lines[0]?.object["apiVersion"]).toBe(`${group}/v2`);
    });

    it("knows who owns which field in which version", async () => {
      await send("POST", `${paths("gizmos", "v2")}?fieldManager=other`, gizmo("v2", "owned", { width: "a" }));
      const manifest = (version: string, spec: Json): string => JSON.stringify(gizmo(version, "owned", spec));
      const at = (version: string): string => `${paths("gizmos", version)}/owned`;
      const refused = await send(
        "PATCH",
        `${at("v1")}?fieldManager=me`,
        manifest("v1", { size: "b" }),
        apply,
      );
      expect(refused.body).toMatchObject({
        code: 409,
        message: `Apply failed with 1 conflict: conflict with "other" using ${group}/v2: .spec.width`,
        details: { causes: [{ field: ".spec.width" }] },
      });
      const forced = await send(
        "PATCH",
        `${at("v1")}?fieldManager=me&force=true`,
        manifest("v1", { size: "b", count: 3 }),
        apply,
      );
      expect(forced.body["spec"]).toEqual({ size: "b", count: 3 });
      // What it no longer applies goes, also when it applies another version.
      const later = await send("PATCH", `${at("v2")}?fieldManager=me`, manifest("v2", { width: "c" }), apply);
      expect(later.body["spec"]).toEqual({ width: "c" });
      const owners = (metadataOf(later.body)["managedFields"] as Body[]).map((each) => [
        each["manager"],
        each["apiVersion"],
        each["fieldsV1"],
      ]);
      expect(owners).toContainEqual(["me", `${group}/v2`, { "f:spec": { "f:width": {} } }]);
    });

    describe("refuses what a webhook answers", () => {
      it.each<[string, (asked: AskedRequest) => ReturnType<Answering>, string]>([
        [
          "with a failure",
          (asked) => reviewOf(asked, { result: { status: "Failure", message: "cannot" } }),
          "failed: cannot",
        ],
        [
          "without a word",
          (asked) => reviewOf(asked, { result: { status: "Failure" } }),
          "failed: response.result.status was 'Failure', not 'Success'",
        ],
        [
          "for another question",
          (asked) => reviewOf(asked, { uid: "x" }),
          'failed: expected response.uid="UID", got "x"',
        ],
        [
          "with fewer objects",
          (asked) => reviewOf(asked, { convertedObjects: [] }),
          "returned 0 objects, expected 1",
        ],
        [
          "in another version",
          (asked) => reviewOf(asked, { convertedObjects: requestOf(asked)["objects"] }),
          `returned invalid object at index 0: invalid groupVersion (expected ${group}/v1, received ${group}/v2)`,
        ],
        [
          "with another name",
          (asked) =>
            reviewOf(asked, {}, (object) => ({ ...object, metadata: { ...metadataOf(object), name: "x" } })),
          "returned invalid object: must have the same name: wrong != x",
        ],
        [
          "without a response",
          () => ({ apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview" }),
          "failed: no response provided",
        ],
        [
          "with an error",
          () => ({ status: 500, body: "oops", contentType: "text/plain" }),
          'failed: an error on the server ("oops") has prevented the request from succeeding',
        ],
      ])("%s", async (_, answering, failure) => {
        hook.answer = answering;
        const { body } = await send("POST", paths("gizmos", "v2"), gizmo("v2", "wrong", { width: "a" }));
        const message = String(body["message"]).replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "UID");
        expect({ ...body, message }).toEqual({
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          message: `conversion webhook for ${group}/v2, Kind=Gizmo ${failure}`,
          code: 500,
        });
        hook.answer = converting;
        expect((await send("GET", `${paths("gizmos", "v2")}/wrong`)).status).toBe(404);
      });
    });

    it("takes labels and annotations from a webhook, and nothing else of the metadata", async () => {
      hook.answer = (asked) =>
        reviewOf(asked, {}, (object) => ({
          ...object,
          metadata: { ...metadataOf(object), labels: { seen: "yes" }, finalizers: ["a/b"], generation: 9 },
        }));
      const { body } = await send("POST", paths("gizmos", "v2"), gizmo("v2", "labelled", { width: "a" }));
      expect(metadataOf(body)).toMatchObject({ labels: { seen: "yes" }, generation: 1 });
      expect(metadataOf(body)).not.toHaveProperty("finalizers");
    });

    it("prunes what the version of the storage does not have, where nothing converts", async () => {
      await serve("plains", "Plain", { strategy: "None" });
      const plain = (version: string, spec: Json): Body => ({
        ...gizmo(version, "one", spec),
        kind: "Plain",
      });
      const created = await send("POST", paths("plains", "v2"), plain("v2", { width: "lost", count: 3 }));
      expect(created.body["spec"]).toEqual({ count: 3 });
      await send("PUT", `${paths("plains", "v1")}/one`, {
        ...plain("v1", { size: "kept", count: 3 }),
        metadata: { name: "one", resourceVersion: metadataOf(created.body)["resourceVersion"] },
      });
      expect((await send("GET", `${paths("plains", "v2")}/one`)).body["spec"]).toEqual({ count: 3 });
      expect((await send("GET", `${paths("plains", "v1")}/one`)).body["spec"]).toEqual({
        size: "kept",
        count: 3,
      });
      const flipped = await send(
        "PATCH",
        `${definitions}/plains.${group}`,
        [
          { op: "replace", path: "/spec/versions/0/storage", value: false },
          { op: "replace", path: "/spec/versions/1/storage", value: true },
        ],
        json,
      );
      expect(flipped.body["status"]).toMatchObject({ storedVersions: ["v1", "v2"] });
    });

    it.each<[string, Json, string]>([
      [
        "no webhook",
        { strategy: "Webhook" },
        "[spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook, spec.conversion.conversionReviewVersions: Required value]",
      ],
      [
        "another strategy",
        { strategy: "Foo" },
        'spec.conversion.strategy: Unsupported value: "Foo": supported values: "None", "Webhook"',
      ],
      [
        "a webhook that is not used",
        { strategy: "None", webhook: { conversionReviewVersions: ["v1"] } },
        "spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook",
      ],
    ])("refuses a definition with %s", async (_, conversion, fault) => {
      const { body } = await send("POST", `${definitions}?dryRun=All`, define("wrongs", "Wrong", conversion));
      expect(body["message"]).toBe(
        `CustomResourceDefinition.apiextensions.k8s.io "wrongs.${group}" is invalid: ${fault}`,
      );
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
