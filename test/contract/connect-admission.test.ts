// Admission of CONNECT, as every API server asks for it: who is asked before a command is run in a pod, a container is joined or a
// port reached, what they are shown, and what they may change.
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  admissionAnswer,
  patchOf,
  requestOf,
  startWebhookServer,
  type WebhookServer,
} from "../support/webhook-server.ts";
import { createRawClient, type RawClient } from "./api-server/raw-request.ts";

const admission = "/apis/admissionregistration.k8s.io/v1";
const kinds = ["mutating", "validating"];
const pods = "/api/v1/namespaces/joined/pods";
const resourceRules = [
  { apiGroups: [""], apiVersions: ["*"], operations: ["CONNECT"], resources: ["pods/*"] },
];
const noHost = { code: 400, message: "pod one does not have a host assigned" };

describeOnEachApiServer(
  "admission of CONNECT",
  (server) => {
    let client: RawClient;
    let hook: WebhookServer;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const connect = async (place: string, method = "GET") => (await send(method, `${pods}/${place}`)).body;

    beforeAll(async () => {
      client = createRawClient(server());
      hook = await startWebhookServer((asked) => admissionAnswer(asked));
      await send("POST", "/api/v1/namespaces", { metadata: { name: "joined" } });
      await send("POST", "/api/v1/namespaces/joined/serviceaccounts", { metadata: { name: "default" } });
      await send("POST", pods, {
        metadata: { name: "one" },
        spec: { containers: [{ name: "c", image: "i" }] },
      });
      for (const kind of kinds) {
        const name = `${kind}.example.com`;
        const clientConfig = { url: `${hook.url}/${kind}`, caBundle: hook.caBundle };
        const rest = { sideEffects: "None", admissionReviewVersions: ["v1"] };
        await send("POST", `${admission}/${kind}webhookconfigurations`, {
          metadata: { name: "connect" },
          webhooks: [{ name, clientConfig, rules: resourceRules, ...rest }],
        });
      }
      // A real server has to notice first.
      await eventually(async () => {
        hook.take();
        await connect("one/exec");
        expect(hook.take().length).toBe(kinds.length);
      });
    });
    afterEach(() => {
      hook.answer = (asked) => admissionAnswer(asked);
      hook.take();
    });
    afterAll(async () => {
      await client.close();
      await hook.stop();
    });

    it.each([
      [
        "exec",
        "?command=ls&command=-l&stdin=true&stdout=false&container=c&tty=1&other=b",
        { kind: "PodExecOptions", stdin: true, tty: true, container: "c", command: ["ls", "-l"] },
      ],
      ["exec", "", { kind: "PodExecOptions", command: null }],
      ["attach", "?stdin=true&stderr=", { kind: "PodAttachOptions", stdin: true, stderr: true }],
      ["portforward", "?ports=80&ports=81,82", { kind: "PodPortForwardOptions", ports: [80, 81, 82] }],
      ["portforward", "", { kind: "PodPortForwardOptions" }],
    ])("asks about %s%s with the options as an object", async (subresource, query, { kind, ...options }) => {
      for (const method of ["GET", "POST"]) {
        expect(await connect(`one/${subresource}${query}`, method)).toMatchObject(noHost);
        const asked = hook.take();
        expect(asked.map(({ path }) => path)).toEqual(kinds.map((each) => `/${each}?timeout=10s`));
        for (const one of asked) {
          const { uid: _, userInfo, ...request } = requestOf(one);
          expect(userInfo).toMatchObject({ username: "admin" });
          const shown = { group: "", version: "v1", kind };
          const resource = { group: "", version: "v1", resource: "pods" };
          expect(request).toEqual({
            kind: shown,
            resource,
            subResource: subresource,
            requestKind: shown,
            requestResource: resource,
            requestSubResource: subresource,
            name: "one",
            namespace: "joined",
            operation: "CONNECT",
            object: { kind, apiVersion: "v1", ...options },
            oldObject: null,
            dryRun: false,
            options: null,
          });
        }
      }
    });

    it("asks before the pod is looked for, and not about what cannot be read", async () => {
      expect(await connect("gone/exec?command=ls")).toMatchObject({ code: 404 });
      expect(hook.take().length).toBe(kinds.length);
      expect(await connect("one/portforward?ports=x")).toMatchObject({
        code: 400,
        message: 'cannot convert to []int32: strconv.ParseUint: parsing "x": invalid syntax',
      });
      await connect("one/log");
      expect(hook.take()).toEqual([]);
    });

    it.each(["exec", "attach", "portforward"])("lets a webhook refuse %s", async (subresource) => {
      for (const kind of kinds) {
        hook.answer = (asked) => ({
          ...admissionAnswer(asked),
          response: {
            uid: requestOf(asked)["uid"],
            allowed: !asked.path.startsWith(`/${kind}`),
            status: { code: 418, message: "no" },
          },
        });
        expect(await connect(`one/${subresource}`)).toMatchObject({
          code: 418,
          message: `admission webhook "${kind}.example.com" denied the request: no`,
        });
      }
    });

    it("connects as a mutating webhook wants it", async () => {
      const patch = patchOf({ op: "replace", path: "/container", value: "other" });
      hook.answer = (asked) => admissionAnswer(asked, asked.path.startsWith("/mutating") ? patch : {});
      expect(await connect("one/exec?command=ls&container=c")).toMatchObject({
        message: "container other is not valid for pod one",
      });
      expect(hook.take().map((asked) => requestOf(asked)["object"])).toMatchObject([
        { container: "c" },
        { container: "other" },
      ]);
    });

    it("lets a policy refuse by the options", async () => {
      const spec = {
        matchConstraints: { resourceRules },
        validations: [
          { expression: "!has(object.command) || object.command[0] != 'sh'", message: "no shell" },
        ],
      };
      await send("POST", `${admission}/validatingadmissionpolicies`, { metadata: { name: "shell" }, spec });
      const binding = { policyName: "shell", validationActions: ["Deny"] };
      await send("POST", `${admission}/validatingadmissionpolicybindings`, {
        metadata: { name: "shell" },
        spec: binding,
      });
      await eventually(async () =>
        expect(await connect("one/exec?command=sh")).toMatchObject({
          code: 422,
          message: `pods "one" is forbidden: ValidatingAdmissionPolicy 'shell' with binding 'shell' denied request: no shell`,
        }),
      );
      expect(await connect("one/exec?command=ls")).toMatchObject(noHost);
      expect(await connect("one/attach")).toMatchObject(noHost);
    });
  },
  { embedded: { controllers: false } },
);
