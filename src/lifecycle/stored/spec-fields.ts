// Which fields of the spec changed since the last delivery to the application: by a short hash of each, kept in the status, so
// that it can still be determined after a restart. Fine where there is room, by top-level field where there is not.
import { fingerprintOfJson } from "../values/fingerprint.ts";
import { isLarger } from "../values/json-size.ts";
import { readFields } from "../values/untrusted.ts";

/** Short hashes by dotted path: of every leaf of the spec, or of its top-level fields only. */
export type SpecFields = Readonly<Record<string, string>>;

type Spec = Readonly<Record<string, unknown>>;

/** Bytes that the hashes may take in the status. */
const fieldsBudget = 1_024;

/** The hashes of a spec; undefined when even those of its top-level fields take too much room. */
export function fieldsOf(spec: Spec): SpecFields | undefined {
  return withinBudget(leavesOf(spec)) ?? withinBudget(new Map(Object.entries(spec)));
}

function withinBudget(values: ReadonlyMap<string, unknown>): SpecFields | undefined {
  const fields = Object.fromEntries([...values].map(([path, value]) => [path, hashOf(value)]));
  return isLarger(fields, fieldsBudget) ? undefined : fields;
}

/**
 * The dotted paths that differ from what is recorded, in order of the alphabet: the deepest that can be determined. Where nothing
 * is recorded, every top-level field counts as changed.
 */
export function editedPaths(before: SpecFields | undefined, spec: Spec): readonly string[] {
  if (before === undefined) return Object.keys(spec).toSorted();
  const leaves = leavesOf(spec);
  const valueAt = (path: string): unknown => (leaves.has(path) ? leaves.get(path) : ownField(spec, path));
  const changed = Object.entries(before).filter(([path, hash]) => hashOf(valueAt(path)) !== hash);
  const isCovered = (path: string): boolean =>
    Object.hasOwn(before, path) ||
    path.split(".").some((_, end, names) => Object.hasOwn(before, names.slice(0, end).join(".")));
  const added = [...leaves.keys()].filter((path) => !isCovered(path));
  return [...new Set([...changed.map(([path]) => path), ...added])].toSorted();
}

/** The leaves by dotted path; what is empty is nothing, as in {@link fingerprintOfJson}. */
function leavesOf(spec: Spec): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>();
  const collect = (value: unknown, path: string | undefined): void => {
    const fields = readFields(value);
    if (fields !== undefined) {
      for (const [name, inner] of Object.entries(fields))
        collect(inner, path === undefined ? name : `${path}.${name}`);
    } else if (
      path !== undefined &&
      value !== null &&
      value !== undefined &&
      !(Array.isArray(value) && value.length === 0)
    ) {
      leaves.set(path, value);
    }
  };
  collect(spec, undefined);
  return leaves;
}

function ownField(spec: Spec, name: string): unknown {
  return Object.hasOwn(spec, name) ? spec[name] : undefined;
}

/** 32 bits: enough to tell one value of a field from the next; that the spec changed at all is reported by its whole hash. */
function hashOf(value: unknown): string {
  const isNothing =
    value === null || value === undefined || (typeof value === "object" && Object.keys(value).length === 0);
  return isNothing ? "" : fingerprintOfJson(value).slice(0, 8);
}
