// Mutating admission policies, as every API server changes writes by them: what becomes of objects, and what is refused.
import { afterAll, beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";
import { createRawClient, metadataOf, type Body, type RawClient } from "./api-server/raw-request.ts";

const registration = "/apis/admissionregistration.k8s.io/v1";
const policies = `${registration}/mutatingadmissionpolicies`;
const maps = "/api/v1/namespaces/changed/configmaps";

const apply = (expression: string): Body => ({
  patchType: "ApplyConfiguration",
  applyConfiguration: { expression },
});
const patch = (expression: string): Body => ({ patchType: "JSONPatch", jsonPatch: { expression } });
const constraints = (resource: string, group = ""): Body => ({
  resourceRules: [
    { apiGroups: [group], apiVersions: ["v1"], operations: ["CREATE", "UPDATE"], resources: [resource] },
  ],
});
const configMaps = constraints("configmaps");

interface Case {
  readonly policy: Body;
  readonly binding?: Body;
  /** What is written, and what of it differs afterwards; a text is a refusal. */
  readonly writes: readonly (readonly [object: Body, changed: Body | string])[];
}
const named = (name: string, content: Body = {}, metadata: Body = {}): Body => ({
  metadata: { name, ...metadata },
  ...content,
});

const cases: Readonly<Record<string, Case>> = {
  "lays an object over": {
    policy: {
      mutations: [
        apply(
          "Object{metadata: Object.metadata{labels: {'by': request.userInfo.username}}, data: {'added': 'x'}}",
        ),
      ],
    },
    writes: [
      [named("a", { data: { own: "1" } }), { data: { own: "1", added: "x" }, labels: { by: "admin" } }],
      [
        named("b", { data: { added: "0" } }, { labels: { l: "v" } }),
        { data: { added: "x" }, labels: { l: "v", by: "admin" } },
      ],
    ],
  },
  patches: {
    policy: {
      mutations: [
        patch(
          "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'a': 'b'}}, JSONPatch{op: 'test', path: '/metadata/labels/a', value: 'b'}, JSONPatch{op: 'add', path: '/metadata/labels/' + jsonpatch.escapeKey('x.y/z'), value: 'c'}]",
        ),
        patch(
          "has(object.data) ? [JSONPatch{op: 'add', path: '/data/second', value: object.metadata.labels.a}] : []",
        ),
      ],
    },
    writes: [
      [
        named("a", { data: { own: "1" } }),
        { data: { own: "1", second: "b" }, labels: { a: "b", "x.y/z": "c" } },
      ],
      [named("b"), { labels: { a: "b", "x.y/z": "c" } }],
    ],
  },
  "asks conditions": {
    policy: {
      matchConditions: [{ name: "c", expression: "object.metadata.name != 'left'" }],
      variables: [{ name: "n", expression: "size(object.metadata.name)" }],
      mutations: [apply("Object{data: {'length': string(variables.n)}}")],
    },
    writes: [
      [named("left"), {}],
      [named("taken"), { data: { length: "5" } }],
    ],
  },
  "reads parameters": {
    policy: {
      paramKind: { apiVersion: "v1", kind: "Secret" },
      mutations: [apply("Object{data: {'from': params.metadata.name}}")],
    },
    binding: { paramRef: { name: "settings", namespace: "changed", parameterNotFoundAction: "Deny" } },
    writes: [[named("a"), { data: { from: "settings" } }]],
  },
  fails: {
    policy: { mutations: [apply("Object{data: {'from': object.data.zz}}")] },
    writes: [
      [
        named("a"),
        "policy 'p' with binding 'b' denied request: expression 'Object{data: {'from': object.data.zz}}' resulted in error: no such key: data",
      ],
    ],
  },
  "ignores failures": {
    policy: { failurePolicy: "Ignore", mutations: [apply("Object{data: {'from': object.data.zz}}")] },
    writes: [
      [named("a"), {}],
      [named("b", { data: { zz: "1" } }), { data: { zz: "1", from: "1" } }],
    ],
  },
  "fails for an unknown field": {
    policy: { mutations: [apply("Object{data: {'a': 'b'}, zz: 'x'}")] },
    writes: [
      [
        named("a"),
        "policy 'p' with binding 'b' denied request: error applying patch: failed to convert patch object to typed object: .zz: field not declared in schema",
      ],
    ],
  },
  "fails for a patch that does not fit": {
    policy: { mutations: [patch("[JSONPatch{op: 'remove', path: '/data/zz'}]")] },
    // What is wrong with the patch is said in other words.
    writes: [[named("a"), "policy 'p' with binding 'b' denied request: "]],
  },
};

const refusals: readonly (readonly [title: string, spec: Body, message: string])[] = [
  [
    "nothing",
    {},
    "[spec.matchConstraints: Required value, spec.mutations: Required value: mutations must contain at least one item, spec.reinvocationPolicy: Required value]",
  ],
  [
    "no mutations",
    { matchConstraints: configMaps, mutations: [] },
    "[spec.mutations: Required value: mutations must contain at least one item, spec.reinvocationPolicy: Required value]",
  ],
  [
    "no type of patch",
    { matchConstraints: configMaps, mutations: [{}] },
    "[spec.mutations[0].patchType: Required value, spec.reinvocationPolicy: Required value]",
  ],
  [
    "an unknown type of patch",
    { matchConstraints: configMaps, mutations: [{ patchType: "Zork" }] },
    '[spec.mutations[0].patchType: Unsupported value: "Zork": supported values: "ApplyConfiguration", "JSONPatch", spec.reinvocationPolicy: Required value]',
  ],
  [
    "no expression",
    { matchConstraints: configMaps, mutations: [{ patchType: "JSONPatch" }] },
    "[spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch, spec.reinvocationPolicy: Required value]",
  ],
  [
    "an empty expression",
    { matchConstraints: configMaps, mutations: [apply("")] },
    "[spec.mutations[0].applyConfiguration.expression: Required value, spec.reinvocationPolicy: Required value]",
  ],
  [
    "both",
    { matchConstraints: configMaps, mutations: [{ ...apply("Object{}"), jsonPatch: { expression: "[]" } }] },
    '[spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration, spec.reinvocationPolicy: Required value]',
  ],
  [
    "what is no object",
    { matchConstraints: configMaps, mutations: [apply("'a'")] },
    "[spec.mutations[0].applyConfiguration.expression: Invalid value: \"'a'\": must evaluate to Object but got string, spec.reinvocationPolicy: Required value]",
  ],
  [
    "what are no patches",
    { matchConstraints: configMaps, mutations: [patch("'a'")] },
    "[spec.mutations[0].jsonPatch.expression: Invalid value: \"'a'\": must evaluate to list(JSONPatch) but got string, spec.reinvocationPolicy: Required value]",
  ],
  [
    "a wrong expression",
    { matchConstraints: configMaps, mutations: [patch("zz")] },
    "[spec.mutations[0].jsonPatch.expression: Invalid value: \"zz\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'zz' (in container '')\n | zz\n | ^, spec.reinvocationPolicy: Required value]",
  ],
  [
    "an unknown reinvocation",
    { matchConstraints: configMaps, reinvocationPolicy: "Zork", mutations: [apply("Object{}")] },
    'spec.reinvocationPolicy: Unsupported value: "Zork": supported values: "IfNeeded", "Never"',
  ],
  [
    "no constraints",
    { mutations: [apply("Object{}")] },
    "[spec.matchConstraints: Required value, spec.reinvocationPolicy: Required value]",
  ],
  [
    "no rules",
    { matchConstraints: {}, mutations: [apply("Object{}")] },
    "[spec.matchConstraints.resourceRules: Required value, spec.reinvocationPolicy: Required value]",
  ],
];

describeOnEachApiServer(
  "mutating admission policies",
  (server) => {
    let client: RawClient;
    beforeAll(async () => {
      client = createRawClient(server());
      const metadata = { name: "changed" };
      await client.send("POST", "/api/v1/namespaces", { metadata });
      await client.send("POST", "/api/v1/namespaces/changed/secrets", { metadata: { name: "settings" } });
    });
    afterAll(() => client.close());

    it.each(Object.entries(cases))("%s", async (_, { policy, binding, writes }) => {
      const spec = { matchConstraints: configMaps, reinvocationPolicy: "Never", ...policy };
      const made = await client.send("POST", policies, { metadata: { name: "p" }, spec });
      expect([made.status, made.body["message"]]).toEqual([201, undefined]);
      const bound = await client.send("POST", `${registration}/mutatingadmissionpolicybindings`, {
        metadata: { name: "b" },
        spec: { policyName: "p", ...binding },
      });
      expect([bound.status, bound.body["message"]]).toEqual([201, undefined]);
      try {
        await eventually(async () => {
          for (const [object, changed] of writes) {
            const { status, body } = await client.send("POST", `${maps}?dryRun=All`, object);
            if (typeof changed === "string") {
              expect([status, String(body["message"])]).toEqual([403, expect.stringContaining(changed)]);
            } else {
              const { labels } = metadataOf(body);
              const { data } = body;
              const seen = {
                ...(data === undefined ? {} : { data }),
                ...(labels === undefined ? {} : { labels }),
              };
              expect([status, seen]).toEqual([201, changed]);
            }
          }
        });
      } finally {
        await client.send("DELETE", `${policies}/p`);
        await client.send("DELETE", `${registration}/mutatingadmissionpolicybindings/b`);
        // The real server needs a moment to forget a policy.
        await eventually(async () => {
          const { body } = await client.send("POST", `${maps}?dryRun=All`, named("forgotten"));
          expect([body["data"], metadataOf(body)["labels"], body["message"]]).toEqual([
            undefined,
            undefined,
            undefined,
          ]);
        });
      }
    });

    it.each(refusals)("are refused with %s", async (_, spec, message) => {
      const { status, body } = await client.send("POST", `${policies}?dryRun=All`, {
        metadata: { name: "p" },
        spec,
      });
      expect([status, String(body["message"]).replace(/^.*? is invalid: /, "")]).toEqual([422, message]);
    });
  },
  { embedded: { controllers: false }, real: { controllers: "none" } },
);
