// That a ValidatingAdmissionPolicy was seen, and what its expressions do not fit, as every cluster says it.
import { expect, it } from "vitest";
import { ValidatingAdmissionPolicy } from "../../src/kinds/builtin/admissionregistration.ts";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import { eventually } from "../support/eventually.ts";

/** What is written below an expression: where in it. */
const pointed = (expression: string, at: number): readonly string[] => [
  ` | ${expression}`,
  ` | ${".".repeat(at)}^`,
  "",
];
const deployments = [["apps", "deployments"]];

const checkedPolicies: readonly {
  readonly name: string;
  /** Groups with their resources. */
  readonly rules: readonly (readonly string[])[];
  readonly spec: NonNullable<ValidatingAdmissionPolicy["spec"]>;
  readonly warnings: readonly (readonly [field: string, lines: readonly string[]])[];
}[] = [
  {
    name: "nothing is wrong",
    rules: deployments,
    spec: { validations: [{ expression: "object.spec.replicas > 1 && oldObject.metadata.name != ''" }] },
    warnings: [],
  },
  {
    name: "a field is misspelt in expressions and messages",
    rules: deployments,
    spec: {
      validations: [
        { expression: "object.spec.replicaz > 1" },
        { expression: "oldObject.spec.?foo.orValue(1) == 1" },
        { expression: "!has(object.foo)" },
        { expression: "true", messageExpression: "'a' + object.spec.bar" },
      ],
    },
    warnings: [
      [
        "spec.validations[0].expression",
        [
          "apps/v1, Kind=Deployment: ERROR: <input>:1:12: undefined field 'replicaz'",
          ...pointed("object.spec.replicaz > 1", 11),
        ],
      ],
      [
        "spec.validations[1].expression",
        [
          "apps/v1, Kind=Deployment: ERROR: <input>:1:15: undefined field 'foo'",
          ...pointed("oldObject.spec.?foo.orValue(1) == 1", 14),
        ],
      ],
      [
        "spec.validations[2].expression",
        [
          "apps/v1, Kind=Deployment: ERROR: <input>:1:5: undefined field 'foo'",
          ...pointed("!has(object.foo)", 4),
        ],
      ],
      [
        "spec.validations[3].messageExpression",
        [
          "apps/v1, Kind=Deployment: ERROR: <input>:1:18: undefined field 'bar'",
          ...pointed("'a' + object.spec.bar", 17),
        ],
      ],
    ],
  },
  {
    name: "each of several types lacks a field",
    rules: [
      ["apps", "replicasets", "deployments", "deployments/status"],
      ["", "pods"],
      ["*", "secrets"],
      ["nobody.dev", "things"],
    ],
    spec: { validations: [{ expression: "object.spec.strategy.type == 'x'" }] },
    warnings: [
      [
        "spec.validations[0].expression",
        [
          "/v1, Kind=Pod: ERROR: <input>:1:12: undefined field 'strategy'",
          ...pointed("object.spec.strategy.type == 'x'", 11),
          "apps/v1, Kind=ReplicaSet: ERROR: <input>:1:12: undefined field 'strategy'",
          ...pointed("object.spec.strategy.type == 'x'", 11),
        ],
      ],
    ],
  },
  {
    name: "types of values do not fit: of fields, variables and parameters",
    rules: [["", "secrets"]],
    spec: {
      paramKind: { apiVersion: "v1", kind: "ConfigMap" },
      variables: [
        { name: "names", expression: "object.metadata.finalizers" },
        // What does not compile may be anything, as may what is inside of records.
        { name: "broken", expression: "object.foo" },
        { name: "owners", expression: "object.metadata.ownerReferences" },
      ],
      validations: [
        { expression: "object.data.x == 'a'" },
        { expression: "object.metadata.creationTimestamp == 'a'" },
        { expression: "params.data.x == 1" },
        { expression: "variables.names[0] == 1" },
        { expression: "variables.broken == 1 || variables.owners[0].foo == 1" },
      ],
    },
    warnings: [
      [
        "spec.validations[0].expression",
        [
          "/v1, Kind=Secret: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(bytes, string)'",
          ...pointed("object.data.x == 'a'", 14),
        ],
      ],
      [
        "spec.validations[1].expression",
        [
          "/v1, Kind=Secret: ERROR: <input>:1:35: found no matching overload for '_==_' applied to '(timestamp, string)'",
          ...pointed("object.metadata.creationTimestamp == 'a'", 34),
        ],
      ],
      [
        "spec.validations[2].expression",
        [
          "/v1, Kind=Secret: ERROR: <input>:1:15: found no matching overload for '_==_' applied to '(string, int)'",
          ...pointed("params.data.x == 1", 14),
        ],
      ],
      [
        "spec.validations[3].expression",
        [
          "/v1, Kind=Secret: ERROR: <input>:1:20: found no matching overload for '_==_' applied to '(string, int)'",
          ...pointed("variables.names[0] == 1", 19),
        ],
      ],
    ],
  },
];

describeOnEachApiServer(
  "the status of an admission policy",
  (server) => {
    it("follows its generation", async () => {
      const { client } = server();
      const rule = { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["secrets"] };
      const write = (expression: string): Promise<ValidatingAdmissionPolicy> =>
        client.apply(
          ValidatingAdmissionPolicy,
          {
            apiVersion: "admissionregistration.k8s.io/v1",
            kind: "ValidatingAdmissionPolicy",
            metadata: { name: "seen" },
            spec: { matchConstraints: { resourceRules: [rule] }, validations: [{ expression }] },
          },
          { fieldManager: "test" },
        );
      await write("true");
      for (const generation of [1, 2]) {
        if (generation === 2) await write("object.metadata.name != 'bad'");
        await eventually(async () => {
          const { metadata, status } = await client.get(ValidatingAdmissionPolicy, { name: "seen" });
          expect(status).toEqual({ observedGeneration: generation, typeChecking: {} });
          expect(metadata.managedFields?.find(({ subresource }) => subresource === "status")).toMatchObject({
            manager: "validatingadmissionpolicy-status",
            operation: "Apply",
            fieldsV1: { "f:status": { "f:observedGeneration": {}, "f:typeChecking": {} } },
          });
        });
      }
      await client.delete(ValidatingAdmissionPolicy, { name: "seen" });
    });

    it.each(checkedPolicies)("tells that $name", async ({ rules, spec, warnings }) => {
      const { client } = server();
      const resourceRules = rules.map(([group, ...resources]) => ({
        apiGroups: [group],
        apiVersions: ["v1"],
        operations: ["CREATE"],
        resources,
      }));
      await client.apply(
        ValidatingAdmissionPolicy,
        {
          apiVersion: "admissionregistration.k8s.io/v1",
          kind: "ValidatingAdmissionPolicy",
          metadata: { name: "checked" },
          spec: { matchConstraints: { resourceRules }, ...spec },
        },
        { fieldManager: "test" },
      );
      await eventually(async () => {
        const { status } = await client.get(ValidatingAdmissionPolicy, { name: "checked" });
        expect(status?.observedGeneration).toBe(1);
        const found = status?.typeChecking?.expressionWarnings ?? [];
        expect(found.map(({ fieldRef, warning }) => [fieldRef, warning.split("\n")])).toEqual(warnings);
      });
      await client.delete(ValidatingAdmissionPolicy, { name: "checked" });
    });
  },
  { real: { controllers: "validatingadmissionpolicy-status-controller" } },
);
