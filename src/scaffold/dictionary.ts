// The kinds that resources are generated for: those of dictionary.yaml, of a dictionary of the author's, and of CRDs.
import { typeOf } from "../kinds/builtin/type-lookup.ts";
import type { StructuralSchema } from "../kinds/builtin/json-of.ts";
import { comparePriority } from "../kinds/versions/version-priority.ts";
import { parseApiVersion } from "../meta/resource-type.ts";
import { meantBy } from "../ports/misspelling.ts";
import { OperatorError } from "../ports/operator-error.ts";
import { isFields, parseYaml } from "./manifest.ts";

/** One kind of a dictionary. */
export interface DictionaryEntry {
  /** What `--type` takes. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  /** Where its type is exported; absent where the generated file declares it. */
  readonly import?: { readonly module: string; readonly name: string };
  /** What a CRD says of its objects. */
  readonly schema?: StructuralSchema;
  /** What a resource starts with when no manifest is given. */
  readonly manifest: Readonly<Record<string, unknown>>;
}

/** Kinds by what `--type` takes. */
export type Dictionary = ReadonlyMap<string, DictionaryEntry>;

/**
 * The kinds in a text: a dictionary, or CustomResourceDefinitions, beside which other objects may stand; of a name that occurs twice the last one counts.
 * Errors: `DICTIONARY_INVALID`, `MANIFEST_INVALID`.
 */
export function parseDictionary(text: string, source: string): Dictionary {
  const entries = parseYaml(text, source).flatMap((document) => {
    if (!isFields(document))
      return refuse(source, "is not a map of kinds", "Write `Kind: { apiVersion: … }`.");
    if (document["kind"] === "CustomResourceDefinition") return entriesOfDefinition(document, source);
    if (Array.isArray(document["items"])) {
      const { items } = document as { readonly items: readonly unknown[] };
      return items
        .filter((item) => isFields(item) && item["kind"] === "CustomResourceDefinition")
        .flatMap((item) => entriesOfDefinition(item, source));
    }
    // Beside definitions, what a release is applied with has other objects.
    if (isObject(document)) return [];
    return Object.entries(document).map(([name, entry]) => entryOf(name, entry, source));
  });
  return new Map(entries.map((entry) => [entry.name, entry]));
}

/** Whether it is an object of Kubernetes; an entry of a dictionary is a map. */
function isObject({ apiVersion, kind }: Readonly<Record<string, unknown>>): boolean {
  return typeof apiVersion === "string" && typeof kind === "string";
}

/**
 * The kind of a CustomResourceDefinition in each version that is served: in the one that Kubernetes prefers by its own name, in the
 * others with the version, such as `StoreV1beta1`. Errors: `DICTIONARY_INVALID`.
 */
export function entriesOfDefinition(definition: unknown, source: string): readonly DictionaryEntry[] {
  const { spec } = definition as { readonly spec?: Partial<DefinitionSpec> };
  const { group, names, scope, versions = [] } = spec ?? {};
  const served = versions
    .filter((version) => version.served)
    .toSorted((one, other) => comparePriority(one.name, other.name));
  if (group === undefined || names === undefined || served.length === 0) {
    return refuse(
      source,
      "has a CustomResourceDefinition without group, names or a served version",
      "Complete it.",
    );
  }
  const { kind, plural } = names;
  return served.map(({ name: version, schema: { openAPIV3Schema: schema } = {} }, index) => ({
    name: index === 0 ? kind : `${kind}${version.charAt(0).toUpperCase()}${version.slice(1)}`,
    group,
    version,
    kind,
    plural,
    namespaced: scope !== "Cluster",
    ...(schema === undefined ? {} : { schema }),
    manifest: schema?.properties?.["spec"] === undefined ? {} : { spec: {} },
  }));
}

interface DefinitionSpec {
  readonly group: string;
  readonly names: { readonly kind: string; readonly plural: string };
  readonly scope: string;
  readonly versions: readonly {
    readonly name: string;
    readonly served: boolean;
    readonly schema?: { readonly openAPIV3Schema?: StructuralSchema };
  }[];
}

