// Which types the expressions of policies and rules come to: where a text or a boolean is wanted, another type is refused.
import { beforeAll, expect, it } from "vitest";
import { describeOnEachApiServer } from "../support/api-servers.ts";
import type { KubeClient } from "../../src/client/kube-client.ts";
import { ApiError } from "../../src/client/api-error.ts";

/** Expressions of policies with the type of each. */
const typed: readonly (readonly [expression: string, type: string])[] = [
  ["namespaceObject", "kubernetes.Namespace"],
  ["namespaceObject.metadata", "kubernetes.NamespaceMetadata"],
  ["namespaceObject.metadata.name", "string"],
  ["namespaceObject.metadata.labels", "map(string, string)"],
  ["namespaceObject.metadata.labels[?'x'].orValue('none')", "string"],
  ["namespaceObject.metadata.?annotations.?x", "optional_type(string)"],
  ["namespaceObject.metadata.UID", "string"],
  ["namespaceObject.metadata.creationTimestamp", "google.protobuf.Timestamp"],
  ["namespaceObject.metadata.generation", "int"],
  ["namespaceObject.metadata.finalizers", "list(string)"],
  ["namespaceObject.spec.finalizers[0]", "string"],
  ["namespaceObject.status.phase", "string"],
  ["namespaceObject.status.conditions", "list(kubernetes.NamespaceCondition)"],
  ["object.data[?'x']", "dyn"],
  ["object.data[?'x'].orValue('none')", "string"],
  ["object.x.orValue(1)", "int"],
  ["object.x.or(optional.of(1))", "optional_type(int)"],
  ["object.?x", "optional_type(dyn)"],
  ["object.?x.orValue('none')", "dyn"],
  ["object.x.value()", "dyn"],
  ["object.x.map(y, y.name)", "list(dyn)"],
  ["object.x.reverse()", "list(dyn)"],
  ["object.x.transformMap(k, v, v)", "map(dyn, dyn)"],
  ["optional.none()", "optional_type(dyn)"],
  ["{'a': []}", "map(string, list(dyn))"],
  ["ip('1.1.1.1')", "net.IP"],
  ["cidr('1.1.1.0/24').masked()", "net.CIDR"],
  ["format.named('dns1123Label')", "optional_type(kubernetes.NamedFormat)"],
  ["authorizer", "kubernetes.authorization.Authorizer"],
  ["request.kind", "kubernetes.GroupVersionKind"],
  ["request.userInfo", "kubernetes.UserInfo"],
  ["variables.name", "string"],
  ["variables.spaces", "list(dyn)"],
  ["variables.space.foo", "dyn"],
];

/** Expressions that the fields of `namespaceObject` do not allow, with the column of the fault. */
const undefinedFields: readonly (readonly [expression: string, column: number, field: string])[] = [
  ["namespaceObject.kind", 16, "kind"],
  ["namespaceObject.metadata.uid == 'a'", 25, "uid"],
  ["namespaceObject.metadata.managedFields", 25, "managedFields"],
  ["has(namespaceObject.metadata.ownerReferences)", 4, "ownerReferences"],
  ["namespaceObject.?foo", 16, "foo"],
];

/** Messages of rules, of which a text is wanted, and whether they are one. */
const messages: readonly (readonly [expression: string, isText: boolean])[] = [
  ["self.a", true],
  ["self.?a.orValue('x')", true],
  ["self.m[?'k'].orValue('d')", true],
  ["string(self.either)", true],
  ["self.either", false],
  ["self.?either.orValue('x')", false],
  ["dyn('a')", false],
];

const policies = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies?dryRun=All";

/** What a new object is refused with; undefined: it is taken. */
async function refusal(client: KubeClient, path: string, body: object): Promise<string | undefined> {
  try {
    await client.request({ method: "POST", path, body });
    return undefined;
  } catch (error) {
    if (error instanceof ApiError) return error.details.causes?.map(({ message }) => message).join();
    throw error;
  }
}

describeOnEachApiServer("the types of expressions", (server) => {
  let client: KubeClient;
  beforeAll(() => {
    client = server().client;
  });

  const refusedPolicy = (spec: object): Promise<string | undefined> =>
    refusal(client, policies, {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingAdmissionPolicy",
      metadata: { name: "typed" },
      spec: {
        matchConstraints: {
          resourceRules: [
            { apiGroups: [""], apiVersions: ["v1"], operations: ["CREATE"], resources: ["configmaps"] },
          ],
        },
        variables: [
          { name: "name", expression: "object.metadata.?name[?0].orValue('a')" },
          { name: "space", expression: "namespaceObject" },
          { name: "spaces", expression: "[namespaceObject]" },
        ],
        ...spec,
      },
    });

  it.each(typed)("%s is %s", async (expression, type) => {
    expect(await refusedPolicy({ validations: [{ expression }] })).toContain(
      `Invalid value: ${JSON.stringify(expression)}: must evaluate to bool but got ${type}`,
    );
    if (expression.startsWith("authorizer")) return;
    const said = await refusedPolicy({
      validations: [{ expression: "true", messageExpression: expression }],
    });
    if (type === "string") expect(said).toBeUndefined();
    else expect(said).toContain(`must evaluate to string but got ${type}`);
  });

  it.each(undefinedFields)("%s fails at %i", async (expression, column, field) => {
    expect(await refusedPolicy({ validations: [{ expression }] })).toContain(
      `compilation failed: ERROR: <input>:1:${column}: undefined field '${field}'`,
    );
  });

  it.each(messages)("%s of a rule is a text: %s", async (messageExpression, isText) => {
    const name = "typed.types.example.com";
    const said = await refusal(client, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions?dryRun=All", {
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "CustomResourceDefinition",
      metadata: { name },
      spec: {
        group: "types.example.com",
        scope: "Cluster",
        names: { plural: "typed", singular: "type", kind: "Type", listKind: "TypeList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: {
                  spec: {
                    type: "object",
                    properties: {
                      a: { type: "string", maxLength: 9 },
                      either: { "x-kubernetes-int-or-string": true },
                      m: {
                        type: "object",
                        maxProperties: 3,
                        additionalProperties: { type: "string", maxLength: 9 },
                      },
                    },
                    "x-kubernetes-validations": [{ rule: "true", messageExpression }],
                  },
                },
              },
            },
          },
        ],
      },
    });
    if (isText) expect(said).toBeUndefined();
    else expect(said).toContain("messageExpression must evaluate to a string");
  });
});
