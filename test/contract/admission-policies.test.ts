// Validating admission policies, as every API server holds writes against them: what is decided, and in which words.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, type Body, type RawAnswer, type RawClient } from "./api-server/raw-request.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/ruled/configmaps";

interface Case {
  /** What the policy is, and its binding besides its name. */
  readonly policy: Body;
  readonly binding?: Body;
  /** What is written: the object, and what speaks against it, with the status or a warning. */
  readonly writes: readonly (readonly [
    object: Body,
    refusal: string | undefined,
    status?: number,
    warning?: string,
  ])[];
}

const named = (name: string, data?: Body): Body => ({
  metadata: { name },
  ...(data === undefined ? {} : { data }),
});
const configMaps = { apiVersion: "v1", kind: "ConfigMap" };
const limit = {
  expression: "size(object.metadata.name) <= int(params.data.max)",
  messageExpression: "'more than ' + params.data.max",
};

const nobody = "authorizer.serviceAccount('ruled', 'nobody')";
const askedOfNobody = `${nobody}.group('').resource('pods').subresource('log').namespace('ruled').name('x').fieldSelector('a=b').labelSelector('c').check('get').allowed()`;
const pathOfNobody = `${nobody}.path('/healthz').check('get').allowed()`;

const cases: Readonly<Record<string, Case>> = {
  denies: {
    policy: {
      validations: [
        { expression: "object.metadata.name != 'bad'", message: "no bad ones" },
        {
          expression: "!has(object.data) || !('x' in object.data)",
          messageExpression: "'x is ' + object.data.x",
          reason: "Forbidden",
        },
        { expression: "object.metadata.name != 'large'", reason: "RequestEntityTooLarge" },
      ],
    },
    writes: [
      [named("bad"), "no bad ones", 422],
      [named("b", { x: "7" }), "x is 7", 403],
      [named("large"), "failed expression: object.metadata.name != 'large'", 413],
      [named("good"), undefined],
    ],
  },
  warns: {
    policy: { validations: [{ expression: "object.metadata.name != 'bad'" }] },
    binding: { validationActions: ["Warn", "Audit"] },
    writes: [
      [named("bad"), undefined, 201, "failed expression: object.metadata.name != 'bad'"],
      [named("good"), undefined],
    ],
  },
  fails: {
    policy: { validations: [{ expression: "object.data.x == '1'" }] },
    writes: [
      [named("a"), "expression 'object.data.x == '1'' resulted in error: no such key: data"],
      [named("a", { y: "1" }), "expression 'object.data.x == '1'' resulted in error: no such key: x"],
    ],
  },
  ignores: {
    policy: { failurePolicy: "Ignore", validations: [{ expression: "object.data.x == '1'" }] },
    writes: [
      [named("a"), undefined],
      [named("a", { x: "2" }), "failed expression: object.data.x == '1'"],
    ],
  },
  variables: {
    policy: {
      variables: [
        { name: "length", expression: "size(object.metadata.name)" },
        { name: "long", expression: "variables.length > 3" },
        { name: "broken", expression: "object.data.zz" },
      ],
      validations: [
        { expression: "!variables.long", messageExpression: "'size ' + string(variables.length)" },
        { expression: "object.metadata.name != 'boo' || variables.broken == '1'" },
      ],
    },
    writes: [
      [named("abcd"), "size 4"],
      [named("abc"), undefined],
      [
        named("boo"),
        "expression 'object.metadata.name != 'boo' || variables.broken == '1'' resulted in error: composited variable \"broken\" fails to evaluate: no such key: data",
      ],
    ],
  },
  conditions: {
    policy: {
      matchConditions: [
        { name: "named", expression: "object.metadata.name.startsWith('c')" },
        { name: "read", expression: "object.metadata.name != 'cx' || object.data.x == 'y'" },
      ],
      validations: [{ expression: "false" }],
    },
    writes: [
      [named("ca"), "failed expression: false"],
      [named("d"), undefined],
      [
        named("cx"),
        "expression 'object.metadata.name != 'cx' || object.data.x == 'y'' resulted in error: no such key: data",
      ],
    ],
  },
  chosen: {
    policy: { validations: [{ expression: "false" }] },
    binding: {
      matchResources: {
        resourceRules: [
          {
            apiGroups: [""],
            apiVersions: ["v1"],
            operations: ["CREATE"],
            resources: ["configmaps"],
            resourceNames: ["only"],
          },
        ],
      },
    },
    writes: [
      [named("only"), "failed expression: false"],
      [named("other"), undefined],
    ],
  },
  namespace: {
    policy: {
      validations: [
        {
          expression: "namespaceObject.metadata.labels.ruled == 'no'",
          messageExpression: "'in ' + request.namespace + ' by ' + request.userInfo.username",
        },
      ],
    },
    writes: [[named("a"), "in ruled by admin"]],
  },
  parameter: {
    policy: { paramKind: configMaps, validations: [limit] },
    binding: { paramRef: { name: "three", parameterNotFoundAction: "Deny" } },
    writes: [
      [named("abcd"), "more than 3"],
      [named("abc"), undefined],
    ],
  },
  parameters: {
    policy: { paramKind: configMaps, validations: [limit] },
    binding: { paramRef: { selector: { matchLabels: { limit: "yes" } }, parameterNotFoundAction: "Deny" } },
    writes: [
      [named("ab"), "more than 1"],
      [named("a"), undefined],
    ],
  },
  missing: {
    policy: { paramKind: configMaps, validations: [limit] },
    binding: { paramRef: { name: "none", parameterNotFoundAction: "Deny" } },
    writes: [
      [
        named("a"),
        "failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
      ],
    ],
  },
  optional: {
    policy: { paramKind: configMaps, validations: [limit] },
    binding: { paramRef: { name: "none", parameterNotFoundAction: "Allow" } },
    writes: [[named("abcd"), undefined]],
  },
  without: {
    policy: { paramKind: configMaps, validations: [{ expression: "params != null" }] },
    writes: [[named("a"), "failed expression: params != null"]],
  },
  authorized: {
    policy: {
      variables: [
        {
          name: "may",
          expression: "authorizer.group('apps').resource('deployments').namespace('ruled').check('create')",
        },
      ],
      matchConditions: [
        { name: "may", expression: "authorizer.requestResource.check('deletecollection').allowed()" },
      ],
      validations: [
        { expression: "variables.may.allowed() && !variables.may.errored()" },
        { expression: "authorizer.path('/healthz').check('get').reason() == variables.may.error()" },
        { expression: `object.metadata.name != 'log' || ${askedOfNobody}`, message: "not by nobody" },
        { expression: `object.metadata.name != 'path' || ${pathOfNobody}`, message: "no such path" },
      ],
    },
    writes: [
      [named("log"), "not by nobody"],
      [named("path"), "no such path"],
      [named("other"), undefined],
    ],
  },
  audited: {
    policy: { auditAnnotations: [{ key: "k", valueExpression: "string(object.data.zz)" }] },
    writes: [
      [named("a", { b: "c" }), "expression 'string(object.data.zz)' resulted in error: no such key: zz"],
    ],
  },
};