const fields = ["apiVersion", "kind", "plural", "scope", "import", "export", "manifest"];

function entryOf(name: string, entry: unknown, source: string): DictionaryEntry {
  const what = `${source} has an entry "${name}"`;
  if (!isFields(entry)) return refuse(what, "that is not a map", `Its fields are ${fields.join(", ")}.`);
  const unknown = Object.keys(entry).find((field) => !fields.includes(field));
  if (unknown !== undefined) {
    return refuse(what, `with a field "${unknown}"`, `Its fields are ${fields.join(", ")}.`);
  }
  const { manifest = {} } = entry;
  const text = (field: string): string | undefined => {
    const value = entry[field];
    if (value === undefined || typeof value === "string") return value;
    return refuse(what, `whose ${field} is not a text`, "Write a text.");
  };
  const apiVersion = text("apiVersion");
  if (apiVersion === undefined) return refuse(what, "without apiVersion", "For example apiVersion: apps/v1.");
  if (!isFields(manifest)) return refuse(what, "whose manifest is not a map", "Write the object's fields.");
  const kind = text("kind") ?? name;
  const builtin = typeOf(apiVersion, kind);
  const scope = text("scope") ?? (builtin?.namespaced === false ? "Cluster" : "Namespaced");
  if (scope !== "Namespaced" && scope !== "Cluster") {
    return refuse(what, `with the scope "${scope}"`, "Write Namespaced or Cluster.");
  }
  const plural = text("plural") ?? builtin?.plural;
  if (plural === undefined) {
    return refuse(what, "without plural", "Write the plural of its paths, for example certificates.");
  }
  const module = text("import") ?? (builtin === undefined ? undefined : "xstate-operator/kinds");
  return {
    name,
    ...parseApiVersion(apiVersion),
    kind,
    plural,
    namespaced: scope === "Namespaced",
    ...(module === undefined ? {} : { import: { module, name: text("export") ?? kind } }),
    manifest,
  };
}

/** Whether the dictionary has a kind that was typed. */
export function knowsEntry(dictionary: Dictionary, typed: string): boolean {
  return entryNamed(dictionary, typed) !== undefined;
}

function entryNamed(dictionary: Dictionary, typed: string): DictionaryEntry | undefined {
  const word = typed.toLowerCase();
  return (
    dictionary.get(typed) ??
    [...dictionary.values()].find(
      ({ name, kind, plural }) =>
        word === name.toLowerCase() || word === kind.toLowerCase() || word === plural,
    )
  );
}

/**
 * The kind that was typed, or that a manifest is of: by its name, whatever the case, or `apiVersion` and `kind`.
 * Errors: `DICTIONARY_KIND_UNKNOWN`, with what may have been meant.
 */
export function findEntry(dictionary: Dictionary, typed: string): DictionaryEntry {
  const found = entryNamed(dictionary, typed);
  if (found !== undefined) return found;
  const meant = meantBy(typed, dictionary.keys());
  throw new OperatorError("DICTIONARY_KIND_UNKNOWN", `the dictionary has no kind "${typed}"`, {
    remedy: `${meant === undefined ? "" : `Did you mean ${meant}? `}\`generate resource --list\` names all kinds; others are taken from a dictionary or CRDs (--dictionary FILE), or from the cluster (--from-cluster).`,
  });
}

/** The kind of a manifest; undefined when the dictionary has none of that `apiVersion` and `kind`. */
export function entryFor(
  dictionary: Dictionary,
  apiVersion: string,
  kind: string,
): DictionaryEntry | undefined {
  const { group, version } = parseApiVersion(apiVersion);
  return [...dictionary.values()].find(
    (entry) => entry.group === group && entry.version === version && entry.kind === kind,
  );
}

function refuse(source: string, what: string, remedy: string): never {
  throw new OperatorError("DICTIONARY_INVALID", `${source} ${what}`, { remedy });
}
