// The file of one resource in three parts, as code: what is compared, what is the same for every custom resource, and what
// depends on it. What follows from the manifest stands in regions, which are all that a later generation replaces.
import type { DictionaryEntry } from "./dictionary.ts";
import { expressionFor } from "./expression.ts";
import { isFields } from "./manifest.ts";
import { kebabCase, variableName } from "./names.ts";
import type { OwnerKind } from "./owner-kind.ts";
import { dependsOnSpec, textExpression, type PlaceholderScope } from "./placeholders.ts";
import { region } from "./regions.ts";
import { typeOfSchema } from "./schema-type.ts";

/** What a file is generated from. */
export interface ResourceInput {
  readonly entry: DictionaryEntry;
  readonly owner: OwnerKind;
  /** The object's fields as written. */
  readonly manifest: Readonly<Record<string, unknown>>;
  /** Where it was written: the name of a file, or undefined for the dictionary's own. */
  readonly source: string | undefined;
  /** What file and function are named by, when the manifest is not to say it. */
  readonly name?: string;
}

/** One generated file. */
export interface ResourceFile {
  /** Its name, such as `memcached-deployment.ts`. */
  readonly file: string;
  /** The function that it exports. */
  readonly function: string;
  /** The type that controllers name in `owns`: as it is exported, as it is called beside the owner, and its module, relative to the file. */
  readonly type: { readonly name: string; readonly local: string; readonly module: string };
  readonly text: string;
  /** What an author should know of it. */
  readonly notes: readonly string[];
}

