// How one status becomes another: by a merge patch of what differs, and where a value in it is null, which a merge patch
// takes as a removal, by a JSON patch. Made by status-draft.ts, sent by status-writer.ts.
import type { Patch } from "../../client/kube-client.ts";
import { isEqualJson } from "../../meta/changed-paths.ts";
import { mergePatchOf } from "../comparison/manifest-merge.ts";

type Fields = Readonly<Record<string, unknown>>;

/** The difference between two statuses. */
export type StatusChange =
  | { readonly type: "merge"; readonly status: Fields }
  | { readonly type: "json"; readonly operations: Extract<Patch, { readonly type: "json" }>["body"] };

/** What leads from one status to another; undefined when nothing differs. A top-level field that is null is none. */
export function statusChangeOf(before: Fields, after: Fields): StatusChange | undefined {
  const valueOf = (name: string): unknown => after[name] ?? undefined;
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const changed = names.filter((name) => !isEqualJson(before[name], valueOf(name)));
  if (changed.length === 0) return undefined;
  if (!changed.some((name) => hasNull(after[name]))) {
    return { type: "merge", status: mergePatchOf(before, after) ?? {} };
  }
  if (Object.keys(before).length === 0) {
    return { type: "json", operations: [{ op: "add", path: "/status", value: after }] };
  }
  const operations = changed.map((name) => {
    const path = `/status/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
    const value = valueOf(name);
    return value === undefined ? ({ op: "remove", path } as const) : ({ op: "add", path, value } as const);
  });
  return { type: "json", operations };
}

/** The patch of the custom resource; refused with a conflict where its resource version is another one. */
export function statusPatchOf(change: StatusChange, resourceVersion: string): Patch {
  if (change.type === "merge") {
    return { type: "merge", body: { metadata: { resourceVersion }, status: change.status } };
  }
  const guard = { op: "replace", path: "/metadata/resourceVersion", value: resourceVersion } as const;
  return { type: "json", body: [guard, ...change.operations] };
}

/** Whether a field of an object is null, at any depth; a merge patch replaces lists as they are. */
function hasNull(value: unknown): boolean {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return false;
  return Object.values(value).some((inner) => inner === null || hasNull(inner));
}
