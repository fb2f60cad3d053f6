// What a new definition of a kind would do to the resources that there are: compared before it is applied. Pure.
import type { CustomResourceDefinition } from "../kinds/builtin/apiextensions.ts";
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import type { CrdManifest } from "../kinds/crd.ts";
import type { Kind } from "../kinds/define-kind.ts";
import { conversionFailureOf, convertObject } from "../kinds/versions/convert.ts";
import type { AnyObject, KubeObject } from "../meta/object.ts";
import { formatKey } from "../meta/object-key.ts";

/** The definition on the cluster, as far as it is compared. */
export type StoredCrd = Pick<CustomResourceDefinition, "spec" | "status">;

/** Resources that a line names; the others are counted. */
const named = 3;

/**
 * One line for each thing that speaks against applying the new definition; none if nothing does. Looked at is what resources
 * have, in each version in which they are read now, not what they might have: a field that nobody uses may go.
 */
export function upgradeProblems(
  kind: Kind<KubeObject>,
  next: CrdManifest,
  stored: StoredCrd,
  resources: ReadonlyMap<string, readonly AnyObject[]>,
): readonly string[] {
  const crd = next.metadata.name;
  const versions = new Set(next.spec.versions.map(({ name }) => name));
  const gone = (stored.status?.storedVersions ?? []).filter((version) => !versions.has(version));
  const found = new Map<string, string[]>();
  for (const { name: version, schema } of next.spec.versions) {
    const place = version === kind.version ? "" : `in ${version}, `;
    for (const resource of inVersion(kind, resources, version)) {
      const lines = new Set<string>();
      const { spec, status } = resource as { readonly spec?: unknown; readonly status?: unknown };
      const failure = conversionFailureOf(resource);
      if (failure === undefined) compare(spec, schema?.openAPIV3Schema?.properties?.["spec"], "spec", lines);
      else lines.add(`the conversion fails (${failure.reason})`);
      if (version === kind.version) {
        for (const state of lostStates(kind, status)) lines.add(`the state ${state} is removed`);
      }
      for (const line of lines) {
        const whole = `${place}${line}`;
        found.set(whole, [...(found.get(whole) ?? []), formatKey(resource.metadata)]);
      }
    }
  }
  return [
    ...(stored.spec.scope === next.spec.scope
      ? []
      : [
          `${crd}: its scope changes from ${stored.spec.scope} to ${next.spec.scope}, which the API server does not allow`,
        ]),
    ...gone.map(
      (version) =>
        `${crd}: resources may be stored as ${version}, which the new definition does not have; keep it, store them in another version, and run \`xstate-operator migrate ${crd}\` first`,
    ),
    ...[...found].map(([line, keys]) => `${crd}: ${line}, but ${which(keys)}`),
  ];
}

/** The same for a definition whose kind the operator has no longer, of the resources that have its finalizer. */
export function removedKindProblem(crd: string, held: readonly KubeObject[]): string {
  const keys = held.map(({ metadata }) => formatKey(metadata));
  return `${crd}: the kind is removed, and what has the operator's finalizer could never be deleted, but ${which(keys)}`;
}

/** The resources in a version: as they are read in it now, else by the conversion that is about to come. */
function inVersion(
  kind: Kind<KubeObject>,
  resources: ReadonlyMap<string, readonly AnyObject[]>,
  version: string,
): readonly AnyObject[] {
  const read = resources.get(version);
  if (read !== undefined) return read;
  const known = [...resources].find(([name]) => kind.versions.some((each) => each.name === name));
  if (known !== undefined) return known[1].map((resource) => convertObject(kind, resource, version));
  // From a version that the kind no longer has there is no conversion; its own is the nearest.
  return version === kind.version ? ([...resources.values()][0] ?? []) : [];
}

function which(keys: readonly string[]): string {
  const more = keys.length > named ? ` and ${keys.length - named} more` : "";
  return `${keys.slice(0, named).join(", ")}${more} ${keys.length === 1 ? "has" : "have"} it`;
}

/** What the schema would drop of a value, or refuse in it. */
function compare(
  value: unknown,
  schema: StructuralSchema | undefined,
  path: string,
  lines: Set<string>,
): void {
  if (schema === undefined || value === undefined || value === null) return;
  const allowed = schema.enum as readonly unknown[] | undefined;
  if (allowed !== undefined && !allowed.some((each) => each === value)) {
    lines.add(`${path} no longer accepts ${JSON.stringify(value)}`);
  }
  if (schema.type !== undefined && !hasType(value, schema.type)) {
    lines.add(`${path} becomes ${schema.type === "integer" ? "an integer" : `a ${schema.type}`}`);
    return;
  }
  if (Array.isArray(value)) {
    for (const item of value) compare(item, schema.items, `${path}[]`, lines);
    return;
  }
  if (typeof value !== "object") return;
  const { properties = {}, additionalProperties, required = [] } = schema;
  for (const [name, part] of Object.entries(value)) {
    const inner = properties[name] ?? additionalProperties;
    if (typeof inner === "object") compare(part, inner, `${path}.${name in properties ? name : "*"}`, lines);
    else if (inner !== true && schema["x-kubernetes-preserve-unknown-fields"] !== true) {
      lines.add(`the field ${path}.${name} is removed`);
    }
  }
  for (const name of required) {
    if (!(name in value) && properties[name]?.default === undefined) {
      lines.add(`the field ${path}.${name} becomes required, and is missing`);
    }
  }
}

function hasType(value: unknown, type: NonNullable<StructuralSchema["type"]>): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && !Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}

/** What of a status says where a resource is. */
interface StatusPart {
  readonly lifecycle?: { readonly state?: unknown; readonly snapshot?: { readonly graph?: unknown } };
}

/** States that a resource is in, and that the machine neither has, nor knows by an old name, nor takes over from its version. */
function lostStates({ lifecycle }: Kind<KubeObject>, status: unknown): readonly string[] {
  const { state, snapshot } = (status as StatusPart | undefined)?.lifecycle ?? {};
  if (lifecycle === undefined || typeof state !== "string") return [];
  const { renames, migrate } = lifecycle.options;
  const version = /@(.*)$/.exec(String(snapshot?.graph))?.[1];
  if (version !== undefined && version !== lifecycle.version && isMigrated(migrate, state, version))
    return [];
  return state.split(",").filter((path) => !lifecycle.states.includes(path) && !Object.hasOwn(renames, path));
}

function isMigrated(
  migrate: (
    old: { readonly value: string; readonly context: Record<string, never> },
    from: string,
  ) => unknown,
  value: string,
  version: string,
): boolean {
  try {
    return migrate({ value, context: {} }, version) !== undefined;
  } catch {
    return true; // It wants a context that is not known here; the operator says what comes of it.
  }
}
