// What the library's mark on the ConfigMap of a Widget says: reads ConfigMaps as JSON, one a line, and answers each with the hash of what
// is declared of it. The driver asks it, as a copied ConfigMap has another name and another owner.
import { createInterface } from "node:readline";
import { intentHash } from "../../../src/reconcile/comparison/intent-hash.ts";
import type { KubeObject } from "../../../src/meta/object.ts";

const type = { apiVersion: "v1", kind: "ConfigMap" } as const;

for await (const line of createInterface({ input: process.stdin })) {
  const { metadata, data } = JSON.parse(line) as KubeObject & { readonly data: unknown };
  const { namespace, name, ownerReferences } = metadata;
  const declared = { ...type, metadata: { namespace, name, ownerReferences }, data };
  process.stdout.write(`${intentHash(declared, { builtin: true, kind: type.kind })}\n`);
}
