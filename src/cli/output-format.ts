// The formats of `-o`: the same data, for programs (JSON) or for people and kubectl (YAML).
import { Option } from "commander";
import { Document, visit } from "yaml";

/** What `-o` accepts. */
export type OutputFormat = "json" | "yaml";

/** The option `-o, --output`. */
export function outputOption(initial: OutputFormat): Option {
  return new Option("-o, --output <format>", "output format").choices(["json", "yaml"]).default(initial);
}

/** The option `-o, --output` of a command that otherwise prints text for people. */
export function jsonOption(): Option {
  return new Option("-o, --output <format>", "print as JSON").choices(["json"]);
}

/**
 * The data in a format, ending with a line break. Several documents are separated in YAML, and a `List` in JSON.
 * YAML reads the same for readers of YAML 1.1 (a bare `y` is true to them) and of 1.2 (`0o7` is a number to them).
 */
export function formatDocuments(documents: readonly object[], format: OutputFormat): string {
  if (format === "json") {
    const [only] = documents;
    const whole = documents.length === 1 ? only : { apiVersion: "v1", kind: "List", items: documents };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }
  return documents.map(formatYaml).join("---\n");
}

function formatYaml(data: object): string {
  const document = new Document(data, { version: "1.1", aliasDuplicateObjects: false });
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === "string" && /^0o[0-7]+$/.test(scalar.value)) scalar.type = "QUOTE_DOUBLE";
    },
  });
  return document.toString({ lineWidth: 0 });
}