/** The file of a resource. Errors: `PLACEHOLDER_UNKNOWN`. */
export function resourceFile(input: ResourceInput): ResourceFile {
  const { entry, owner, source } = input;
  const manifest = readable(input.manifest, entry.kind);
  const cr = variableName(owner.kind, new Set(["name", "namespace"]));
  const object = variableName(entry.kind, new Set([cr, "name", "namespace"]));
  const scope: PlaceholderScope = {
    cr,
    kind: owner.kind,
    namespaced: owner.namespaced,
    refusalOf: owner.refusalOf,
  };
  const base = baseName(input);
  const exported = entry.import?.name ?? entry.kind;
  const type = exported === owner.kind ? `Owned${exported}` : exported;
  const file = `${base}.ts`;
  const fn = variableName(base, new Set([cr, object]));
  const { initial, dependent } = assignments(manifest, object, scope);
  const isOwnable = !owner.namespaced || entry.namespaced;
  const key = keyExpression(input, manifest, scope);
  const from = source === undefined ? "the dictionary" : source;
  const article = /^[AEIOU]/.test(owner.kind) ? "an" : "a";
  const what = `The ${entry.kind} of ${article} ${owner.kind}`;
  const initialRegion = region("initial", `same for every ${owner.kind}, from ${from}`, initial, 6);
  const dependentRegion = region("dependent", `placeholders of ${from}`, dependent, 6);
  const text = `// ${what} (${owner.apiVersion}), in three parts.
// What stands between #region and #endregion follows from ${from}, and is replaced when it is generated again; the rest is yours.
${importsOf(input, manifest, type, key.startsWith("keyOf") || key.includes("...keyOf"))}
/** ${what}. */
export function ${fn}(${cr}: ${owner.kind}): BindableResource<${owner.kind}> {
  return kubernetesResource<${type}, ${owner.kind}>({
    type: ${type},
    key: ${key},
${isOwnable ? "" : `    // A cluster-scoped object cannot belong to ${article} ${owner.kind}, which has a namespace: delete it in CRFinalizer.\n    ownerReference: false,\n`}    // What is compared with the live object: everything that is declared below.
    hashedFields: (${object}) => ${object},
    // What is the same for every ${owner.kind}, but for its name.
    mutateWithInitialData: (${initial.length === 0 ? "" : object}) => {
${initialRegion}
    },
    // What depends on what the ${owner.kind} says: (${object}, ${cr}) => { … }
    mutateWithCR: (${dependent.length === 0 ? "" : `${object}, ${cr}`}) => {
${dependentRegion}
    },
  });
}
`;
  return {
    file,
    function: fn,
    type: {
      name: entry.import === undefined ? type : exported,
      local: type,
      module: entry.import?.module ?? `./${file}`,
    },
    text,
    notes: notesOn(input, manifest, isOwnable),
  };
}

/** A ConfigMap `cache-config` as `cache-config-map`, the Deployment `${name}-proxy` of a Memcached as `memcached-proxy-deployment`. */
function baseName({ manifest, entry, owner, name }: ResourceInput): string {
  const { metadata } = manifest;
  const written = isFields(metadata) ? metadata["name"] : undefined;
  const owned = kebabCase(owner.kind);
  const own =
    typeof written === "string" ? kebabCase(written.replaceAll(/\$\{[^{}]*\}/g, `-${owned}-`)) : undefined;
  const base = name === undefined ? (own ?? owned) : kebabCase(name);
  const kind = kebabCase(entry.kind);
  return name !== undefined || base === kind || base.endsWith(`-${kind}`) ? base : `${base}-${kind}`;
}

/** Without what only a server says. */
function readable(
  manifest: Readonly<Record<string, unknown>>,
  kind: string,
): Readonly<Record<string, unknown>> {
  const { apiVersion: _version, kind: _kind, status: _status, metadata, ...fields } = manifest;
  const kept = isFields(metadata) ? metadata : {};
  const annotations = isFields(kept["annotations"])
    ? Object.fromEntries(
        Object.entries(kept["annotations"]).filter(
          ([name]) => name !== "kubectl.kubernetes.io/last-applied-configuration",
        ),
      )
    : {};
  return {
    metadata: {
      ...kept,
      annotations: Object.keys(annotations).length === 0 ? undefined : annotations,
    },
    ...(kind === "CustomResourceDefinition" ? fields : (withQuantities(fields, kind) as typeof fields)),
  };
}

/** Maps of quantities. The server stores `cpu: 1` as the text "1", which is also what the types say. */
const quantities = new Set(["requests", "limits", "hard", "capacity", "podFixed"]);
const limitRanges = new Set(["default", "defaultRequest", "max", "min", "maxLimitRequestRatio"]);

function withQuantities(value: unknown, kind: string): unknown {
  if (Array.isArray(value)) return value.map((each) => withQuantities(each, kind));
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => {
      const isMap =
        isFields(field) && (quantities.has(name) || (kind === "LimitRange" && limitRanges.has(name)));
      if (!isMap) return [name, withQuantities(field, kind)];
      const texts = Object.entries(field).map(([unit, amount]) => [
        unit,
        typeof amount === "number" ? String(amount) : amount,
      ]);
      return [name, Object.fromEntries(texts)];
    }),
  );
}

/** The statements of the second and of the third part. */
function assignments(
  manifest: Readonly<Record<string, unknown>>,
  object: string,
  scope: PlaceholderScope,
): { readonly initial: readonly string[]; readonly dependent: readonly string[] } {
  const initial: string[] = [];
  const dependent: string[] = [];
  const { metadata, ...fields } = manifest;
  const assign = (place: string, value: unknown): void => {
    const code = `${object}.${place} = ${expressionFor(value, scope, 6)};`;
    (dependsOnSpec(value) ? dependent : initial).push(code);
  };
  for (const name of ["labels", "annotations", "finalizers"]) {
    const value = isFields(metadata) ? metadata[name] : undefined;
    if (value !== undefined && value !== null) assign(`metadata.${name}`, value);
  }
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    const spec = name === "spec" && isFields(value) && dependsOnSpec(value) ? value : undefined;
    const own = Object.entries(spec ?? {}).filter((field) => !field.some(dependsOnSpec));
    if (spec === undefined || own.length === 0) {
      assign(name, value);
      continue;
    }
    // The fields that are missing are those of the third part.
    const type = `typeof ${object}.spec`;
    const rest = expressionFor(Object.fromEntries(own), scope, 6);
    initial.push(`const spec: Partial<${type}> = ${rest};`, `${object}.spec = spec as ${type};`);
    for (const [field, inner] of Object.entries(spec)) {
      if (dependsOnSpec(field) || dependsOnSpec(inner)) assign(memberOf("spec", field), inner);
    }
  }
  return { initial, dependent };
}

function memberOf(place: string, field: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(field) ? `${place}.${field}` : `${place}[${JSON.stringify(field)}]`;
}

function keyExpression(
  { entry, owner }: ResourceInput,
  { metadata }: Readonly<Record<string, unknown>>,
  scope: PlaceholderScope,
): string {
  const { name, namespace } = isFields(metadata) ? metadata : {};
  const code = textExpression(typeof name === "string" ? name : "${name}", scope);
  const own = code === `${scope.cr}.metadata.name`;
  if (!entry.namespaced) return `{ name: ${code} }`;
  if (owner.namespaced) return own ? `keyOf(${scope.cr})` : `{ ...keyOf(${scope.cr}), name: ${code} }`;
  const where = textExpression(typeof namespace === "string" ? namespace : "default", scope);
  return `{ namespace: ${where}, name: ${code} }`;
}

function importsOf(
  { entry, owner }: ResourceInput,
  manifest: Readonly<Record<string, unknown>>,
  type: string,
  usesKeyOf: boolean,
): string {
  const { import: imported } = entry;
  const base = entry.namespaced ? "NamespacedObject" : "ClusterObject";
  const declared = imported === undefined ? declarationOf(entry, manifest, type, base) : undefined;
  const json = declared?.includes("Json") === true ? ["Json"] : [];
  const main = [
    ...(usesKeyOf ? ["keyOf"] : []),
    "kubernetesResource",
    ...(owner.module === undefined ? ["type CustomResource"] : []),
    ...(declared === undefined ? [] : ["type ResourceType"]),
  ];
  const lines = [`import { ${main.join(", ")} } from "xstate-operator";`];
  if (imported === undefined) {
    lines.push(`import type { ${[base, ...json].join(", ")} } from "xstate-operator/kinds";`);
  } else {
    const name = imported.name === type ? type : `${imported.name} as ${type}`;
    lines.push(`import { ${name} } from ${JSON.stringify(imported.module)};`);
  }
  lines.push(`import type { BindableResource } from "xstate-operator/resources";`);
  if (owner.module !== undefined) {
    lines.push(`import type { ${owner.kind} } from ${JSON.stringify(owner.module)};`);
  } else {
    lines.push(
      "",
      `/** Import the type from where the kind is declared. */`,
      `type ${owner.kind} = CustomResource<{ readonly [field: string]: unknown }>;`,
    );
  }
  return `${[...lines, ...(declared === undefined ? [] : ["", declared])].join("\n")}\n`;
}

/** The type of a kind that no package exports: its fields, and the constant that requests are made with. */
function declarationOf(
  entry: DictionaryEntry,
  manifest: Readonly<Record<string, unknown>>,
  type: string,
  base: string,
): string {
  const { group, version, kind, plural, namespaced, schema } = entry;
  const known = Object.entries(schema?.properties ?? {}).filter(
    ([name]) => !["apiVersion", "kind", "metadata"].includes(name),
  );
  const written = Object.keys(manifest).filter((name) => name !== "metadata");
  const fields =
    known.length > 0
      ? known.map(([name, field]) => {
          const mark = name === "spec" || schema?.required?.includes(name) === true ? "" : "?";
          return `  readonly ${name}${mark}: ${typeOfSchema(field, 2)};\n`;
        })
      : written.map((name) =>
          name === "spec"
            ? "  readonly spec: { readonly [field: string]: Json };\n"
            : `  readonly ${/^\w+$/.test(name) ? name : JSON.stringify(name)}?: Json;\n`,
        );
  const body = fields.length === 0 ? " {}" : ` {\n${fields.join("")}}`;
  const description = { group, version, kind, plural, namespaced };
  const lines = Object.entries(description).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},\n`);
  return `/** A ${kind} (${group}/${version}). */
export interface ${type} extends ${base}${body}
/** The type of {@link ${type}}. */
export const ${type}: ResourceType<${type}> = {
${lines.join("")}};`;
}

