// What the built-in types and their fields mean, in Kubernetes' own words: for `explain`, and for tools that read OpenAPI documents. Read from
// the models of @kubernetes/client-node when a document is asked for: those are generated from the OpenAPI document of a real server, of the
// version that the tables of this folder are made of. Of a field that is a struct of its own they say nothing.
import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

/** What is said of a type. */
export interface TypeDescription {
  /** Of the type itself; the empty text where nothing is. */
  readonly type: string;
  /** Of its fields, by their names. */
  readonly fields: Readonly<Record<string, string>>;
}

const known = new Map<string, TypeDescription | undefined>();

/** What is said of a built-in type, by its full name; undefined where nothing is, as where that package is not installed. */
export function describeType(name: string): TypeDescription | undefined {
  if (!known.has(name)) known.set(name, readModel(name));
  return known.get(name);
}

/** Reads what a model says. Of names that several groups have, the model's begins with the group. */
function readModel(name: string): TypeDescription | undefined {
  const folder = modelsFolder();
  const [type = "", version = "", group = ""] = name.split(".").toReversed();
  const file = [upperFirst(group), ""]
    .map((prefix) => new URL(`${prefix}${upperFirst(version)}${type}.d.ts`, folder))
    .find((each) => existsSync(each));
  return file === undefined ? undefined : readComments(readFileSync(file, "utf8"));
}

let folder: URL | undefined;

/** Where the models are; where the package is not, nothing is found there. */
function modelsFolder(): URL {
  if (folder !== undefined) return folder;
  const { resolve } = createRequire(import.meta.url);
  try {
    folder = new URL("gen/models/", pathToFileURL(resolve("@kubernetes/client-node")));
  } catch {
    folder = new URL("missing/", import.meta.url);
  }
  return folder;
}

/** A comment of one line, and the class or the field behind it. What is a word of the language has a `_` before it there. */
const comment = /^ *\/\*\*\n *\* (.*)\n *\*\/\n *(?:export declare class \w+|'_?([^']+)'\??:)/gm;

function readComments(text: string): TypeDescription {
  let type = "";
  const fields: Record<string, string> = {};
  for (const [, said = "", field] of text.matchAll(comment)) {
    if (field === undefined) type = asWritten(said);
    else fields[field.replace(/^x_kubernetes_\w+$/, (name) => name.replaceAll("_", "-"))] = asWritten(said);
  }
  return { type, fields };
}

/** As it was before it became a comment. */
function asWritten(text: string): string {
  return text
    .trim()
    .replaceAll("*_/", "*/")
    .replaceAll(/\\(["'\\])/g, "$1");
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
