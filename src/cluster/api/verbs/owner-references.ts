// References to owners that are named twice: once is enough, and who has sent them is warned.
// https://github.com/kubernetes/kubernetes/blob/v1.36.1/staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go
import { canonicalJson } from "../../../schema/json-value.ts";
import type { ApiMeta } from "../api-object.ts";

/** The metadata with each reference once, and the warning if there were more; `patched` says that a patch has made them so. */
export function withoutDuplicateOwners(
  metadata: ApiMeta,
  patched: boolean,
): { readonly metadata: ApiMeta; readonly warnings: readonly string[] } {
  const { ownerReferences = [] } = metadata;
  const kept: typeof ownerReferences = [];
  const twice: string[] = [];
  const seen = new Set<string>();
  for (const reference of ownerReferences) {
    const text = canonicalJson(reference);
    if (seen.has(text)) twice.push(reference.uid);
    else kept.push(reference);
    seen.add(text);
  }
  if (twice.length === 0) return { metadata, warnings: [] };
  const when = patched ? " after mutating admission happens" : "";
  const warning = `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${twice.join(", ")}`;
  return { metadata: { ...metadata, ownerReferences: kept }, warnings: [warning] };
}
