// What a list in an object is: keyed by fields of its elements, a set, unordered, or one value as a whole; and which maps are one.
// The server merges and reorders lists by these rules; comparing, hashing and merging intents follow the same ones.
// The paths are those of Kubernetes' own OpenAPI schema (x-kubernetes-list-type); any other list is atomic, as there.

/** The fields that identify an element of a list, and what they are where an element has none. */
export interface ElementKeys {
  readonly keys: readonly string[];
  readonly defaults?: Readonly<Record<string, unknown>>;
}

/** How the elements of a list are distinguished. */
export type ListType =
  /** Elements with the same keys are the same element; `ordered` when the order of ours matters. */
  | ({ readonly type: "map"; readonly ordered: boolean } & ElementKeys)
  /** Scalars, each at most once; others may add their own. */
  | { readonly type: "set" }
  /** All elements are ours, in any order. */
  | { readonly type: "unordered" }
  /** One value as a whole: length and order count. */
  | { readonly type: "atomic" };

/**
 * Keys of lists of types that this table does not know, by the end of their path: `{ "spec.listeners": ["name"] }`. Needed where
 * the intents of such a list are to be the same in any order; how it is compared is learned from the server.
 */
export type ListKeys = Readonly<Record<string, readonly string[]>>;

const atomic: ListType = { type: "atomic" };
const unordered: ListType = { type: "unordered" };
const set: ListType = { type: "set" };
const keyedBy = (...keys: string[]): ListType => ({ type: "map", keys, ordered: false });
const byNameInOrder: ListType = { type: "map", keys: ["name"], ordered: true };

/** Ends of paths with their list types; an element of a list is the segment `*`. */
const builtinLists: readonly (readonly [string, ListType])[] = [
  ["spec.containers", keyedBy("name")],
  ["spec.initContainers", byNameInOrder],
  ["spec.ephemeralContainers", keyedBy("name")],
  ["spec.volumes", keyedBy("name")],
  ["spec.imagePullSecrets", keyedBy("name")],
  ["spec.hostAliases", keyedBy("ip")],
  ["spec.schedulingGates", keyedBy("name")],
  ["spec.resourceClaims", keyedBy("name")],
  ["spec.topologySpreadConstraints", keyedBy("topologyKey", "whenUnsatisfiable")],
  ["ontainers.*.env", keyedBy("name")],
  ["ontainers.*.ports", keyedBy("containerPort", "protocol")],
  ["ontainers.*.volumeMounts", keyedBy("mountPath")],
  ["ontainers.*.volumeDevices", keyedBy("devicePath")],
  ["resources.claims", keyedBy("name")],
  ["capabilities.add", unordered],
  ["capabilities.drop", unordered],
  ["spec.accessModes", unordered],
  ["spec.policyTypes", unordered],
  ["rules.*.verbs", unordered],
  ["rules.*.apiGroups", unordered],
  ["rules.*.resources", unordered],
  ["rules.*.resourceNames", unordered],
  ["rules.*.nonResourceURLs", unordered],
];

/** The same for paths from the object's root. */
const builtinRoots: ReadonlyMap<string, ListType> = new Map<string, ListType>([
  ["spec.ports", keyedBy("port", "protocol")],
  ["secrets", keyedBy("name")],
  ["webhooks", keyedBy("name")],
]);

const metadataLists: ReadonlyMap<string, ListType> = new Map<string, ListType>([
  ["metadata.ownerReferences", keyedBy("uid")],
  ["metadata.finalizers", set],
]);

/** The rules for the lists of one type. */
export interface ListRules {
  /** Whether the type is one of Kubernetes' own. */
  readonly builtin: boolean;
  readonly kind: string;
  readonly listKeys?: ListKeys;
  /** Those of a custom type, as far as they are known; see learned-lists.ts. */
  readonly learned?: CustomLists;
}

/** The lists of a custom type, and its maps that are one value. */
export interface CustomLists {
  /** Of the list or map at a path; undefined: a list is one value as a whole, a map is not. */
  at(path: string): ListType | undefined;
  /** Whether there may be maps that are one value. */
  readonly hasWholeMaps: boolean;
}

/** The type of the list at a path; the elements of an outer list are the segment `*`. */
export function listTypeAt(path: string, rules: ListRules): ListType {
  const inMetadata = metadataLists.get(path);
  if (inMetadata !== undefined) return inMetadata;
  if (rules.listKeys !== undefined) {
    for (const [end, keys] of Object.entries(rules.listKeys)) {
      if (endsAt(path, end)) return { type: "map", keys, ordered: false };
    }
  }
  if (!rules.builtin) return rules.learned?.at(path) ?? atomic;
  const atRoot = builtinRoots.get(path);
  // A NetworkPolicy's or an EndpointSlice's ports are other lists than a Service's.
  if (atRoot !== undefined && (path !== "spec.ports" || rules.kind === "Service")) return atRoot;
  for (const [end, type] of builtinLists) if (path.endsWith(end)) return type;
  return atomic;
}

/** Maps of Kubernetes' own types that are one value as a whole (x-kubernetes-map-type: atomic), by name; and with the field above. */
const wholeMaps: ReadonlySet<string> = new Set([
  "selector",
  "nodeSelector",
  "podSelector",
  "namespaceSelector",
  "labelSelector",
  "objectSelector",
  "configMapKeyRef",
  "secretKeyRef",
  "fieldRef",
  "resourceFieldRef",
  "dataSource",
  "roleRef",
]);
const wholeMapsWithin: Readonly<Record<string, string>> = { port: "service", resource: "defaultBackend" };

/** Whether a map is one value as a whole: a client that sets it sets all of it, and a field that is added changes the whole value. */
export function isWholeMap(
  name: string,
  parent: string | undefined,
  { builtin, learned }: ListRules,
  path: () => string,
): boolean {
  if (!builtin) return learned?.hasWholeMaps === true && learned.at(path())?.type === "atomic";
  return wholeMaps.has(name) || (parent !== undefined && wholeMapsWithin[name] === parent);
}

/** Whether a group is one of Kubernetes' own, whose lists and defaults the tables here describe. */
export function isBuiltinGroup(group: string): boolean {
  return !group.includes(".") || builtinGroups.has(group);
}

const builtinGroups = new Set(
  [
    "admissionregistration",
    "apiextensions",
    "authentication",
    "authorization",
    "certificates",
    "coordination",
    "discovery",
    "events",
    "flowcontrol.apiserver",
    "networking",
    "node",
    "rbac.authorization",
    "resource",
    "scheduling",
    "storage",
  ].map((name) => `${name}.k8s.io`),
);

/** What identifies an element of a keyed list; undefined when it lacks every key. */
export function elementKey(element: unknown, { keys, defaults }: ElementKeys): string | undefined {
  if (typeof element !== "object" || element === null) return undefined;
  const record = element as Readonly<Record<string, unknown>>;
  const values = keys.map(
    (key) => record[key] ?? defaults?.[key] ?? (key === "protocol" ? "TCP" : undefined),
  );
  return values.every((value) => value === undefined) ? undefined : values.map(String).join("/");
}

function endsAt(path: string, end: string): boolean {
  return path === end || path.endsWith(`.${end}`);
}
