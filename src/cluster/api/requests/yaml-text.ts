// Reads YAML as an API server does.
import { parseDocument } from "yaml";
import { badRequest } from "../status-error.ts";

/** The first document of a YAML 1.1 text, which is what the real server reads. Errors: 400. */
export function parseYaml(text: string): unknown {
  const first = text.split(/^---\s*$/m).find((part) => part.trim() !== "") ?? "";
  const document = parseDocument(first, { version: "1.1", schema: "yaml-1.1", uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) throw badRequest(`error converting YAML to JSON: yaml: ${error.message}`);
  // Keys are text in JSON: an unquoted y is read as true first.
  return JSON.parse(JSON.stringify(document.toJS()) ?? "null");
}
