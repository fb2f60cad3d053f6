// Whose tokens they are, for whom, and for how long, as every API server says it: reviews, requests for tokens, and requests that come
// with them.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import {
  adminTokenOf,
  createRawClient,
  metadataOf,
  type Body,
  type RawAnswer,
  type RawClient,
} from "./api-server/raw-request.ts";

const spaces = "/api/v1/namespaces";
const space = `${spaces}/tokens`;
const issuer = "https://kubernetes.default.svc";
const group = "authentication.k8s.io";

describeOnEachApiServer(
  "tokens",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    const account = (name: string): Promise<RawAnswer> =>
      send("POST", `${space}/serviceaccounts`, { metadata: { name } });
    const request = (name: string, body: Body): Promise<RawAnswer> =>
      send("POST", `${space}/serviceaccounts/${name}/token`, body);
    const token = async (name: string, spec: Body = {}): Promise<string> => {
      const { status, body, text } = await request(name, { spec });
      expect(status, text).toBe(201);
      return String((body["status"] as Body)["token"]);
    };
    const reviewed = (spec: Body): Promise<RawAnswer> =>
      send("POST", `/apis/${group}/v1/tokenreviews`, { spec });
    const status = async (spec: Body): Promise<Body> => (await reviewed(spec)).body["status"] as Body;
    const claimsOf = (bearer: string): Body =>
      JSON.parse(Buffer.from(bearer.split(".")[1] ?? "", "base64url").toString("utf8")) as Body;
    const uidOf = ({ body }: RawAnswer): string => String(metadataOf(body)["uid"]);

    beforeAll(async () => {
      client = createRawClient(server());
      await send("POST", spaces, { metadata: { name: "tokens" } });
      await account("user");
    });
    afterAll(() => client.close());

    describe("audiences", () => {
      it.each<[of: string[], asked: string[] | undefined, common: string[]]>([
        [[], undefined, [issuer]],
        [[], ["b", issuer], [issuer]],
        [
          ["a", "b"],
          ["b", "c", "a"],
          ["b", "a"],
        ],
        [["a", issuer], undefined, [issuer]],
        [["a", issuer], [], [issuer]],
        [["a"], ["a", "a"], ["a", "a"]],
      ])("of a token for %j that is asked about for %j are %j", async (audiences, asked, common) => {
        const bearer = await token("user", { audiences });
        expect(claimsOf(bearer)["aud"]).toEqual(audiences.length === 0 ? [issuer] : audiences);
        expect(await status({ token: bearer, audiences: asked })).toMatchObject({
          authenticated: true,
          audiences: common,
          user: { username: "system:serviceaccount:tokens:user" },
        });
      });

      it.each<[of: string[], asked: string[] | undefined, words: string]>([
        [
          ["a"],
          undefined,
          `[invalid bearer token, token audiences ["a"] is invalid for the target audiences ["${issuer}"]]`,
        ],
        [
          ["a", "b"],
          ["c", 'd"'],
          '[invalid bearer token, token audiences ["a" "b"] is invalid for the target audiences ["c" "d\\""]]',
        ],
        [
          [],
          ["a"],
          `[invalid bearer token, token audiences ["${issuer}"] is invalid for the target audiences ["a"]]`,
        ],
      ])("of a token for %j that is asked about for %j are none", async (audiences, asked, words) => {
        const bearer = await token("user", { audiences });
        expect(await status({ token: bearer, audiences: asked })).toEqual({ user: {}, error: words });
      });

      it("of whoever is no service account are those of the server", async () => {
        const admin = adminTokenOf(server().kubeconfig);
        expect(await status({ token: admin })).toMatchObject({ authenticated: true, audiences: [issuer] });
        expect(await status({ token: admin, audiences: ["a", issuer] })).toMatchObject({
          audiences: [issuer],
        });
        expect(await status({ token: admin, audiences: ["a"] })).toEqual({
          user: {},
          error: "invalid bearer token",
        });
      });

      it("decide whether a request is heard", async () => {
        for (const [audiences, code] of [
          [["a"], 401],
          [["a", issuer], 403],
        ] as const) {
          const answer = await send("GET", `${space}/pods`, undefined, {
            token: await token("user", { audiences }),
          });
          expect([answer.status, answer.body["code"]]).toEqual([code, code]);
        }
      });
    });

    describe("reviews", () => {
      it("are answered with what was sent, and who has sent it", async () => {
        const bearer = await token("user", { audiences: ["a"] });
        const { status: code, body } = await send("POST", `/apis/${group}/v1/tokenreviews`, {
          metadata: { name: "mine", labels: { a: "b" }, uid: "1", creationTimestamp: "2020-01-01T00:00:00Z" },
          spec: { token: bearer, audiences: ["a"] },
        });
        expect([code, body]).toEqual([
          201,
          {
            kind: "TokenReview",
            apiVersion: `${group}/v1`,
            metadata: {
              name: "mine",
              labels: { a: "b" },
              managedFields: [
                {
                  manager: "contract",
                  operation: "Update",
                  apiVersion: `${group}/v1`,
                  time: expect.any(String) as string,
                  fieldsType: "FieldsV1",
                  fieldsV1: {
                    "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
                    "f:spec": { "f:audiences": {}, "f:token": {} },
                  },
                },
              ],
            },
            spec: { token: bearer, audiences: ["a"] },
            status: {
              authenticated: true,
              user: {
                username: "system:serviceaccount:tokens:user",
                uid: uidOf(await send("GET", `${space}/serviceaccounts/user`)),
                groups: ["system:serviceaccounts", "system:serviceaccounts:tokens", "system:authenticated"],
                extra: {
                  "authentication.kubernetes.io/credential-id": [`JTI=${String(claimsOf(bearer)["jti"])}`],
                },
              },
              audiences: ["a"],
            },
          },
        ]);
      });

      it("need a token", async () => {
        const { status: code, body } = await reviewed({});
        expect([code, body["message"]]).toEqual([400, "token is required for TokenReview in authentication"]);
      });

      it("know what is no token of theirs", async () => {
        const [header = "", claims = "", signature = ""] = (await token("user")).split(".");
        const turned = Buffer.from(signature, "base64url").reverse().toString("base64url");
        const stranger = Buffer.from(JSON.stringify({ iss: "https://example.com" })).toString("base64url");
        expect(
          await Promise.all(
            ["nonsense", "a.b.c", `${header}.${stranger}.${signature}`, `${header}.${claims}.${turned}`].map(
              (each) => status({ token: each }),
            ),
          ),
        ).toEqual([
          { user: {}, error: "invalid bearer token" },
          { user: {}, error: "invalid bearer token" },
          { user: {}, error: "invalid bearer token" },
          { user: {}, error: "[invalid bearer token, go-jose/go-jose: error in cryptographic primitive]" },
        ]);
      });

      it("take a token as a request would bring it", async () => {
        const bearer = await token("user");
        expect(await status({ token: `${bearer} and more` })).toMatchObject({ authenticated: true });
        expect(await status({ token: ` ${bearer}`, audiences: ["a"] })).toEqual({
          authenticated: true,
          user: { username: "system:anonymous", groups: ["system:unauthenticated"] },
          audiences: ["a"],
        });
      });

      it("of oneself name the token, and keep nothing that was sent", async () => {
        const bearer = await token("user");
        const { body } = await send(
          "POST",
          `/apis/${group}/v1/selfsubjectreviews`,
          { metadata: { name: "mine", labels: { a: "b" } } },
          { token: bearer },
        );
        expect(body).toEqual({
          kind: "SelfSubjectReview",
          apiVersion: `${group}/v1`,
          metadata: { creationTimestamp: expect.any(String) as string },
          status: {
            userInfo: {
              username: "system:serviceaccount:tokens:user",
              uid: expect.any(String) as string,
              groups: ["system:serviceaccounts", "system:serviceaccounts:tokens", "system:authenticated"],
              extra: {
                "authentication.kubernetes.io/credential-id": [`JTI=${String(claimsOf(bearer)["jti"])}`],
              },
            },
          },
        });
      });
    });

    describe("what they are bound to", () => {
      const objects: readonly (readonly [kind: string, collection: string, body: (name: string) => Body])[] =
        [
          [
            "Pod",
            `${space}/pods`,
            () => ({ spec: { serviceAccountName: "user", containers: [{ name: "c", image: "i" }] } }),
          ],
          ["Secret", `${space}/secrets`, () => ({})],
          ["Node", "/api/v1/nodes", () => ({})],
        ];

      it.each(objects)("is there: a %s", async (kind, collection, content) => {
        const name = `bound-${kind.toLowerCase()}`;
        const create = (): Promise<RawAnswer> =>
          send("POST", collection, { metadata: { name }, ...content(name) });
        const uid = uidOf(await create());
        const boundObjectRef = { kind, apiVersion: "v1", name, uid };
        const [first, second, third] = [
          await token("user", { boundObjectRef }),
          await token("user", { boundObjectRef }),
          await token("user", { boundObjectRef, audiences: ["a"] }),
        ];
        const word = kind.toLowerCase();
        const { user } = await status({ token: first });
        const facts = (user as Body)["extra"] as Body;
        expect(facts[`authentication.kubernetes.io/${word}-uid`]).toEqual(
          word === "secret" ? undefined : [uid],
        );
        await send("DELETE", `${collection}/${name}?gracePeriodSeconds=0`);
        // Answers are remembered for each token and audience.
        let attempt = 0;
        const error = async (bearer: string, audience: string): Promise<unknown> => {
          attempt += 1;
          return (await status({ token: bearer, audiences: [audience, `attempt-${attempt}`] }))["error"];
        };
        await eventually(async () =>
          expect(await error(second, issuer)).toBe(
            "[invalid bearer token, service account token has been invalidated]",
          ),
        );
        expect((await send("GET", `${space}/pods`, undefined, { token: second })).status).toBe(401);
        const next = uidOf(await create());
        await eventually(async () =>
          expect(await error(third, "a")).toBe(
            `[invalid bearer token, ${word} UID (${next}) does not match service account ${word} ref claim (${uid})]`,
          ),
        );
        await send("DELETE", `${collection}/${name}?gracePeriodSeconds=0`);
      });

      it("is their account", async () => {
        await account("passing");
        const bearer = await token("passing");
        const uid = uidOf(await send("GET", `${space}/serviceaccounts/passing`));
        let attempt = 0;
        const error = async (): Promise<unknown> => {
          attempt += 1;
          return (await status({ token: bearer, audiences: [issuer, `attempt-${attempt}`] }))["error"];
        };
        await send("DELETE", `${space}/serviceaccounts/passing`);
        await eventually(async () =>
          expect(await error()).toBe('[invalid bearer token, serviceaccounts "passing" not found]'),
        );
        const next = uidOf(await account("passing"));
        await eventually(async () =>
          expect(await error()).toBe(
            `[invalid bearer token, service account UID (${next}) does not match claim (${uid})]`,
          ),
        );
      });
    });

    describe("requests for them", () => {
      const fault = ({ status: code, body }: RawAnswer): unknown => [code, body["message"]];

      it("are answered with what was sent, and the token", async () => {
        const { body } = await request("user", {
          metadata: { labels: { a: "b" } },
          spec: { audiences: ["a"], expirationSeconds: 900 },
        });
        const { metadata, spec, status: answer } = body as Record<string, Body>;
        expect(metadata).toEqual({
          name: "user",
          namespace: "tokens",
          uid: expect.any(String) as string,
          creationTimestamp: expect.any(String) as string,
          labels: { a: "b" },
          managedFields: [
            {
              manager: "contract",
              operation: "Update",
              apiVersion: `${group}/v1`,
              time: expect.any(String) as string,
              fieldsType: "FieldsV1",
              fieldsV1: {
                "f:metadata": { "f:labels": { ".": {}, "f:a": {} } },
                "f:spec": { "f:audiences": {}, "f:expirationSeconds": {} },
              },
              subresource: "token",
            },
          ],
        });
        expect(spec).toEqual({ audiences: ["a"], expirationSeconds: 900, boundObjectRef: null });
        const { exp, iat } = claimsOf(String(answer?.["token"]));
        expect(Number(exp) - Number(iat)).toBe(900);
      });

      it.each<[what: string, body: Body, code: number, message: string]>([
        [
          "for another account",
          { metadata: { name: "other" } },
          422,
          'TokenRequest.authentication.k8s.io "user" is invalid: metadata.name: Invalid value: "other": must match the service account name if specified',
        ],
        [
          "for another namespace",
          { metadata: { namespace: "other" } },
          400,
          "the namespace of the provided object does not match the namespace sent on the request",
        ],
        [
          "for a former account",
          { metadata: { uid: "1-2-3" } },
          409,
          'Operation cannot be fulfilled on TokenRequest.authentication.k8s.io "user": the UID in the token request (1-2-3) does not match the UID of the service account (UID)',
        ],
        [
          "for ever",
          { spec: { expirationSeconds: 4_294_967_297 } },
          422,
          'TokenRequest.authentication.k8s.io "" is invalid: spec.expirationSeconds: Invalid value: 4294967297: may not specify a duration larger than 2^32 seconds',
        ],
      ])("are refused %s", async (_, body, code, message) => {
        const uid = uidOf(await send("GET", `${space}/serviceaccounts/user`));
        expect(fault(await request("user", { spec: {}, ...body }))).toEqual([
          code,
          message.replace("UID)", `${uid})`),
        ]);
      });

      it("of kubelets are for longer than they ask for, with a warning", async () => {
        await send("POST", `${space}/pods`, {
          metadata: { name: "kept" },
          spec: { serviceAccountName: "user", containers: [{ name: "c", image: "i" }] },
        });
        const boundObjectRef = { kind: "Pod", apiVersion: "v1", name: "kept" };
        const seconds = async (spec: Body): Promise<unknown> => {
          const { body } = await request("user", { spec });
          const { token: bearer, expirationTimestamp } = body["status"] as Body;
          const { iat, exp, "kubernetes.io": own } = claimsOf(String(bearer));
          const warnAfter = (own as Body)["warnafter"];
          const told = Date.parse(String(expirationTimestamp)) / 1_000;
          return [
            Number(exp) - Number(iat),
            warnAfter === undefined ? undefined : Number(warnAfter) - Number(iat),
            Math.abs(told - Number(iat) - Number(spec["expirationSeconds"])) <= 1,
          ];
        };
        const year = 31_536_000;
        expect(await seconds({ expirationSeconds: 3_607, boundObjectRef })).toEqual([year, 3_607, true]);
        expect(await seconds({ expirationSeconds: 3_608, boundObjectRef })).toEqual([3_608, undefined, true]);
        expect(await seconds({ expirationSeconds: 3_607 })).toEqual([3_607, undefined, true]);
        expect(await seconds({ expirationSeconds: 3_607, boundObjectRef, audiences: ["a"] })).toEqual([
          3_607,
          undefined,
          true,
        ]);
      });
    });

    describe("access reviews", () => {
      const authorization = "/apis/authorization.k8s.io/v1";
      const pods = { verb: "get", resource: "pods" };
      const path = { path: "/x", verb: "get" };

      const at = "spec.resourceAttributes";
      const which = "exactly one of nonResourceAttributes or resourceAttributes must be specified";
      const shown = 'spec.nonResourceAttributes: Invalid value: {"Path":"/x","Verb":"get"}:';

      it.each<[string, string, Body, string]>([
        ["nothing", "subjectaccessreviews", { spec: { user: "a" } }, `${at}: Invalid value: null: ${which}`],
        [
          "both",
          "subjectaccessreviews",
          { spec: { user: "a", resourceAttributes: pods, nonResourceAttributes: path } },
          `${shown} cannot be specified in combination with resourceAttributes`,
        ],
        [
          "nobody",
          "subjectaccessreviews",
          { spec: { resourceAttributes: pods } },
          'spec.user: Invalid value: "": at least one of user or group must be specified',
        ],
        [
          "a name",
          "subjectaccessreviews",
          { metadata: { name: "n" }, spec: { user: "a", resourceAttributes: pods } },
          'metadata: Invalid value: {"name":"n","managedFields":[{"manager":"contract","operation":"Update","apiVersion":"authorization.k8s.io/v1","time":"TIME","fieldsType":"FieldsV1","fieldsV1":{"f:spec":{"f:resourceAttributes":{".":{},"f:resource":{},"f:verb":{}},"f:user":{}}}}]}: must be empty',
        ],
        [
          "nothing of oneself",
          "selfsubjectaccessreviews",
          { spec: {} },
          `${at}: Invalid value: null: ${which}`,
        ],
        [
          "another namespace",
          "namespaces/tokens/localsubjectaccessreviews",
          { spec: { user: "a", resourceAttributes: { ...pods, namespace: "other" } } },
          `${at}.namespace: Invalid value: "other": must match metadata.namespace`,
        ],
        [
          "a path here",
          "namespaces/tokens/localsubjectaccessreviews",
          { spec: { user: "a", nonResourceAttributes: path } },
          `${shown} disallowed on this kind of request`,
        ],
        [
          "an empty selector",
          "selfsubjectaccessreviews",
          { spec: { resourceAttributes: { ...pods, labelSelector: {} } } },
          `${at}.labelSelector.requirements: Required value: when ${at}.labelSelector is specified, requirements or rawSelector is required`,
        ],
        [
          "selectors in two forms, and without values",
          "selfsubjectaccessreviews",
          {
            spec: {
              resourceAttributes: {
                ...pods,
                fieldSelector: { requirements: [{ operator: "In" }], rawSelector: "a=b" },
                labelSelector: {
                  requirements: [
                    { key: "a", operator: "In" },
                    { key: "b", operator: "Exists", values: ["c!"] },
                    { key: "c", operator: "Unknown" },
                  ],
                },
              },
            },
          },
          `[${at}.fieldSelector.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements, ${at}.fieldSelector.requirements[0].key: Required value: must be specified, ${at}.fieldSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', ${at}.labelSelector.requirements[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn', ${at}.labelSelector.requirements[1].values: Forbidden: may not be specified when \`operator\` is 'Exists' or 'DoesNotExist', ${at}.labelSelector.requirements[1].values[0]: Invalid value: "c!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')]`,
        ],
      ])("ask for something, not for %s", async (_, plural, body, message) => {
        const { status: code, body: answer } = await send("POST", `${authorization}/${plural}`, body);
        const said = String(answer["message"]).replace(/"time":"[^"]*"/, '"time":"TIME"');
        expect([code, said]).toEqual([422, `.authorization.k8s.io "" is invalid: ${message}`]);
        expect(answer["details"]).toMatchObject({ group: "authorization.k8s.io" });
        expect(answer["details"]).not.toHaveProperty("kind");
      });

      it("say which selectors they could not read", async () => {
        const { body } = await send("POST", `${authorization}/selfsubjectaccessreviews`, {
          spec: {
            resourceAttributes: {
              ...pods,
              fieldSelector: { rawSelector: "a" },
              labelSelector: { rawSelector: "a in" },
            },
          },
        });
        expect(body["status"]).toEqual({
          allowed: true,
          evaluationError:
            "spec.resourceAttributes.fieldSelector ignored due to parse error; spec.resourceAttributes.labelSelector ignored due to parse error",
        });
      });
    });

    it("are asked about by webhooks, and by no policy", async () => {
      const admission = "/apis/admissionregistration.k8s.io/v1";
      const rule = {
        apiGroups: [group],
        apiVersions: ["*"],
        operations: ["*"],
        resources: ["tokenreviews", "selfsubjectreviews"],
      };
      await send("POST", `${admission}/validatingadmissionpolicies`, {
        metadata: { name: "nobody" },
        spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression: "false" }] },
      });
      await send("POST", `${admission}/validatingadmissionpolicybindings`, {
        metadata: { name: "nobody" },
        spec: { policyName: "nobody", validationActions: ["Deny"] },
      });
      await send("POST", `${admission}/validatingwebhookconfigurations`, {
        metadata: { name: "nobody" },
        webhooks: [
          {
            name: "nobody.example.com",
            rules: [{ ...rule, resources: ["tokenreviews"] }],
            clientConfig: { url: "https://127.0.0.1:1/" },
            sideEffects: "None",
            admissionReviewVersions: ["v1"],
          },
        ],
      });
      await eventually(async () => {
        const { status: code, body } = await reviewed({ token: "any" });
        expect([code, body["message"]]).toEqual([
          500,
          expect.stringContaining('failed calling webhook "nobody.example.com"') as string,
        ]);
      });
      const self = await send("POST", `/apis/${group}/v1/selfsubjectreviews`, {});
      expect(self.status).toBe(201);
      for (const each of [
        "validatingwebhookconfigurations",
        "validatingadmissionpolicybindings",
        "validatingadmissionpolicies",
      ]) {
        await send("DELETE", `${admission}/${each}/nobody`);
      }
    });
  },
  { embedded: { rbac: true, controllers: false }, real: { controllers: "none" } },
);
