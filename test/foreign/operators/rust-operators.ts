// An operator in Rust, on kube-rs with rustls: an example of the framework kuberator.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildCrate } from "../rust-program.ts";
import type { ForeignOperator } from "./foreign-operator.ts";

const kuberatorVersion = "0.4.1";
const kuberatorDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: myresources.example.kuberator.io }
spec:
  group: example.kuberator.io
  scope: Namespaced
  names: { kind: MyResource, plural: myresources, singular: myresource }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          required: [spec]
          properties:
            spec: { type: object, required: [message], properties: { message: { type: string } } }
            status:
              type: object
              nullable: true
              required: [state]
              properties:
                state: { type: string }
                observed_generation: { type: integer, format: int64, nullable: true }
`;
const message = (text: string): string => `
apiVersion: example.kuberator.io/v1
kind: MyResource
metadata: { name: one }
spec: { message: ${text} }
`;
const finalizer = "myresources.example.kuberator.io/finalizer";
const observed = (generation: number): string[] => [
  "wait --for=jsonpath={.status.state}=Ready myresource/one",
  `wait --for=jsonpath={.status.observed_generation}=${generation} myresource/one`,
  `wait --for=jsonpath={.metadata.finalizers[0]}=${finalizer} myresource/one`,
];

/** kuberator's example with a status: kube-rs' own finalizers, which are JSON patches that test first. */
export const kuberatorExample: ForeignOperator = {
  name: "kuberator (kube-rs)",
  version: kuberatorVersion,
  obtain() {
    const built = buildCrate({ crate: "kuberator", version: kuberatorVersion, example: "with_status" });
    if ("failure" in built) return built;
    const definition = join(built.folder, "definition.yaml");
    writeFileSync(definition, kuberatorDefinition);
    return { programs: [{ command: built.file, args: () => [] }], manifests: [definition] };
  },
  namespace: "default",
  // The API server's own address.
  random: [[/^(?:Service|Endpoints)\/kubernetes$/, /^/]],
  steps: [
    { name: "create", apply: message("hello"), reached: observed(1) },
    { name: "update", apply: message("again"), reached: observed(2) },
    {
      name: "drift",
      kubectl: [
        'patch myresource/one --type=merge --patch={"metadata":{"finalizers":null}}',
        'patch myresource/one --subresource=status --type=merge --patch={"status":{"observed_generation":0}}',
      ],
      reached: observed(2),
    },
    { name: "delete", kubectl: ["delete myresource/one"], reached: ["wait --for=delete myresource/one"] },
  ],
};
