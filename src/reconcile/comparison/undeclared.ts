// What a live object has beyond what is declared, and which types have only what was declared at their creation: where neither the server nor
// another client has added anything, a merge patch of what differs makes an object what is declared, and managedFields need not be read.
// Pure; asked by resources/object-writer.ts.
import type { KubeObject, Manifest } from "../../meta/object.ts";
import type { ResourceType } from "../../meta/resource-type.ts";
import { elementKey, isWholeMap, listTypeAt, type ListRules } from "./list-types.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Types of which the API server stores what it is sent, by group. Who creates such an object by POST owns the fields that it has sent,
 * as by apply. With defaults it would own those as well, and whoever applies another value for one of them would meet a conflict.
 */
const storedAsSent: Readonly<Record<string, ReadonlySet<string>>> = {
  "": new Set(["ConfigMap", "Secret", "ServiceAccount"]),
  "rbac.authorization.k8s.io": new Set(["Role", "ClusterRole"]),
};

/** Whether the API server fills in nothing of an object of this type, but what nobody can change afterwards: the type of a Secret. */
export function isStoredAsSent({ group, kind }: ResourceType): boolean {
  return storedAsSent[group]?.has(kind) === true;
}

/** What only the server writes. */
const serverFields: ReadonlySet<string> = new Set([
  "name",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "managedFields",
  "selfLink",
]);

/** Whether a live object has a field, or an element of a list that others may add to, which a manifest does not declare. */
export function hasUndeclared(live: KubeObject, manifest: Manifest, rules: ListRules): boolean {
  const { metadata, status: _status, ...rest } = live as KubeObject & { readonly status?: unknown };
  const { type, ...others } = rest as Fields;
  const own = Object.entries(metadata).filter(([name]) => !serverFields.has(name));
  const fields = live.kind === "Secret" && type === "Opaque" ? others : rest;
  return adds({ ...fields, metadata: Object.fromEntries(own) }, manifest, "", rules);
}

function adds(live: unknown, declared: unknown, path: string, rules: ListRules): boolean {
  if (Array.isArray(live)) return Array.isArray(declared) && addsElements(live, declared, path, rules);
  // Anything else is replaced.
  if (!isFields(live) || !isFields(declared)) return false;
  const parent = path.split(".").at(-1);
  return Object.entries(live).some(([name, value]) => {
    if (value === undefined || value === null) return false;
    const here = declared[name] ?? undefined;
    if (here === undefined) return true;
    const at = path === "" ? name : `${path}.${name}`;
    return !isWholeMap(name, parent, rules, () => at) && adds(value, here, at, rules);
  });
}

function addsElements(
  live: readonly unknown[],
  declared: readonly unknown[],
  path: string,
  rules: ListRules,
): boolean {
  const list = listTypeAt(path, rules);
  if (list.type === "set") {
    const ours = new Set(declared);
    return live.some((each) => !ours.has(each));
  }
  // A list that is one value is replaced as one.
  if (list.type !== "map") return false;
  // Of two with one key the first counts.
  const byKey = new Map(declared.map((each) => [elementKey(each, list), each] as const).toReversed());
  return live.some((each) => {
    const key = elementKey(each, list);
    const counterpart = key === undefined ? undefined : byKey.get(key);
    return counterpart === undefined || adds(each, counterpart, `${path}.*`, rules);
  });
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
