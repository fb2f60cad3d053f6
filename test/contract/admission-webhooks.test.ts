// Admission webhooks, as every API server calls them: when, in which order, with which words, and what their answers mean.
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  admissionAnswer,
  patchOf,
  requestOf,
  startWebhookServer,
  type Answering,
  type Json,
  type WebhookServer,
} from "../support/webhook-server.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const configurations = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/hooked/configmaps";
const dry = `${maps}?dryRun=All`;
const podSpec = { containers: [{ name: "c", image: "i" }] };
const allowing: Answering = (asked) => admissionAnswer(asked);

describeOnEachApiServer(
  "admission webhooks",
  (server) => {
    let client: RawClient;
    let hook: WebhookServer;
    const send: RawClient["send"] = (...request) => client.send(...request);

    beforeAll(async () => {
      client = createRawClient(server());
      hook = await startWebhookServer(allowing);
      await send("POST", "/api/v1/namespaces", { metadata: { name: "hooked", labels: { hooked: "yes" } } });
      // No pod without it, and there is no controller.
      await send("POST", "/api/v1/namespaces/hooked/serviceaccounts", { metadata: { name: "default" } });
    });
    afterEach(async () => {
      hook.answer = allowing;
      await send("DELETE", `${configurations}/mutatingwebhookconfigurations`);
      await send("DELETE", `${configurations}/validatingwebhookconfigurations`);
      // A real server has to notice first.
      await eventually(async () => {
        hook.take();
        await send("POST", dry, { metadata: { name: "unseen" } });
        expect(hook.take()).toEqual([]);
      });
    });
    afterAll(async () => {
      await client.close();
      await hook.stop();
    });

    const webhook = (name: string, fields: Json = {}): Json => ({
      name: `${name}.example.com`,
      clientConfig: { url: `${hook.url}/${name}`, caBundle: hook.caBundle },
      rules: [
        {
          apiGroups: ["", "apps"],
          apiVersions: ["*"],
          operations: ["*"],
          resources: ["configmaps", "deployments/scale"],
        },
      ],
      namespaceSelector: { matchLabels: { hooked: "yes" } },
      sideEffects: "None",
      admissionReviewVersions: ["v1"],
      timeoutSeconds: 2,
      ...fields,
    });
    const register = async (kind: "Mutating" | "Validating", name: string, webhooks: readonly Json[]) => {
      const object = { metadata: { name }, webhooks };
      return send("POST", `${configurations}/${kind.toLowerCase()}webhookconfigurations`, object);
    };
    /** Waits until the webhook at this path is called; then nothing has been asked. */
    const isCalled = async (path: string): Promise<void> => {
      await eventually(async () => {
        await send("POST", dry, { metadata: { name: "seen" } });
        expect(hook.take().map((asked) => asked.path)).toContain(`/${path}?timeout=2s`);
      });
    };
    const paths = (): string[] => hook.take().map(({ path }) => path.slice(1, path.indexOf("?")));
    const create = (object: Body = {}, path = dry) =>
      send("POST", path, { metadata: { name: "one" }, data: { a: "1" }, ...object });

    it("shows a write to the mutating ones before the server settles it, and to the validating ones after it", async () => {
      await register("Mutating", "m", [webhook("m")]);
      await register("Validating", "v", [webhook("v")]);
      await isCalled("m");
      await isCalled("v");
      await create({ metadata: { generateName: "g-" } }, `${maps}?fieldManager=me&fieldValidation=Strict`);
      const [mutating, validating] = hook.take().map(requestOf);
      expect(mutating).toMatchObject({
        kind: { group: "", version: "v1", kind: "ConfigMap" },
        resource: { group: "", version: "v1", resource: "configmaps" },
        requestKind: { group: "", version: "v1", kind: "ConfigMap" },
        requestResource: { group: "", version: "v1", resource: "configmaps" },
        namespace: "hooked",
        operation: "CREATE",
        userInfo: { username: "admin", groups: ["system:masters", "system:authenticated"] },
        oldObject: null,
        dryRun: false,
        options: {
          kind: "CreateOptions",
          apiVersion: "meta.k8s.io/v1",
          fieldManager: "me",
          fieldValidation: "Strict",
        },
      });
      expect(mutating).not.toHaveProperty("name");
      const sent = metadataOf(mutating?.["object"] as Body);
      expect(Object.keys(sent)).toEqual(["generateName", "namespace", "managedFields"]);
      const stored = metadataOf(validating?.["object"] as Body);
      expect(validating).toMatchObject({ name: stored["name"] });
      expect(stored).toMatchObject({ uid: expect.any(String), creationTimestamp: expect.any(String) });
    });

    it("shows updates, applied manifests, scales and deletions with both states", async () => {
      await create({}, maps);
      const deployment = {
        metadata: { name: "one" },
        spec: {
          replicas: 0,
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      };
      await send("POST", "/apis/apps/v1/namespaces/hooked/deployments", deployment);
      await register("Validating", "v", [webhook("v")]);
      await isCalled("v");
      const seen = async (request: Promise<unknown>): Promise<Json> => {
        await request;
        const [asked] = hook.take();
        const { operation, subResource, kind, name, object, oldObject, options } =
          asked === undefined ? {} : requestOf(asked);
        const data = (value: unknown): unknown =>
          value === null ? null : ((value as Body)["data"] ?? (value as Body)["spec"]);
        return {
          operation,
          subResource,
          kind: (kind as Json)["kind"],
          name,
          object: data(object),
          oldObject: data(oldObject),
          options: (options as Json)["kind"],
        };
      };
      const update = { operation: "UPDATE", kind: "ConfigMap", name: "one", options: "UpdateOptions" };
      expect(await seen(send("PUT", `${maps}/one`, { metadata: { name: "one" }, data: { a: "2" } }))).toEqual(
        {
          ...update,
          object: { a: "2" },
          oldObject: { a: "1" },
        },
      );
      const manifest = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"},"data":{"b":"3"}}';
      const apply = { contentType: "application/apply-patch+yaml" };
      expect(await seen(send("PATCH", `${maps}/one?fieldManager=me`, manifest, apply))).toEqual({
        ...update,
        object: { a: "2", b: "3" },
        oldObject: { a: "2" },
      });
      const scale = "/apis/apps/v1/namespaces/hooked/deployments/one/scale";
      const merge = { contentType: "application/merge-patch+json" };
      expect(await seen(send("PATCH", scale, { spec: { replicas: 3 } }, merge))).toEqual({
        ...update,
        kind: "Scale",
        subResource: "scale",
        object: { replicas: 3 },
        oldObject: {},
      });
      expect(await seen(send("DELETE", `${maps}/one`))).toEqual({
        operation: "DELETE",
        kind: "ConfigMap",
        name: "one",
        object: null,
        oldObject: { a: "2", b: "3" },
        options: "DeleteOptions",
      });
      await send("POST", maps, { metadata: { name: "two", labels: { of: "all" } } });
      hook.take();
      expect(await seen(send("DELETE", `${maps}?labelSelector=of%3Dall`))).toMatchObject({
        operation: "DELETE",
        name: undefined,
      });
    });

    it("lets the mutating ones change the object in the order of names, and asks again whom later changes concern", async () => {
      const again = { reinvocationPolicy: "IfNeeded" };
      await register("Mutating", "b", [webhook("b1"), webhook("b2", again)]);
      await register("Mutating", "a", [webhook("a1", again), webhook("a2")]);
      await isCalled("b2");
      await create();
      expect(paths()).toEqual(["a1", "a2", "b1", "b2"]);
      let count = 0;
      const counting =
        (...those: readonly string[]): Answering =>
        (asked) =>
          admissionAnswer(
            asked,
            those.some((path) => asked.path.startsWith(`/${path}`))
              ? patchOf({ op: "add", path: "/data/count", value: String((count += 1)) })
              : {},
          );
      hook.answer = counting("b1");
      expect((await create()).body["data"]).toEqual({ a: "1", count: "1" });
      expect(paths()).toEqual(["a1", "a2", "b1", "b2", "a1"]);
      hook.answer = counting("a1", "b2");
      expect((await create()).body["data"]).toEqual({ a: "1", count: "5" });
      expect(paths()).toEqual(["a1", "a2", "b1", "b2", "a1", "b2"]);
    });

    it.each<[string, string, Body]>([
      ["Pod", "/api/v1/namespaces/hooked/pods", { spec: podSpec }],
      ["Service", "/api/v1/namespaces/hooked/services", { spec: { ports: [{ port: 80 }] } }],
      [
        "Job",
        "/apis/batch/v1/namespaces/hooked/jobs",
        { spec: { template: { spec: { ...podSpec, restartPolicy: "Never" } } } },
      ],
      ["ConfigMap", maps, { data: { a: "1" } }],
    ])("asks once about a %s, which shows what was sent as whose", async (_kind, path, content) => {
      const rules = [
        {
          apiGroups: ["", "batch"],
          apiVersions: ["v1"],
          operations: ["CREATE", "UPDATE"],
          resources: ["configmaps", "pods", "services", "jobs"],
        },
      ];
      await register("Mutating", "m", [webhook("m", { rules }), webhook("n", { rules })]);
      await register("Validating", "v", [webhook("v", { rules })]);
      await isCalled("n");
      await isCalled("v");
      const object = { metadata: { name: "once" }, ...content };
      const callsOf = async (request: Promise<unknown>): Promise<unknown> => {
        await request;
        return paths();
      };
      expect(await callsOf(send("POST", `${path}?dryRun=All`, object))).toEqual(["m", "n", "v"]);
      let calls = 0;
      hook.answer = (asked) => {
        if (asked.path.startsWith("/v")) return admissionAnswer(asked);
        const value = { [`n${(calls += 1)}`]: "" };
        return admissionAnswer(asked, patchOf({ op: "add", path: "/metadata/annotations", value }));
      };
      const created = await send("POST", path, object);
      expect(metadataOf(created.body)["annotations"]).toEqual({ n2: "" });
      const asked = hook.take();
      expect(asked.map((one) => one.path.slice(1, 2))).toEqual(["m", "n", "v"]);
      const seen = asked.map((one) => requestOf(one)["object"] as Body);
      const owned = seen.map((each) => metadataOf(each)["managedFields"] as Body[]);
      expect(owned[1]).toEqual(owned[0]);
      expect(owned[2]).toEqual(owned[0]);
      const text = JSON.stringify(owned[0]);
      expect(text).not.toMatch(/f:(volumes|tolerations|priority|clusterIP|labels|annotations)/);
      // An update is asked about once as well.
      expect(await callsOf(send("PUT", `${path}/once`, created.body))).toEqual(["m", "n", "v"]);
      await send("DELETE", `${path}/once?gracePeriodSeconds=0&propagationPolicy=Background`);
    });

    it("settles what a webhook injects, and shows that to those before it that want to see it", async () => {
      const rules = [{ apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["pods"] }];
      await register("Mutating", "m", [
        webhook("first", { rules, reinvocationPolicy: "IfNeeded" }),
        webhook("second", { rules, reinvocationPolicy: "IfNeeded" }),
        webhook("once"),
      ]);
      await isCalled("once");
      hook.answer = (asked) => {
        const { spec } = requestOf(asked)["object"] as { spec?: { containers: readonly Json[] } };
        const isNew = asked.path.startsWith("/second") && spec?.containers.length === 1;
        const injected = { op: "add", path: "/spec/containers/-", value: { name: "d", image: "j" } };
        return admissionAnswer(asked, isNew ? patchOf(injected) : {});
      };
      hook.take();
      const { body } = await create(
        { spec: podSpec, data: undefined },
        "/api/v1/namespaces/hooked/pods?dryRun=All",
      );
      const mounts = [{ mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }];
      expect((body["spec"] as Body)["containers"]).toMatchObject([
        { name: "c", volumeMounts: mounts },
        { name: "d", volumeMounts: mounts },
      ]);
      const asked = hook.take();
      expect(asked.map(({ path }) => path.slice(1, path.indexOf("?")))).toEqual([
        "first",
        "second",
        "first",
        "second",
      ]);
      const last = requestOf(asked[3] ?? asked[0]!)["object"] as Body;
      expect((last["spec"] as Body)["containers"]).toMatchObject([{}, { name: "d", volumeMounts: mounts }]);
    });

    it.each([
      ["!!!", "failed to call webhook: illegal base64 data at input byte 0"],
      [
        Buffer.from("{}").toString("base64"),
        "received undecodable patch in webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch",
      ],
    ])("takes %j for no patch", async (text, fault) => {
      await register("Mutating", "m", [webhook("m")]);
      await isCalled("m");
      hook.answer = (asked) => admissionAnswer(asked, { patchType: "JSONPatch", patch: text });
      const { body } = await create();
      const message = `Internal error occurred: failed calling webhook "m.example.com": ${fault}`;
      expect([body["code"], body["message"]]).toEqual([500, message]);
    });

    it("gives nobody the fields that a webhook sets, and calls it before a conflict is found", async () => {
      await register("Mutating", "m", [webhook("m")]);
      await isCalled("m");
      hook.answer = (asked) => admissionAnswer(asked, patchOf({ op: "add", path: "/data/b", value: "2" }));
      const created = await create({ metadata: { name: "owned" } }, maps);
      expect(created.body["data"]).toEqual({ a: "1", b: "2" });
      const [entry] = metadataOf(created.body)["managedFields"] as Body[];
      expect(entry?.["fieldsV1"]).toEqual({ "f:data": { ".": {}, "f:a": {} } });
      hook.take();
      const stale = { metadata: { name: "owned", resourceVersion: "1" }, data: { a: "9" } };
      expect((await send("PUT", `${maps}/owned`, stale)).body).toMatchObject({
        code: 409,
        reason: "Conflict",
      });
      expect(paths()).toEqual(["m"]);
      // What a webhook makes of the object is validated.
      hook.answer = (asked) =>
        admissionAnswer(asked, patchOf({ op: "add", path: "/metadata/labels", value: { "-": "b" } }));
      expect((await create()).body).toMatchObject({ code: 422, reason: "Invalid" });
    });

    describe("refuses", () => {
      it.each<[string, Json, Json]>([
        ["without a word", {}, { code: 400, message: "denied the request without explanation" }],
        ["with a message", { message: "no" }, { code: 400, message: "denied the request: no" }],
        [
          "with a reason",
          { reason: "Why" },
          { code: 400, reason: "Why", message: "denied the request: Why" },
        ],
        [
          "with a code of success",
          { code: 200, message: "no" },
          { code: 400, message: "denied the request: no" },
        ],
        [
          "with details",
          {
            code: 422,
            reason: "Invalid",
            message: "no",
            details: { causes: [{ field: "data.a", message: "m" }] },
          },
          {
            code: 422,
            reason: "Invalid",
            message: "denied the request: no",
            details: { causes: [{ field: "data.a", message: "m" }] },
          },
        ],
      ])("%s", async (_, status, expected) => {
        await register("Validating", "v", [webhook("v")]);
        await isCalled("v");
        hook.answer = (asked) => admissionAnswer(asked, { allowed: false, status, warnings: ["beware"] });
        const { body, headers } = await create();
        const message = `admission webhook "v.example.com" ${String(expected["message"])}`;
        expect(body).toEqual({
          kind: "Status",
          apiVersion: "v1",
          metadata: {},
          status: "Failure",
          ...expected,
          message,
        });
        expect(headers["warning"]).toBe('299 - "beware"');
      });

      it("with the first refusal that comes in", async () => {
        await register("Validating", "v", [webhook("v1"), webhook("v2")]);
        await isCalled("v2");
        const first = Promise.withResolvers<void>();
        hook.answer = async (asked) => {
          if (asked.path.startsWith("/v1")) await first.promise;
          else setTimeout(() => first.resolve(), 50);
          return admissionAnswer(asked, { allowed: false, status: { message: asked.path.slice(1, 3) } });
        };
        expect((await create()).body["message"]).toBe(
          'admission webhook "v2.example.com" denied the request: v2',
        );
      });
    });

    it("says why a call failed, in Kubernetes' words, and ignores it where it may", async () => {
      await register("Mutating", "m", [webhook("m")]);
      await isCalled("m");
      const failures: readonly (readonly [Answering, string])[] = [
        [
          (asked) => ({ ...admissionAnswer(asked), response: { uid: "x", allowed: true } }),
          'received invalid webhook response: expected response.uid="UID", got "x"',
        ],
        [
          () => ({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1" }),
          "received invalid webhook response: webhook response was absent",
        ],
        [
          (asked) => admissionAnswer(asked, { patch: "W10=" }),
          "received invalid webhook response: webhook returned response.patch but not response.patchType",
        ],
        [
          () => ({ status: 404, body: "gone" }),
          "failed to call webhook: the server could not find the requested resource",
        ],
        [
          () => ({ status: 500, body: "oops", contentType: "text/plain" }),
          'failed to call webhook: an error on the server ("oops") has prevented the request from succeeding',
        ],
        [
          () => ({ status: 200, body: "" }),
          "failed to call webhook: 0-length response with status code: 200 and content type: application/json",
        ],
        [
          () => "nothing",
          `failed to call webhook: Post "${hook.url}/m?timeout=2s": context deadline exceeded`,
        ],
      ];
      for (const [answering, failure] of failures) {
        hook.answer = answering;
        const { body } = await create();
        const text = `failed calling webhook "m.example.com": ${failure}`;
        const shown = JSON.parse(JSON.stringify(body).replaceAll(/[\da-f]{8}-[\da-f-]{27}/g, "UID")) as Json;
        expect(shown).toMatchObject({
          code: 500,
          reason: "InternalError",
          message: `Internal error occurred: ${text}`,
          details: { causes: [{ message: text }] },
        });
      }
      hook.answer = (asked) => admissionAnswer(asked, patchOf({ op: "remove", path: "/data/nope" }));
      expect((await create()).body["message"]).toBe(
        "Internal error occurred: error in remove for path: '/data/nope': Unable to remove nonexistent key: nope: missing value",
      );
      await send(
        "PATCH",
        `${configurations}/mutatingwebhookconfigurations/m`,
        [{ op: "add", path: "/webhooks/0/failurePolicy", value: "Ignore" }],
        { contentType: "application/json-patch+json" },
      );
      hook.answer = () => ({ status: 500, body: "oops" });
      await eventually(async () => expect((await create()).status).toBe(201));
    });

    it("is asked where its answer says that it has gone", async () => {
      await register("Validating", "v", [webhook("v")]);
      await isCalled("v");
      const moved =
        (status: number, location: string): Answering =>
        (asked) => {
          if (asked.path !== "/other") return { status, body: "", location };
          return admissionAnswer({ ...asked, review: { request: {}, ...asked.review } });
        };
      const failed =
        'Internal error occurred: failed calling webhook "v.example.com": failed to call webhook: ';
      for (const [status, location] of [
        [307, "/other"],
        [308, "other"],
        [307, `${hook.url}/other`],
      ] as const) {
        hook.answer = moved(status, location);
        expect((await create()).body["message"]).toBeUndefined();
        expect(paths()).toHaveLength(2);
      }
      // Of these the body is left out, so that nothing is known of what is asked.
      for (const status of [301, 302, 303]) {
        hook.answer = moved(status, "/other");
        const { body } = await create();
        expect(String(body["message"]).replace(/[\da-f]{8}-[\da-f-]{27}/, "UID")).toBe(
          'Internal error occurred: failed calling webhook "v.example.com": received invalid webhook response: expected response.uid="UID", got ""',
        );
      }
      hook.take();
      hook.answer = moved(307, "/again");
      expect((await create()).body["message"]).toBe(`${failed}Post "/again": stopped after 10 redirects`);
      expect(paths()).toHaveLength(10);
      hook.answer = moved(307, "https://127.0.0.1:1/x");
      expect((await create()).body["message"]).toBe(
        `${failed}Post "https://127.0.0.1:1/x": dial tcp 127.0.0.1:1: connect: connection refused`,
      );
      hook.answer = () => ({ status: 307, body: "" });
      expect((await create()).body["message"]).toBe(
        `${failed}the server responded with the status code 307 but did not return more information`,
      );
    });

    it("may warn of something, and of nothing", async () => {
      await register("Validating", "v", [webhook("v")]);
      await isCalled("v");
      hook.answer = (asked) => admissionAnswer(asked, { warnings: ["", "one", "", "one"] });
      expect((await create()).headers["warning"]).toBe('299 - "one"');
    });

    it("trusts the certificate that is named, and finds a webhook behind a Service", async () => {
      const service = { name: "hook", namespace: "hooked", path: "/s", port: hook.port };
      const failing = async (clientConfig: Json, failure: string): Promise<void> => {
        await send("DELETE", `${configurations}/mutatingwebhookconfigurations/m`);
        await register("Mutating", "m", [webhook("m", { clientConfig })]);
        const message = `Internal error occurred: failed calling webhook "m.example.com": failed to call webhook: Post "${failure}`;
        await eventually(async () => expect((await create()).body["message"]).toBe(message));
      };
      await failing(
        { url: hook.url },
        `${hook.url}/?timeout=2s": tls: failed to verify certificate: x509: certificate signed by unknown authority`,
      );
      await failing(
        { url: "https://127.0.0.1:1/x" },
        'https://127.0.0.1:1/x?timeout=2s": dial tcp 127.0.0.1:1: connect: connection refused',
      );
      const shown = `https://hook.hooked.svc:${hook.port}/s?timeout=2s"`;
      await failing({ service, caBundle: hook.caBundle }, `${shown}: service "hook" not found`);
      await send("POST", "/api/v1/namespaces/hooked/services", {
        metadata: { name: "hook" },
        spec: { type: "ExternalName", externalName: "localhost" },
      });
      await failing(
        { service, caBundle: hook.caBundle },
        `${shown}: tls: failed to verify certificate: x509: certificate is valid for localhost, not hook.hooked.svc`,
      );
    });

    it("chooses by rules, selectors and conditions", async () => {
      await register("Validating", "v", [
        webhook("labelled", { objectSelector: { matchLabels: { x: "y" } } }),
        webhook("named", {
          matchConditions: [
            { name: "c", expression: "request.operation == 'DELETE' || object.metadata.name != 'skip'" },
          ],
        }),
        webhook("others", {
          matchConditions: [{ name: "c", expression: "request.userInfo.username != 'admin'" }],
        }),
        webhook("deletions", {
          rules: [{ apiGroups: [""], apiVersions: ["v1"], operations: ["DELETE"], resources: ["*"] }],
        }),
        webhook("cluster", {
          rules: [
            { apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources: ["*/*"], scope: "Cluster" },
          ],
        }),
        webhook("elsewhere", { namespaceSelector: { matchLabels: { hooked: "no" } } }),
      ]);
      await isCalled("named");
      await create({ metadata: { name: "skip", labels: { x: "y" } } });
      expect(paths()).toEqual(["labelled"]);
      await create({ metadata: { name: "skip", labels: { x: "z" } } });
      expect(paths()).toEqual([]);
      await send("DELETE", `${maps}/owned?dryRun=All`);
      expect(paths().sort()).toEqual(["deletions", "named"]);
    });

    it("refuses a write whose conditions cannot be evaluated", async () => {
      await register("Validating", "v", [
        webhook("v", { matchConditions: [{ name: "boom", expression: "object.data.nope == 'x'" }] }),
      ]);
      await eventually(async () => {
        expect((await create()).body).toMatchObject({
          code: 403,
          reason: "Forbidden",
          message: `configmaps "one" is forbidden: expression 'object.data.nope == 'x'' resulted in error: no such key: nope`,
        });
      });
    });

    it.each<[string, Json, string]>([
      [
        "name",
        { name: "plain" },
        'name: Invalid value: "plain": should be a domain with at least three segments separated by dots',
      ],
      [
        "sideEffects",
        { sideEffects: undefined },
        "sideEffects: Required value: must specify one of None, NoneOnDryRun",
      ],
      [
        "versions",
        { admissionReviewVersions: ["v2"] },
        'admissionReviewVersions: Invalid value: ["v2"]: must include at least one of v1, v1beta1',
      ],
      [
        "scheme",
        { clientConfig: { url: "http://127.0.0.1/x" } },
        `clientConfig.url: Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      ],
      [
        "client",
        { clientConfig: {} },
        "clientConfig: Required value: exactly one of url or service is required",
      ],
      [
        "timeout",
        { timeoutSeconds: 31 },
        "timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds",
      ],
      [
        "policy",
        { failurePolicy: "X" },
        'failurePolicy: Unsupported value: "X": supported values: "Fail", "Ignore"',
      ],
      [
        "operations",
        { rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["FOO"], resources: ["*"] }] },
        'rules[0].operations[0]: Unsupported value: "FOO": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      ],
      [
        "condition",
        { matchConditions: [{ name: "a", expression: "object.x" }] },
        'matchConditions[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn',
      ],
    ])("refuses a configuration with a wrong %s", async (_, fields, fault) => {
      const { body } = await register("Validating", "wrong", [webhook("w", fields)]);
      expect(body["message"]).toBe(
        `ValidatingWebhookConfiguration.admissionregistration.k8s.io "wrong" is invalid: webhooks[0].${fault}`,
      );
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
