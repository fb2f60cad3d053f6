// Who wrote a field: read from managedFields, for the sentences that name a writer.
// Format: https://kubernetes.io/docs/reference/generated/kubernetes-api/v1.36/#fieldsv1-v1-meta
import type { ManagedFieldsEntry } from "./object.ts";

type FieldSet = Readonly<Record<string, unknown>>;

/**
 * The entries whose manager owns a field, or anything inside it, latest first; all of them without a path.
 * A path is dotted, as `changedPaths` and the comparison of intents write it: `spec.containers[web].image`.
 */
export function managersOf(
  entries: readonly ManagedFieldsEntry[] | undefined,
  path = "",
): readonly ManagedFieldsEntry[] {
  return (entries ?? [])
    .filter(({ fieldsV1 }) => owns(fieldsV1 ?? {}, path))
    .sort((one, other) => (other.time ?? "").localeCompare(one.time ?? ""));
}

function owns(set: FieldSet, path: string): boolean {
  if (path === "") return true;
  return Object.entries(set).some(([key, inner]) => {
    const rest = restAfter(key, path);
    if (rest === undefined) return false;
    // An entry without entries inside stands for the whole value below it.
    const below = typeof inner === "object" && inner !== null ? (inner as FieldSet) : {};
    return rest === "" || Object.keys(below).length === 0 || owns(below, rest);
  });
}

/** What is left of a path after its first step, if that step is this key; names may hold dots themselves. */
function restAfter(key: string, path: string): string | undefined {
  if (key.startsWith("f:")) {
    const name = key.slice(2);
    if (path === name) return "";
    if (path.startsWith(`${name}.`)) return path.slice(name.length + 1);
    return path.startsWith(`${name}[`) ? path.slice(name.length) : undefined;
  }
  if (!path.startsWith("[")) return undefined;
  const end = path.indexOf("]");
  const rest = path.slice(end + 1).replace(/^\./, "");
  return end > 0 && namesElement(key, path.slice(1, end)) ? rest : undefined;
}

/** Whether `k:{…}` or `v:…` stands for the element that a path calls by this word. */
function namesElement(key: string, word: string): boolean {
  try {
    const value: unknown = JSON.parse(key.slice(2));
    if (typeof value !== "object" || value === null) return String(value) === word;
    const parts = Object.values(value).map(String);
    return parts.includes(word) || parts.join(",") === word;
  } catch {
    return false;
  }
}