function notesOn(
  { entry, owner }: ResourceInput,
  { metadata }: Readonly<Record<string, unknown>>,
  isOwnable: boolean,
): readonly string[] {
  const notes: string[] = [];
  const { name, namespace } = isFields(metadata) ? metadata : {};
  if (typeof name === "string" && !name.includes("${")) {
    const scope = owner.namespaced && entry.namespaced ? "of one namespace" : "of the cluster";
    notes.push(
      `every ${owner.kind} ${scope} has the same ${entry.kind} "${name}"; write \${name} in its place for one each`,
    );
  }
  if (typeof namespace === "string" && !namespace.includes("${") && owner.namespaced && entry.namespaced) {
    notes.push(`it is made in the namespace of its ${owner.kind}, not in "${namespace}"`);
  }
  if (entry.kind === "Secret")
    notes.push("what the Secret holds stands in the code now: commit no real secret");
  if (!isOwnable) notes.push(`it is not deleted with its ${owner.kind}: delete it in CRFinalizer`);
  return notes;
}

/** The lines that an author adds to the controller, by hand; what it imports already, by its local name, is not imported again. */
export function linesForController(
  files: readonly ResourceFile[],
  {
    folder,
    cr,
    imported,
  }: { readonly folder: string; readonly cr: string; readonly imported: ReadonlySet<string> },
): readonly string[] {
  const names = new Map<string, Set<string>>();
  const add = (module: string, name: string, local = name): void => {
    if (imported.has(local)) return;
    const path = module.startsWith("./") ? `${folder}/${module.slice("./".length)}` : module;
    names.set(path, (names.get(path) ?? new Set()).add(name === local ? name : `${name} as ${local}`));
  };
  for (const { type } of files) if (!type.module.startsWith("./")) add(type.module, type.name, type.local);
  for (const { function: name, file, type } of files) {
    add(`./${file}`, name);
    if (type.module.startsWith("./")) add(type.module, type.name, type.local);
  }
  const types = [...new Set(files.map(({ type }) => type.local))];
  return [
    ...[...names].map(([module, those]) => `import { ${[...those].join(", ")} } from "${module}";`),
    `owns: [${types.join(", ")}],`,
    `ObjectsGetter: ({ cr, registry }) => registry.add(${files.map((file) => `${file.function}(${cr})`).join(", ")}),`,
  ];
}

/** A module with the types of kinds: declared as CustomResourceDefinitions define them, or taken from where they are exported. */
export function typeDeclarations(entries: readonly DictionaryEntry[]): string {
  const exported = entries.flatMap(({ import: from }) =>
    from === undefined ? [] : [`export { ${from.name} } from ${JSON.stringify(from.module)};`],
  );
  const declared = entries
    .filter((entry) => entry.import === undefined)
    .map((entry) =>
      declarationOf(
        entry,
        entry.manifest,
        entry.name,
        entry.namespaced ? "NamespacedObject" : "ClusterObject",
      ),
    );
  const body = declared.join("\n\n");
  const names = ["ClusterObject", "Json", "NamespacedObject"].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(body),
  );
  const imports =
    declared.length === 0
      ? []
      : [
          `import type { ResourceType } from "xstate-operator";\nimport type { ${names.join(", ")} } from "xstate-operator/kinds";`,
        ];
  return `${[...imports, ...exported, ...declared].join("\n\n")}\n`;
}
