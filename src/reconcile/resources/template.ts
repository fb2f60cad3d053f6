// Initial data from YAML: one document, with ${name} placeholders filled in after parsing, so that a value is never YAML.
import { parseAllDocuments } from "yaml";
import type { KubeObject, Manifest } from "../../meta/object.ts";
import { parseApiVersion } from "../../meta/resource-type.ts";
import { yamlOfKubernetes } from "../../meta/yaml-form.ts";
import { TerminalError } from "../../ports/operator-error.ts";
import { BoundedMap } from "../../collections/bounded-map.ts";
import { isBuiltinGroup } from "../comparison/list-types.ts";
import { copyOf, mergeManifest } from "../comparison/manifest-merge.ts";

/** Values of placeholders: `${spec.size}` is `values.spec.size`. */
export type TemplateValues = Readonly<Record<string, unknown>>;

const whole = /^\$\{([^{}]+)\}$/;
const placeholder = /\$?\$\{([^{}]*)\}/g;

/**
 * The manifest in a YAML template with its placeholders filled in.
 *
 * A text that is one placeholder becomes the value itself, with its type; inside a longer text the value is inserted
 * verbatim. `$${…}` stands for `${…}`. Without `values` nothing is filled in. The YAML is read as Kubernetes reads it: `0640` is
 * octal.
 *
 * **Errors**: `TEMPLATE_INVALID` for bad YAML, for none or several documents, and for one without `apiVersion` or `kind`;
 * `TEMPLATE_VALUE_MISSING` for a placeholder without a value. Both give up.
 */
export function renderTemplate(yaml: string, values?: TemplateValues): Manifest {
  const parsed = parseTemplate(yaml);
  // A copy in any case: what was parsed is shared by all that use this text.
  const rendered = values === undefined ? copyOf(parsed) : fill(parsed, values);
  if (!isManifestLike(rendered)) refuse("has no apiVersion or kind", "Begin it with both.");
  return rendered;
}

/** Parsed templates by their text: parsing takes half a millisecond, and a template is the same in every run. */
const parsedTemplates = new BoundedMap<string, unknown>(256);

function parseTemplate(yaml: string): unknown {
  const known = parsedTemplates.get(yaml);
  if (known !== undefined) return known;
  const documents = parseAllDocuments(yaml, yamlOfKubernetes);
  const list = Array.isArray(documents) ? documents : [];
  const full = list.filter((document) => document.errors.length > 0 || isFilled(document.toJS()));
  const [document, second] = full;
  if (document === undefined) refuse("has no document", "Write one manifest.");
  if (second !== undefined) {
    refuse(`has ${full.length} documents`, "Write one template for each object; a list of them is not read.");
  }
  const [mistake] = document.errors;
  if (mistake !== undefined) refuse(`is not YAML: ${mistake.message}`, "Correct the line that is named.");
  const parsed: unknown = document.toJS();
  parsedTemplates.set(yaml, parsed);
  return parsed;
}

/**
 * A first part of a Kubernetes resource that merges a YAML template into the object: maps by field, keyed lists by key.
 *
 * **Errors**: those of {@link renderTemplate}; `TEMPLATE_IDENTITY` when the template is of another kind, name or namespace
 * than the resource. All give up.
 *
 * @example
 * kubernetesResource({ type: StatefulSet, key, mutateWithInitialData: fromTemplate(yaml, { image }) });
 */
export function fromTemplate(yaml: string, values?: TemplateValues): (object: object) => void {
  return (object) => {
    const source = renderTemplate(yaml, values);
    const target = object as KubeObject;
    assertSameIdentity(source, target);
    const { group } = parseApiVersion(target.apiVersion);
    mergeManifest(object, source, { builtin: isBuiltinGroup(group), kind: target.kind });
  };
}

function assertSameIdentity(source: Manifest, target: KubeObject): void {
  const metadata: Partial<Manifest["metadata"]> = source.metadata ?? {};
  const pairs: readonly (readonly [string, string | undefined, string | undefined])[] = [
    ["apiVersion", source.apiVersion, target.apiVersion],
    ["kind", source.kind, target.kind],
    ["name", metadata.name, target.metadata.name],
    ["namespace", metadata.namespace, target.metadata.namespace],
  ];
  for (const [field, written, wanted] of pairs) {
    if (written === undefined || written === wanted) continue;
    throw new TerminalError(
      "TEMPLATE_IDENTITY",
      `the template's ${field} is "${written}", but the resource's is "${wanted ?? ""}"`,
      { remedy: `Leave ${field} out of the template, or make both the same.` },
    );
  }
}

function fill(value: unknown, values: TemplateValues): unknown {
  if (typeof value === "string") return fillText(value, values);
  if (Array.isArray(value)) return value.map((each) => fill(each, values));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [String(fillText(name, values)), fill(field, values)]),
  );
}

function fillText(text: string, values: TemplateValues): unknown {
  const only = whole.exec(text)?.[1];
  if (only !== undefined) return valueAt(only.trim(), values);
  return text.replaceAll(placeholder, (match, path: string) => {
    if (match.startsWith("$$")) return match.slice(1);
    const value = valueAt(path.trim(), values);
    return typeof value === "string" ? value : JSON.stringify(value);
  });
}

function valueAt(path: string, values: TemplateValues): unknown {
  let value: unknown = values;
  for (const name of path.split(".")) {
    value =
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as TemplateValues)[name]
        : undefined;
  }
  if (value !== undefined) return value;
  throw new TerminalError("TEMPLATE_VALUE_MISSING", `the template asks for \${${path}}, which has no value`, {
    remedy: `Give it a value, or write $\${${path}} where the text itself is meant.`,
  });
}

function isFilled(value: unknown): boolean {
  return value !== null && value !== undefined;
}

function isManifestLike(value: unknown): value is Manifest {
  if (typeof value !== "object" || value === null) return false;
  const { apiVersion, kind } = value as Partial<Manifest>;
  return typeof apiVersion === "string" && typeof kind === "string";
}

function refuse(what: string, remedy: string): never {
  throw new TerminalError("TEMPLATE_INVALID", `the template ${what}`, { remedy });
}
