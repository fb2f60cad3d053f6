// Kubernetes' named formats in CEL: `format.dns1123Label().validate(text)` answers with the faults, or with nothing.
// https://kubernetes.io/docs/reference/using-api/cel/#kubernetes-format-library
import { Optional } from "@marcbachmann/cel-js";
import type { Environment } from "@marcbachmann/cel-js";
import { hasFormat } from "../string-format.ts";

const label = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const qualifiedPart = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

const checks: Readonly<Record<string, (text: string) => boolean>> = {
  dns1123Label: (text) => text.length <= 63 && label.test(text),
  dns1123Subdomain: isSubdomain,
  dns1035Label: (text) => text.length <= 63 && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text),
  qualifiedName: isQualifiedName,
  labelValue: (text) => text === "" || (text.length <= 63 && qualifiedPart.test(text)),
  dns1123LabelPrefix: (text) => text.length <= 63 && label.test(text.replace(/-$/, "a")),
  dns1123SubdomainPrefix: (text) => isSubdomain(text.replace(/-$/, "a")),
  dns1035LabelPrefix: (text) =>
    text.length <= 63 && /^[a-z](?:[-a-z0-9]*[a-z0-9])?$/.test(text.replace(/-$/, "a")),
  uri: (text) => hasFormat(text, "uri"),
  uuid: (text) => hasFormat(text, "uuid"),
  byte: (text) => hasFormat(text, "byte"),
  date: (text) => hasFormat(text, "date"),
  datetime: (text) => hasFormat(text, "date-time"),
};

/** One named format. */
class Format {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
  validate(text: string): Optional<readonly string[]> {
    return checks[this.name]?.(text) === true
      ? Optional.none()
      : Optional.of([`must be a valid ${this.name}`]);
  }
}

/** The namespace `format`. */
class Formats {
  named(name: string): Optional<Format> {
    return Object.hasOwn(checks, name) ? Optional.of(new Format(name)) : Optional.none();
  }
}

/** Adds `format` with its formats, and `validate`. */
export function registerFormatFunctions(environment: Environment): void {
  environment.registerType("kubernetes.Formats", Formats);
  environment.registerType("kubernetes.NamedFormat", Format);
  environment.registerConstant("format", "kubernetes.Formats", new Formats());
  for (const name of Object.keys(checks)) {
    environment.registerFunction(
      `kubernetes.Formats.${name}(): kubernetes.NamedFormat`,
      () => new Format(name),
    );
  }
  environment.registerFunction(
    "kubernetes.Formats.named(string): optional<kubernetes.NamedFormat>",
    (formats: Formats, name: string) => formats.named(name),
  );
  environment.registerFunction(
    "kubernetes.NamedFormat.validate(string): optional<list<string>>",
    (format: Format, text: string) => format.validate(text),
  );
}

function isSubdomain(text: string): boolean {
  return text.length <= 253 && text.split(".").every((part) => label.test(part));
}

function isQualifiedName(text: string): boolean {
  const parts = text.split("/");
  const name = parts.at(-1) ?? "";
  const prefix = parts.length === 2 ? parts[0] : undefined;
  const isNamed = name.length <= 63 && qualifiedPart.test(name);
  return parts.length <= 2 && isNamed && (prefix === undefined || isSubdomain(prefix));
}
