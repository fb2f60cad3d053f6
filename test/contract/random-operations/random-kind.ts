// What random operations know of a kind: an object that is right, and for each of some fields what may stand there.

/** JSON whose fields are read by name. */
export type Fields = Readonly<Record<string, unknown>>;

/** Where a field is; a number is a place in a list. */
export type Path = readonly (string | number)[];

/** What may stand in a field. */
export interface FieldChoices {
  readonly path: Path;
  readonly right: readonly unknown[];
  /** What the API server refuses, or does not know. Default nothing. */
  readonly wrong?: readonly unknown[];
}

/** A kind. */
export interface RandomKind {
  /** Group and version: `v1`, `apps/v1`. */
  readonly apiVersion: string;
  readonly kind: string;
  readonly plural: string;
  /** Default false. */
  readonly isClusterScoped?: boolean;
  readonly isCustom?: boolean;
  /** An object that is right, without metadata. */
  readonly sample: Fields;
  readonly fields: readonly FieldChoices[];
  /** Fields of the status; without any there is no status endpoint. */
  readonly status?: readonly FieldChoices[];
  readonly hasScale?: boolean;
  /** Strategic merge patches with directives. */
  readonly directives?: readonly Fields[];
  /** Endpoints of an object besides its status and its scale, with the fields that are written there. */
  readonly parts?: readonly { readonly endpoint: string; readonly fields: readonly FieldChoices[] }[];
  /** What is posted to an endpoint of an object. */
  readonly actions?: readonly { readonly endpoint: string; readonly body: Fields }[];
  /** Field selectors. */
  readonly selectors?: readonly string[];
  /** A field selector by which a new sample is selected, and which changes may leave. */
  readonly watched?: string;
}

/** What may stand in any metadata. */
export const metadataFields: readonly FieldChoices[] = [
  {
    path: ["metadata", "labels", "app"],
    right: ["a", "b", "c", ""],
    wrong: ["-x", 1, null, "a b"],
  },
  { path: ["metadata", "labels", "tier"], right: ["front", "back"], wrong: [{}] },
  { path: ["metadata", "labels"], right: [{}, { app: "a" }, { app: "b", tier: "front" }], wrong: [[], "x"] },
  { path: ["metadata", "annotations", "note"], right: ["one", "two", ""], wrong: [7, true] },
  { path: ["metadata", "annotations", "example.com/long"], right: ["x".repeat(300)], wrong: [[]] },
  {
    path: ["metadata", "finalizers"],
    right: [["example.com/a"], ["example.com/a", "example.com/b"], [], ["plain"], ["example.com/b"]],
    wrong: [["A B"], "x", [1], [""]],
  },
  {
    path: ["metadata", "ownerReferences"],
    right: [
      [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "6dcdde8a-0000-4000-8000-000000000001" }],
      [
        {
          apiVersion: "v1",
          kind: "ConfigMap",
          name: "owner",
          uid: "6dcdde8a-0000-4000-8000-000000000002",
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
      [],
      [
        { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "6dcdde8a-0000-4000-8000-000000000001" },
        { apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "6dcdde8a-0000-4000-8000-000000000001" },
      ],
    ],
    wrong: [
      [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "" }],
      [{ apiVersion: "v1", kind: "", name: "", uid: "u" }],
      [
        { apiVersion: "v1", kind: "ConfigMap", name: "o", uid: "u", controller: true },
        { apiVersion: "v1", kind: "ConfigMap", name: "p", uid: "v", controller: true },
      ],
    ],
  },
  { path: ["metadata", "generation"], right: [7, 0], wrong: ["1"] },
  { path: ["metadata", "creationTimestamp"], right: ["2001-02-03T04:05:06Z", null], wrong: ["yesterday"] },
  { path: ["metadata", "deletionTimestamp"], right: ["2001-02-03T04:05:06Z", null] },
  { path: ["metadata", "managedFields"], right: [[], [{}], null], wrong: [[{ manager: "x" }]] },
  { path: ["metadata", "uid"], right: [""], wrong: ["6dcdde8a-0000-4000-8000-00000000000f"] },
  { path: ["metadata", "unknown"], right: ["x"] },
  { path: ["metadata", "namespace"], right: [""], wrong: ["elsewhere", "A_B"] },
];

/** The collection of a kind, of all namespaces or of one. */
export function collectionOf(
  kind: Pick<RandomKind, "apiVersion" | "plural" | "isClusterScoped">,
  namespace?: string,
): string {
  const root = kind.apiVersion.includes("/") ? `/apis/${kind.apiVersion}` : `/api/${kind.apiVersion}`;
  const spaced = namespace === undefined || kind.isClusterScoped === true ? "" : `/namespaces/${namespace}`;
  return `${root}${spaced}/${kind.plural}`;
}

/** The value with another one at a path; undefined removes what is there. The given value stays. */
export function withValue(value: unknown, [first, ...rest]: Path, other: unknown): unknown {
  if (first === undefined) return other;
  if (typeof first === "number") {
    const items = Array.isArray(value) ? [...(value as unknown[])] : [];
    const at = Math.min(first, items.length);
    if (other === undefined && rest.length === 0) return items.toSpliced(at, 1);
    items[at] = withValue(items[at], rest, other);
    return items;
  }
  const fields =
    typeof value === "object" && value !== null && !Array.isArray(value) ? { ...(value as Fields) } : {};
  const { [first]: before, ...others } = fields;
  if (before === undefined && other === undefined) return value;
  const next = withValue(before, rest, other);
  return next === undefined ? others : { ...fields, [first]: next };
}
