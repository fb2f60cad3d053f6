// A file of YAML as the objects in it, each with its place; the documents that say how tests are run are checked against their forms.
import { readFileSync } from "node:fs";
import { LineCounter, parseAllDocuments, type Document } from "yaml";
import { yamlOfKubernetes } from "../../meta/yaml-form.ts";
import { problemsByPath } from "../../options/option-problems.ts";
import { messageOf, OperatorError } from "../../ports/operator-error.ts";
import { isJsonArray, isJsonObject, type JsonObject } from "../../schema/json-value.ts";
import { fieldsWithoutMeaning, testForms, type TestDocumentKind } from "./test-forms.ts";

/** An object as it is written in a file. */
export interface WrittenObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** Its own name, and its namespace, where they are written. */
  readonly metadata: JsonObject;
  readonly value: JsonObject;
  /** `file:line`. */
  readonly where: string;
}

/** A document that says how tests are run. */
export interface TestDocument {
  readonly kind: TestDocumentKind;
  /** `metadata.name`, if it has one. */
  readonly name: string | undefined;
  /** In the form of its kind; other fields are to be ignored. */
  readonly settings: JsonObject;
  readonly where: string;
}

/** What is in a file. */
export interface ReadFile {
  readonly objects: readonly WrittenObject[];
  readonly tests: readonly TestDocument[];
  /** What is ignored in it, as sentences. */
  readonly warnings: readonly string[];
}

/** Reads a file of tests. `shown` is how messages call it. Errors: `TEST_FILE_INVALID`. */
export function readTestFile(path: string, shown: string): ReadFile {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    throw invalid(shown, `cannot be read: ${messageOf(error)}`, "Check the path and its permissions.", error);
  }
  return readTestText(text, shown);
}

/** Reads the text of one. Errors: `TEST_FILE_INVALID`. */
export function readTestText(text: string, shown: string): ReadFile {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(text, { ...yamlOfKubernetes, lineCounter: lines });
  const documents = Array.isArray(parsed) ? parsed : [];
  const objects: WrittenObject[] = [];
  const tests: TestDocument[] = [];
  const warnings: string[] = [];
  for (const document of documents) {
    const [mistake] = document.errors;
    if (mistake !== undefined) {
      const where = `${shown}:${lines.linePos(mistake.pos[0]).line}`;
      throw invalid(
        where,
        `is not YAML: ${mistake.message.replace(/ at line[\s\S]*/, "")}`,
        "Correct it here, or shortly before.",
      );
    }
    const placeOf = (path: readonly PropertyKey[]): string => `${shown}:${lineOf(document, path, lines)}`;
    for (const { value, path } of itemsOf(valueOf(document, placeOf([])))) {
      const where = placeOf(path);
      const { apiVersion, kind, metadata = {} } = value;
      if (typeof apiVersion !== "string" || typeof kind !== "string" || !isJsonObject(metadata)) {
        throw invalid(where, "is an object without apiVersion and kind", "Write both into each document.");
      }
      if (!isTestDocument(apiVersion, kind)) {
        objects.push({ apiVersion, kind, metadata, value, where });
        continue;
      }
      const { apiVersion: _version, kind: _kind, metadata: _metadata, ...written } = value;
      // An empty text says no more than none: Go has no other word for it.
      const settings = Object.fromEntries(Object.entries(written).filter(([, each]) => each !== ""));
      for (const { path: at, problem } of problemsByPath(testForms[kind], settings, kind)) {
        if (problem.code !== "OPTION_UNKNOWN")
          throw invalid(placeOf([...path, ...at]), problem.message, problem.remedy);
        if (at.length > 1 || !fieldsWithoutMeaning[kind].has(String(at[0]))) {
          warnings.push(`${placeOf([...path, ...at])}: ${problem.message}`);
        }
      }
      const name = typeof metadata["name"] === "string" ? metadata["name"] : undefined;
      tests.push({ kind, name, settings, where });
    }
  }
  return { objects, tests, warnings };
}

/** The error of a place in a file of tests. */
export function invalid(where: string, what: string, remedy: string, cause?: unknown): OperatorError {
  return new OperatorError("TEST_FILE_INVALID", `${where} ${what}`, { cause, fields: { where }, remedy });
}

function isTestDocument(apiVersion: string, kind: string): kind is TestDocumentKind {
  return /^(?:kuttl|kudo)\.dev\//.test(apiVersion) && Object.hasOwn(testForms, kind);
}

function valueOf(document: Document, where: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 1_000 }) as unknown;
  } catch (error) {
    throw invalid(
      where,
      `cannot be read: ${messageOf(error)}`,
      "Write out what the aliases stand for.",
      error,
    );
  }
}

interface Item {
  readonly value: JsonObject;
  readonly path: readonly PropertyKey[];
}

/** The objects of a document: those of a List are its items. */
function itemsOf(value: unknown, path: readonly PropertyKey[] = []): readonly Item[] {
  if (value === null || value === undefined) return [];
  if (!isJsonObject(value)) return [{ value: {}, path }];
  const { kind, items } = value;
  if (typeof kind === "string" && kind.endsWith("List") && isJsonArray(items)) {
    return items.flatMap((item, index) => itemsOf(item, [...path, "items", index]));
  }
  return [{ value, path }];
}

/** The line of what is at a path, or of the innermost part around it that is written. */
function lineOf(document: Document, path: readonly PropertyKey[], lines: LineCounter): number {
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    const [start] = (node as { readonly range?: readonly number[] } | null | undefined)?.range ?? [];
    if (start !== undefined) return Math.max(lines.linePos(start).line, 1);
  }
  return 1;
}
