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
    writes: [
      [
        named("a", { data: { own: "1" } }),
        "policy 'p' with binding 'b' denied request: JSON Patch: error in remove for path: '/data/zz': Unable to remove nonexistent key: zz: missing value",
      ],
    ],
  },
  "fails for a patch that is none": {
    policy: { mutations: [patch("[JSONPatch{op: 'bogus', path: '/data'}]")] },
    writes: [[named("a"), "policy 'p' with binding 'b' denied request: JSON Patch: Unexpected kind: bogus"]],
  },
  "leaves an object as it is where a patch finds something else": {
    policy: {
      mutations: [
        patch(
          "[JSONPatch{op: 'add', path: '/data/new', value: 'x'}, JSONPatch{op: 'test', path: '/data/own', value: '2'}]",
        ),
      ],
    },
    writes: [
      [named("a", { data: { own: "1" } }), { data: { own: "1" } }],
      [named("b", { data: { own: "2" } }), { data: { own: "2", new: "x" } }],
    ],
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
      await client.send("POST", "/api/v1/namespaces/changed/serviceaccounts", { metadata: { name: "own" } });
      const limits = { type: "Container", defaultRequest: { cpu: "20m" } };
      await client.send("POST", "/api/v1/namespaces/changed/limitranges", {
        metadata: { name: "small" },
        spec: { limits: [limits] },
      });
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
              expect(body).toMatchObject({
                reason: "Invalid",
                details: { kind: "configmaps", causes: [{ message: body["message"] }] },
              });
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

    const withPolicy = async (kind: string, mutation: Body, check: () => Promise<void>): Promise<void> => {
      await client.send("POST", policies, {
        metadata: { name: "q" },
        spec: { matchConstraints: constraints(kind), reinvocationPolicy: "Never", mutations: [mutation] },
      });
      await client.send("POST", `${registration}/mutatingadmissionpolicybindings`, {
        metadata: { name: "q" },
        spec: { policyName: "q" },
      });
      try {
        await eventually(check);
      } finally {
        await client.send("DELETE", `${policies}/q`);
        await client.send("DELETE", `${registration}/mutatingadmissionpolicybindings/q`);
      }
    };

    it.each([
      [
        "add",
        "/data/n",
        "5",
        "json: cannot unmarshal number into Go struct field ConfigMap.data of type string",
      ],
      ["add", "/zz", "'x'", 'strict decoding error: unknown field "zz"'],
    ])("say what is no object of its type: %s %s", async (op, path, value, fault) => {
      const change = patch(`[JSONPatch{op: '${op}', path: '${path}', value: ${value}}]`);
      await withPolicy("configmaps", change, async () => {
        const { body } = await client.send("POST", `${maps}?dryRun=All`, named("a", { data: { own: "1" } }));
        expect([body["code"], body["message"]]).toEqual([500, `Internal error occurred: ${fault}`]);
      });
    });

    const pods = "/api/v1/namespaces/changed/pods?dryRun=All";
    const pod = named("a", { spec: { serviceAccountName: "own", containers: [{ name: "c", image: "i" }] } });

    it("lay nothing over what is owned whole", async () => {
      const args = apply(
        "Object{spec: Object.spec{containers: [Object.spec.containers{name: 'c', args: ['x']}], nodeSelector: {'a': 'b'}, tolerations: []}}",
      );
      await withPolicy("pods", args, async () => {
        const { body } = await client.send("POST", pods, pod);
        expect([body["code"], body["message"]]).toEqual([
          403,
          "policy 'q' with binding 'q' denied request: error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].args, .spec.nodeSelector, .spec.tolerations",
        ]);
      });
    });

    it.each([
      apply("Object{spec: Object.spec{initContainers: [Object.spec.initContainers{name: 'd', image: 'j'}]}}"),
      patch(
        "[JSONPatch{op: 'add', path: '/spec/initContainers', value: [Object.spec.containers{name: 'd', image: 'j'}]}]",
      ),
    ])("leave it to the server to settle what they inject: %j", async (injects) => {
      await withPolicy("pods", injects, async () => {
        const { body } = await client.send("POST", pods, pod);
        const { containers, initContainers } = body["spec"] as Record<string, readonly Body[]>;
        const settled = {
          resources: { requests: { cpu: "20m" } },
          volumeMounts: [{ mountPath: "/var/run/secrets/kubernetes.io/serviceaccount", readOnly: true }],
        };
        expect(containers).toMatchObject([{ name: "c", ...settled }]);
        expect(initContainers).toMatchObject([{ name: "d", ...settled }]);
      });
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
