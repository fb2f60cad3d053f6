// Kubernetes' own types, taken from generated models: what differs between a model and the JSON that travels.
// Most of this is checked by the compiler: a wrong type fails `npm run check:types`.
import { readdirSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { V1CapacityRequestPolicy } from "@kubernetes/client-node/dist/gen/models/V1CapacityRequestPolicy.js";
import type { V1DeviceAttribute } from "@kubernetes/client-node/dist/gen/models/V1DeviceAttribute.js";
import type { V1ListMeta } from "@kubernetes/client-node/dist/gen/models/V1ListMeta.js";
import type { V1NetworkPolicyIngressRule } from "@kubernetes/client-node/dist/gen/models/V1NetworkPolicyIngressRule.js";
import { describe, expect, expectTypeOf, it } from "vitest";
import type {
  ConfigMap,
  ControllerRevision,
  CustomResourceDefinition,
  Deployment,
  JsonOf,
  KubernetesEvent,
  Lease,
  LimitRange,
  Namespace,
  NetworkPolicy,
  Pod,
  PodDisruptionBudget,
  PodTemplateSpec,
  Secret,
  StructuralSchema,
} from "../../src/kinds/index.ts";
import type { Json, ManifestOf } from "../../src/meta/object.ts";

describe("the JSON of a model", () => {
  it("has dates as strings, wherever they stand", () => {
    type Status = NonNullable<Pod["status"]>;
    expectTypeOf<Status["startTime"]>().toEqualTypeOf<string | undefined>();
    type Condition = NonNullable<Status["conditions"]>[number];
    expectTypeOf<Condition["lastTransitionTime"]>().toEqualTypeOf<string | undefined>();
    type Budget = NonNullable<PodDisruptionBudget["status"]>;
    expectTypeOf<NonNullable<Budget["disruptedPods"]>[string]>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Lease["spec"]>["renewTime"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<NonNullable<KubernetesEvent["series"]>["lastObservedTime"]>().toEqualTypeOf<string>();
  });

  it("has bytes as base64, quantities as strings, and whole numbers or strings where Kubernetes takes either", () => {
    expectTypeOf<NonNullable<ConfigMap["binaryData"]>[string]>().toEqualTypeOf<string>();
    expectTypeOf<NonNullable<Secret["data"]>[string]>().toEqualTypeOf<string>();
    type Strategy = NonNullable<Deployment["spec"]["strategy"]>;
    type MaxSurge = NonNullable<Strategy["rollingUpdate"]>["maxSurge"];
    expectTypeOf<MaxSurge>().toEqualTypeOf<number | string | undefined>();
    type Resources = NonNullable<Pod["spec"]["containers"][number]["resources"]>;
    expectTypeOf<NonNullable<Resources["limits"]>[string]>().toEqualTypeOf<string>();
  });

  it("has any JSON where the model says any", () => {
    expectTypeOf<NonNullable<ControllerRevision["data"]>>().toEqualTypeOf<NonNullable<Json>>();
  });

  it("has the metadata, apiVersion and kind that every object has", () => {
    expectTypeOf<Deployment["apiVersion"]>().toEqualTypeOf<string>();
    expectTypeOf<Deployment["metadata"]["namespace"]>().toEqualTypeOf<string>();
    expectTypeOf<Namespace["metadata"]["namespace"]>().toEqualTypeOf<undefined>();
    expectTypeOf<Deployment["metadata"]["creationTimestamp"]>().toEqualTypeOf<string>();
  });

  it("always has a spec, of the object and of a template in it, but a namespace may be made without", () => {
    expectTypeOf<Deployment["spec"]["template"]>().toEqualTypeOf<PodTemplateSpec>();
    expectTypeOf<Pod["spec"]>().toEqualTypeOf<PodTemplateSpec["spec"]>();
    const namespace: ManifestOf<Namespace> = { apiVersion: "v1", kind: "Namespace", metadata: { name: "a" } };
    // @ts-expect-error A pod without a spec is refused.
    const pod: ManifestOf<Pod> = { apiVersion: "v1", kind: "Pod", metadata: { name: "a" } };
    expect([namespace, pod]).toHaveLength(2);
  });

  it("refuses what the API server would prune or refuse", () => {
    type Container = Pod["spec"]["containers"][number];
    // @ts-expect-error An unknown field.
    const container: Container = { name: "a", imagePulPolicy: "Always" };
    // @ts-expect-error A port must be a number.
    const ports: Container["ports"] = [{ containerPort: "80" }];
    const pod: Pod["spec"] = { containers: [container] };
    // @ts-expect-error What was read cannot be written to.
    pod.hostname = "a";
    expect([pod, ports]).toHaveLength(2);
  });
});

describe("a field that a model calls otherwise", () => {
  it("has its name in JSON", () => {
    type Limit = LimitRange["spec"]["limits"][number];
    expectTypeOf<Limit["default"]>().toEqualTypeOf<Readonly<Record<string, string>> | undefined>();
    type Ingress = NonNullable<NetworkPolicy["spec"]["ingress"]>[number];
    expectTypeOf<keyof Ingress>().toEqualTypeOf<"from" | "ports">();
    expectTypeOf<JsonOf<V1NetworkPolicyIngressRule>>().toEqualTypeOf<Ingress>();
    expectTypeOf<JsonOf<V1CapacityRequestPolicy>["default"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<JsonOf<V1DeviceAttribute>["int"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<JsonOf<V1ListMeta>["continue"]>().toEqualTypeOf<string | undefined>();
    expectTypeOf<Extract<keyof Limit, `_${string}`>>().toEqualTypeOf<never>();
  });

  it("has its name in JSON in the schema of a custom resource", () => {
    type Version = CustomResourceDefinition["spec"]["versions"][number];
    type Schema = NonNullable<NonNullable<Version["schema"]>["openAPIV3Schema"]>;
    expectTypeOf<Schema>().toEqualTypeOf<StructuralSchema>();
    const schema: Schema = {
      $ref: "#/definitions/A",
      $schema: "http://json-schema.org/draft-04/schema#",
      default: { a: 1 },
      enum: ["a", 1],
      not: { type: "string" },
      items: { type: "string" },
      additionalProperties: false,
      properties: { a: { "x-kubernetes-int-or-string": true } },
      "x-kubernetes-embedded-resource": true,
      "x-kubernetes-list-map-keys": ["name"],
      "x-kubernetes-list-type": "map",
      "x-kubernetes-map-type": "atomic",
      "x-kubernetes-preserve-unknown-fields": true,
      "x-kubernetes-validations": [{ rule: "self.a > 0" }],
    };
    type ModelNames = "ref" | "schema" | `_${string}` | `x_${string}`;
    expectTypeOf<Extract<keyof Schema, ModelNames>>().toEqualTypeOf<never>();
    expect(Object.keys(schema)).toHaveLength(14);
  });

  it("is one of those above: a leading underscore, or in the schema of a custom resource", async () => {
    const others: string[] = [];
    for (const { name, baseName, model } of await attributesOfModels()) {
      if (name === baseName || name === `_${baseName}`) continue;
      others.push(`${model}: ${baseName}`);
    }
    expect(others.toSorted()).toEqual([
      "V1JSONSchemaProps: $ref",
      "V1JSONSchemaProps: $schema",
      "V1JSONSchemaProps: x-kubernetes-embedded-resource",
      "V1JSONSchemaProps: x-kubernetes-int-or-string",
      "V1JSONSchemaProps: x-kubernetes-list-map-keys",
      "V1JSONSchemaProps: x-kubernetes-list-type",
      "V1JSONSchemaProps: x-kubernetes-map-type",
      "V1JSONSchemaProps: x-kubernetes-preserve-unknown-fields",
      "V1JSONSchemaProps: x-kubernetes-validations",
    ]);
  });

  it("never begins with an underscore in JSON", async () => {
    const names = (await attributesOfModels()).map(({ baseName }) => baseName);
    expect(names.filter((name) => name.startsWith("_"))).toEqual([]);
    expect(names.length).toBeGreaterThan(3000);
  });
});

interface Attribute {
  readonly model: string;
  readonly name: string;
  readonly baseName: string;
}

/** The fields of all models: `name` in the model, `baseName` in JSON. */
async function attributesOfModels(): Promise<readonly Attribute[]> {
  const some = fileURLToPath(import.meta.resolve("@kubernetes/client-node/dist/gen/models/V1Pod.js"));
  const files = readdirSync(dirname(some)).filter((file) => /^(?!all|ObjectSerializer).*\.js$/.test(file));
  const modules = await Promise.all(
    files.map((file) => import(`${dirname(some)}/${file}`) as Promise<Record<string, object>>),
  );
  return modules.flatMap((module) =>
    Object.entries(module).flatMap(([model, value]) => {
      const { attributeTypeMap = [] } = value as { readonly attributeTypeMap?: readonly Attribute[] };
      return attributeTypeMap.map(({ name, baseName }) => ({ model, name, baseName }));
    }),
  );
}
