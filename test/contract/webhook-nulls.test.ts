// What a mutating webhook's nulls come to in custom resources, on both API servers: a client's are left out, a webhook's are held against
// the schema.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  admissionAnswer,
  patchOf,
  startWebhookServer,
  type WebhookServer,
} from "../support/webhook-server.ts";
import { createRawClient, type Body, type RawClient } from "./api-server/raw-request.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations";
const nulled = "/apis/nulls.example.com/v1/namespaces/nulls/nulleds";
const text = { type: "string" };
const fields = {
  type: "object",
  properties: {
    text,
    list: { type: "array", items: { type: "object", properties: { text } } },
    map: { type: "object", additionalProperties: text },
    nullable: { ...text, nullable: true },
    defaulted: { ...text, default: "by default" },
    open: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
};
const definition = {
  metadata: { name: "nulleds.nulls.example.com" },
  spec: {
    group: "nulls.example.com",
    scope: "Namespaced",
    names: { kind: "Nulled", plural: "nulleds" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: "object", properties: { spec: fields, status: fields } } },
      },
    ],
  },
};
const object = (spec: Body, name = "one"): Body => ({
  apiVersion: "nulls.example.com/v1",
  kind: "Nulled",
  metadata: { name },
  spec,
});
const invalid = (at: string): string =>
  `Invalid value: "null": ${at.replace(/^status\./, "")} in body must be of type string: "null"`;

describeOnEachApiServer("a null of a webhook", (server) => {
  let client: RawClient;
  let hook: WebhookServer;
  const send: RawClient["send"] = (...request) => client.send(...request);

  beforeAll(async () => {
    client = createRawClient(server());
    hook = await startWebhookServer((asked) => admissionAnswer(asked));
    await send("POST", "/api/v1/namespaces", { metadata: { name: "nulls" } });
    await send("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition);
    await eventually(async () =>
      expect((await send("POST", `${nulled}?dryRun=All`, object({ map: {} }))).status).toBe(201),
    );
    await send("POST", configurations, {
      metadata: { name: "nulls" },
      webhooks: [
        {
          name: "nulls.example.com",
          clientConfig: { url: hook.url, caBundle: hook.caBundle },
          rules: [
            {
              apiGroups: ["nulls.example.com"],
              apiVersions: ["v1"],
              operations: ["CREATE", "UPDATE"],
              resources: ["nulleds", "nulleds/status"],
            },
          ],
          sideEffects: "None",
          admissionReviewVersions: ["v1"],
        },
      ],
    });
    await eventually(async () => {
      await send("POST", `${nulled}?dryRun=All`, object({ map: {} }));
      expect(hook.take()).toHaveLength(1);
    });
  });
  afterEach(async () => {
    hook.answer = (asked) => admissionAnswer(asked);
    await send("DELETE", `${nulled}/one`);
  });
  afterAll(async () => {
    await client.close();
    await hook.stop();
  });

  const adds = (...paths: readonly string[]): void => {
    hook.answer = (asked) =>
      admissionAnswer(asked, patchOf(...paths.map((path) => ({ op: "add", path, value: null }))));
  };
  const whole = { list: [{}], map: {}, open: {} };

  it.each([
    ["a field", "/spec/text", "spec.text"],
    ["an item of a list", "/spec/list/0/text", "spec.list[0].text"],
    ["a value of a map", "/spec/map/key", "spec.map.key"],
  ])("is held against the schema in %s", async (_, path, at) => {
    adds(path);
    const created = await send("POST", nulled, object(whole));
    expect([created.status, created.body["message"]]).toEqual([
      422,
      `Nulled.nulls.example.com "one" is invalid: ${at}: ${invalid(at)}`,
    ]);
    hook.answer = (asked) => admissionAnswer(asked);
    expect((await send("POST", nulled, object(whole))).status).toBe(201);
    adds(path);
    const patch = { spec: { nullable: "changed" } };
    const patched = await send("PATCH", `${nulled}/one`, patch, {
      contentType: "application/merge-patch+json",
    });
    expect([patched.status, patched.body["message"]]).toEqual([422, created.body["message"]]);
  });

  it.each([
    ["its field", "/status/text", "status.text"],
    ["an item of its list", "/status/list/0/text", "status.list[0].text"],
  ])("is held against the schema in a status, in %s", async (_, path, at) => {
    expect((await send("POST", nulled, object(whole))).status).toBe(201);
    adds(path);
    const patched = await send(
      "PATCH",
      `${nulled}/one/status`,
      { status: { list: [{}] } },
      { contentType: "application/merge-patch+json" },
    );
    expect([patched.status, patched.body["message"]]).toEqual([
      422,
      `Nulled.nulls.example.com "one" is invalid: ${at}: ${invalid(at)}`,
    ]);
  });

  it("stays where the schema lets it, and becomes the default where there is one", async () => {
    adds("/spec/nullable", "/spec/defaulted", "/spec/open/any");
    const { status, body } = await send("POST", nulled, object(whole));
    expect([status, body["spec"]]).toEqual([
      201,
      { ...whole, nullable: null, defaulted: "by default", open: { any: null } },
    ]);
  });

  it("is left out of what a client sends", async () => {
    const sent = {
      text: null,
      list: [{ text: null }],
      map: { key: null },
      nullable: null,
      open: { any: null },
    };
    const { status, body } = await send("POST", nulled, object(sent));
    expect([status, body["spec"]]).toEqual([
      201,
      { list: [{}], map: {}, nullable: null, open: { any: null }, defaulted: "by default" },
    ]);
  });
});
