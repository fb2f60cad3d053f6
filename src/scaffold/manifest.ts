// Reads manifests as kubectl does: every document, lists taken apart.
import { parseAllDocuments } from "yaml";
import { yamlOfKubernetes } from "../meta/yaml-form.ts";
import { OperatorError } from "../ports/operator-error.ts";

/** An object as it is written in YAML or JSON. */
export interface WrittenObject {
  readonly [field: string]: unknown;
  readonly apiVersion?: unknown;
  readonly kind?: unknown;
}

/** All objects in a text; `source` is how errors call it. Errors: `MANIFEST_INVALID`. */
export function parseManifests(text: string, source: string): readonly WrittenObject[] {
  const documents = parseYaml(text, source);
  const objects = documents.flatMap(itemsOf);
  for (const object of objects) {
    if (isFields(object) && typeof object["apiVersion"] === "string" && typeof object["kind"] === "string") {
      continue;
    }
    const remedy = helmHint(text) ?? "Write both into each document.";
    refuse(source, "has an object without apiVersion and kind", remedy);
  }
  if (objects.length === 0) refuse(source, "has no object", "Write one manifest or more.");
  return objects as readonly WrittenObject[];
}

/** The values of all documents that are not empty. Errors: `MANIFEST_INVALID`. */
export function parseYaml(text: string, source: string): readonly unknown[] {
  const parsed = parseAllDocuments(text, yamlOfKubernetes);
  const documents = Array.isArray(parsed) ? parsed : [];
  for (const { errors } of documents) {
    const [mistake] = errors;
    if (mistake === undefined) continue;
    refuse(source, `is not YAML: ${mistake.message}`, helmHint(text) ?? "Correct the line that is named.");
  }
  return documents
    .map((document): unknown => document.toJS())
    .filter((value) => value !== null && value !== undefined);
}

function helmHint(text: string): string | undefined {
  return text.includes("{{")
    ? "A Helm template is not a manifest: render it first, with `helm template`."
    : undefined;
}

function itemsOf(document: unknown): readonly unknown[] {
  if (!isFields(document) || !Array.isArray(document["items"])) return [document];
  const { kind } = document;
  return typeof kind === "string" && kind.endsWith("List") ? document["items"].flatMap(itemsOf) : [document];
}

/** Whether a value is a map of YAML. */
export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function refuse(source: string, what: string, remedy: string): never {
  throw new OperatorError("MANIFEST_INVALID", `${source} ${what}`, { remedy });
}
