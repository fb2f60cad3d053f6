// The formats of `-o`, the same for every command that prints data once: for programs (JSON), for people and kubectl (YAML), and, of
// objects of Kubernetes, their names alone.
import { Option } from "commander";
import { Document, visit } from "yaml";
import { parseApiVersion } from "../meta/resource-type.ts";

/** What `-o` accepts of data. */
export type DataFormat = "json" | "yaml";
/** What `-o` accepts of objects: `name` is `kind.group/name`, as kubectl prints it. */
export type OutputFormat = DataFormat | "name";

const flags = "-o, --output <format>";

/** The option of a command that prints objects of Kubernetes. */
export function outputOption(initial: OutputFormat): Option {
  return new Option(flags, "output format").choices(["json", "yaml", "name"]).default(initial);
}

/** The option of a command that prints data of another form. */
export function dataOption(initial: DataFormat): Option {
  return new Option(flags, "output format").choices(["json", "yaml"]).default(initial);
}

/** The option of a command that otherwise prints text for people. */
export function textOrDataOption(): Option {
  return new Option(flags, "print data instead").choices(["json", "yaml"]);
}

/**
 * The data in a format, ending with a line break. Several documents are separated in YAML, and a `List` in JSON.
 * YAML reads the same for readers of YAML 1.1 (a bare `y` is true to them) and of 1.2 (`0o7` is a number to them).
 */
export function formatDocuments(documents: readonly object[], format: OutputFormat): string {
  if (format === "name") return documents.map((each) => `${nameOf(each as NamedObject)}\n`).join("");
  if (format === "json") {
    const [only] = documents;
    const whole = documents.length === 1 ? only : { apiVersion: "v1", kind: "List", items: documents };
    return `${JSON.stringify(whole, null, 2)}\n`;
  }
  return documents.map(formatYaml).join("---\n");
}

interface NamedObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
}

function nameOf({ apiVersion, kind, metadata: { name } }: NamedObject): string {
  const { group } = parseApiVersion(apiVersion);
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
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