describeOnEachApiServer(
  "validating admission policies",
  (server) => {
    let client: RawClient;
    const send: RawClient["send"] = (...request) => client.send(...request);
    /** A dry run of a creation that one policy alone is about. */
    const create = (policy: string, object: Body): Promise<RawAnswer> => {
      const labels = { policy };
      return send("POST", `${maps}?dryRun=All`, {
        ...object,
        metadata: { ...(object["metadata"] as Body), labels },
      });
    };

    beforeAll(async () => {
      client = createRawClient(server());
      await send("POST", "/api/v1/namespaces", { metadata: { name: "ruled", labels: { ruled: "yes" } } });
      for (const [name, max] of [
        ["three", "3"],
        ["one", "1"],
      ]) {
        await send("POST", maps, { metadata: { name, labels: { limit: "yes" } }, data: { max } });
      }
      const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["configmaps"] };
      // The last one shows that those before it are known.
      const last: Case = { policy: { validations: [{ expression: "false" }] }, writes: [] };
      for (const [name, { policy, binding = {} }] of [...Object.entries(cases), ["last", last] as const]) {
        const matchConstraints = { resourceRules: [rule], objectSelector: { matchLabels: { policy: name } } };
        await send("POST", `${registration}/validatingadmissionpolicies`, {
          metadata: { name },
          spec: { matchConstraints, ...policy },
        });
        await send("POST", `${registration}/validatingadmissionpolicybindings`, {
          metadata: { name: `${name}-bound` },
          spec: { policyName: name, validationActions: ["Deny"], ...binding },
        });
      }
      await eventually(async () => expect((await create("last", named("a"))).status).toBe(422));
    });
    afterAll(() => client.close());

    it("lets conditions of webhooks ask who may do what, and no messages", async () => {
      const asked = "authorizer.requestResource.check('get').allowed()";
      const webhook = {
        name: "a.b.c",
        clientConfig: { url: "https://localhost" },
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        matchConditions: [{ name: "asked", expression: asked }],
      };
      const hooks = await send("POST", `${registration}/validatingwebhookconfigurations?dryRun=All`, {
        metadata: { name: "asking" },
        webhooks: [webhook],
      });
      expect([hooks.status, hooks.body["message"]]).toEqual([201, undefined]);
      const resourceRules = [
        { apiGroups: [""], apiVersions: ["v1"], operations: ["*"], resources: ["pods"] },
      ];
      const validation = { expression: asked, messageExpression: `string(${asked})` };
      const policy = await send("POST", `${registration}/validatingadmissionpolicies?dryRun=All`, {
        metadata: { name: "asking" },
        spec: { matchConstraints: { resourceRules }, validations: [validation] },
      });
      expect(policy.status).toBe(422);
      expect(policy.body["details"]).toMatchObject({
        causes: [
          {
            field: "spec.validations[0].messageExpression",
            message: expect.stringContaining(
              "undeclared reference to 'authorizer' (in container '')",
            ) as string,
          },
        ],
      });
    });

    it.each(
      Object.entries(cases).flatMap(([policy, { writes }]) =>
        writes.map(([object, refusal, status, warning]) => ({ policy, object, refusal, status, warning })),
      ),
    )("$policy: $object, $refusal", async ({ policy, object, refusal, status, warning }) => {
      const answer = await create(policy, object);
      const place = `ValidatingAdmissionPolicy '${policy}' with binding '${policy}-bound'`;
      const { name = "" } = object["metadata"] as { name?: string };
      if (refusal === undefined) {
        expect([answer.status, answer.body["message"]]).toEqual([201, undefined]);
        expect(answer.headers["warning"]).toBe(
          warning === undefined ? undefined : `299 - "Validation failed for ${place}: ${warning}"`,
        );
        return;
      }
      const message = `${place} denied request: ${refusal}`;
      expect(answer.body).toMatchObject({
        code: status ?? 422,
        message: `configmaps "${name}" is forbidden: ${message}`,
        details: { name, kind: "configmaps", causes: [{ message }] },
      });
    });
  },
  { embedded: { controllers: false, rbac: true }, real: { controllers: "none" } },
);
