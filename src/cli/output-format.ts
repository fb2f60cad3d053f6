// The formats of `-o`: the same data, for programs (JSON) or for people and kubectl (YAML).
import { Option } from "commander";
import { stringify } from "yaml";

/** What `-o` accepts. */
export type OutputFormat = "json" | "yaml";

/** The option `-o, --output`. */
export function outputOption(initial: OutputFormat): Option {
  return new Option("-o, --output <format>", "how to print it").choices(["json", "yaml"]).default(initial);
}

/**
 * The data in a format, ending with a line break. Several documents are separated in YAML, and a `List` in JSON.
 * YAML is written for readers of YAML 1.1, as Kubernetes' own is: a bare `y` would be true to it.
 */
export function formatDocuments(documents: readonly object[], format: OutputFormat): string {
  if (format === "json") {
    const [only] = documents;
    const whole = documents.length === 1 ? only : { apiVersion: "v1", kind: "List", items: documents };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }
  return documents.map(formatYaml).join("---\n");
}

function formatYaml(document: object): string {
  return stringify(document, { version: "1.1", aliasDuplicateObjects: false, lineWidth: 0 });
}
